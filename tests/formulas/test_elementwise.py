"""Formulas of functions that work element by element: cotangents are summed by the engine."""

import numpy as np
import pytest

from srcgrad import formula, grad, hessian, jvp, tape
from srcgrad.registry import find_formula, is_elementwise
from tests.finite_differences import gradient

SHAPES = [((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 3), (2, 1)), ((), (4,)), ((2,), (2,))]


def damped(x, rate):
    """Return a decaying line."""
    return x * np.exp(-rate * x)


@formula(damped, elementwise=True)
def damped_formula(x, rate):
    """z = x exp(-rate x)."""
    decay = np.exp(-rate * x)  # captured: the formula is called as a pair of functions
    z = x * decay

    def backward(z_bar):
        return z_bar * decay * (1 - rate * x), -z_bar * z * x

    return z, backward


def total(x, rate):
    """Return a sum of squares, so that the cotangents differ."""
    return np.sum(damped(x, rate) ** 2)


@pytest.mark.parametrize("way", [grad, tape.grad])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_broadcast(way, shapes):
    """What an argument was broadcast along is summed, in text and on the tape."""
    rng = np.random.default_rng(0)
    args = tuple(rng.uniform(0.2, 1.0, shape) for shape in shapes)
    for k in (0, 1):
        found = way(total, wrt=k)(*args)
        assert np.shape(found) == shapes[k]
        np.testing.assert_allclose(found, gradient(total, args, k), rtol=1e-5)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_tangents_and_second_order(shapes):
    """The tangent reaches the shape of the result; the second derivative is that of the first."""
    rng = np.random.default_rng(1)
    x, rate = (rng.uniform(0.2, 1.0, shape) for shape in shapes)
    value, dot = jvp(damped, (x, rate), (None, np.ones_like(rate)))
    assert np.shape(dot) == np.shape(value)
    np.testing.assert_allclose(dot, -x * value, rtol=1e-12)
    found = hessian(total, wrt=1)(x, rate)
    expected = 4 * np.broadcast_to(x**2, np.shape(value)) * value**2
    assert np.shape(found) == shapes[1] * 2
    np.testing.assert_allclose(np.sum(found), np.sum(expected), rtol=1e-9)


def test_ufuncs_are_known():
    """A ufunc need not be declared; one with a signature is another matter."""
    assert is_elementwise(find_formula(np.hypot))
    assert not is_elementwise(find_formula(np.matmul))
