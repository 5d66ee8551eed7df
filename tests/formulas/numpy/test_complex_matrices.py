"""The formulas of NumPy's functions of complex matrices, and of complex eigenvalues."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp
from srcgrad.runtime.matrices import nearest_columns
from tests.formulas.checking import normal
from tests.rotation import highest


def matrices(*shape):
    """Complex matrices."""
    return normal(*shape) + 1j * normal(*shape[::-1]).reshape(shape)


# real matrices with complex eigenvalues, with real ones, and one with both
ROTATING = np.array([[0.2, -1.0, 0.1], [1.1, 0.3, 0.4], [0.2, 0.5, 2.0]])
GROWING = np.diag([1.0, 2.0, 4.0]) + 0.1 * normal(3, 3)
STACKED = np.stack((ROTATING, GROWING))


def adjoint(x):
    """The conjugate transpose of matrices."""
    return np.conj(np.swapaxes(x, -1, -2))


def size_of(z):
    """A real number that depends on all of a complex array."""
    return np.sum(np.real(z) * np.cos(np.imag(z)) + np.imag(z) ** 2)


def slogdet(x):
    """Sign and size."""
    sign, size = np.linalg.slogdet(x)
    return size_of(sign) + np.sum(size**2)


def exponential(x):
    """A function of a Hermitian matrix, by its eigenvalues and vectors."""
    w, v = np.linalg.eigh(x + adjoint(x))
    return size_of((v * np.exp(w / 4)[..., None, :]) @ adjoint(v))


def eigenvalues(x):
    """Eigenvalues alone, in both ways."""
    a = x @ adjoint(x)
    return np.sum(np.linalg.eigvalsh(a) ** 2 + np.linalg.eigh(a)[0])


def sizes_of_vectors(x):
    """The sizes of the entries of eigenvectors."""
    return np.sum(np.abs(np.linalg.eigh(x + adjoint(x))[1]) ** 4)


def singular_values(x):
    """Singular values alone, in three ways."""
    s = np.linalg.svd(x, compute_uv=False) * np.linalg.svdvals(x)
    return np.sum(s * np.linalg.svd(x, full_matrices=False)[1])


def polar_factor(x):
    """The unitary polar factor, and sizes of entries of singular vectors."""
    u, s, vh = np.linalg.svd(x, full_matrices=False)
    return size_of(u @ vh) + np.sum(np.abs(u) ** 4) + np.sum(np.abs(vh) ** 4) + np.sum(s)


def qr(x):
    """Both factors: their phases are fixed by the diagonal of r, which is real."""
    q, r = np.linalg.qr(x)
    return size_of(q) + size_of(r) + size_of(np.linalg.qr(x, mode="r"))


def cholesky(x):
    """Lower and upper factors."""
    a = x @ adjoint(x) + np.eye(x.shape[-2])
    return size_of(np.linalg.cholesky(a)) + size_of(np.linalg.cholesky(a, upper=True) * 1j)


def norms(x):
    """Norms by singular values."""
    return np.linalg.norm(x, 2) + np.linalg.norm(x, "nuc") + np.linalg.norm(x, -2)


def spectrum(x):
    """Eigenvalues alone, in two ways."""
    return size_of(np.linalg.eigvals(x)) + size_of(np.linalg.eig(x)[0])


def vectors(x):
    """Eigenvectors alone: LAPACK fixes their length and their phase."""
    return size_of(np.linalg.eig(x)[1])


def one_by_one(x):
    """Single eigenvalues, their order, and a loop over them."""
    w, v = np.linalg.eig(x)
    total = np.real(w[0]) + np.max(np.abs(w)) + np.sum(np.abs(v[:, 1]) ** 3)
    for k in range(3):
        total = total + np.abs(w[k]) ** 2
    return total


def function_of_matrix(x):
    """A function of a matrix, by its eigenvalues and vectors."""
    w, v = np.linalg.eig(x)
    return size_of((v * np.exp(w / 3)[..., None, :]) @ np.linalg.inv(v))


def pseudo_inverse(x):
    """At full rank."""
    return size_of(np.linalg.pinv(x))


def least_squares(x):
    """The solution, and the other results, for right hand sides of both kinds."""
    b = np.real(x)[:, 0] + 0.5
    solution, sums, _, s = np.linalg.lstsq(x, b, rcond=None)
    several = np.linalg.lstsq(np.real(x), x * x, rcond=None)[0]
    return size_of(solution) + np.sum(sums**2) + np.sum(s**3) + size_of(several)


def conditions(x):
    """Condition numbers in all norms."""
    total = np.linalg.cond(x) + np.linalg.cond(x, 2) + np.linalg.cond(x, -2)
    total = total + np.linalg.cond(x, "fro") + np.linalg.cond(x, "nuc")
    total = total + np.linalg.cond(x, 1) + np.linalg.cond(x, -1)
    return np.sum(total + np.linalg.cond(x, np.inf) + np.linalg.cond(x, -np.inf))


CALLS = [
    (slogdet, matrices(2, 3, 3)),
    (exponential, matrices(2, 3, 3)),
    (eigenvalues, matrices(3, 3)),
    (sizes_of_vectors, matrices(3, 3)),
    (singular_values, matrices(2, 4, 3)),
    (polar_factor, matrices(4, 3)),
    (polar_factor, matrices(3, 4)),
    (qr, matrices(3, 3)),
    (qr, matrices(2, 3, 4)),
    (cholesky, matrices(2, 3, 4)),
    (norms, matrices(3, 4)),
    *((spectrum, x) for x in (matrices(3, 3), matrices(2, 3, 3), ROTATING, GROWING, STACKED)),
    *((vectors, x) for x in (matrices(3, 3), matrices(2, 3, 3), ROTATING, GROWING, STACKED)),
    *((one_by_one, x) for x in (matrices(3, 3), ROTATING, GROWING)),
    *((function_of_matrix, x) for x in (matrices(2, 3, 3), ROTATING, GROWING)),
    *((pseudo_inverse, x) for x in (matrices(4, 3), matrices(2, 3, 4))),
    *((least_squares, x) for x in (matrices(4, 3), matrices(3, 4), normal(4, 3))),
    *(
        (conditions, 3 * np.eye(3) + x)
        for x in (matrices(3, 3), matrices(2, 3, 3), normal(2, 3, 3))
    ),
]


@pytest.mark.one_of(8)
@pytest.mark.filterwarnings("error")  # a warning that an imaginary part was discarded is one
@pytest.mark.parametrize(("f", "x"), CALLS)
def test_derivatives(f, x):
    """First and second derivatives agree with differences, and forward mode with reverse."""
    check(f, x, order=highest())
    move = matrices(*x.shape)[..., ::-1]
    move = move if np.iscomplexobj(x) else np.real(move)
    slope = jvp(f, (x,), (move,))[1]
    np.testing.assert_allclose(slope, np.real(np.sum(grad(f)(x) * move)), rtol=1e-8)


def test_equal_eigenvalues():
    """Their sum has a slope."""
    x_bar = grad(lambda x: np.real(np.sum(np.linalg.eigvals(x))))(np.eye(3))
    np.testing.assert_allclose(x_bar, np.eye(3))


def test_single_precision():
    """Single precision stays, whether the eigenvalues are real or not."""
    for x in (ROTATING, GROWING):
        for f in (spectrum, vectors):
            assert grad(f)(x.astype(np.float32)).dtype == np.float32


def test_order_of_eigenvalues():
    """Each is found among those that come with vectors, however these are ordered."""
    w = np.array([[3.0, 1.0, 2.0], [1.0, 1.0, 2.0]])
    z = np.array([[1.0, 2.0, 3.0 + 1e-12], [2.0, 1.0, 1.0]])
    np.testing.assert_array_equal(nearest_columns(w, z)[:, 0], [[1, 2, 0], [2, 0, 1]])
