"""Arrays beside objects of the user's, and methods that are called through their classes."""

import operator
from array import array
from collections import deque
from fractions import Fraction

import numpy as np
import pytest

from srcgrad import grad, jvp, tape
from srcgrad.errors import ForeignArrayError
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 1.1])


class Plain:
    """Nothing about arrays: NumPy asks it for one entry after the other."""

    def __init__(self, v):
        self.v = v

    def __rmul__(self, other):
        """Return a number for a number."""
        return np.sum(other) * self.v

    def __rsub__(self, other):
        """Return the difference of a square."""
        return other**2 - self.v

    def __radd__(self, other):
        """Return an object."""
        return Plain(other + self.v)


class Whole(Plain):
    """Says that arrays are to leave operators to it."""

    __array_ufunc__ = None


class First(Plain):
    """Says so in the older way."""

    __array_priority__ = 10.0


class Sequence(Plain):
    """Is taken apart by NumPy."""

    def __getitem__(self, k):
        """Return an entry."""
        return self.v[k]

    def __len__(self):
        """Return how many there are."""
        return len(self.v)


class Array:
    """Makes an array of itself."""

    def __init__(self, v):
        self.v = v

    def __array__(self, dtype=None, copy=None):
        """Return twice what it holds."""
        return np.asarray(self.v) * 2.0


class Divisor:
    """Knows quotients."""

    def __init__(self, v):
        self.v = v

    def __divmod__(self, other):
        """Return quotient and rest."""
        return self.v // other, self.v % other

    def __rdivmod__(self, other):
        """Return them in the other order."""
        return other % self.v, other // self.v + other


class Watched:
    """Has a say in each of its attributes."""

    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        """Return an attribute, or twice one."""
        if name == "double":
            return object.__getattribute__(self, "v") * 2
        return object.__getattribute__(self, name)


def entries(x, kind=Plain):
    """Multiply and subtract an object."""
    product = x * kind(x[1])
    return np.sum(product**2) * 1.0 + np.sum(x - kind(x[2])) * x[0]


def objects(x):
    """Add an object, which gives objects."""
    return sum(part.v * (k + 1) for k, part in enumerate(x + Plain(x[2] ** 2)))


def sequences(x):
    """Add and subtract what NumPy takes apart, beside an array and a number."""
    parts = Sequence(x * 2)
    return np.sum(x - parts) * np.sum(x[0] * parts) + np.sum(x[1] * Array(x))


def quotients(x):
    """Ask objects for their quotients."""
    whole, rest = divmod(x[0], Divisor(x[1] * 0.4))
    return rest * whole + divmod(Divisor(x[2]), 0.7)[1]


def arrays(x):
    """Compute with what makes an array of itself."""
    made = Array(x)
    return np.sum(np.asarray(made) * x) + np.sum(np.add(x, made))


def watched(x):
    """Read attributes that a method gives."""
    one = Watched(x[0])
    return one.double * one.v * x[1]


def through_classes(x):
    """Call methods through their classes."""
    rows, table, ring = [], {}, deque()
    list.append(rows, x[0])
    list.extend(rows, [x[1], x[2]])
    list.__setitem__(rows, 0, x[1] * 2)
    dict.update(table, a=x[0])
    deque.append(ring, x[2])
    a = x * 1.0
    np.ndarray.__setitem__(a, 0, x[1] * x[2])
    np.ndarray.fill(a[1:2], x[0])
    return sum(rows) * table["a"] + ring[0] * list.pop(rows) + np.ndarray.sum(a * a)


def buffers(x):
    """Sequences of whole numbers and buffers beside arrays, and a fraction beside a number."""
    whole = range(1, 4) * x - x / array("d", [1.0, 2.0, 4.0])
    return np.sum(whole * memoryview(np.arange(3.0))) * Fraction(1, 3) + float(x[0]) ** Fraction(3)


def by_operators(x):
    """Call functions that stand for statements."""
    table = {"a": x[0], "b": x[1]}
    operator.delitem(table, "a")
    rows = operator.concat([x[0]], [x[1] * x[2]])
    return operator.call(np.sin, rows[1]) * len(table) + table["b"] ** 2


FUNCTIONS = [
    entries, objects, arrays, buffers, sequences, quotients, watched, through_classes,
    by_operators,
]  # fmt: skip
KINDS = [lambda x, kind=kind: entries(x, kind) for kind in (Whole, First)]


@pytest.mark.parametrize("f", [*FUNCTIONS, *KINDS], ids=lambda f: f.__name__)
def test_derivatives(f):
    """They are those of differences."""
    wanted = fd.gradient(f, (X,), 0)
    np.testing.assert_allclose(grad(f, recorded="allow")(X), wanted, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(jvp(f, (X,), (X,), recorded="allow")[1], wanted @ X, rtol=1e-6)


def test_arrays_that_mean_something_else():
    """They are refused as arguments, before they are boxed."""
    with pytest.raises(ForeignArrayError, match="recarray"):
        tape.vjp(lambda x: x * 2.0, X.view(np.recarray))


@pytest.mark.parametrize(
    "of_fractions",
    [
        lambda x: x[1] * Fraction(1, 3) + Fraction(1, 2) * x[0],
        lambda x: x[0] / Fraction(2, 3) - Fraction(1, 2) / x[1],
        lambda x: x[0] ** Fraction(2) + x[1] ** Fraction(1, 3) + Fraction(2, 3) ** x[2],
        lambda x: x[0] * (x[0] < Fraction(1, 2)) + x[1] % Fraction(2, 3),
    ],
)
def test_fractions_beside_an_entry(of_fractions):
    """An entry of an array is a number of Python's, which takes fractions for floats."""
    value, back = tape.vjp(of_fractions, X)
    assert value == of_fractions(X)
    expected = fd.gradient(of_fractions, (X,), 0)
    np.testing.assert_allclose(back(1.0), expected, rtol=1e-6, atol=1e-8)
