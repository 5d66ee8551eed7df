"""Arguments that share memory with each other, or with what a program changes from outside."""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pytest

from srcgrad import grad, value_and_grad
from srcgrad.errors import ArgumentError
from tests import finite_differences as fd

TABLE = np.array([0.1, 0.2, 0.3])


class Holder:
    """Holds an array from outside."""

    buffer = TABLE


HOLDER = Holder()


def of_a_global(x):
    """Write to a global array."""
    TABLE[0] = 7.0
    return np.sum(x * x)


def of_an_object(x):
    """Write to an array that an object holds."""
    HOLDER.buffer[0] = 7.0
    return np.sum(x * x)


def helper():
    """Write to a global array elsewhere."""
    TABLE[1] = 3.0


def of_a_helper(x):
    """Call what writes to a global array."""
    helper()
    return np.sum(x * x)


def of_add_at(x):
    """Add to entries of a global array."""
    np.add.at(TABLE, [0, 2], 1.0)
    return np.sum(x * x)


def of_another_name(x):
    """Add to entries of a global array, under a name of the function's own."""
    table = np.zeros(3)
    table = TABLE
    np.add.at(table, [0, 2], 1.0)
    return np.sum(x * x)


@pytest.mark.parametrize("f", [of_a_global, of_an_object, of_a_helper, of_add_at, of_another_name])
def test_written_from_outside(f):
    """An argument that changes under another name is an error; others are not touched."""
    x = np.array([0.4, 0.5, 0.6])
    slope = grad(f, recorded="refuse")
    np.testing.assert_allclose(slope(x), 2 * x)
    TABLE[:] = 0.5
    with pytest.raises(ArgumentError, match="written through another name"):
        slope(TABLE)


def test_arguments_are_not_looked_at_where_own_arrays_are_written():
    """What adds to entries of an array that it made changes nothing that was there."""

    def f(x, at):
        y = np.zeros(3)
        np.add.at(y, at, x * x)
        return np.sum(y**2)

    slope = grad(f)
    x, at = np.array([0.4, 0.5, 0.6]), np.array([0, 2, 2])
    found = slope(x, at)
    np.testing.assert_allclose(found, fd.gradient(f, (x, at), 0), 1e-6)
    (made,) = slope.__srcgrad__.specialisations
    assert not hasattr(made.run, "__wrapped__")


def product(x, y):
    """Write to the first argument."""
    x += y
    return np.sum(x * y)


def test_constants_that_share_memory():
    """An argument that is written, and is a constant as well, is recorded; others are not."""
    x = np.array([0.4, 0.5, 0.6])
    slope = grad(product, recorded="allow")
    found = slope(x, x)
    np.testing.assert_allclose(found, 2 * x)  # x is twice what it was, and the factor of both
    np.testing.assert_allclose(slope(x.copy(), x * 2), fd.gradient(product, (x, x * 2), 0), 1e-6)
    with pytest.raises(ArgumentError, match="x is written in place and shares memory with y"):
        grad(product, (0, 1), recorded="allow")(x, x)


class Held:
    """An object with a number, which knows who else holds it."""

    registry: ClassVar[list] = []

    def __init__(self, v):
        self.v = v

    def scale(self, by):
        """Multiply the number."""
        self.v = self.v * by


def _in_argument(p):
    return {"p": p}, lambda holder, a: Held.scale(holder["p"], a)


def _in_class(p):
    Held.registry[:] = [p]
    return None, lambda holder, a: Held.scale(Held.registry[0], a)


def _in_method(p):
    return p.scale, lambda holder, a: holder(a)


def _in_closure(p):
    def scale(a):
        p.v = p.v * a

    return scale, lambda holder, a: holder(a)


def _in_tuple(p):
    return (1.0, [p]), lambda holder, a: holder[1][0].scale(a * holder[0])


def _of_argument(p, a, holder, write):
    before = p.v * a
    write(holder, a)
    assert len({a}) == 1  # a set is recorded
    p.v += before
    write(holder, 2.0)
    return p.v**2 + before


@pytest.mark.parametrize("wrt", [0, (0, 2)])
@pytest.mark.parametrize("held_in", [_in_argument, _in_class, _in_method, _in_closure, _in_tuple])
def test_an_argument_that_others_hold(held_in, wrt):
    """What is done to an object is seen under every name, and left as the program leaves it."""

    def run(way, v):
        p = Held(v)
        holder, write = held_in(p)
        made = way(_of_argument)(p, 1.3, holder, write)
        return made, p.v

    h = 1e-6
    value, left = run(lambda f: f, 0.7)
    slope = (run(lambda f: f, 0.7 + h)[0] - run(lambda f: f, 0.7 - h)[0]) / (2 * h)
    if wrt == (0, 2) and held_in not in (_in_argument, _in_tuple):
        wrt = (0,)
    (got, bars), after = run(lambda f: value_and_grad(f, wrt, recorded="allow"), 0.7)
    bar = bars[0] if isinstance(wrt, tuple) else bars
    assert (got, after) == pytest.approx((value, left))
    assert bar.v == pytest.approx(slope)


def test_threads_share_arguments():
    """An argument that is recorded in several threads holds the same for all of them."""

    def f(p, k):
        kept = {}
        for n, w in enumerate(p["w"]):
            kept[f"{n}{k % 3}"] = w * w * k
        return sum(kept.values())

    p = {"w": [1.0, 2.0, 3.0, 4.0]}
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda k: grad(f, recorded="allow")(p, k), range(1, 60)))
    finally:
        sys.setswitchinterval(before)
    assert [bar["w"] for bar in found] == [[2.0 * k * w for w in p["w"]] for k in range(1, 60)]
    assert p == {"w": [1.0, 2.0, 3.0, 4.0]}
