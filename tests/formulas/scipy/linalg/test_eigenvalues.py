"""The formulas of SciPy's singular values, and of eigenvalues of Hermitian matrices."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.errors import MissingFormulaError, UnsupportedSyntaxError
from tests.formulas.checking import case, check_case, definite, normal, normal_complex

load("scipy.linalg")

CASES = [case(linalg.svdvals, normal(3, 4)), case(linalg.svdvals, normal_complex(3, 4))]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def hermitian(a):
    """Return the Hermitian part of a matrix."""
    return (a + np.conj(np.swapaxes(a, -1, -2))) / 2


def real_matrices():
    """Return two matrices, the second one positive definite."""
    return normal(4, 4), definite(4, 4)


def complex_matrices():
    """Return two matrices, the second one positive definite."""
    a = normal_complex(4, 4)
    return a, a @ np.conj(a.T) + np.eye(4)


@pytest.mark.parametrize("made", [real_matrices, complex_matrices])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("subset", [None, (0, 1), (1, 2), (3, 3)])
@pytest.mark.parametrize("general", [False, True])
def test_eigenvectors(general, subset, lower, made):
    """Depends on eigenvalues and on what does not depend on the phases of the vectors."""

    def both(a, b):
        if general:
            w, v = linalg.eigh(hermitian(a), hermitian(b), lower=lower, subset_by_index=subset)
        else:
            w, v = linalg.eigh(hermitian(a), lower=lower, subset_by_index=subset)
        return np.sum(np.abs(v) ** 4 * w) + np.sum(np.abs((v * w) @ np.conj(v.T)) ** 3)

    a, b = made()
    for wrt in (0, 1):
        check(both, a, b, wrt=wrt, order=2)


@pytest.mark.parametrize("made", [real_matrices, complex_matrices])
@pytest.mark.parametrize("subset", [None, (1, 2)])
@pytest.mark.parametrize("general", [False, True])
def test_eigenvalues(general, subset, made):
    """Depends on eigenvalues alone."""

    def only(a, b):
        if general:
            x, y = hermitian(a), hermitian(b)
            w = linalg.eigh(x, y, eigvals_only=True, subset_by_index=subset)
            u = linalg.eigvalsh(x, y, subset_by_index=subset)
        else:
            w = linalg.eigh(hermitian(a), eigvals_only=True, subset_by_index=subset)
            u = linalg.eigvalsh(hermitian(b), subset_by_index=subset)
        return np.sum(w**3) + np.sum(u**4 * w)

    a, b = made()
    for wrt in (0, 1):
        check(only, a, b, wrt=wrt, order=2)


def test_several():
    """Several matrices at once."""

    def both(a):
        w, v = linalg.eigh(hermitian(a))
        return np.sum(v**4 * w[..., None, :]) + np.sum(linalg.eigvalsh(hermitian(a)) ** 3)

    check(both, normal(2, 3, 3), order=2)


FIXED = definite(4, 4)


def test_constant_matrix():
    """One of the matrices is a constant of the module."""

    def both(a):
        w, v = linalg.eigh(hermitian(a), FIXED)
        return np.sum(v**2 * w) + np.sum(linalg.eigvalsh(FIXED, hermitian(a @ a.T)) ** 2)

    check(both, normal(4, 4), order=2)


def test_refused():
    """Other problems, and eigenvalues between two bounds, are refused."""
    a, b = real_matrices()
    with pytest.raises(MissingFormulaError, match="type=1"):
        grad(lambda a: np.sum(linalg.eigh(hermitian(a), b, type=2)[0]))(a)
    with pytest.raises(UnsupportedSyntaxError, match="subset_by_value"):
        grad(lambda a: np.sum(linalg.eigh(hermitian(a), subset_by_value=(0, 9))[0]))(a)
