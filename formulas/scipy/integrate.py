"""Derivatives of SciPy's integrals of samples."""

from __future__ import annotations

import numpy as np
from scipy import integrate
from srcgrad.formulas.numpy.axes import (
    one_after,
    one_axis,
    one_before,
    padding,
    without_first,
    without_last,
)

from srcgrad.filters import simpson_weights
from srcgrad.registry import formula, nondifferentiable
from srcgrad.runtime import cast_like, unbroadcast


@formula(integrate.trapezoid, linear="y x dx")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """z = integral along an axis by trapezoids."""
    z = integrate.trapezoid(y, x=x, dx=dx, axis=axis)

    def backward(z_bar):
        wide = np.expand_dims(z_bar, axis)
        sums = 0.5 * (y[without_first(axis, y.ndim)] + y[without_last(axis, y.ndim)])
        if x is None:
            width = dx
        elif x.ndim == 1:
            width = np.reshape(np.diff(x), one_axis(axis, y.ndim))
        else:
            width = np.diff(x, axis=axis)
        half = np.broadcast_to(0.5 * wide * width, sums.shape)
        y_bar = np.pad(half, one_before(axis, y.ndim)) + np.pad(half, one_after(axis, y.ndim))
        if x is None:
            x_bar = None
            dx_bar = unbroadcast(wide * sums, dx)
        elif x.ndim == 1:
            width_bar = np.reshape(unbroadcast(wide * sums, width), -1)
            x_bar = -np.diff(np.pad(width_bar, 1))
            dx_bar = None
        else:
            x_bar = -np.diff(np.pad(wide * sums, padding(1, axis, y.ndim)), axis=axis)
            dx_bar = None
        return y_bar, x_bar, dx_bar, None

    return z, backward


@formula(integrate.simpson, linear="y")
def simpson(y, *, dx=1.0, axis=-1):
    """z = integral along an axis by parabolas, of values at distance dx."""
    z = integrate.simpson(y, dx=dx, axis=axis)

    def backward(z_bar):
        weights = cast_like(simpson_weights(y.shape[axis]), y)
        wide = np.expand_dims(z_bar * dx, axis)
        return wide * np.reshape(weights, one_axis(axis, y.ndim))

    return z, backward


nondifferentiable(simpson_weights)
