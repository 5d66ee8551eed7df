"""Derivatives of NumPy's joining and splitting of arrays."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula
from srcgrad.runtime import cast_like, split_like

# Joining


@formula(np.concatenate, getattr(np, "concat", np.concatenate), linear="arrays", sequences="arrays")
def concatenate(arrays, *, axis=0, dtype=None):
    """z = the arrays, one after the other along an axis; flattened if it is None."""
    z = np.concatenate(arrays, axis=axis, dtype=dtype)

    def backward(z_bar):
        if axis is None:
            flat = tuple(np.ravel(x) for x in arrays)
            parts = split_like(z_bar, flat, axis=0)
            arrays_bar = tuple(np.reshape(parts[k], np.shape(x)) for k, x in enumerate(arrays))
        else:
            arrays_bar = split_like(z_bar, arrays, axis=axis)
        if dtype is not None:
            arrays_bar = tuple(
                cast_like(x_bar, x) for x_bar, x in zip(arrays_bar, arrays, strict=True)
            )
        return arrays_bar

    return z, backward


@formula(np.stack, linear="arrays", sequences="arrays")
def stack(arrays, *, axis=0, dtype=None):
    """z = the arrays, one after the other along a new axis."""
    z = np.stack(arrays, axis=axis, dtype=dtype)

    def backward(z_bar):
        if axis == 0:
            arrays_bar = tuple(z_bar[k] for k, x in enumerate(arrays))
        elif axis == -1:
            arrays_bar = tuple(z_bar[..., k] for k, x in enumerate(arrays))
        else:
            arrays_bar = tuple(np.take(z_bar, k, axis=axis) for k, x in enumerate(arrays))
        if dtype is not None:
            arrays_bar = tuple(
                cast_like(x_bar, x) for x_bar, x in zip(arrays_bar, arrays, strict=True)
            )
        return arrays_bar

    return z, backward


@formula(np.vstack, linear="arrays", sequences="arrays")
def vstack(arrays, *, dtype=None):
    """z = the arrays, vectors as rows, one below the other."""
    z = np.vstack(arrays, dtype=dtype)

    def backward(z_bar):
        arrays_bar = split_like(z_bar, arrays, axis=0)
        if dtype is not None:
            arrays_bar = tuple(
                cast_like(x_bar, x) for x_bar, x in zip(arrays_bar, arrays, strict=True)
            )
        return arrays_bar

    return z, backward


@formula(np.hstack, linear="arrays", sequences="arrays")
def hstack(arrays, *, dtype=None):
    """z = the arrays, one beside the other; vectors one after the other."""
    z = np.hstack(arrays, dtype=dtype)

    def backward(z_bar):
        arrays_bar = split_like(z_bar, arrays, axis=0 if z.ndim == 1 else 1)
        if dtype is not None:
            arrays_bar = tuple(
                cast_like(x_bar, x) for x_bar, x in zip(arrays_bar, arrays, strict=True)
            )
        return arrays_bar

    return z, backward


@formula(np.dstack, linear="arrays", sequences="arrays")
def dstack(arrays):
    """z = the arrays, one behind the other along the third axis."""
    return np.dstack(arrays), lambda z_bar: split_like(z_bar, arrays, axis=2)


@formula(np.column_stack, linear="arrays", sequences="arrays")
def column_stack(arrays):
    """z = the arrays, vectors as columns, one beside the other."""
    return np.column_stack(arrays), lambda z_bar: split_like(z_bar, arrays, axis=1)


@formula(np.append)
def append(x, y, *, axis=None):
    """z = y after x along an axis; both flattened if it is None."""
    z = np.append(x, y, axis=axis)

    def backward(z_bar):
        if axis is None:
            parts = split_like(z_bar, (np.ravel(x), np.ravel(y)), axis=0)
            x_bar = np.reshape(parts[0], np.shape(x))
            y_bar = np.reshape(parts[1], np.shape(y))
        else:
            x_bar, y_bar = split_like(z_bar, (x, y), axis=axis)
        return x_bar, y_bar

    def tangent(x_dot, y_dot):
        return np.append(x_dot, y_dot, axis=axis)

    return z, backward, tangent


# Splitting; the cotangent of one part alone may be that of an array


@formula(np.split, linear="x", wrapped=True)
def split(x, *, indices_or_sections, axis=0):
    """z = the parts of x, cut along an axis."""
    z = np.split(x, indices_or_sections, axis=axis)

    def backward(z_bar):
        return z_bar if isinstance(z_bar, np.ndarray) else np.concatenate(z_bar, axis=axis)

    return z, backward


@formula(np.array_split, linear="x", wrapped=True)
def array_split(x, *, indices_or_sections, axis=0):
    """z = the parts of x, cut along an axis as evenly as possible."""
    z = np.array_split(x, indices_or_sections, axis=axis)

    def backward(z_bar):
        return z_bar if isinstance(z_bar, np.ndarray) else np.concatenate(z_bar, axis=axis)

    return z, backward


@formula(np.hsplit, linear="x", wrapped=True)
def hsplit(x, *, indices_or_sections):
    """z = the parts of x beside each other; of a vector, after each other."""
    z = np.hsplit(x, indices_or_sections)

    def backward(z_bar):
        if isinstance(z_bar, np.ndarray):
            x_bar = z_bar
        else:
            x_bar = np.concatenate(z_bar, axis=0 if x.ndim == 1 else 1)
        return x_bar

    return z, backward


@formula(np.dsplit, linear="x", wrapped=True)
def dsplit(x, *, indices_or_sections):
    """z = the parts of x behind each other."""
    z = np.dsplit(x, indices_or_sections)

    def backward(z_bar):
        return z_bar if isinstance(z_bar, np.ndarray) else np.concatenate(z_bar, axis=2)

    return z, backward


@formula(np.vsplit, linear="x", wrapped=True)
def vsplit(x, *, indices_or_sections):
    """z = the parts of x below each other."""
    z = np.vsplit(x, indices_or_sections)

    def backward(z_bar):
        return z_bar if isinstance(z_bar, np.ndarray) else np.concatenate(z_bar, axis=0)

    return z, backward
