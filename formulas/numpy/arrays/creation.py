"""Derivatives of NumPy's array creation: from numbers, from ranges, from other arrays."""

from __future__ import annotations

import math

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import grid_axes, is_inexact, steps_between

from srcgrad.registry import formula, primal
from srcgrad.runtime import arange_like, astype, cast_like, place_diagonal, unbroadcast
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.scipy.special import bessel_i1

# Creation from an array


@formula(np.full_like, linear="fill")
def full_like(x, fill, *, dtype=None, shape=None):
    """z = an array like x, filled with a number or an array."""
    z = np.full_like(x, fill, dtype=dtype, shape=shape)
    return z, lambda z_bar: (None, cast_like(unbroadcast(z_bar, fill), fill))


@formula(np.full, linear="fill", sequences="shape")
def full(shape, fill, *, dtype=None):
    """z = an array of a shape, filled with a number or an array."""
    z = np.full(shape, fill, dtype=dtype)
    return z, lambda z_bar: (None, cast_like(unbroadcast(z_bar, fill), fill))


@formula(
    np.array, np.asarray, np.asanyarray, np.asarray_chkfinite, np.require,
sequences="x")  # fmt: skip
def array(x, *, dtype=None, copy=True, order=None, ndmin=0):
    """z = x as an array; the slope is 0 where dtype is one of whole numbers."""
    z = np.array(x, dtype=dtype, copy=copy, order=order, ndmin=ndmin)

    def backward(z_bar):
        same = z_bar if ndmin == 0 else np.reshape(z_bar, np.shape(x))
        if dtype is None:
            x_bar = same
        elif is_inexact(dtype):
            x_bar = cast_like(same, x)
        else:
            x_bar = np.zeros_like(x)
        return x_bar

    def tangent(x_dot):
        dot = np.asarray(x_dot) if np.ndim(x) == 0 else x_dot  # of a number, z is an array
        same = dot if ndmin == 0 else np.reshape(dot, np.shape(z))
        if dtype is None:
            z_dot = same
        elif is_inexact(dtype):
            z_dot = cast_like(same, z)
        else:
            z_dot = np.zeros_like(z)
        return z_dot

    return z, backward, tangent


@formula(np.ascontiguousarray, np.asfortranarray, sequences="x")
def contiguous(x, *, dtype=None):
    """z = x as an array, which has an axis also where x is a number."""
    z = primal(x, dtype=dtype)

    def backward(z_bar):
        same = np.reshape(z_bar, np.shape(x))
        if dtype is None:
            x_bar = same
        elif is_inexact(dtype):
            x_bar = cast_like(same, x)
        else:
            x_bar = np.zeros_like(x)
        return x_bar

    return z, backward


@formula(astype, getattr(np, "astype", astype))  # np.astype came with NumPy 2.1
def astype_(x, *, dtype, copy=True):
    """z = x in another dtype; the slope is 0 where it is one of whole numbers."""
    z = astype(x, dtype, copy=copy)

    def backward(z_bar):
        return cast_like(z_bar, x) if is_inexact(dtype) else np.zeros_like(x)

    def tangent(x_dot):
        return astype(x_dot, dtype, copy=copy) if is_inexact(dtype) else np.zeros_like(x)

    return z, backward, tangent


@formula(np.copy, linear="x")
def copy(x, *, order="K"):
    """z = a copy of x."""
    return np.copy(x, order=order), lambda z_bar: z_bar


@formula(np.float16)
def float16(x):
    """z = x in half precision."""
    return np.float16(x), lambda z_bar: cast_like(z_bar, x)


@formula(np.longdouble)
def longdouble(x):
    """z = x in extended precision."""
    return np.longdouble(x), lambda z_bar: cast_like(z_bar, x)


@formula(np.float64, linear="x")
def float64(x):
    """z = x in double precision."""
    return np.float64(x), lambda z_bar: cast_like(z_bar, x)


@formula(as_floats, linear="x")
def as_floats_(x):
    """z = whole numbers in double precision, others as they are."""
    return as_floats(x), lambda z_bar: cast_like(z_bar, x)


@formula(np.float32, linear="x")
def float32(x):
    """z = x in single precision."""
    return np.float32(x), lambda z_bar: cast_like(z_bar, x)


@formula(np.diag, linear="x")
def diag(x, *, k=0):
    """z = a matrix with the vector x on a diagonal, or that diagonal of a matrix x."""
    z = np.diag(x, k=k)

    def backward(z_bar):
        return np.diag(z_bar, k=k) if x.ndim == 1 else place_diagonal(z_bar, x, offset=k)

    return z, backward


@formula(np.diagflat)
def diagflat(x, *, k=0):
    """z = a matrix with the entries of x on a diagonal."""
    z = np.diagflat(x, k=k)

    def backward(z_bar):
        return np.reshape(np.diagonal(z_bar, offset=k), np.shape(x))

    return z, backward


@formula(np.vander)
def vander(x, *, N=None, increasing=False):
    """z = the powers of the entries of a vector, as rows."""
    z = np.vander(x, N=N, increasing=increasing)

    def backward(z_bar):
        power = arange_like(z, 1, z.shape[1])
        if increasing:
            slopes = z_bar[:, 1:] * power * z[:, :-1]
        else:
            slopes = z_bar[:, :-1] * power[::-1] * z[:, 1:]
        return np.sum(slopes, axis=1)

    return z, backward


@formula(np.tril, linear="x")
def tril(x, *, k=0):
    """z = x with zeros above a diagonal of its last two axes."""
    z = np.tril(x, k=k)

    def backward(z_bar):
        x_bar = np.tril(z_bar, k=k)
        return unbroadcast(x_bar, x) if x.ndim == 1 else x_bar

    return z, backward


@formula(np.triu, linear="x")
def triu(x, *, k=0):
    """z = x with zeros below a diagonal of its last two axes."""
    z = np.triu(x, k=k)

    def backward(z_bar):
        x_bar = np.triu(z_bar, k=k)
        return unbroadcast(x_bar, x) if x.ndim == 1 else x_bar

    return z, backward


# Ranges


@formula(np.arange)
def arange(start, stop=None, step=1, *, dtype=None):
    """z = start, start + step, and so on before stop, at a constant number of entries."""
    if stop is None:
        z = np.arange(start, dtype=dtype)
    else:
        z = np.arange(start, stop, step, dtype=dtype)

    def backward(z_bar):
        if stop is None:
            start_bar = None
            step_bar = None
        else:
            start_bar = np.sum(z_bar)
            step_bar = np.sum(z_bar * np.arange(z.size))
        return start_bar, None, step_bar

    return z, backward


@formula(np.linspace)
def linspace(start, stop, *, num=50, endpoint=True, dtype=None, axis=0):
    """z = numbers at equal distances from start to stop, along a new axis."""
    z = np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype, axis=axis)

    def backward(z_bar):
        rows = z_bar if axis == 0 else np.moveaxis(z_bar, axis, 0)
        t = arange_like(z, 0, num) / steps_between(num, endpoint)
        start_bar = np.tensordot(1 - t, rows, axes=1)
        stop_bar = np.tensordot(t, rows, axes=1)
        return unbroadcast(start_bar, start), unbroadcast(stop_bar, stop)

    return z, backward


@formula(np.logspace, sequences="endpoint num")
def logspace(start, stop, num=50, endpoint=True, base=10.0, *, dtype=None, axis=0):
    """z = base ** numbers at equal distances from start to stop; base > 0."""
    z = np.logspace(start, stop, num, endpoint=endpoint, base=base, dtype=dtype, axis=axis)

    def backward(z_bar):
        slopes = z_bar * z
        rows = slopes if axis == 0 else np.moveaxis(slopes, axis, 0)
        t = arange_like(z, 0, num) / steps_between(num, endpoint)
        from_start = np.tensordot(1 - t, rows, axes=1)
        from_stop = np.tensordot(t, rows, axes=1)
        rate = math.log(base) if np.ndim(base) == 0 else np.log(as_floats(base))
        start_bar = unbroadcast(from_start * rate, start)
        stop_bar = unbroadcast(from_stop * rate, stop)
        base_bar = unbroadcast((start * from_start + stop * from_stop) / base, base)
        return start_bar, stop_bar, None, None, base_bar

    return z, backward


@formula(np.geomspace)
def geomspace(start, stop, *, num=50, endpoint=True, dtype=None, axis=0):
    """z = numbers at equal ratios from start to stop, which have the same sign."""
    z = np.geomspace(start, stop, num, endpoint=endpoint, dtype=dtype, axis=axis)

    def backward(z_bar):
        slopes = z_bar * z
        rows = slopes if axis == 0 else np.moveaxis(slopes, axis, 0)
        t = arange_like(z, 0, num) / steps_between(num, endpoint)
        start_bar = np.tensordot(1 - t, rows, axes=1)
        stop_bar = np.tensordot(t, rows, axes=1)
        return unbroadcast(start_bar, start) / start, unbroadcast(stop_bar, stop) / stop

    return z, backward


@formula(np.meshgrid)
def meshgrid(*vectors, copy=True, sparse=False, indexing="xy"):
    """z = for each vector an array, on the grid that they span, with its entries."""
    z = np.meshgrid(*vectors, copy=copy, sparse=sparse, indexing=indexing)

    def backward(z_bar):
        rank = len(vectors)
        return tuple(
            np.reshape(np.sum(z_bar[k], axis=grid_axes(k, rank, indexing)), np.shape(x))
            for k, x in enumerate(vectors)
        )

    return z, backward


@formula(np.ix_)
def ix_(*vectors):
    """z = for each vector an array with an axis of its own, with its entries."""
    z = np.ix_(*vectors)
    return z, lambda z_bar: tuple(np.ravel(z_bar[k]) for k in range(len(vectors)))


@formula(np.kaiser, constant="count")
def kaiser(count, beta):
    """z = Kaiser's window of count numbers."""
    z = np.kaiser(count, beta)

    def backward(z_bar):
        place = (2 * np.arange(count) - count + 1) / max(count - 1, 1)
        root = np.sqrt(1 - place**2)
        slope = (root * bessel_i1(beta * root) - z * bessel_i1(beta)) / np.i0(beta)
        return None, np.sum(z_bar * slope)

    return z, backward
