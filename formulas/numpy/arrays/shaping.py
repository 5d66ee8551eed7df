"""Derivatives of NumPy's changes of shape."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import inverse_permutation, require_fixed_order, rolled_to

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast

# Changing the shape


@formula(np.reshape, linear="x", views="a")
def reshape(x, *, shape, order="C", copy=None):
    """z = x in another shape, its entries in the order of rows (C) or columns (F)."""
    z = np.reshape(x, shape, order=order)

    def backward(z_bar):
        require_fixed_order(order)
        if order == "C":
            x_bar = np.reshape(z_bar, np.shape(x))
        else:
            x_bar = np.reshape(z_bar, np.shape(x), order=order)
        return x_bar

    return z, backward


@formula(np.ravel, linear="x")
def ravel(x, *, order="C"):
    """z = x as a vector, its entries in the order of rows (C) or columns (F)."""
    z = np.ravel(x, order=order)

    def backward(z_bar):
        require_fixed_order(order)
        if order == "C":
            x_bar = np.reshape(z_bar, np.shape(x))
        else:
            x_bar = np.reshape(z_bar, np.shape(x), order=order)
        return x_bar

    return z, backward


# Transposing


@formula(np.moveaxis, linear="x", views="a")
def moveaxis(x, *, source, destination):
    """z = x with some axes at other places."""
    z = np.moveaxis(x, source, destination)

    def backward(z_bar):
        return np.moveaxis(z_bar, destination, source)

    return z, backward


@formula(np.rollaxis, views="a")
def rollaxis(x, *, axis, start=0):
    """z = x with one axis moved before another."""
    z = np.rollaxis(x, axis, start=start)

    def backward(z_bar):
        return np.moveaxis(z_bar, rolled_to(axis, start, x.ndim), axis)

    return z, backward


@formula(np.swapaxes, linear="x", views="a")
def swapaxes(x, *, axis1, axis2):
    """z = x with two axes exchanged."""
    z = np.swapaxes(x, axis1, axis2)

    def backward(z_bar):
        return np.swapaxes(z_bar, axis1, axis2)

    return z, backward


@formula(np.transpose, getattr(np, "permute_dims", np.transpose), linear="x", views="a")
def transpose(x, *, axes=None):
    """z = x with its axes permuted, or reversed."""
    z = np.transpose(x, axes)

    def backward(z_bar):
        if x.ndim == 0:
            x_bar = z_bar
        elif axes is None:
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


@formula(np.expand_dims, linear="x", views="a")
def expand_dims(x, *, axis):
    """z = x with new axes of length 1."""
    z = np.expand_dims(x, axis)

    def backward(z_bar):
        if isinstance(axis, list):
            x_bar = np.squeeze(z_bar, axis=tuple(axis))
        else:
            x_bar = np.squeeze(z_bar, axis=axis)
        return x_bar

    return z, backward


@formula(np.squeeze, linear="x", views="a")
def squeeze(x, *, axis=None):
    """z = x without axes of length 1."""
    return np.squeeze(x, axis=axis), lambda z_bar: np.reshape(z_bar, x.shape)
