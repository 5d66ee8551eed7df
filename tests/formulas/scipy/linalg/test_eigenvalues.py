"""The formulas of SciPy's singular values, and of eigenvalues of Hermitian matrices."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, source, vjp
from tests.formulas.checking import case, definite, formula_test, normal, normal_complex
from tests.rotation import highest, some_of

load("scipy.linalg")

CASES = [case(linalg.svdvals, normal(3, 4)), case(linalg.svdvals, normal_complex(3, 4))]

test_formula = formula_test(CASES)


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


@pytest.mark.one_of(4)
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
    for wrt in some_of(0, 1):
        check(both, a, b, wrt=wrt, order=highest())


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
    for wrt in some_of(0, 1):
        check(only, a, b, wrt=wrt, order=highest())


def test_several():
    """Several matrices at once."""

    def both(a):
        w, v = linalg.eigh(hermitian(a))
        return np.sum(v**4 * w[..., None, :]) + np.sum(linalg.eigvalsh(hermitian(a)) ** 3)

    check(both, normal(2, 3, 3), order=highest())


def pencils(a, b):
    """Depends on vectors and on eigenvalues of all pairs of matrices."""
    x, y = hermitian(a), hermitian(b)
    w, v = linalg.eigh(x, y)
    return np.sum(np.abs(v) ** 4 * w[..., None, :]) + np.sum(linalg.eigvalsh(x, y) ** 3)


@pytest.mark.parametrize(
    ("first", "second"),
    [((2,), ()), ((), (2,)), ((2, 1), (3,)), ((1,), ()), ((), (1,)), ((1,), (2,))],
)
@pytest.mark.one_of(2)
def test_broadcast(first, second):
    """One of two matrices, or both, stand for several: SciPy broadcasts them."""
    for wrt in some_of(0, 1):
        check(pencils, normal(*first, 3, 3), definite(*second, 3, 3), wrt=wrt, order=highest())


def test_broadcast_of_real_and_complex():
    """One of two matrices is complex."""
    a, b = complex_matrices()
    for wrt in some_of(0, 1):
        check(pencils, normal(2, 4, 4), b, wrt=wrt, order=highest())
        check(pencils, a, definite(2, 4, 4), wrt=wrt, order=highest())


def test_shapes_are_known():
    """Of two matrices, nothing is summed to their shapes; of a stack, over its axis alone."""
    g = grad(pencils)
    g(normal(3, 3), definite(3, 3))
    assert "unbroadcast" not in source(g)
    g(normal(3, 3), definite(2, 3, 3))
    assert "unbroadcast" not in source(g)


FIXED = definite(4, 4)


def test_constant_matrix():
    """One of the matrices is a constant of the module."""

    def both(a):
        w, v = linalg.eigh(hermitian(a), FIXED)
        return np.sum(v**2 * w) + np.sum(linalg.eigvalsh(FIXED, hermitian(a @ a.T)) ** 2)

    check(both, normal(4, 4), order=highest())


def between(z):
    """Return bounds that hold all but the first and the last eigenvalue."""
    w = linalg.eigvalsh(z) if np.ndim(z) == 2 else z
    return (float(w[0] + w[1]) / 2, float(w[-2] + w[-1]) / 2)


@pytest.mark.one_of(6)
@pytest.mark.parametrize("made", [real_matrices, complex_matrices])
@pytest.mark.parametrize("subset", ["all", "index", "value"])
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_types(kind, subset, made):
    """Every type of problem of two matrices, and eigenvalues between two bounds."""
    a, b = made()
    index = (1, 2) if subset == "index" else None
    w = linalg.eigvalsh(hermitian(a), hermitian(b), type=kind)
    bounds = between(w) if subset == "value" else None

    def vectors(a, b):
        w, v = linalg.eigh(
            hermitian(a), hermitian(b), type=kind, subset_by_index=index, subset_by_value=bounds
        )
        return np.sum(np.abs(v) ** 4 * w) + np.sum(np.abs((v * w) @ np.conj(v.T)) ** 3)

    def values(a, b):
        x, y = hermitian(a), hermitian(b)
        w = linalg.eigh(
            x, y, eigvals_only=True, type=kind, subset_by_index=index, subset_by_value=bounds
        )
        u = linalg.eigvalsh(x, y, type=kind, subset_by_index=index, subset_by_value=bounds)
        return np.sum(w**3) + np.sum(u**2 * w)

    for f in (vectors, values):
        for wrt in some_of(0, 1):
            check(f, a, b, wrt=wrt, order=highest())


def test_types_written_out():
    """Options that are literals, and several matrices; one triangle of each is read."""

    def several(a, b):
        w, v = linalg.eigh(a, b, type=2, lower=False)
        u, x = linalg.eigh(a, b, type=3, subset_by_index=(0, 1))
        return np.sum(v**4 * w[..., None, :]) + np.sum(x**4 * u[..., None, :])

    for wrt in some_of(0, 1):
        check(several, normal(2, 3, 3), definite(3, 3), wrt=wrt, order=highest())


@pytest.mark.parametrize("made", [real_matrices, complex_matrices])
def test_bounds(made):
    """The eigenvalues of one matrix between two bounds, at other places in each of several."""
    a = hermitian(made()[0])
    low, high = between(a)

    def inside(a):
        x = hermitian(a)
        w, v = linalg.eigh(x, subset_by_value=(low, high))
        u = linalg.eigvalsh(x, subset_by_value=(low, high))
        return np.sum(np.abs(v) ** 4 * w[..., None, :]) + np.sum(u**3)

    check(inside, a, order=highest())
    shifted = a + (high - low) / 2 * np.eye(4)
    if linalg.eigvalsh(shifted, subset_by_value=(low, high)).size == 2:
        check(inside, np.stack((a, shifted)), order=highest())
    assert not np.any(grad(inside)(a + 100 * np.eye(4)))


def test_bounds_between_two_matrices():
    """The one eigenvalue between two bounds is the first of one matrix, the last of another."""

    def inside(a):
        w, v = linalg.eigh(hermitian(a), subset_by_value=(0.5, 1.5))
        return np.sum(v**4 * w[..., None, :]) + np.sum(w**3)

    tilt = 0.1 * hermitian(normal(3, 3))
    check(
        inside,
        np.stack((np.diag([1.0, 3.0, 5.0]), np.diag([-3.0, -1.0, 1.0]))) + tilt,
        order=highest(),
    )


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_forward(kind):
    """Forward mode, and forward over reverse, of what options from outside decide."""
    b, u = definite(4, 4), normal(4, 4)
    a = hermitian(normal(4, 4))

    def program(a):
        w, v = linalg.eigh(a, b, type=kind, subset_by_index=(1, 2))
        return np.sum(v**4 * w) + np.sum(linalg.eigvalsh(a, b, type=kind) ** 3)

    slope, second = vjp(grad(program), a)
    np.testing.assert_allclose(jvp(program, (a,), (u,))[1], np.sum(slope * u))
    forward = jvp(grad(program), (a,), (u,))[1]
    np.testing.assert_allclose(np.sum(forward * u), np.sum(second(u) * u))
