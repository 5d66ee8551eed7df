"""The formulas of NumPy's decompositions of complex matrices, by what depends on no phase."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp
from tests.formulas.checking import normal


def matrices(*shape):
    """Complex matrices."""
    return normal(*shape) + 1j * normal(*shape[::-1]).reshape(shape)


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
]


@pytest.mark.parametrize(("f", "x"), CALLS)
def test_derivatives(f, x):
    """First and second derivatives agree with differences, and forward mode with reverse."""
    check(f, x)
    move = matrices(*x.shape)[..., ::-1]
    slope = jvp(f, (x,), (move,))[1]
    np.testing.assert_allclose(slope, np.real(np.sum(grad(f)(x) * move)), rtol=1e-8)
