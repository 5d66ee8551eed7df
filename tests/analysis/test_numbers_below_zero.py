"""Whole numbers that are lengths in one call, and count from the end in another, or say "the rest".

Where one of the arrays has one element then, it is broadcast: the code of the call before does
not fit.
"""

import numpy as np
import pytest

from srcgrad import grad, tape

PROGRAMS = [
    lambda x, w, n: np.sum((x[:n] * w[:n]) ** 2),
    lambda x, w, n: np.sum((x[n:] * w[n:]) ** 2),
    lambda x, w, n: np.sum((x[0:n:1] * w[0:n]) ** 2),
    lambda x, w, n: np.sum((np.roll(x, n)[:n] * np.roll(w, n)[:n]) ** 2),
    lambda x, w, n: np.sum((np.split(x, [n])[0] * np.split(w, [n])[0]) ** 2),
    lambda x, w, n: np.sum((x[len(x) - n :] * w[len(w) - n :]) ** 2),
    lambda x, w, n: np.sum((x[x > 3.5].reshape(n) * w[w > 0.4].reshape(n)) ** 2),
    lambda x, w, n: np.sum((x[x > 3.5].reshape(n, 1) * w[w > 0.4].reshape(n, 1)) ** 2),
    lambda x, w, n: np.sum((np.repeat(x, n) * np.repeat(w, n)) ** 2),
]
OTHERS = [np.array([0.5, 0.7]), np.array([0.5, 0.7, 0.1, 0.2, 0.9]), np.array([0.6])]
ORDERS = [(2, -1, 2, 1, -2, 0, 3), (-1, 2, 1), (0, 2, -1), (1, -1, 5)]
X = np.arange(1.0, 6.0)


def fits(f, *args):
    """Tell whether the program works with arguments."""
    try:
        return bool(np.isfinite(f(*args)))
    except (ValueError, IndexError):
        return False


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_code_fits_the_sign_of_a_number(k):
    """Each call is right, whichever numbers came before."""
    f = PROGRAMS[k]
    for w in OTHERS:
        for order in ORDERS:
            slopes = grad(f, wrt=(0, 1), recorded="refuse")
            for n in (n for n in order if fits(f, X, w, n)):
                for found, expected in zip(
                    slopes(X, w, n), tape.grad(f, wrt=(0, 1))(X, w, n), strict=True
                ):
                    np.testing.assert_allclose(found, expected)


def by_rank(x):
    """A number that is no length of an axis, though it is read from a shape."""
    u = (np.outer(x, x))[x > 2.5]
    return sum(
        np.sum((u[:, 0] * (np.ones(n) * x[0])) ** 2)
        for n in (len(u.shape), max(u.shape), sum(u.shape), u.size)
    )


def of_the_rest(x):
    """A number that is -1 though it is computed from a length."""
    n = len(x) - 4
    return np.sum((x[x > 2.5].reshape(n) * x[x > 0].reshape(n, 1)) ** 2)


@pytest.mark.parametrize("f", [by_rank, of_the_rest])
def test_numbers_that_are_no_lengths(f):
    """An axis that one element is broadcast along is summed over."""
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(grad(f, recorded="refuse")(x), tape.grad(f)(x))
