"""Print what generating a gradient costs, in milliseconds of the processor.

Run as ``python -m tests.benchmarks.generation``. The processor's time is taken, for that of
the clock on the wall depends on what else runs.
"""

import os
import time
from itertools import count
from statistics import median

import numpy as np

from srcgrad import grad, source
from srcgrad.cache.files import VARIABLE
from tests.benchmarks.timing import fresh
from tests.in_memory import execute

HEAD = "def f(x, a):\n    s = 0.0\n    y = np.cos(x)\n"
LINES = ("x = np.sin(x) * a", "y = y + x ** 2", "x = np.tanh(y) - 0.1 * x", "s = s + np.sum(x * y)")
LAYERS = """
class Layer:
    def __init__(self, n):
        self.w = np.full((n, n), 0.1)
        self.b = np.zeros(n)
    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)
class Model:
    def __init__(self, layers):
        self.layers = [Layer(5) for _ in range(layers)]
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return np.sum(x)
model = Model({layers})
def f(x, a):
    return model(x) * a
"""
# The modules that are imported are compiled already, as those of an installed package are.
FIRST = """
import time
import numpy as np
from tests.benchmarks import programs
start = time.process_time()
from srcgrad import grad
grad(programs.twenty_lines, wrt=(0, 1, 2))(*programs.twenty_lines_arguments())
print(1e3 * (time.process_time() - start))
"""

numbers = count()


def compiled(text):
    """Return the function ``f`` of a text, which ``inspect`` finds."""
    name = f"<generation {next(numbers)}>"
    space = execute(text, name, {"np": np, "__name__": name})
    return space["f"]


def straight(lines):
    """Return a function of so many lines without branches."""
    body = "".join(f"    {LINES[k % len(LINES)]}\n" for k in range(lines))
    return compiled(f"{HEAD}{body}    return s + np.sum(x) + np.sum(y)\n")


def nested(depth):
    """Return a function with two statements under so many loops."""
    body = [f"{'    ' * k}for i{k} in range(2):" for k in range(depth)]
    body += ["    " * depth + "x = np.sin(x) * a", "    " * depth + "s = s + np.sum(x)"]
    text = "".join(f"    {line}\n" for line in body)
    return compiled(f"{HEAD}{text}    return s + np.sum(x) + np.sum(y)\n")


def layered(layers):
    """Return a function that calls an object with so many layers of one class."""
    return compiled(LAYERS.replace("{layers}", str(layers)))


def cost(make, size, repetitions=7):
    """Return the median milliseconds for a gradient, and the number of its lines."""
    times = []
    for _ in range(repetitions):
        gradient = grad(make(size))
        start = time.process_time()
        gradient(np.full(5, 0.3), 2.0)
        times.append(1e3 * (time.process_time() - start))
    return median(times), len(source(gradient).splitlines())


def main():
    """Print every figure."""
    os.environ[VARIABLE] = "0"  # or what was generated before would be read
    cost(straight, 8, 2)  # imports, and the formulas
    for label, make, sizes in (
        ("straight lines", straight, (20, 50, 100, 200)),
        ("nested loops", nested, (1, 2, 3, 4, 5, 6)),
        ("layers of one class", layered, (1, 10, 60)),
    ):
        for size in sizes:
            spent, lines = cost(make, size)
            print(f"{size:4d} {label:<20} {spent:7.1f} ms, {lines:5d} lines of text", flush=True)
    fresh(FIRST, 1)  # writes compiled modules where Python is allowed to
    (first,) = fresh(FIRST, 9)
    print(f"first gradient over import numpy {first:6.1f} ms  (goal 400)", flush=True)


if __name__ == "__main__":
    main()
