"""Generating code costs as much for each statement, however many there are.

What it costs is counted in calls of Python functions, which a machine's speed does not change.
"""

import itertools
import sys

import numpy as np
import pytest

from srcgrad import grad, jvp
from srcgrad.errors import UnsupportedSyntaxError
from tests.in_memory import execute

HEAD = """
def helper(u, c):
    return np.sin(u) * c + u
def helper2(u, w):
    return 0.5 * u * w, 0.5 * (u + w)
def f(x, a):
    s = 0.0
    b = a
    y = np.cos(x)
    rows, d, W = [], {}, np.outer(y, y)
"""
# the lines of one statement, or a few, as a function of its number
KINDS = {
    "writes": lambda k: f"y[{k % 5}] = y[{(k + 1) % 5}] * x[{k % 5}]",
    "sums in place": lambda k: f"y += np.sin(x) * {k + 1}.0",
    "products of sums": lambda k: (
        "y = np.sin(x) * a\nz = y + x ** 2\nx = np.tanh(z) - 0.1 * y\ns = s + np.sum(x * z)"
    ),
    "branches": lambda k: f"if a > {k}.5:\n    x = x * 2.0\nelse:\n    x = np.sin(x)",
    "calls": lambda k: f"x = helper(x, {k}.0)",
    "calls with two results": lambda k: "x, y = helper2(x, y)",
    "lists": lambda k: "rows.append(np.sin(x))\ns = s + np.sum(rows[-1])",
    "dicts": lambda k: f"d['k{k}'] = x * {k}.0\ns = s + np.sum(d['k{max(k - 1, 0)}'])",
    "swaps": lambda k: "x, y = y + x, x * 0.5",
    "choices": lambda k: "x = np.where(x > 0, x / (1 + x**2), np.sqrt(np.abs(x)))",
    "quotients": lambda k: "x = x / (1.0 + np.exp(-x))",
    "logarithms": lambda k: "x = np.log(1.0 + x**2) * y",
    "loops": lambda k: f"for i{k} in range(2):\n    x = np.sin(x) + y\n    s = s + np.sum(x)",
    "views": lambda k: f"v = y[{k % 3}:]\nv[0] = np.sum(x)\ns = s + y[1]",
    "conditions": lambda k: f"x = x * 2.0 if a > {k} else x + 1.0",
    "numbers": lambda k: f"b = b * a + {k}.0 / (1.0 + b)",
    "slices": lambda k: "y[1:-1] = y[1:-1] + 0.1 * (y[2:] - 2 * y[1:-1] + y[:-2])",
    "products": lambda k: "x = np.tanh(W @ x + y)",
}


def written(kind, count):
    """A function with so many statements of a kind."""
    body = [line for k in range(count) for line in KINDS[kind](k).splitlines()]
    text = HEAD + "".join(f"    {line}\n" for line in body)
    text += "    return s + np.sum(x) + np.sum(y) + b\n"
    name = f"{count} {kind}"
    space = execute(text, name, {"np": np})
    return space["f"]


def calls_for(function, derivative=grad, recorded="refuse"):
    """How many calls of Python functions generating its gradient takes."""
    gradient, count = derivative(function, recorded=recorded), 0

    def note(frame, event, arg):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        gradient(np.full(5, 0.3), 2.0)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.one_of(6)
def test_cost_is_linear_in_the_number_of_statements(kind):
    """Twice as many statements cost at most a bit more than twice as much."""
    calls_for(written(kind, 2))  # what is loaded once
    few, many = (calls_for(written(kind, count)) for count in (5, 10))
    assert many < 2.3 * few


def test_cost_of_nested_loops():
    """Each loop more around a statement costs about as much as the one before it."""
    costs = []
    for depth in (1, *range(1, 9)):  # the first time, more is loaded
        lines = [f"{'    ' * k}for i{k} in range(2):" for k in range(depth)]
        lines += [f"{'    ' * depth}x = np.sin(x) * a", f"{'    ' * depth}s = s + np.sum(x)"]
        KINDS["nested"] = lambda k, lines=lines: "\n".join(lines)
        costs.append(calls_for(written("nested", 1)))
        del KINDS["nested"]
    steps = [more - less for less, more in itertools.pairwise(costs[1:])]
    assert all(more < 1.35 * less for less, more in itertools.pairwise(steps)), costs
    assert steps[-1] < 3 * steps[0], costs


def chosen(count, last="s = s * {k}.5"):
    """A function with many arms, each in the last line of the one before it."""
    lines = []
    for k in range(count):
        arm = [
            f"if a < {k}.5:",
            "    " + last.format(k=k),
            "else:",
            f"    s = s + np.sin(s) * {k}.5",
        ]
        lines += ["    " * k + line for line in arm]
    KINDS["arms"] = lambda k: "\n".join(lines)
    made = written("arms", 1)
    del KINDS["arms"]
    return made


def left(count):
    """The same, of which each arm returns."""
    return chosen(count, "return s * {k}.5")


def chained(count):
    """A function that calls another one at two places, which does the same, and so on."""
    text = "import numpy as np\ndef g0(x, a):\n    return np.sum(x) * a\n"
    for k in range(count):
        inner = f"g{k}(x, a)"
        text += f"def g{k + 1}(x, a):\n    if a > {k}.5:\n        return {inner} * 1.1\n"
        text += f"    return {inner} + a\n"
    name = f"chain of {count}"
    space = execute(text, name)
    return space[f"g{count}"]


def slope_of_gradient(f, recorded):
    """A tangent of the gradient."""
    return lambda *args: jvp(grad(f), args, (np.ones(5), 1.0), recorded=recorded)


DEEP = [(make, f) for make in (chosen, left) for f in (grad, slope_of_gradient)]
DEEP += [(chained, grad)]


@pytest.mark.parametrize(("make", "derivative"), DEEP)
def test_cost_of_depth(make, derivative):
    """Each branch inside of a branch, and each call behind a call, costs what the last one did."""
    calls_for(make(2), derivative)
    few, many = (calls_for(make(count), derivative) for count in (8, 16))
    assert many < 4 * few


def test_cost_of_what_derivatives_keep():
    """Second derivatives have no names for values that are twice as many with each call."""
    with pytest.raises(UnsupportedSyntaxError, match="keeps more than 100 values"):
        calls_for(chained(9), slope_of_gradient)
    few, many = (calls_for(chained(count), slope_of_gradient, "allow") for count in (9, 18))
    assert many < 4 * few
