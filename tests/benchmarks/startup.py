"""What a user waits for: the import, the first gradient, the choice of code at each call."""

import math
import os
import pathlib
import tempfile
from functools import partial

from srcgrad import grad, tape
from tests.benchmarks import programs
from tests.benchmarks.timing import fresh, interleaved
from tests.benchmarks.tools import under

try:
    import autograd
    import autograd.numpy as own
except ImportError:
    autograd = None

IMPORT = """
import sys, time
import numpy
start = time.perf_counter()
import srcgrad
from srcgrad import differentiate, grad, value_and_grad, vjp
print(1e3 * (time.perf_counter() - start))
late = {"libcst", "astor"} & set(sys.modules)
sys.exit(f"import srcgrad brings in {late}" if late else 0)
"""

# What was generated is on disk when it runs again.
KEPT = """
import sys, time
import numpy as np
start = time.perf_counter()
from srcgrad import grad
def loss(w, x, y):
    h = np.tanh(x @ w)
    return np.mean((h - y) ** 2)
grad(loss)(np.ones(3), np.ones((5, 3)), np.ones(5))
print(1e3 * (time.perf_counter() - start))
sys.exit("it was generated anew" if "libcst" in sys.modules and sys.argv[1:] else 0)
"""

# Every module is imported before the clock starts; no formula has been read.
TRANSFORM = """
import contextlib, importlib, pkgutil, sys, time
import numpy, numpy.fft
clock = [time.perf_counter()]
import astor, libcst, libcst.native
import srcgrad, srcgrad.formulas
for package in srcgrad, srcgrad.formulas:
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        with contextlib.suppress(ImportError):  # CuPy may not be installed
            importlib.import_module(module.name)
clock.append(time.perf_counter())
from tests.benchmarks import programs
arguments = getattr(programs, sys.argv[1] + "_arguments")()
function, wrt = getattr(programs, sys.argv[1]), tuple(range(int(sys.argv[2])))
clock.append(time.perf_counter())
gradient = srcgrad.grad(function, wrt=wrt)
gradient(*arguments)
clock.append(time.perf_counter())
gradient(*arguments)
clock.append(time.perf_counter())
again = getattr(programs, sys.argv[1] + "_again")  # another function of the same formulas
srcgrad.grad(again, wrt=wrt)(*arguments)
clock.append(time.perf_counter())
imports, _, first, second, other = (1e3 * (b - a) for a, b in zip(clock, clock[1:]))
print(imports, first - second, other - second)
"""


def second_process():
    """Return the milliseconds from NumPy to the first gradient, with what is kept on disk."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(KEPT)
        os.environ["SRCGRAD_DIR"] = folder
        run = "import runpy, sys; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
        fresh(run, 1, str(path))
        (seconds,) = fresh(run, 15, str(path), "kept")
        del os.environ["SRCGRAD_DIR"]
    return seconds


def overhead(function, arguments):
    """Return the seconds of the generated function, and with the choice of it before."""
    dispatch = grad(function)
    dispatch(*arguments)
    (special,) = dispatch.__srcgrad__.specialisations
    candidates = {
        "direct": partial(special.run, *arguments),
        "dispatched": partial(dispatch, *arguments),
    }
    times = interleaved(candidates, repetitions=200, calls=1000)
    return times["direct"], times["dispatched"]


def tape_against_autograd():
    """Time gradients on the tape against autograd's, of all programs that both run."""
    ratios = []
    for name, function, wrt, arguments, clock in programs.for_engines():
        candidates = {
            "tape": partial(tape.grad(function, wrt=wrt), *arguments),
            "autograd": partial(
                autograd.grad(under(function, {"np": own, "math": own}), wrt), *arguments
            ),
        }
        times = interleaved(candidates, **clock)
        ratios.append(times["tape"] / times["autograd"])
        print(f"{name:<34}tape/autograd {ratios[-1]:.2f}  (goal 1.5)", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"{'geometric mean':<34}tape/autograd {mean:.2f}  (goal 1.0)", flush=True)


def main():
    """Print every figure."""
    (seconds,) = fresh(IMPORT, 15)
    print(f"import srcgrad over import numpy   {seconds:.1f} ms  (goal 30)", flush=True)
    print(f"first gradient kept on disk        {second_process():.1f} ms  (goal 60)", flush=True)
    for name, wrt, goal in (("perceptron", 4, 20), ("twenty_lines", 3, 20), ("recurrent", 5, 50)):
        imports, cold, warm = fresh(TRANSFORM, 9, name, str(wrt))
        print(
            f"transform {name:<24} {cold:.1f} ms cold (goal {goal}), "
            f"{warm:.1f} ms with its formulas read; importing all modules {imports:.0f} ms",
            flush=True,
        )
    for name, function, arguments in programs.calls():
        direct, dispatched = overhead(function, arguments)
        print(
            f"call with {name:<24} {1e9 * (dispatched - direct):.0f} ns "
            f"over the generated function's own call (goal 1000)",
            flush=True,
        )
    if autograd is not None:
        tape_against_autograd()
