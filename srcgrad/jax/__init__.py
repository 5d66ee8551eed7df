"""Derivatives across the border to JAX: ``function`` and ``formula``."""

# JAX is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp

from srcgrad.errors import ArgumentError
from srcgrad.torch.border.levels import Level, as_results, name_of, positions
from srcgrad.torch.border.outside import registered

__all__ = ["formula", "function"]


def function(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return a NumPy function as a differentiable function of JAX arrays.

    JAX calls it back through ``jax.pure_callback``, inside of ``jax.jit`` too; the backward pass
    is the code that ``srcgrad.vjp`` generates, and can be differentiated again. ``jax.vmap`` runs
    the function once for each element.

    Args:
        f: the function, of arrays by position; it returns an array or a tuple of arrays.
        wrt: the parameters that are differentiated, by name or position.

    Returns:
        A function of JAX arrays that returns JAX arrays.

    Raises:
        ArgumentError: by the function that is returned, when an argument is no array.

    Example:
        >>> import jax, numpy as np, srcgrad.jax
        >>> square = srcgrad.jax.function(lambda x: np.sum(x**2))
        >>> jax.grad(square)(np.ones(3, np.float32))
        Array([2., 2., 2.], dtype=float32)
    """
    level = Level(f, positions(f, wrt), name_of(f))
    parameters = inspect.signature(f)

    @functools.wraps(f)
    def on_arrays(*args: Any, **options: Any) -> Any:
        bound = parameters.bind(*args, **options)
        bound.apply_defaults()
        return _apply(level, bound.args)

    return on_arrays


def _apply(level: Level, args: tuple[Any, ...]) -> Any:
    for k in level.wrt:
        if not isinstance(args[k], jax.Array | np.ndarray | float | complex | np.generic):
            raise ArgumentError(
                f"{level.name}: argument {k} is no array, but {type(args[k]).__name__}"
            )
    return _differentiable(level)(*(jnp.asarray(a) for a in args))


@functools.cache
def _differentiable(level: Level) -> Callable[..., Any]:
    @jax.custom_vjp
    def call(*args: Any) -> Any:
        shapes = _shapes(level, args)
        return jax.pure_callback(
            lambda *a: _results(level, a), shapes, *args, vmap_method="sequential"
        )

    def forward(*args: Any) -> Any:
        value = call(*args)
        return value, (args, value)

    def backward(kept: Any, bar: Any) -> tuple[Any, ...]:
        args, value = kept
        bars = tuple(bar) if isinstance(value, tuple) else (bar,)
        results = len(bars) if isinstance(value, tuple) else None
        slopes = _apply(level.backward(len(args), results), (*args, *bars))
        slopes = slopes if isinstance(slopes, tuple) else (slopes,)
        given: list[Any] = [_zero(a) for a in args]
        for k, slope in zip(level.wrt, slopes, strict=True):
            given[k] = slope.astype(args[k].dtype)
        return tuple(given)

    call.defvjp(forward, backward)
    return call


def _zero(value: Any) -> Any:
    """Return a cotangent that is zero: of whole numbers it has a type of its own."""
    inexact = jnp.issubdtype(value.dtype, jnp.inexact)
    return jnp.zeros_like(value) if inexact else np.zeros(value.shape, jax.dtypes.float0)


def _results(level: Level, args: tuple[Any, ...]) -> Any:
    arrays = tuple(np.asarray(a) for a in args)
    made = level.f(*arrays)
    several = isinstance(made, tuple | list)
    values = as_results(tuple(made) if several else (made,), arrays)
    return values if several else values[0]


def _shapes(level: Level, args: tuple[Any, ...]) -> Any:
    """Return the shapes of the results: the function is run on ones to see them."""
    made = _results(level, tuple(np.ones(a.shape, a.dtype) for a in args))
    several = isinstance(made, tuple)
    shapes = [
        jax.ShapeDtypeStruct(x.shape, jax.dtypes.canonicalize_dtype(x.dtype))
        for x in (made if several else (made,))
    ]
    return tuple(shapes) if several else shapes[0]


def formula(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of JAX arrays as a function of NumPy arrays, with a formula.

    Args:
        function: a function of arrays that returns one array. Its parameters, as those of a
            network, are arrays among its arguments.

    Returns:
        A function of NumPy arrays, which srcgrad differentiates at any order.

    Example:
        >>> import jax, numpy as np, srcgrad, srcgrad.jax
        >>> softplus = srcgrad.jax.formula(jax.nn.softplus)
        >>> float(srcgrad.grad(lambda x: np.sum(softplus(x)))(np.zeros(1, np.float32))[0])
        0.5
    """
    call = registered(function, _evaluated, _pulled)

    def in_numpy(*arrays):
        return call(arrays)

    in_numpy.__name__ = getattr(function, "__name__", "in_numpy")
    return in_numpy


def _evaluated(run: Callable[..., Any], arrays: tuple[Any, ...]) -> np.ndarray:
    return np.asarray(run(*map(jnp.asarray, arrays)))


def _pulled(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function from arguments and a cotangent to all cotangents, in one vector."""

    def slopes(*given: Any) -> Any:
        *primal, bar = given
        value, back = jax.vjp(run, *primal)
        found = back(jnp.asarray(bar, value.dtype))
        parts = [
            jnp.zeros(x.size) if s.dtype == jax.dtypes.float0 else s.ravel()
            for x, s in zip(primal, found, strict=True)
        ]
        return jnp.concatenate(parts)

    return slopes
