"""The formulas of SciPy's decompositions into triangular factors, and of solving with them."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import check
from srcgrad.runtime.scipy.triangular import exchanged
from srcgrad.testing import check_orders
from tests.formulas.checking import case, definite, formula_test, invertible, normal, normal_complex
from tests.rotation import highest, some_of

load("scipy.linalg")

SHAPES = ((3, 3), (4, 2), (2, 4), (2, 3, 3), (2, 4, 2))
LU = [
    *(case(linalg.lu, normal(*s)) for s in SHAPES),
    *(case(linalg.lu, normal(*s), permute_l=True) for s in SHAPES),
    *(case(linalg.lu, normal(*s), p_indices=True) for s in SHAPES),
    *(case(linalg.lu_factor, normal(*s)) for s in SHAPES),
    case(linalg.lu, normal_complex(3, 3)),
    case(linalg.lu, normal_complex(4, 2), permute_l=True),
    case(linalg.lu_factor, normal_complex(3, 3)),
]
CASES = [*LU, case(exchanged, normal(2, 3, 2), np.array([[2, 0, 1], [1, 0, 2]]))]

test_formula = formula_test(CASES)


@pytest.mark.one_of(8)
@pytest.mark.parametrize("c", LU, ids=str)
def test_orders(c):
    """Second derivatives agree in all modes."""
    assert check_orders(c.target, *c.args, **c.options) == 2


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


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", [solved_by_lu, solved_by_transposed_lu, lu_entries])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_lu(f, shape):
    """The derivative goes through the factors to the matrix."""
    a = invertible(3, 3)[[2, 0, 1]]
    for wrt in some_of(0, 1):
        check(f, a, normal(*shape), wrt=wrt, order=highest())


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


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", [solved_by_cholesky, solved_by_lower_cholesky, factors])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_symmetric(f, shape):
    """The derivative is that of a function of symmetric matrices."""
    for wrt in some_of(0, 1):
        check(f, definite(3, 3), normal(*shape), wrt=wrt, order=highest())


@pytest.mark.one_of(3)
@pytest.mark.parametrize("shape", [(3,), (3, 2), (2, 3, 2)])
@pytest.mark.parametrize("several", [(2,), ()])
def test_several_at_once(shape, several):
    """Several matrices, several sides, or both: SciPy broadcasts them."""

    def solved(a, b):
        z = linalg.lu_solve(linalg.lu_factor(a), b)
        return np.sum(z**2) + np.sum(linalg.lu_solve(linalg.lu_factor(a), b, trans=1) ** 3)

    def of_symmetric(a, b):
        whole = (a + np.swapaxes(a, -1, -2)) / 2
        z = linalg.cho_solve(linalg.cho_factor(whole), b)
        return np.sum(z**2) + np.sum(linalg.cho_solve(linalg.cho_factor(whole, True), b) ** 3)

    for wrt in some_of(0, 1):
        check(solved, invertible(*several, 3, 3), normal(*shape), wrt=wrt, order=highest())
        check(of_symmetric, definite(*several, 3, 3), normal(*shape), wrt=wrt, order=highest())


def test_several_complex():
    """The same for complex matrices."""

    def solved(a, b):
        z = linalg.lu_solve(linalg.lu_factor(a), b, trans=2)
        whole = a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(3)
        z = linalg.cho_solve(linalg.cho_factor(whole), z)
        return np.sum(np.abs(z) ** 2)

    for wrt in some_of(0, 1):
        check(solved, normal_complex(2, 3, 3), normal_complex(3, 2), wrt=wrt, order=highest())


def hermitian(a):
    """Return the Hermitian part of a matrix."""
    return (a + np.conj(a.T)) / 2


@pytest.mark.one_of(2)
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_complex_cholesky(shape, lower):
    """Depends on the complex factor, and solves with it."""

    def solved(a, b):
        z = linalg.cho_solve(linalg.cho_factor(hermitian(a), lower), b)
        return np.sum(np.abs(z) ** 2)

    def factors(a, b):
        z = linalg.cholesky(hermitian(a), lower=lower)
        return np.sum(np.real(z) ** 3) + np.sum(np.imag(z) ** 3) + np.sum(np.abs(b))

    a = normal_complex(3, 3)
    a = a @ np.conj(a.T) + np.eye(3)
    for f in (solved, factors):
        for wrt in some_of(0, 1):
            check(f, a, normal_complex(*shape), wrt=wrt, order=highest())


@pytest.mark.one_of(2)
@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_complex_lu(shape, trans):
    """Solves with the complex factors."""

    def solved(a, b):
        return np.sum(np.abs(linalg.lu_solve(linalg.lu_factor(a), b, trans=trans)) ** 2)

    for wrt in some_of(0, 1):
        check(solved, normal_complex(3, 3), normal_complex(*shape), wrt=wrt, order=highest())
