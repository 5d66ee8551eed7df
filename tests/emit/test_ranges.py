"""Ranges in the opposite order, as one writes them."""

import itertools
import textwrap

import numpy as np
import pytest

from srcgrad import grad, source, vjp
from srcgrad.emit.words.headers import _moved
from tests import finite_differences as fd
from tests.in_memory import execute

ENDS = {
    "n": ("n + 1", "n - 1"),
    "n - 1": ("n", "n - 2"),
    "n + 1": ("n + 2", "n"),
    "c.shape[0] - 1": ("c.shape[0]", "c.shape[0] - 2"),
    "f(x) - 3": ("f(x) - 2", "f(x) - 4"),
    "n - m": ("n - m + 1", "n - m - 1"),
    "n - 0": ("n + 1", "n - 1"),
    "(a + b) - 1": ("(a + b) - 1 + 1", "(a + b) - 1 - 1"),
    "n << 1": ("(n << 1) + 1", "(n << 1) - 1"),
    "a if n else b": ("(a if n else b) + 1", "(a if n else b) - 1"),
    "-1": ("0", "-2"),
    "5": ("6", "4"),
}


@pytest.mark.parametrize("end", ENDS)
def test_one_more_and_one_less(end):
    """A number is added to an end, or to the number that is added to it."""
    names = {"n": 7, "m": 2, "c": np.ones(3), "a": 1, "b": 2, "x": 4, "f": abs}
    for by, expected in zip((1, -1), ENDS[end], strict=True):
        assert _moved(end, by) == expected
        assert eval(expected, dict(names)) == eval(end, dict(names)) + by


def pairs(a, s):
    """Sum over pairs."""
    total = 0.0
    n = len(s)
    for i in range(n):
        for j in range(i + 1, n):
            total += a[i, j] * s[i] * s[j]
    return total


def test_no_loop_is_left_without_a_body():
    """The counter of a backward loop is its own, and needs no forward loop."""
    derivative = grad(pairs)
    s = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(derivative(np.ones((3, 3)), s), np.triu(np.outer(s, s), 1))
    text = source(derivative)
    assert "pass" not in text
    assert text.count("for ") == 3  # one of them is in the comment
    assert "for j in range(n - 1, i, -1):" in text


def correlated(kernel, image):
    """Sum the squares of a correlation, over a kernel whose lengths are unpacked."""
    rows, columns = kernel.shape
    out = np.zeros((3, 3))
    for i in range(rows):
        for j in range(columns):
            out += kernel[i, j] * image[i : i + 3, j : j + 3]
    return np.sum(out**2)


def ends_that_change(kernel, image):
    """Go through ranges whose ends have other values later."""
    n = kernel.shape[0]
    total = 0.0
    for a in range(n):
        for i in range(a):
            n = i
            for j in range(n, 3):
                total = total * 0.9 + kernel[i, j] * kernel[a, i] * image[a, j]
    return total + n * kernel[0, 0]


@pytest.mark.parametrize("f", [correlated, ends_that_change])
def test_nested_ranges_keep_no_counters(f):
    """The counters of loops inside of each other are gone through again."""
    rng = np.random.default_rng(0)
    derivative = grad(f)
    args = rng.normal(size=(3, 3)), rng.normal(size=(5, 5))
    np.testing.assert_allclose(derivative(*args), fd.gradient(f, args, 0), rtol=1e-5, atol=1e-7)
    assert "saved" not in source(derivative)


HEADS = {  # of a loop whose trips depend on the counter around it
    "range": "for {v} in range({n} % 3 + 1):",
    "back": "for {v} in range({n} % 3, -1, -1):",
    "list": "for {v} in list(range({n} % 3 + 1)):",
    "while": "{v} = {n} % 3 + 1\nwhile {v} > 0:\n    {v} -= 1",
    "left": "for {v} in range(9):\n    if {v} > {n} % 3:\n        break",
}
BODIES = {
    "sum": "total = total + np.sin(x * (i + 2 * j + 3 * k + 1))",
    "product": "total = total * np.cos(x + k)",
    "outer": "total = total + x * i",
    "append": "items.append(x * x * (i + k))",
}


def nested(heads, body):
    """The text of loops in each other, with a line in the innermost one."""
    lines = ["def f(x):", "    total, items, i, j, k = 1.0, [], 0, 0, 0"]
    for depth, (head, v, n) in enumerate(zip(heads, "ijk", "2ij", strict=True)):
        lines.append(textwrap.indent(HEADS[head].format(v=v, n=n), "    " * (depth + 1)))
    lines.append(textwrap.indent(BODIES[body], "    " * 4))
    return "\n".join([*lines, "    for item in items:", "        total = total + item * item"])


@pytest.mark.one_of(10)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("heads", list(itertools.product(HEADS, repeat=3)), ids="-".join)
def test_loops_in_loops_go_around_as_often(heads, body):
    """A loop goes back as often as it went forward, each time that it is come to."""
    text = f"{nested(heads, body)}\n    return total\n"
    name = f"<{'-'.join(heads)} {body}>"
    space = execute(text, name, {"np": np})
    f = space["f"]
    slope = fd.gradient(f, (0.3,), 0)
    np.testing.assert_allclose(grad(f, recorded="refuse")(0.3), slope, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(vjp(f, 0.3)[1](1.0), slope, rtol=1e-6, atol=1e-7)
