"""What is differentiated and written into an object that is reached from outside is not lost.

The next who goes there, by the same path or another, finds what was written; the derivative
must follow. Such functions are recorded.
"""

import contextvars
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
VARIABLE = contextvars.ContextVar("VARIABLE")
SPACE = types.SimpleNamespace(table={}, deep=types.SimpleNamespace(own=np.zeros(2)))
ROWS = [np.zeros(2), np.zeros(2)]
BUFFER = np.zeros(2)
MODULE = sys.modules[__name__]


def _put(target, value):
    target[:] = value


def under_a_name(x):
    t = HELD.own
    t[:] = 0.0
    t += x**2
    return np.sum(HELD.own * x)


def kept_by_a_variable(x):
    own = np.zeros(2)
    VARIABLE.set(own)
    own += x**2
    return np.sum(VARIABLE.get() * x)


def one_of_two(x):
    t = HELD.own if x[0] > 0 else np.zeros(2)
    t[:] = 0.0
    t += x**2
    return np.sum(HELD.own * x)


def by_key(x):
    Holder.table[2] = x**2
    return np.sum(Holder.table[2] * x)


def by_class_method(x):
    Holder.table.clear()
    return np.sum(Holder.power(2, x) + Holder.power(2, x) * Holder.power(3, x))


def added(x):
    Holder.table["a"] = 1.0
    Holder.table["a"] *= x[0]
    return Holder.table["a"] * x[1]


def in_list(x):
    Holder.entries[1] = x[0] ** 2
    return Holder.entries[1] * x[1]


def whole(x):
    Holder.cache[:] = x**2
    return np.sum(Holder.cache * x)


def named(x):
    held = Holder.cache
    held[:] = x**2
    return np.sum(Holder.cache * x)


def by_helper(x):
    _put(Holder.cache, x**2)
    return np.sum(Holder.cache * x)


def row_after_row(x):
    Holder.rows[0] = x**2
    Holder.rows[1] = Holder.rows[0] * x
    return np.sum(Holder.rows[1])


def nested(x):
    Holder.inner["q"][:] = x * x
    return np.sum(Holder.inner["q"] * x)


def of_instance(x):
    HELD.own[:] = x * x
    return np.sum(HELD.own * x)


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
    under_a_name,
    one_of_two,
    kept_by_a_variable,
    by_key, by_class_method, added, in_list, whole, named, by_helper, row_after_row, nested,
    of_instance, by_operator, of_namespace, of_rows, of_module, of_function,
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
