"""Polynomials and sets of NumPy, which are differentiated through functions in Python."""

import numpy as np
import pytest

from srcgrad import check, grad, tape
from srcgrad.errors import SrcgradError
from srcgrad.runtime.numpy import polynomials, sets, steps

RNG = np.random.default_rng(4)
A, B = RNG.normal(size=4), RNG.normal(size=2)
X = np.linspace(0.05, 1.05, 9)
Y = np.sin(3 * X) + 0.1 * RNG.normal(size=9)
BOTH = np.stack((Y, Y**2), axis=1)
W = RNG.uniform(0.5, 1.0, size=9)
U, V = np.array([3.0, 1.0, 2.0, 1.0, 5.0]), np.array([2.0, 5.0, 7.0])

POLYNOMIALS = [
    ("polyadd", (A, B)), ("polyadd", (B, A)), ("polyadd", (A, 2.0)), ("polysub", (B, A)),
    ("polymul", (A, B)), ("polymul", (np.r_[0.0, 0.0, A], B)), ("polymul", (np.zeros(3), B)),
    ("polyder", (A,)), ("polyder", (A, 2)), ("polyder", (A, 0)), ("polyder", (B, 3)),
    ("polyint", (A,)), ("polyint", (A, 2)), ("polyint", (A, 2, [0.3, 0.5])),
    ("polyint", (A, 2, 0.3)), ("polyfit", (X, Y, 3)), ("polyfit", (X, BOTH, 3)),
    ("polyfit", (X, Y, 2, None, True)), ("polyfit", (X, Y, 2, 1e-9, False, W)),
    ("polyfit", (X, BOTH, 2, None, False, W)), ("polyfit", (X, Y, 2, None, False, None, True)),
    ("polyfit", (X, BOTH, 2, None, False, W, True)),
    ("polyfit", (X, Y, 2, None, False, None, "unscaled")),
    ("roots", (A,)), ("roots", (np.r_[0.0, A, 0.0, 0.0],)), ("roots", (np.zeros(2),)),
    ("roots", (np.r_[1.0, 0.0],)), ("poly", (A,)),
]  # fmt: skip
SETS = [
    ("union1d", (U, V)), ("setdiff1d", (U, V)), ("setdiff1d", (U, V, True)),
    ("setxor1d", (U, V)), ("intersect1d", (U, V)), ("histogram_bin_edges", (U,)),
    ("histogram_bin_edges", (U, 4, (0.0, 3.0))),
]  # fmt: skip


def same(made, wanted):
    """Whether two results are the same, part by part."""
    if isinstance(wanted, tuple):
        for part, other in zip(made, wanted, strict=True):
            same(part, other)
    else:
        assert np.shape(made) == np.shape(wanted)
        np.testing.assert_allclose(made, wanted, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("name", "args"), POLYNOMIALS)
def test_values_of_polynomials(name, args):
    """What is differentiated gives what NumPy gives."""
    same(getattr(polynomials, name)(*args), getattr(np, name)(*args))


@pytest.mark.parametrize(("name", "args"), SETS)
def test_values_of_sets(name, args):
    """What is differentiated gives what NumPy gives."""
    module = steps if name == "histogram_bin_edges" else sets
    same(getattr(module, name)(*args), getattr(np, name)(*args))


def fit(x, y, w):
    """Coefficients, also by name."""
    p = np.polyfit(x, y, 2)
    q = np.polyfit(x, y * y, deg=1, w=w)
    return np.sum(p**2) + q[0] * q[1] + np.polyval(p, 0.3)


def fit_with_errors(x, y, w):
    """Coefficients and their covariances."""
    p, c = np.polyfit(x, y, 2, w=w, cov=True)
    q, residuals, *_ = np.polyfit(x, np.stack((y, y * y), axis=1), 1, full=True)
    return p @ c @ p + np.sum(q**3) + np.sum(residuals**2)


def algebra(a, b, z):
    """Sums, products, derivatives, and integrals."""
    p = np.polyadd(np.polymul(a, b), np.polyint(b, 2, z))
    q = np.polysub(np.polyder(p), np.polymul(np.array([0.0, 1.0]), a))
    return np.sum(p**2) + np.sum(q**3) + np.polyval(np.poly(a), z)


def spectrum(a, b, z):
    """Roots, which may be complex."""
    r = np.roots(a)
    return np.sum(np.abs(r - z) ** 2) + np.real(np.prod(np.roots(b) + z)) + np.sum(r).real ** 2


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    ("f", "args"),
    [
        (fit, (X, Y, W)), (fit_with_errors, (X, Y, W)),
        (algebra, (A, B, 0.4)), (spectrum, (A, B, 0.4)),
    ],
)  # fmt: skip
def test_derivatives(f, args):
    """The derivatives agree with differences, in all modes."""
    check(f, *args, wrt=(0, 1, 2), order=2)


def of_sets(u, v):
    """Values of sets, with different weights."""
    both = np.union1d(u, v)
    return (
        np.sum(both**2 * np.arange(both.size))
        + np.sum(np.setdiff1d(u, v) ** 3)
        + np.sum(np.setxor1d(u, v) ** 2 * 0.3)
        + np.sum(np.histogram_bin_edges(u, 3) ** 2)
    )


def test_derivatives_of_sets():
    """The derivatives agree with differences where no entries are equal."""
    check(of_sets, np.array([3.0, 1.0, 2.0, 1.5]), np.array([2.2, 5.0, 0.7]), wrt=(0, 1), order=2)


def test_what_is_equal_counts_half():
    """Entries that are equal share the cotangent of what is in both."""
    u_bar, v_bar = grad(lambda u, v: np.sum(np.intersect1d(u, v) ** 2), (0, 1))(U, V)
    np.testing.assert_allclose(u_bar, [0.0, 0.0, 2.0, 0.0, 5.0])
    np.testing.assert_allclose(v_bar, [2.0, 5.0, 0.0])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (fit, (X, Y, W)),
        (algebra, (A, B, 0.4)),
        (spectrum, (A, B, 0.4)),
        (of_sets, (U[:4], V + 0.3)),
    ],
)
def test_tape(f, args):
    """The tape goes through the same functions."""
    for k in range(len(args)):
        np.testing.assert_allclose(tape.grad(f, k)(*args), grad(f, k)(*args), atol=1e-12)


def test_refused():
    """What is not written down is refused."""
    with pytest.raises(SrcgradError):
        grad(lambda x: np.sum(np.polydiv(x, x)[0]))(A)
