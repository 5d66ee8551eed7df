"""The formulas of NumPy's linear algebra."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.registry import find_formula
from srcgrad.runtime.matrices import solve_triangular
from srcgrad.runtime.numpy.determinants import cofactors
from tests.formulas.checking import case, formula_test, invertible, normal
from tests.rotation import highest

load("numpy")

CASES = [
    case(np.linalg.norm, normal(3)),
    case(np.linalg.norm, normal(2, 3)),
    case(np.linalg.norm, normal(2, 3, 4)),
    case(np.linalg.norm, normal(2, 3), keepdims=True),
    case(np.linalg.norm, normal(2, 3), axis=1),
    case(np.linalg.norm, normal(2, 3), axis=0, keepdims=True),
    case(np.linalg.norm, normal(2, 3, 4), axis=(0, 2)),
    case(np.linalg.norm, normal(2, 3), ord="fro"),
    case(np.linalg.norm, normal(2, 3, 4), ord="fro", axis=(1, 2)),
    *(case(np.linalg.norm, normal(4), ord=p) for p in (1, 2, 3, 2.5, np.inf, -np.inf, 0)),
    *(case(np.linalg.norm, normal(3, 4), ord=p, axis=1) for p in (1, 2, 3, np.inf)),
    case(np.linalg.norm, normal(3, 4), ord=3, axis=0, keepdims=True),
    case(np.linalg.norm, normal(3, 4), ord=1, axis=(1,)),
    case(np.linalg.det, invertible(3, 3)),
    case(np.linalg.det, invertible(2, 3, 3)),
    case(cofactors, invertible(3, 3)),
    case(cofactors, invertible(2, 3, 3)),
    case(np.linalg.slogdet, invertible(3, 3)),
    case(np.linalg.slogdet, -invertible(3, 3)),
    case(np.linalg.slogdet, invertible(2, 3, 3)),
    *(case(np.trace, normal(3, 4), offset=k) for k in (-1, 0, 2)),
    case(np.trace, normal(2, 3, 4), offset=1, axis1=1, axis2=2),
    case(np.trace, normal(2, 3, 4), axis1=-1, axis2=0),
    case(np.linalg.solve, invertible(3, 3), normal(3)),
    case(np.linalg.solve, invertible(3, 3), normal(3, 2)),
    case(np.linalg.solve, invertible(4, 3, 3), normal(3)),
    case(np.linalg.solve, invertible(4, 3, 3), normal(3, 2)),
    case(np.linalg.solve, invertible(3, 3), normal(4, 3, 2)),
    case(np.linalg.solve, invertible(4, 1, 3, 3), normal(5, 3, 2)),
    *(case(np.linalg.norm, normal(3, 4), ord=p) for p in (1, -1, 2, -2, np.inf, -np.inf, "nuc")),
    *(
        case(np.linalg.norm, normal(3, 2, 4), ord=p, axis=(2, 0), keepdims=p != 2)
        for p in (1, 2, np.inf, "nuc")
    ),
    *(case(np.linalg.vector_norm, normal(4), ord=p) for p in (1, 2, 3, np.inf, 0)),
    case(np.linalg.vector_norm, normal(3, 4)),
    case(np.linalg.vector_norm, normal(3, 4), axis=1),
    case(np.linalg.vector_norm, normal(3, 4), axis=0, keepdims=True, ord=np.inf),
    *(
        case(np.linalg.matrix_norm, normal(*shape), ord=p)
        for p in ("fro", "nuc", 1, -1, 2, -2, np.inf)
        for shape in ((3, 4), (2, 4, 3))
    ),
    case(np.linalg.matrix_norm, normal(3, 4), keepdims=True),
    *(case(np.linalg.cond, invertible(3, 3), p=p) for p in (None, 2, -2, "fro")),
    case(np.linalg.cond, invertible(2, 3, 3)),
    case(np.linalg.cond, normal(3, 4)),
    *(case(np.linalg.trace, normal(2, 3, 4), offset=k) for k in (-1, 0, 2)),
    *(case(np.linalg.diagonal, normal(2, 3, 4), offset=k) for k in (-1, 0, 2)),
    case(np.linalg.tensorsolve, invertible(6, 6).reshape(2, 3, 6), normal(2, 3)),
    case(np.linalg.tensorsolve, invertible(6, 6).reshape(6, 3, 2), normal(6)),
    case(np.linalg.tensorsolve, invertible(6, 6).reshape(2, 6, 3), normal(6), axes=(0,)),
    case(np.linalg.tensorinv, invertible(6, 6).reshape(2, 3, 6)),
    case(np.linalg.tensorinv, invertible(6, 6).reshape(6, 3, 2), ind=1),
    *(case(np.linalg.lstsq, normal(4, 3), normal(*shape)) for shape in ((4,), (4, 2))),
    *(case(np.linalg.lstsq, normal(3, 4), normal(*shape)) for shape in ((3,), (3, 2))),
    *(case(np.linalg.pinv, normal(*shape)) for shape in ((3, 3), (4, 2), (2, 4), (2, 3, 4))),
    case(np.linalg.pinv, normal(4, 3), rtol=1e-10),
    *(case(np.linalg.matrix_power, invertible(3, 3), n) for n in (-2, -1, 0, 1, 2, 3, 5)),
    case(np.linalg.matrix_power, normal(2, 3, 3), 3),
    case(np.linalg.inv, invertible(3, 3)),
    case(np.linalg.inv, invertible(2, 3, 3)),
    case(solve_triangular, np.triu(invertible(3, 3)), normal(3, 2)),
    case(solve_triangular, np.tril(invertible(3, 3)), normal(3, 2), lower=True),
]

test_formula = formula_test(CASES, turns=4)


@pytest.mark.parametrize("order", [None, 1, 2, 3, "fro"])
def test_norm_at_zero(order):
    """The slope of a norm at 0 is 0, without a warning."""
    x = np.zeros((2, 2)) if order == "fro" else np.zeros(3)
    _, backward = find_formula(np.linalg.norm)(x, ord=order)
    np.testing.assert_array_equal(backward(1.0), 0)


def test_norm_tie():
    """Entries of the same largest size share the slope."""
    _, backward = find_formula(np.linalg.norm)(np.array([2.0, -2.0, 1.0]), ord=np.inf)
    np.testing.assert_array_equal(backward(1.0), [0.5, -0.5, 0])


@pytest.mark.parametrize("order", [-2.5, -1, 0.5])
@pytest.mark.parametrize("norm", [np.linalg.norm, np.linalg.vector_norm])
def test_norms_of_low_order_at_zeros(order, norm):
    """Entries that are 0 have the slope 0, and all of them where the norm is 0."""
    x = np.array([0.0, 1.0])
    with np.errstate(divide="ignore"):  # in the norm itself
        slope = grad(lambda x: norm(x, ord=order))(x)
    np.testing.assert_array_equal(slope, [0.0, order > 0])
    check(lambda x: norm(x, ord=order), np.array([0.3, -1.0, 2.0]), order=highest())


@pytest.mark.parametrize("batch", [(), (2,)])
def test_signs_of_complex_determinants(batch):
    """The sign turns, and the logarithm of the size grows, of one matrix and of several."""
    x = normal(*batch, 3, 3) + 1j * normal(*batch, 3, 3)[..., ::-1, :]

    def f(x):
        sign, size = np.linalg.slogdet(x)
        return np.sum(np.real(sign * 2j) * size)

    check(f, x, order=highest())


def test_infinite_order_in_generated_text():
    """It is read as an option that is known when the gradient is differentiated again."""

    def f(x, q):
        return np.sum(np.linalg.cond(q, np.inf) * x**2)

    check(f, normal(3), invertible(3, 3), order=highest())


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (0, 0)])
def test_triangular_systems(kind, shape):
    """Matrices of SciPy's kind, and the others; of any order in memory."""
    a = np.tril(invertible(*shape)).astype(kind) if shape[0] else np.zeros(shape, kind)
    b = np.ones((*shape[:-1], 2), kind)
    turned = np.swapaxes(a, -1, -2)
    np.testing.assert_allclose(a @ solve_triangular(a, b, lower=True), b, atol=1e-5)
    np.testing.assert_allclose(turned @ solve_triangular(turned, b), b, atol=1e-5)


def test_pseudo_inverses_of_single_precision():
    """What rounding leaves of singular values that are left out grows with it."""

    def f(x):
        return np.sum(np.linalg.pinv(x, rtol=1e-6) ** 2)

    x = normal(4, 3)
    np.testing.assert_allclose(grad(f)(x.astype(np.float32)), grad(f)(x), rtol=1e-3)
