"""The formulas of NumPy's linear algebra."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.finite_differences import directional, inner, random_like
from tests.formulas.checking import case, check_case, definite, invertible, normal

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
    case(np.linalg.inv, invertible(3, 3)),
    case(np.linalg.inv, invertible(2, 3, 3)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3)])
def test_cholesky(shape):
    """The cotangent of a Cholesky factor is that of a symmetric argument."""
    x = definite(*shape)
    direction = normal(*shape)
    direction = direction + np.swapaxes(direction, -1, -2)
    z, backward = find_formula(np.linalg.cholesky)(x)
    z_bar = random_like(z, np.random.default_rng(1))
    x_bar = backward(z_bar)
    np.testing.assert_allclose(x_bar, np.swapaxes(x_bar, -1, -2), rtol=1e-12)
    slope = inner(z_bar, directional(np.linalg.cholesky, (x,), {0: direction})[0])
    np.testing.assert_allclose(inner(x_bar, direction), slope, rtol=1e-7)


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


@pytest.mark.parametrize("order", [1, 2, np.inf, "nuc"])
def test_matrix_norms_are_refused(order):
    """A matrix norm without a formula is refused, not taken for a vector norm."""
    _, backward = find_formula(np.linalg.norm)(normal(2, 3), ord=order)
    with pytest.raises(NotImplementedError, match="ord='fro' has"):
        backward(1.0)
