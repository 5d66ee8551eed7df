"""Derivatives of NumPy's matrix and vector products."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import (
    chain_subscripts,
    every_second,
    following,
    free_axes,
    from_the_end,
    interleaved,
    leading,
    ones,
    order_of_left,
    order_of_right,
)
from srcgrad.formulas.numpy.einsum import adjoint_subscripts

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.matrices import cross_like


@formula(np.dot, linear="x y")
def dot(x, y):
    """z = x . y: the last axis of x against the last but one, or only one, of y."""
    z = np.dot(x, y)

    def backward(z_bar):
        if np.ndim(x) == 2 and np.ndim(y) == 2:
            x_bar = z_bar @ y.T
            y_bar = x.T @ z_bar
        elif np.ndim(x) == 1 and np.ndim(y) == 1:
            x_bar = z_bar * y
            y_bar = z_bar * x
        elif np.ndim(x) == 2 and np.ndim(y) == 1:
            x_bar = np.outer(z_bar, y)
            y_bar = x.T @ z_bar
        elif np.ndim(x) == 1 and np.ndim(y) == 2:
            x_bar = y @ z_bar
            y_bar = np.outer(x, z_bar)
        elif np.ndim(x) == 0 or np.ndim(y) == 0:
            x_bar = unbroadcast(z_bar * y, x)
            y_bar = unbroadcast(z_bar * x, y)
        elif np.ndim(y) == 1:
            x_bar = z_bar[..., None] * y
            y_bar = unbroadcast(z_bar[..., None] * x, y)
        else:
            x_bar = np.tensordot(z_bar, np.swapaxes(y, -1, -2), axes=y.ndim - 1)
            y_bar = np.moveaxis(np.tensordot(np.moveaxis(x, -1, 0), z_bar, axes=x.ndim - 1), 0, -2)
        return x_bar, y_bar

    return z, backward


@formula(np.outer, np.linalg.outer, linear="x y")
def outer(x, y):
    """z = the products of every entry of x with every entry of y."""
    z = np.outer(x, y)

    def backward(z_bar):
        if np.ndim(x) == 1 and np.ndim(y) == 1:
            x_bar = z_bar @ y
            y_bar = x @ z_bar
        else:
            x_bar = np.reshape(z_bar @ np.ravel(y), np.shape(x))
            y_bar = np.reshape(np.ravel(x) @ z_bar, np.shape(y))
        return x_bar, y_bar

    return z, backward


@formula(np.vdot, linear="x y")
def vdot(x, y):
    """z = sum of the products of the entries of conj(x) and y, in order."""
    z = np.vdot(x, y)

    def backward(z_bar):
        left = np.conj(x) if np.iscomplexobj(x) else x
        if x.ndim == 1 and y.ndim == 1:
            x_bar = z_bar * y
            y_bar = z_bar * left
        else:
            x_bar = np.reshape(z_bar * y, x.shape)
            y_bar = np.reshape(z_bar * left, y.shape)
        return np.conj(x_bar) if np.iscomplexobj(x) else x_bar, y_bar

    return z, backward


@formula(np.inner, linear="x y")
def inner(x, y):
    """z = sums of products over the last axis of x and the last axis of y."""
    z = np.inner(x, y)

    def backward(z_bar):
        if np.ndim(x) == 1 and np.ndim(y) == 1:
            x_bar = z_bar * y
            y_bar = z_bar * x
        elif np.ndim(x) == 2 and np.ndim(y) == 2:
            x_bar = z_bar @ y
            y_bar = z_bar.T @ x
        elif np.ndim(x) == 0 or np.ndim(y) == 0:
            x_bar = unbroadcast(z_bar * y, x)
            y_bar = unbroadcast(z_bar * x, y)
        else:
            rows = leading(np.ndim(x) - 1)
            x_bar = np.tensordot(z_bar, y, axes=np.ndim(y) - 1)
            y_bar = np.tensordot(z_bar, x, axes=(rows, rows))
        return x_bar, y_bar

    return z, backward


@formula(np.tensordot, np.linalg.tensordot, linear="x y")
def tensordot(x, y, *, axes=2):
    """z = sums of products over chosen axes of x and y."""
    z = np.tensordot(x, y, axes=axes)

    def backward(z_bar):
        x_kept = free_axes(axes, x.ndim, 0)
        y_kept = free_axes(axes, y.ndim, 1)
        of_x = leading(len(x_kept))
        of_y = following(len(x_kept), len(y_kept))
        x_bar = np.tensordot(z_bar, y, axes=(of_y, y_kept))
        y_bar = np.tensordot(x, z_bar, axes=(x_kept, of_x))
        if not isinstance(axes, int):
            x_bar = np.transpose(x_bar, order_of_left(axes, x.ndim, y.ndim))
            y_bar = np.transpose(y_bar, order_of_right(axes, x.ndim, y.ndim))
        return x_bar, y_bar

    return z, backward


@formula(np.vecdot, np.linalg.vecdot)
def vecdot(x, y, *, axis=-1, keepdims=False):
    """z = sums of products of conj(x) and y along an axis; the other axes broadcast."""
    z = np.vecdot(x, y, axis=axis, keepdims=keepdims)

    def backward(z_bar):
        if axis < 0 or x.ndim == y.ndim:
            wide = z_bar if keepdims else np.expand_dims(z_bar, axis)
            x_along = x
            y_along = y
        else:  # it is not the same axis, counted from the last one
            wide = np.moveaxis(z_bar, axis, -1) if keepdims else z_bar[..., None]
            x_along = np.moveaxis(x, axis, -1)
            y_along = np.moveaxis(y, axis, -1)
        if np.iscomplexobj(x):
            x_bar = np.conj(unbroadcast(wide * y_along, x_along))
            y_bar = unbroadcast(wide * np.conj(x_along), y_along)
        else:
            x_bar = unbroadcast(wide * y_along, x_along)
            y_bar = unbroadcast(wide * x_along, y_along)
        if axis >= 0 and x.ndim != y.ndim:
            x_bar = np.moveaxis(x_bar, -1, axis)
            y_bar = np.moveaxis(y_bar, -1, axis)
        return x_bar, y_bar

    return z, backward


if hasattr(np, "matvec"):  # since NumPy 2.2

    @formula(np.matvec)
    def matvec(x, y):
        """z = matrices x times vectors y; the other axes broadcast."""
        z = np.matvec(x, y)

        def backward(z_bar):
            x_bar = z_bar[..., :, None] * y[..., None, :]
            left = np.conj(z_bar) if np.iscomplexobj(z_bar) else z_bar  # vecmat conjugates it
            y_bar = np.vecmat(left, x)
            return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

        return z, backward

    @formula(np.vecmat)
    def vecmat(x, y):
        """z = vectors conj(x) times matrices y; the other axes broadcast."""
        z = np.vecmat(x, y)

        def backward(z_bar):
            if np.iscomplexobj(x):
                x_bar = np.conj(np.matvec(y, z_bar))
                y_bar = np.conj(x)[..., :, None] * z_bar[..., None, :]
            else:
                x_bar = np.matvec(y, z_bar)
                y_bar = x[..., :, None] * z_bar[..., None, :]
            return unbroadcast(x_bar, x), unbroadcast(y_bar, y)

        return z, backward


@formula(np.linalg.multi_dot, sequences="arrays")
def multi_dot(arrays):
    """z = product of the matrices, in the cheapest order; the outer ones may be vectors."""
    z = np.linalg.multi_dot(arrays)

    def backward(z_bar):
        chain = chain_subscripts(tuple(x.ndim for x in arrays))
        return tuple(
            np.einsum(
                adjoint_subscripts(chain, k),
                *arrays[:k],
                z_bar,
                *arrays[k + 1 :],
                optimize=True,
            )
            for k, x in enumerate(arrays)
        )

    def tangent(arrays_dot):
        return sum(
            np.linalg.multi_dot([*arrays[:k], x_dot, *arrays[k + 1 :]])
            for k, x_dot in enumerate(arrays_dot)
        )

    return z, backward, tangent


@formula(np.kron, linear="x y")
def kron(x, y):
    """z = blocks: every entry of x times the whole of y."""
    z = np.kron(x, y)

    def backward(z_bar):
        if x.ndim == 1 and y.ndim == 1:
            blocks = np.reshape(z_bar, (x.size, y.size))
            x_bar = blocks @ y
            y_bar = x @ blocks
        elif x.ndim == 2 and y.ndim == 2:
            lengths = (x.shape[0], y.shape[0], x.shape[1], y.shape[1])
            blocks = np.reshape(z_bar, lengths)
            x_bar = np.einsum("ikjl,kl->ij", blocks, y)
            y_bar = np.einsum("ikjl,ij->kl", blocks, x)
        else:
            blocks = np.reshape(z_bar, interleaved(x.shape, y.shape))
            x_wide = np.reshape(x, interleaved(x.shape, ones(y.ndim)))
            y_wide = np.reshape(y, interleaved(ones(x.ndim), y.shape))
            x_sum = np.sum(blocks * y_wide, axis=every_second(1, z.ndim))
            y_sum = np.sum(blocks * x_wide, axis=every_second(0, z.ndim))
            x_bar = np.reshape(x_sum, x.shape)
            y_bar = np.reshape(y_sum, y.shape)
        return x_bar, y_bar

    return z, backward


@formula(np.cross, np.linalg.cross, linear="x y")
def cross(x, y, *, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """z = cross products of vectors of length 3, or 2, whose third entry is 0."""
    z = np.cross(x, y, axisa=axisa, axisb=axisb, axisc=axisc, axis=axis)

    def backward(z_bar):
        if axis == -1 or (axis is None and axisa == axisb == axisc == -1):
            x_bar = -cross_like(z_bar, y, x)
            y_bar = cross_like(z_bar, x, y)
        else:
            a = from_the_end(axisa if axis is None else axis, x.ndim)
            b = from_the_end(axisb if axis is None else axis, y.ndim)
            c = from_the_end(axisc if axis is None else axis, z.ndim)
            x_bar = -cross_like(z_bar, y, x, axisa=c, axisb=b, axisc=a)
            y_bar = cross_like(z_bar, x, y, axisa=c, axisb=a, axisc=b)
        return x_bar, y_bar

    return z, backward


@formula(cross_like, linear="z_bar y")
def cross_like_(z_bar, y, x, *, axisa=-1, axisb=-1, axisc=-1):
    """w = the cross products of z_bar and y, in the shape of x."""
    w = cross_like(z_bar, y, x, axisa=axisa, axisb=axisb, axisc=axisc)

    def backward(w_bar):
        z_bar_bar = np.cross(y, w_bar, axisa=axisb, axisb=axisc, axisc=axisa)
        y_bar = -cross_like(z_bar, w_bar, y, axisa=axisa, axisb=axisc, axisc=axisb)
        return z_bar_bar, y_bar, None

    return w, backward
