"""Derivatives of NumPy's array creation from arrays, and of changes of shape."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.axes import (
    inverse_permutation,
    is_inexact,
    negated,
    unpadded,
)

from srcgrad.registry import formula
from srcgrad.runtime import astype, cast_like, place_diagonal, sum_repeats, sum_tiles, unbroadcast

# Creation from an array


@formula(np.full_like, linear="fill")
def full_like(x, fill):
    """z = an array like x, filled with a number or an array."""
    return np.full_like(x, fill), lambda z_bar: (None, unbroadcast(z_bar, fill))


@formula(np.full, linear="fill")
def full(shape, fill):
    """z = an array of a shape, filled with a number or an array."""
    return np.full(shape, fill), lambda z_bar: (None, unbroadcast(z_bar, fill))


@formula(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, linear="x")
def array(x, *, dtype=None):
    """z = x as an array; the slope is 0 where dtype is one of whole numbers."""
    z = np.array(x, dtype=dtype)

    def backward(z_bar):
        if dtype is None:
            x_bar = z_bar
        elif is_inexact(dtype):
            x_bar = cast_like(z_bar, x)
        else:
            x_bar = np.zeros_like(x)
        return x_bar

    return z, backward


@formula(astype, getattr(np, "astype", astype), linear="x")  # np.astype came with NumPy 2.1
def astype_(x, *, dtype, copy=True):
    """z = x in another dtype; the slope is 0 where it is one of whole numbers."""
    z = astype(x, dtype, copy=copy)

    def backward(z_bar):
        return cast_like(z_bar, x) if is_inexact(dtype) else np.zeros_like(x)

    return z, backward


@formula(np.copy, linear="x")
def copy(x):
    """z = a copy of x."""
    return np.copy(x), lambda z_bar: z_bar


@formula(np.float64, linear="x")
def float64(x):
    """z = x in double precision."""
    return np.float64(x), lambda z_bar: cast_like(z_bar, x)


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


# Changing the shape


@formula(np.reshape, linear="x")
def reshape(x, *, shape):
    """z = x in another shape."""
    return np.reshape(x, shape), lambda z_bar: np.reshape(z_bar, x.shape)


@formula(np.ravel, linear="x")
def ravel(x):
    """z = x as a vector."""
    return np.ravel(x), lambda z_bar: np.reshape(z_bar, x.shape)


# Transposing


@formula(np.moveaxis, linear="x")
def moveaxis(x, *, source, destination):
    """z = x with some axes at other places."""
    z = np.moveaxis(x, source, destination)

    def backward(z_bar):
        return np.moveaxis(z_bar, destination, source)

    return z, backward


@formula(np.swapaxes, linear="x")
def swapaxes(x, *, axis1, axis2):
    """z = x with two axes exchanged."""
    z = np.swapaxes(x, axis1, axis2)

    def backward(z_bar):
        return np.swapaxes(z_bar, axis1, axis2)

    return z, backward


@formula(np.transpose, linear="x")
def transpose(x, *, axes=None):
    """z = x with its axes permuted, or reversed."""
    z = np.transpose(x, axes)

    def backward(z_bar):
        if axes is None:
            x_bar = z_bar.T
        else:
            x_bar = np.transpose(z_bar, inverse_permutation(axes))
        return x_bar

    return z, backward


@formula(np.matrix_transpose, np.linalg.matrix_transpose, linear="x")
def matrix_transpose(x):
    """z = x with its last two axes exchanged."""
    return np.matrix_transpose(x), lambda z_bar: np.swapaxes(z_bar, -1, -2)


# Changing the number of dimensions


@formula(np.atleast_1d, linear="x")
def atleast_1d(x):
    """z = x with one axis at least."""
    return np.atleast_1d(x), lambda z_bar: np.reshape(z_bar, np.shape(x))


@formula(np.atleast_2d, linear="x")
def atleast_2d(x):
    """z = x with two axes at least."""
    return np.atleast_2d(x), lambda z_bar: np.reshape(z_bar, np.shape(x))


@formula(np.atleast_3d, linear="x")
def atleast_3d(x):
    """z = x with three axes at least."""
    return np.atleast_3d(x), lambda z_bar: np.reshape(z_bar, np.shape(x))


@formula(np.broadcast_to, linear="x")
def broadcast_to(x, *, shape):
    """z = x, repeated along new axes and axes of length 1."""
    return np.broadcast_to(x, shape), lambda z_bar: unbroadcast(z_bar, x)


@formula(np.broadcast_arrays)
def broadcast_arrays(*arrays):
    """z = the arrays, repeated to one common shape."""
    z = np.broadcast_arrays(*arrays)

    def backward(z_bar):
        return tuple(unbroadcast(z_bar[k], x) for k, x in enumerate(arrays))

    return z, backward


@formula(np.expand_dims, linear="x")
def expand_dims(x, *, axis):
    """z = x with new axes of length 1."""
    return np.expand_dims(x, axis), lambda z_bar: np.reshape(z_bar, np.shape(x))


@formula(np.squeeze, linear="x")
def squeeze(x, *, axis=None):
    """z = x without axes of length 1."""
    return np.squeeze(x, axis=axis), lambda z_bar: np.reshape(z_bar, x.shape)


# Repeating, padding, rearranging


@formula(np.tile, linear="x")
def tile(x, *, reps):
    """z = copies of x side by side."""
    return np.tile(x, reps), lambda z_bar: sum_tiles(z_bar, x, reps=reps)


@formula(np.repeat, linear="x")
def repeat(x, *, repeats, axis=None):
    """z = x with each entry several times in a row."""
    z = np.repeat(x, repeats, axis=axis)

    def backward(z_bar):
        return sum_repeats(z_bar, x, repeats=repeats, axis=axis)

    return z, backward


@formula(np.pad)
def pad(x, *, pad_width, constant_values=0):
    """z = x with a border of constants."""
    z = np.pad(x, pad_width, constant_values=constant_values)

    def backward(z_bar):
        return z_bar[unpadded(pad_width, x.ndim)]

    def tangent(x_dot):
        return np.pad(x_dot, pad_width)

    return z, backward, tangent


@formula(np.flip, linear="x")
def flip(x, *, axis=None):
    """z = x in reversed order along some axes."""
    return np.flip(x, axis=axis), lambda z_bar: np.flip(z_bar, axis=axis)


@formula(np.fliplr, linear="x")
def fliplr(x):
    """z = x in reversed order along axis 1."""
    return np.fliplr(x), lambda z_bar: np.flip(z_bar, axis=1)


@formula(np.flipud, linear="x")
def flipud(x):
    """z = x in reversed order along axis 0."""
    return np.flipud(x), lambda z_bar: np.flip(z_bar, axis=0)


@formula(np.roll, linear="x")
def roll(x, *, shift, axis=None):
    """z = x moved on along some axes, what leaves at one end coming in at the other."""
    z = np.roll(x, shift, axis=axis)

    def backward(z_bar):
        return np.roll(z_bar, negated(shift), axis=axis)

    return z, backward


@formula(np.rot90, linear="x")
def rot90(x, *, k=1, axes=(0, 1)):
    """z = x turned by k right angles in the plane of two axes."""
    return np.rot90(x, k=k, axes=axes), lambda z_bar: np.rot90(z_bar, k=-k, axes=axes)
