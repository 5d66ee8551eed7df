"""What is differentiated and written into an object that is reached from outside is not lost.

The next who goes there, by the same path or another, finds what was written; the derivative
must follow. Such functions are recorded.
"""

import sys
import types
from typing import ClassVar

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from srcgrad.errors import MutationError
from tests.finite_differences import directional

X = np.array([0.7, 1.4])


class Holder:
    """What is reached by its name, and by those of its subclass and its instances."""

    table: ClassVar = {}
    entries: ClassVar = [0.0, 1.0]
    cache = np.zeros(2)
    rows = np.zeros((2, 2))
    inner: ClassVar = {"q": np.zeros(2)}

    def __init__(self):
        self.own = np.zeros(2)

    @classmethod
    def power(cls, k, x):
        if k not in cls.table:
            cls.table[k] = x**k
        return cls.table[k]

    def __setitem__(self, key, value):
        self.table[key] = value

    def __getitem__(self, key):
        return self.table[key]


HELD = Holder()
SPACE = types.SimpleNamespace(table={}, deep=types.SimpleNamespace(own=np.zeros(2)))
ROWS = [np.zeros(2), np.zeros(2)]
BUFFER = np.zeros(2)
MODULE = sys.modules[__name__]


def _put(target, value):
    target[:] = value


def in_list(x):
    Holder.entries[1] = x[0] ** 2
    return Holder.entries[1] * x[1]


def whole(x):
    Holder.cache[:] = x**2
    return np.sum(Holder.cache * x)


def by_helper(x):
    _put(Holder.cache, x**2)
    return np.sum(Holder.cache * x)


def nested(x):
    Holder.inner["q"][:] = x * x
    return np.sum(Holder.inner["q"] * x)


def by_operator(x):
    HELD["b"] = x * x
    return np.sum(HELD["b"] * x)


def of_namespace(x):
    SPACE.table[1] = x * x
    SPACE.deep.own[:] = SPACE.table[1] * x
    return np.sum(SPACE.deep.own)


def of_rows(x):
    for k in range(2):
        ROWS[k][:] = x ** (k + 2)
    return np.sum(ROWS[0] * ROWS[1])


def of_module(x):
    MODULE.BUFFER[:] = x**2
    return np.sum(BUFFER * x)


def of_function(x):
    of_function.table[1] = x**2
    return np.sum(of_function.table[1] * x)


of_function.table = {}

PROGRAMS = [
    in_list, whole, by_helper, nested, by_operator, of_namespace, of_rows, of_module, of_function,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_written_outside(f):
    """Derivatives are those of what the program reads, in all modes, and nothing stays behind."""
    wanted = np.array([directional(f, (X,), {0: unit})[0] for unit in np.eye(2)])
    for _ in range(2):
        np.testing.assert_allclose(grad(f, recorded="allow")(X), wanted, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(
            vjp(f, X, recorded="allow")[1](1.0), wanted, rtol=1e-6, atol=1e-8
        )
        _, slope = jvp(f, (X,), (np.array([1.0, -2.0]),), recorded="allow")
        np.testing.assert_allclose(slope, wanted @ [1.0, -2.0], rtol=1e-6, atol=1e-8)
    assert type(Holder.cache) is type(HELD.own) is np.ndarray


def test_refused():
    """The reason names the write."""
    with pytest.raises(MutationError, match="an object that is reached from outside"):
        grad(whole, recorded="refuse")(X)
