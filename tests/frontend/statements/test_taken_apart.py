"""Sequences that are taken apart: with a star, by objects that say how, in the head of a loop."""

import numpy as np
import pytest

from srcgrad import grad, jvp
from tests import finite_differences as fd

X = np.array([0.3, -0.7, 1.1, 0.4])
SEEN = []


def halves(x):
    """Yield two numbers, and note it."""
    for v in x[:2]:
        SEEN.append("half")
        yield v / 2


def star_in_front(x):
    """Take what stands before the last element."""
    *rest, last = x
    return last * sum(r**2 for r in rest)


def generator(x):
    """Take what a generator function gives apart."""
    a, b = halves(x)
    return a * b**2


def of_two(x):
    """Give two lists."""
    SEEN.append("two")
    return [x[0], x[1] ** 2], [x[2], x[3]]


def columns_in_loop(x):
    """Go through them again in each iteration of another loop."""
    total = 0.0
    for k in range(3):
        for a, b in zip(*of_two(x * (k + 1))):
            total = total + np.sin(a) * b * (1 + total)
    return total


def sum_of_lists(x):
    """Put a display before a list whose length is not written out."""
    rows = [v * v for v in x]
    rows = [x[0]] + rows + [x[1], x[2]]
    return sum(r * k for k, r in enumerate(rows))


def keys_of(x):
    """Ask for the keys of a dict that holds what is differentiated."""
    p = {"a": x[0], "b": x[1]}
    if {"a", "b", "c"} - set(p) != {"c"}:
        raise ValueError
    return p["a"] * p["b"]


PROGRAMS = [
    *(star_in_front, generator, columns_in_loop),
    *(sum_of_lists, keys_of),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    """They are those of differences, and what the program notes is noted as often."""
    slope = grad(f, recorded="allow")
    for x in (X, 2 * X, np.append(X, 0.2)):
        if x.size == 5 and f is not star_in_front:
            continue
        expected = fd.gradient(f, (x,), 0)
        SEEN.clear()
        f(x)
        once = list(SEEN)
        SEEN.clear()
        np.testing.assert_allclose(slope(x), expected, rtol=1e-5, atol=1e-7)
        assert once == SEEN
        SEEN.clear()
        _, dot = jvp(f, (x,), (np.ones(x.size),), recorded="allow")
        np.testing.assert_allclose(dot, np.sum(expected), rtol=1e-5, atol=1e-7)
        assert once == SEEN


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f is not columns_in_loop])
def test_text(f):
    """There is generated code for each of them."""
    grad(f, recorded="refuse")(X)
