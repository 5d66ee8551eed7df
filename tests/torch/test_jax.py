"""NumPy functions inside of JAX, and JAX's functions inside of NumPy programs."""

import numpy as np
import pytest

import srcgrad
from srcgrad.errors import ArgumentError

jax = pytest.importorskip("jax", reason="JAX is not installed")
import srcgrad.jax  # noqa: E402


def damped(x, w):
    """A product."""
    return np.sin(x) * w


X, W = np.array([1.0, 2.0], np.float32), np.array([3.0, 4.0], np.float32)


def test_a_function_is_differentiated_twice_compiled_and_mapped():
    """The gradient, its Jacobian, jit and vmap give what mathematics says."""
    operation = srcgrad.jax.function(damped, wrt=(0, 1))
    slopes = jax.jit(jax.grad(lambda x, w: operation(x, w).sum(), argnums=(0, 1)))(X, W)
    np.testing.assert_allclose(slopes, (np.cos(X) * W, np.sin(X)), rtol=1e-5)
    curve = jax.jacrev(jax.grad(lambda x: operation(x, W).sum()))(X)
    np.testing.assert_allclose(curve, np.diag(-np.sin(X) * W), rtol=1e-5)
    assert jax.vmap(lambda x: operation(x, W))(np.stack([X, X])).shape == (2, 2)


def test_a_function_of_jax_is_a_formula():
    """Its second derivatives agree with differences."""
    layer = srcgrad.jax.formula(lambda x, w: jax.numpy.tanh(x @ w))
    x = np.random.default_rng(0).normal(size=(2, 3)).astype(np.float32)
    slope = srcgrad.grad(lambda x: np.sum(layer(x, x.T)[0] ** 2))(x)
    mirror = jax.grad(lambda x: (jax.numpy.tanh(x @ x.T)[0] ** 2).sum())(x)
    np.testing.assert_allclose(slope, mirror, rtol=1e-5)


def test_what_is_no_array_is_refused():
    """The message names the argument, and what it is."""
    with pytest.raises(ArgumentError, match="argument 0 is no array, but str"):
        srcgrad.jax.function(damped, wrt=(0, 1))("a", W)
