"""Derivatives of SciPy's Gaussian filters, in the image and in the width of the bell.

How far the bell reaches is a whole number, and counts as constant. A symmetric filter is
its own transpose in some modes of extending.
"""

from __future__ import annotations

import numpy as np
from scipy import ndimage
from srcgrad.formulas.numpy.arrays.axes import following
from srcgrad.formulas.scipy.ndimage.options import turns_into_itself

from srcgrad.registry import formula, option_as_argument
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.scipy.ndimage.gaussians import (
    gaussian1d_beyond,
    gaussian_beyond,
    gaussian_slopes,
    gaussian_transpose,
)

option_as_argument(ndimage.gaussian_filter, "cval", gaussian_beyond)
option_as_argument(ndimage.gaussian_filter1d, "cval", gaussian1d_beyond)


@formula(ndimage.gaussian_filter1d, of_complex=True, shaped_like=0)
def gaussian_filter1d(
    input, sigma, *, axis=-1, order=0, mode="reflect", cval=0.0, truncate=4.0, radius=None
):
    """z = input, weighted with a bell of width sigma along an axis, or its derivative."""
    z = ndimage.gaussian_filter1d(
        input, sigma, axis=axis, order=order, mode=mode, cval=cval, truncate=truncate, radius=radius
    )

    def backward(z_bar):
        if turns_into_itself(mode, order):
            input_bar = ndimage.gaussian_filter1d(
                z_bar, sigma, axis=axis, mode=mode, truncate=truncate, radius=radius
            )
        else:
            input_bar = gaussian_transpose(
                z_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axis
            )
        slope = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axis
        )
        return input_bar, np.sum(z_bar * slope)

    def tangent(input_dot, sigma_dot):
        moved = ndimage.gaussian_filter1d(
            input_dot, sigma, axis=axis, order=order, mode=mode, truncate=truncate, radius=radius
        )
        slope = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axis
        )
        return moved + sigma_dot * slope[0]

    return z, backward, tangent


@formula(ndimage.gaussian_filter, of_complex=True, shaped_like=0)
def gaussian_filter(
    input, sigma, *, order=0, mode="reflect", cval=0.0, truncate=4.0, radius=None, axes=None
):
    """z = input, weighted with a bell of width sigma, or its derivatives."""
    z = ndimage.gaussian_filter(
        input, sigma, order=order, mode=mode, cval=cval, truncate=truncate, radius=radius, axes=axes
    )

    def backward(z_bar):
        if turns_into_itself(mode, order):
            input_bar = ndimage.gaussian_filter(
                z_bar, sigma, mode=mode, truncate=truncate, radius=radius, axes=axes
            )
        else:
            input_bar = gaussian_transpose(
                z_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
            )
        slopes = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        per_axis = np.sum(z_bar * slopes, axis=following(1, input.ndim))
        return input_bar, unbroadcast(per_axis, sigma)

    def tangent(input_dot, sigma_dot):
        moved = ndimage.gaussian_filter(
            input_dot, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        slopes = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        each = np.expand_dims(sigma_dot, following(np.ndim(sigma), input.ndim))
        return moved + np.sum(each * slopes, axis=0)

    return z, backward, tangent


@formula(gaussian_beyond, of_complex=True, shaped_like=0)
def gaussian_beyond_(
    input, sigma, cval, *, order=0, mode="reflect", truncate=4.0, radius=None, axes=None
):
    """z = ``gaussian_filter``, with cval beyond the edges."""
    z = gaussian_beyond(
        input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
    )

    def backward(z_bar):
        input_bar = gaussian_transpose(
            z_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        slopes = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        per_axis = np.sum(z_bar * slopes, axis=following(1, input.ndim))
        nothing = np.zeros_like(input)
        parts = gaussian_beyond(
            nothing, sigma, 1.0, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        return input_bar, unbroadcast(per_axis, sigma), np.sum(z_bar * parts)

    def tangent(input_dot, sigma_dot, cval_dot):
        moved = gaussian_beyond(
            input_dot, sigma, cval_dot, order=order, mode=mode, truncate=truncate, radius=radius,
            axes=axes,
        )  # fmt: skip
        slopes = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
        )
        each = np.expand_dims(sigma_dot, following(np.ndim(sigma), input.ndim))
        return moved + np.sum(each * slopes, axis=0)

    return z, backward, tangent


@formula(gaussian1d_beyond, shaped_like=0)
def gaussian1d_beyond_(
    input, sigma, cval, *, axis=-1, order=0, mode="reflect", truncate=4.0, radius=None
):
    """z = ``gaussian_filter1d``, with cval beyond the ends."""
    z = gaussian1d_beyond(
        input, sigma, cval, axis=axis, order=order, mode=mode, truncate=truncate, radius=radius
    )

    def backward(z_bar):
        input_bar = gaussian_transpose(
            z_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axis
        )
        slope = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axis
        )
        nothing = np.zeros_like(input)
        parts = gaussian1d_beyond(
            nothing, sigma, 1.0, axis=axis, order=order, mode=mode, truncate=truncate, radius=radius
        )
        return input_bar, np.sum(z_bar * slope), np.sum(z_bar * parts)

    def tangent(input_dot, sigma_dot, cval_dot):
        moved = gaussian1d_beyond(
            input_dot, sigma, cval_dot, axis=axis, order=order, mode=mode, truncate=truncate,
            radius=radius,
        )  # fmt: skip
        slope = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axis
        )
        return moved + sigma_dot * slope[0]

    return z, backward, tangent


@formula(gaussian_slopes, of_complex=True)
def gaussian_slopes_(
    input,
    sigma,
    cval=0.0,
    *,
    order=0,
    mode="reflect",
    truncate=4.0,
    radius=None,
    axes=None,
    times=1,
):
    """w = derivatives of ``gaussian_filter`` in the widths."""
    w = gaussian_slopes(
        input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes,
        times=times,
    )  # fmt: skip

    def backward(w_bar):
        input_bar = gaussian_transpose(
            w_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes,
            times=times,
        )  # fmt: skip
        slopes = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius,
            axes=axes, times=times + 1,
        )  # fmt: skip
        per_axis = np.sum(w_bar * slopes, axis=following(1, times + input.ndim))
        nothing = np.zeros_like(input)
        parts = gaussian_slopes(
            nothing, sigma, 1.0, order=order, mode=mode, truncate=truncate, radius=radius,
            axes=axes, times=times,
        )  # fmt: skip
        return input_bar, unbroadcast(per_axis, sigma), np.sum(w_bar * parts)

    def tangent(input_dot, sigma_dot, cval_dot):
        moved = gaussian_slopes(
            input_dot, sigma, cval_dot, order=order, mode=mode, truncate=truncate, radius=radius,
            axes=axes, times=times,
        )  # fmt: skip
        slopes = gaussian_slopes(
            input, sigma, cval, order=order, mode=mode, truncate=truncate, radius=radius,
            axes=axes, times=times + 1,
        )  # fmt: skip
        each = np.expand_dims(sigma_dot, following(np.ndim(sigma), times + input.ndim))
        return moved + np.sum(each * slopes, axis=0)

    return w, backward, tangent


@formula(gaussian_transpose, of_complex=True)
def gaussian_transpose_(
    z_bar, sigma, *, order=0, mode="reflect", truncate=4.0, radius=None, axes=None, times=0
):
    """w = the transpose of ``gaussian_filter``, or of ``gaussian_slopes``, applied to z_bar."""
    w = gaussian_transpose(
        z_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes,
        times=times,
    )  # fmt: skip

    def backward(w_bar):
        if times == 0:
            z_bar_bar = ndimage.gaussian_filter(
                w_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes
            )
        else:
            z_bar_bar = gaussian_slopes(
                w_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes,
                times=times,
            )  # fmt: skip
        slopes = gaussian_slopes(
            w_bar, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes,
            times=times + 1,
        )  # fmt: skip
        per_axis = np.sum(z_bar * slopes, axis=following(1, z_bar.ndim))
        return z_bar_bar, unbroadcast(per_axis, sigma)

    def tangent(z_bar_dot, sigma_dot):
        moved = gaussian_transpose(
            z_bar_dot, sigma, order=order, mode=mode, truncate=truncate, radius=radius, axes=axes,
            times=times,
        )  # fmt: skip
        lacking = following(np.ndim(sigma), z_bar.ndim + 1 - np.ndim(sigma))
        return moved + gaussian_transpose(
            np.expand_dims(sigma_dot, lacking) * z_bar, sigma, order=order, mode=mode,
            truncate=truncate, radius=radius, axes=axes, times=times + 1,
        )  # fmt: skip

    return w, backward, tangent
