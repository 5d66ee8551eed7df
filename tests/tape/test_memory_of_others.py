"""Writes through other names of memory, and functions that keep their results, on the tape."""

import array
import functools
import gc
import sys

import numpy as np
import pytest

from srcgrad import tape
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 1.1])


def through_memoryview(x):
    """Write into an array through what shows its memory."""
    w = np.array([1.0, 2.0, 3.0])
    view = memoryview(w)
    before = np.sum(x * w)
    view[0] = 10.0
    w.data[1] *= 2
    return before + np.sum(x**2 * w) + view[1] * x[0]


def through_a_buffer(x):
    """Write into the memory of an array that is not its own."""
    buffer = array.array("d", [1.0, 2.0, 3.0])
    w = np.frombuffer(buffer)
    before = np.sum(x * w)
    buffer[0] = 9.0
    return before + np.sum(x**2 * w)


def columns_in_place(x):
    """Change chosen columns, which NumPy gives as a view of a copy."""
    a = np.outer(x, x)
    a[..., [0, 2]] *= 2.0
    a[:, [1, 0]] += x[0]
    return np.sum(a**2 * np.arange(9.0).reshape(3, 3))


def folds(x):
    """Call methods of ufuncs that have no formula of their own."""
    return np.subtract.reduce(x) * np.power.accumulate(x + 1.0)[1] + np.hypot.reduce(x)


def labels(x):
    """Name axes by numbers."""
    return np.einsum(np.outer(x, x), [0, 1], x, [1], [0])[0] + np.einsum(x, [...], x, [...])[1]


def parts(x):
    """Take an array apart."""
    first, *rest = np.unstack(np.outer(x, x**2), axis=1)
    return first @ x + rest[1][0]


FUNCTIONS = [through_memoryview, through_a_buffer, columns_in_place, folds]
FUNCTIONS += [labels, *([parts] if hasattr(np, "unstack") else [])]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives(f):
    """They are those of differences, in both modes."""
    wanted = fd.gradient(f, (X,), 0)
    np.testing.assert_allclose(tape.grad(f)(X), wanted, rtol=1e-6)
    np.testing.assert_allclose(tape.jvp(f, (X,), (X,))[1], wanted @ X, rtol=1e-6)


RATE = [0.5]
CALLS = []


@functools.lru_cache
def kept(n):
    """Keep what was read."""
    CALLS.append(n)
    return n * RATE[0]


class Power:
    """Keeps powers of what may be differentiated."""

    def __init__(self, x):
        self.x = x

    @functools.lru_cache
    def of(self, n):
        """Return a power."""
        return self.x**n


def test_kept_results():
    """What a function keeps is kept while it is recorded, unless it is differentiated."""

    def f(x):
        return np.sum(x * kept(2)) + kept(2) * np.sum(Power(x).of(2))

    kept.cache_clear()
    first = tape.grad(f)(X)
    RATE[0] = 9.0
    np.testing.assert_allclose(tape.grad(f)(X), first)
    assert CALLS == [2]
    assert Power.of.cache_info().currsize == 2
    np.testing.assert_allclose(first, fd.gradient(f, (X,), 0), rtol=1e-6)


class Row:
    """Keeps what it computed for each object, forever."""

    def __init__(self, x):
        self.x = x

    @functools.lru_cache(maxsize=None)
    def of(self, n):
        """Return a list with a power."""
        return [self.x**n, n]


def test_a_cache_that_forgets_nothing():
    """A call looks only at what it put there, and leaves no box; a cleared one is looked at all."""
    clear = []

    def f(x):
        total = np.sum(Row(x).of(2.0)[0])
        if clear:
            Row.of.cache_clear()
        return total + np.sum(Row(x).of(3.0)[0] * Row(x).of(2.0)[0])

    looked_at = []

    def look(frame, event, arg):
        if event == "call" and frame.f_code.co_name == "unbox_inside":
            looked_at[-1] += 1

    expected = fd.gradient(f, (X,), 0)
    before = Row.of.cache_info().currsize
    for k in range(20):
        looked_at.append(0)
        sys.setprofile(look)
        try:
            np.testing.assert_allclose(tape.grad(f)(X), expected, rtol=1e-6)
        finally:
            sys.setprofile(None)
        assert Row.of.cache_info().currsize == before + 3 * (k + 1)
    assert looked_at[1] == looked_at[-1]
    clear.append(1)
    tape.grad(f)(X)
    (table,) = (part for part in gc.get_referents(Row.of) if type(part) is dict and len(part) == 2)
    for key, (power, _) in table.items():
        assert type(power) is type(key[0].x) is np.ndarray


def test_complex_cotangents_of_real_numbers():
    """Eigenvalues are differentiated twice, though their formula computes with complex numbers."""

    def f(x):
        return np.sum(np.real(np.roots([1.0, x[0], -1.0]) ** 2))

    np.testing.assert_allclose(tape.jvp(tape.grad(f), (X,), (X,))[1], [2 * X[0], 0, 0], atol=1e-8)
