"""The formulas of NumPy's matrix decompositions."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, vjp
from srcgrad.errors import ResultError
from tests.formulas.checking import case, definite, formula_test, normal
from tests.rotation import highest

load("numpy")
load("scipy.linalg")

CASES = [
    *(case(np.linalg.qr, normal(*shape)) for shape in ((3, 3), (4, 2), (2, 4), (2, 4, 3))),
    case(np.linalg.qr, normal(4, 3), mode="r"),
    case(np.linalg.qr, normal(2, 3), mode="r"),
    case(np.linalg.svd, normal(3, 3)),
    *(
        case(np.linalg.svd, normal(*shape), full_matrices=False)
        for shape in ((4, 3), (3, 4), (2, 4, 3), (2, 3, 4))
    ),
    *(case(np.linalg.svd, normal(*shape), compute_uv=False) for shape in ((3, 4), (2, 3, 3))),
    *(case(np.linalg.svdvals, normal(*shape)) for shape in ((3, 4), (2, 4, 3))),
]

test_formula = formula_test(CASES)


def symmetric(x):
    """Return the symmetric part of matrices."""
    return (x + np.swapaxes(x, -1, -2)) / 2


def lower_factor(x, w):
    """Depends on all of a lower Cholesky factor."""
    return np.sum(w * np.linalg.cholesky(symmetric(x)) ** 2)


def upper_factor(x, w):
    """Depends on all of an upper Cholesky factor."""
    return np.sum(w * np.linalg.cholesky(symmetric(x), upper=True) ** 2)


def eigenvalues(x, w):
    """Depends on eigenvalues alone."""
    return np.sum(w * np.linalg.eigvalsh(symmetric(x))[..., None] ** 2)


def eigenvectors(x, w):
    """Depends on eigenvectors alone."""
    return np.sum(w * np.linalg.eigh(symmetric(x))[1] ** 2)


def both(x, w):
    """Depends on eigenvalues and eigenvectors."""
    values, vectors = np.linalg.eigh(symmetric(x), UPLO="U")
    return np.sum(w * vectors**2 * values[..., None, :])


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
@pytest.mark.parametrize("f", [lower_factor, upper_factor, eigenvalues, eigenvectors, both])
def test_of_symmetric_matrices(f, shape):
    """The derivative is that of a function of symmetric matrices, to second order."""
    check(f, definite(*shape), normal(*shape), order=highest())
    x_bar = grad(f)(definite(*shape), normal(*shape))
    np.testing.assert_allclose(x_bar, np.swapaxes(x_bar, -1, -2), atol=1e-12)


def test_equal_eigenvalues():
    """Their sum has a slope; their vectors have none."""
    x = np.diag([2.0, 2.0, 3.0])
    np.testing.assert_allclose(grad(lambda x: np.sum(np.linalg.eigh(x)[0]))(x), np.eye(3))
    with np.errstate(all="ignore"):
        x_bar = grad(lambda x: np.sum(np.linalg.eigh(x)[1] ** 3))(x)
    assert np.isnan(x_bar).any()


def of_eigh(x):
    """The last eigenvalue and vector."""
    w, v = np.linalg.eigh((x + x.T) / 2)
    return v[:, 2], w[2]


def of_scipys_eigh(x):
    """The same by SciPy."""
    w, v = linalg.eigh((x + x.T) / 2)
    return v[:, 2], w[2]


def of_eig(x):
    """The same of a matrix that need not be symmetric, up to a phase."""
    w, v = np.linalg.eig((x + x.T) / 2)
    k = np.argmax(np.real(w))
    return np.real(v[:, k]), np.real(w[k])


def of_svd(x):
    """The same of singular vectors."""
    u, s, vh = np.linalg.svd((x + x.T) / 2)
    return u[:, 0] * vh[0, 0] / np.abs(vh[0, 0]), s[0]


def of_scipys_svd(x):
    """The same by SciPy."""
    u, s, vh = linalg.svd((x + x.T) / 2)
    return u[:, 0] * vh[0, 0] / np.abs(vh[0, 0]), s[0]


@pytest.mark.parametrize("last", [of_eigh, of_scipys_eigh, of_eig, of_svd, of_scipys_svd])
def test_a_vector_beside_equal_eigenvalues(last):
    """It has its derivative, in both modes; what depends on the basis of the others has none."""
    direction = np.array([0.6, 0.0, 0.8])
    x = np.eye(3) + 2 * np.outer(direction, direction)

    def f(x):
        v, w = last(x)
        return np.sum(np.outer(v, v) * np.arange(9.0).reshape(3, 3)) * w

    x_dot = normal(3, 3)
    x_bar = grad(f)(x)
    with np.errstate(all="ignore"):  # in the tangents of the others
        _, slope = jvp(f, (x,), (x_dot,))
    expected = (f(x + 1e-5 * x_dot) - f(x - 1e-5 * x_dot)) / 2e-5
    np.testing.assert_allclose([np.sum(x_bar * x_dot), slope], expected, rtol=1e-6)


def test_what_depends_on_the_basis():
    """The slope is nan, also where the vectors are such that its numerators are zero."""
    with np.errstate(all="ignore"):
        x_bar = grad(lambda x: np.sum(np.linalg.eigh(x)[1][:, 0] ** 4))(np.eye(3))
    assert np.isnan(x_bar).any()


def test_added_singular_vectors():
    """Vectors of the full matrices may be there, but not be differentiated."""
    x = normal(4, 2)

    def determined(x):
        u, s, vh = np.linalg.svd(x)
        return np.sum((u[:, :2] * s) @ vh * x)

    np.testing.assert_allclose(grad(determined)(x), 2 * x, atol=1e-12)
    check(lambda x: np.sum(np.linalg.svd(x)[1] ** 3), x, order=highest())
    with pytest.raises(ValueError, match="full_matrices=False"):
        grad(lambda x: np.sum(np.linalg.svd(x)[0] ** 3))(x)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (2, 3, 2)])
def test_added_singular_vectors_forward(shape):
    """What does not depend on added vectors has a tangent; what does is refused."""
    x, x_dot = normal(*shape), normal(*shape)[::-1]

    def determined(x):
        u, s, vh = np.linalg.svd(x)
        return np.sum(((u[..., :2] * s[..., None, :]) @ vh[..., :2, :]) ** 3) + np.sum(
            u[..., :2] ** 4
        )

    slope, second = vjp(grad(determined), x)
    np.testing.assert_allclose(jvp(determined, (x,), (x_dot,))[1], np.sum(slope * x_dot))
    np.testing.assert_allclose(jvp(grad(determined), (x,), (x_dot,))[1], second(x_dot))
    with pytest.raises(ResultError, match="full_matrices=False"):
        jvp(lambda x: np.linalg.svd(x), (x,), (x_dot,))


@pytest.mark.parametrize("svd", [np.linalg.svd, linalg.svd])
@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_singular_vectors_of_a_singular_matrix(svd, shape):
    """Vectors of a singular value that is zero, or rounding, are not divided by it in vain."""
    rounded = normal(shape[0], 2) @ normal(2, shape[1])
    exact = np.array(normal(*shape))
    exact[2] = 0.0
    exact[:, 2] = 0.0

    def determined(x):
        u, _, vh = svd(x, full_matrices=False)
        first = np.sum((u[:, :2] @ vh[:2] + 0.5) ** 2)
        square = vh if shape[1] == 3 else u.T
        return first + np.sum((np.outer(square[2], square[2]) + 0.5) ** 2)

    for x in (rounded, exact):
        check(determined, x, order=2 if shape == (3, 3) else 1)
