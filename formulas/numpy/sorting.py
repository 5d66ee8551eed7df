"""The derivative of NumPy's sorting."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import formula


@formula(np.sort)
def sort(x, *, axis=-1):
    """z = x in ascending order along an axis, flattened if it is None.

    Where entries tie, each keeps the cotangent of the place that argsort gives it.
    """
    z = np.sort(x, axis=axis)

    def backward(z_bar):
        # the order of the order is where each entry went
        if axis is None:
            places = np.argsort(np.argsort(x, axis=None))
            x_bar = np.reshape(z_bar[places], x.shape)
        elif x.ndim == 1:
            x_bar = z_bar[np.argsort(np.argsort(x))]
        else:
            places = np.argsort(np.argsort(x, axis=axis), axis=axis)
            x_bar = np.take_along_axis(z_bar, places, axis=axis)
        return x_bar

    def tangent(x_dot):
        if axis is None:
            z_dot = np.ravel(x_dot)[np.argsort(x, axis=None)]
        elif x.ndim == 1:
            z_dot = x_dot[np.argsort(x)]
        else:
            z_dot = np.take_along_axis(x_dot, np.argsort(x, axis=axis), axis=axis)
        return z_dot

    return z, backward, tangent
