"""Additions to one part of an array, between which nothing reads it."""

import numpy as np
import pytest

from srcgrad import check, grad, source
from srcgrad.analysis.memory.places import apart
from srcgrad.ir.nodes import Const, Items, Slice
from tests import finite_differences as fd

NONE = Const(None)


def part(lower=None, upper=None, step=None):
    """An entry of an index."""
    return Slice(Const(lower), Const(upper), Const(step))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Const(0), Const(1), True),
        (Const(0), Const(-1), False),
        (Const(-2), Const(-1), True),
        (part(None, 2), part(2), True),
        (part(None, 3), part(2), False),
        (part(-2), part(None, 2), False),
        (part(-2), part(None, -2), False),
        (part(-3, -1), part(-1), True),
        (part(-3, 2), part(5), False),
        (part(1, -1), Const(0), True),
        (part(1, -1), Const(-1), False),
        (part(None, None, 2), Const(1), False),
        (Items((part(), part(7, 9))), Items((part(), part(3, 6))), True),
        (Items((part(), NONE, Const(0))), Items((part(), NONE, Const(1))), False),
        (Items((Const(0), part())), Const(1), True),
    ],
)
def test_places_that_numbers_tell_apart(one, other, expected):
    """Those that are counted from the other end of an axis may be the same."""
    assert apart(one, other) is expected
    assert apart(other, one) is expected


def parts(x, w):
    """Blocks of one array, and a part that is read twice."""
    head, tail = x[:2], x[2:4]
    return np.sum(head * w) + np.sum(tail**2) + np.sum(x[:2] ** 3) + x[0] * x[-1]


def stencil(u, rate):
    """The middle is read twice."""
    new = np.zeros(u.shape[0])
    new[1:-1] = u[1:-1] + rate * (u[2:] - 2 * u[1:-1] + u[:-2])
    return np.sum(new**2)


def negative(x, w):
    """What is subtracted twice."""
    return -x[1] * w[0] - x[1] ** 2 * w[1] + np.sum(x)


def overwritten(x, w):
    """What is added first is a view of what is written between."""
    y = x.copy()
    y[1:3] += w
    y[0] = y[1] * y[2]
    y[1:3] = 2 * y[1:3] + x[1:3]
    return np.sum(y**2) + np.sum(x[1:3] * w)


X, W = np.array([0.3, -0.7, 1.1, 0.4, -0.2]), np.array([1.3, -0.4])


@pytest.mark.parametrize("optimize", ["readable", "speed"])
@pytest.mark.parametrize("f", [parts, stencil, negative, overwritten])
def test_gradients(f, optimize):
    """They agree with differences, to second order where the text is the readable one."""
    args = (X, 0.3) if f is stencil else (X, W)
    if optimize == "readable":
        check(f, *args, wrt=(0, 1), order=2)
    ours, plain = (grad(f, wrt=(0, 1), optimize=way)(*args) for way in (optimize, "readable"))
    for one, other in zip(ours, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_one_write_for_each_part():
    """The text adds each part once, and what is known to be zero is assigned."""
    gradient = grad(stencil)
    gradient(X, 0.3)
    assert source(gradient).count(" u_bar[1:-1]") == 1
    gradient = grad(parts)
    gradient(X, W)
    text = source(gradient)
    assert text.count("x_bar[:2]") == 1
    assert "x_bar[-1] = " in text


def moved_by_a_loop(x):
    """The loop reads the cotangent of the argument, which it hands on as it is."""
    for p in [2.0 * x[0], 3.0 * x[2]]:
        x = x + 0.1 * p
    return 2.0 * x[1] + x[2]


def moved_in_an_arm(x):
    """So does a branch."""
    p, q = 2.0 * x[0], 3.0 * x[2]
    if p > 0:
        x = x + 0.1 * p
    else:
        x = x + 0.3 * q
    return 2.0 * x[1] + x[2]


def moved_twice(x):
    """So do loops in a loop."""
    for p in [2.0 * x[0], 3.0 * x[2]]:
        for k in range(2):
            x = x + 0.1 * k * p
    return 2.0 * x[1] + x[2] * x[0]


@pytest.mark.parametrize("f", [moved_by_a_loop, moved_in_an_arm, moved_twice])
def test_a_region_between_reads_the_whole(f):
    """What is written into a cotangent before a loop reads it stays before the loop."""
    x = np.array([0.7, -0.4, 1.2])
    expected = fd.gradient(f, (x,), 0)
    np.testing.assert_allclose(grad(f)(x), expected, rtol=1e-6)
    check(f, x)
