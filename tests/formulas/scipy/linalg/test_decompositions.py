"""The formulas of SciPy's matrix decompositions."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import check, grad, source
from srcgrad.testing import check_orders
from tests.formulas.checking import case, check_case, definite, invertible, normal

load("scipy.linalg")

CASES = [
    case(linalg.lu, invertible(3, 3)),
    *(case(linalg.qr, normal(*s), mode="economic") for s in ((3, 3), (4, 2), (2, 4))),
    case(linalg.qr, normal(3, 3)),
    case(linalg.svd, normal(3, 3)),
    *(case(linalg.svd, normal(*s), full_matrices=False) for s in ((4, 3), (3, 4))),
    case(linalg.svd, normal(3, 4), compute_uv=False),
    case(linalg.svdvals, normal(3, 4)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def solved_by_lu(a, b):
    """Depends on both factors."""
    return np.sum(linalg.lu_solve(linalg.lu_factor(a), b) ** 2)


def solved_by_transposed_lu(a, b):
    """Depends on both factors, transposed."""
    return np.sum(linalg.lu_solve(linalg.lu_factor(a), b, trans=1) ** 2)


def lu_entries(a, b):
    """Depends on all entries of both factors."""
    both, _ = linalg.lu_factor(a)
    return np.sum(both**3) + np.sum(b)


@pytest.mark.parametrize("f", [solved_by_lu, solved_by_transposed_lu, lu_entries])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_lu(f, shape):
    """The derivative goes through the factors to the matrix."""
    a = invertible(3, 3)[[2, 0, 1]]
    for wrt in (0, 1):
        check(f, a, normal(*shape), wrt=wrt)


def symmetric(x):
    """Return the symmetric part of a matrix."""
    return (x + x.T) / 2


def solved_by_cholesky(a, b):
    """Depends on the factor."""
    return np.sum(linalg.cho_solve(linalg.cho_factor(symmetric(a)), b) ** 2)


def solved_by_lower_cholesky(a, b):
    """Depends on the lower factor."""
    return np.sum(linalg.cho_solve(linalg.cho_factor(symmetric(a), lower=True), b) ** 2)


def factors(a, b):
    """Depends on the entries of factors."""
    lower = linalg.cholesky(symmetric(a), lower=True)
    return np.sum(lower**3) + np.sum(linalg.cholesky(symmetric(a)) ** 4) + np.sum(b)


def eigenvectors(a, b):
    """Depends on eigenvalues and eigenvectors."""
    w, v = linalg.eigh(symmetric(a))
    return np.sum(v**4 * w) + np.sum(linalg.eigvalsh(symmetric(a)) ** 3) + np.sum(b)


@pytest.mark.parametrize("f", [solved_by_cholesky, solved_by_lower_cholesky, factors, eigenvectors])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_symmetric(f, shape):
    """The derivative is that of a function of symmetric matrices."""
    for wrt in (0, 1):
        check(f, definite(3, 3), normal(*shape), wrt=wrt)


def polar_factors(a):
    """Depends on both factors of both polar decompositions."""
    u, p = linalg.polar(a)
    p2, u2 = linalg.polar(a.T, "left")[1], linalg.polar(a.T, side="left")[0]
    return np.sum(u**3) + np.sum(p**2 * p2[0]) + np.sum(p2**3) + np.sum(u2**2 * u.T)


@pytest.mark.parametrize("shape", [(3, 3), (4, 2)])
def test_polar(shape):
    """The derivative is that of both factors, of square and of tall matrices."""
    check(polar_factors, normal(*shape))


def test_polar_of_a_wide_matrix():
    """A singular factor is refused."""
    with pytest.raises(ValueError, match="other side"):
        grad(lambda a: np.sum(linalg.polar(a)[1] ** 3))(normal(2, 4))


@pytest.mark.parametrize("c", [c for c in CASES if c.target in (linalg.qr, linalg.svd)], ids=str)
def test_orders(c):
    """Second derivatives agree in all modes."""
    assert check_orders(c.target, *c.args, **c.options) == 2


def test_added_columns_have_no_second_derivative():
    """The slope in a weight of a column that was added is nan, not 0."""
    x, w = normal(3, 2), np.array([1.0, 2.0, 0.0])

    def of_columns(x, w):
        return np.sum(w * linalg.qr(x)[0] ** 3)

    def twice(w):
        return np.sum(grad(of_columns)(x, w) ** 2)

    slope = grad(twice)(w)
    assert np.isfinite(slope[:2]).all()
    assert np.isnan(slope[2])


def test_lengths_are_known():
    """Results of SciPy have known shapes, so that nothing needs to be summed to their shape."""

    def cubes(a, b):
        return np.sum(linalg.solve(a, b) ** 3) + np.sum(linalg.qr(a)[1] ** 2)

    g = grad(cubes, wrt=(0, 1))
    g(definite(3, 3), normal(3))
    text = source(g)
    assert "unbroadcast" not in text
    assert "np.swapaxes" not in text
