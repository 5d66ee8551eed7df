"""Derivatives of NumPy's correlations and histograms, and of polynomials in old style."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import full_padding

from srcgrad.registry import REAL_FORMULA, formula
from srcgrad.runtime import arange_like, cast_like, place, unbroadcast
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.numpy.polynomials import polynomial_slope

# Correlating


@formula(np.convolve, linear="x y")
def convolve(x, y, *, mode="full"):
    """z = the convolution of two vectors, or a middle part of it."""
    z = np.convolve(x, y, mode)

    def backward(z_bar):
        if x.ndim == 0 or y.ndim == 0:
            x_bar = unbroadcast(z_bar * y, x)
            y_bar = unbroadcast(z_bar * x, y)
        else:
            if mode == "full":
                full_bar = z_bar
            else:
                full_bar = np.pad(z_bar, full_padding(mode, x.size, y.size))
            left = np.conj(x) if np.iscomplexobj(x) else x  # correlate conjugates them
            right = np.conj(y) if np.iscomplexobj(y) else y
            x_bar = np.correlate(full_bar, right, "valid")
            y_bar = np.correlate(full_bar, left, "valid")
        return x_bar, y_bar

    return z, backward


@formula(np.correlate, linear="x y")
def correlate(x, y, *, mode="valid"):
    """z = the cross-correlation of x with conj(y), or a middle part of it."""
    z = np.correlate(x, y, mode)

    def backward(z_bar):
        if mode == "full":
            full_bar = z_bar
        else:
            full_bar = np.pad(z_bar, full_padding(mode, x.size, y.size, turns=True))
        if np.iscomplexobj(x) or np.iscomplexobj(y):
            x_bar = np.convolve(full_bar, np.conj(y), "valid")
            y_bar = np.conj(np.correlate(full_bar, np.conj(x), "valid")[::-1])
        else:
            x_bar = np.convolve(full_bar, y, "valid")
            y_bar = np.correlate(full_bar, x, "valid")[::-1]
        return x_bar, y_bar

    return z, backward


@formula(np.cov, constant="fweights", sequences="bias ddof rowvar")
def cov(x, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """z = covariances of variables, which are the rows of x, and of y.

    With weights w, the product of both kinds, z = sum of w (row - mean) (row - mean)^H,
    divided by sum(w) - ddof sum(w aweights) / sum(w).
    """
    z = np.cov(x, y, rowvar=rowvar, bias=bias, ddof=ddof, fweights=fweights, aweights=aweights)

    def backward(z_bar):
        lost = ddof if ddof is not None else 0 if bias else 1
        rows = np.atleast_2d(x) if rowvar or x.ndim < 2 else x.T
        if y is None:
            together = rows
        else:
            others = np.atleast_2d(y) if rowvar or y.ndim < 2 else y.T
            together = np.concatenate((rows, others))
        square_bar = np.atleast_2d(z_bar)
        turned_bar = np.conj(square_bar) if np.iscomplexobj(z) else square_bar
        both = square_bar + turned_bar.T
        if fweights is None and aweights is None:
            centred = together - np.mean(together, axis=1, keepdims=True)
            turned = np.conj(centred) if np.iscomplexobj(z) else centred
            together_bar = both @ turned / (together.shape[1] - lost)
            aweights_bar = None
        else:
            times = 1.0 if fweights is None else fweights
            own = 1.0 if aweights is None else aweights
            weights = times * own
            total = np.sum(weights)
            shared = np.sum(weights * own) / total
            divisor = total - lost * shared
            centred = together - np.sum(together * weights, axis=1, keepdims=True) / total
            turned = np.conj(centred) if np.iscomplexobj(z) else centred
            together_bar = cast_like(both @ (turned * weights) / divisor, together)
            if aweights is None:
                aweights_bar = None
            else:
                weights_bar = np.sum(both @ turned * centred, axis=0) / (2 * divisor)
                divisor_bar = -np.sum(z_bar * z) / divisor
                slope = times * (1 + lost * shared / total) - 2 * lost * weights / total
                aweights_bar = cast_like(times * weights_bar + divisor_bar * slope, aweights)
        if y is None:
            rows_bar = together_bar
            y_bar = None
        else:
            rows_bar = together_bar[: rows.shape[0]]
            others_bar = together_bar[rows.shape[0] :]
            y_bar = np.reshape(others_bar if rowvar or y.ndim < 2 else others_bar.T, y.shape)
        x_bar = np.reshape(rows_bar if rowvar or x.ndim < 2 else rows_bar.T, x.shape)
        return x_bar, y_bar, None, None, None, None, aweights_bar

    def tangent(x_dot, y_dot, rowvar_dot, bias_dot, ddof_dot, fweights_dot, aweights_dot):
        lost = ddof if ddof is not None else 0 if bias else 1
        rows = np.atleast_2d(x) if rowvar or x.ndim < 2 else x.T
        moves = np.reshape(x_dot, rows.shape) if rowvar or x.ndim < 2 else x_dot.T
        if y is None:
            together = rows
            moving = moves
        else:
            others = np.atleast_2d(y) if rowvar or y.ndim < 2 else y.T
            if rowvar or y.ndim < 2:
                others_dot = np.reshape(y_dot, others.shape)
            else:
                others_dot = y_dot.T
            together = np.concatenate((rows, others))
            below = np.pad(moves, ((0, others.shape[0]), (0, 0)))
            moving = below + np.pad(others_dot, ((rows.shape[0], 0), (0, 0)))
        if fweights is None and aweights is None:
            centred = together - np.mean(together, axis=1, keepdims=True)
            turned = np.conj(centred) if np.iscomplexobj(z) else centred
            half = moving @ turned.T / (together.shape[1] - lost)
            other = np.conj(half) if np.iscomplexobj(z) else half
            z_dot = np.reshape(half + other.T, z.shape)
        else:
            times = 1.0 if fweights is None else fweights
            own = 1.0 if aweights is None else aweights
            weights = times * own
            total = np.sum(weights)
            shared = np.sum(weights * own) / total
            divisor = total - lost * shared
            centred = together - np.sum(together * weights, axis=1, keepdims=True) / total
            turned = np.conj(centred) if np.iscomplexobj(z) else centred
            half = moving @ (turned * weights).T / divisor
            other = np.conj(half) if np.iscomplexobj(z) else half
            if aweights is None:
                z_dot = np.reshape(half + other.T, z.shape)
            else:
                slope = times * (1 + lost * shared / total) - 2 * lost * weights / total
                pulled = (centred * (times * aweights_dot)) @ turned.T / divisor
                shrunk = z * np.sum(slope * aweights_dot) / divisor
                z_dot = np.reshape(half + other.T + pulled, z.shape) - shrunk
        return z_dot

    return z, backward, tangent


@formula(np.corrcoef)
def corrcoef(x, y=None, *, rowvar=True):
    """z = correlation coefficients of variables, which are the rows of x, and of y."""
    z = np.corrcoef(x, y, rowvar=rowvar)

    def backward(z_bar):
        rows = np.atleast_2d(x) if rowvar or x.ndim < 2 else x.T
        if y is None:
            together = rows
        else:
            others = np.atleast_2d(y) if rowvar or y.ndim < 2 else y.T
            together = np.concatenate((rows, others))
        centred = together - np.mean(together, axis=1, keepdims=True)
        squares = np.abs(centred) ** 2 if np.iscomplexobj(z) else centred**2
        size = np.sqrt(np.sum(squares, axis=1, keepdims=True))
        unit = (np.conj(centred) if np.iscomplexobj(z) else centred) / size
        square_bar = np.atleast_2d(z_bar)
        turned_bar = np.conj(square_bar) if np.iscomplexobj(z) else square_bar
        both = square_bar + turned_bar.T
        own = np.sum(both * np.atleast_2d(z), axis=1, keepdims=True)
        together_bar = (both @ unit - (own.real if np.iscomplexobj(z) else own) * unit) / size
        if y is None:
            rows_bar = together_bar
            y_bar = None
        else:
            rows_bar = together_bar[: rows.shape[0]]
            others_bar = together_bar[rows.shape[0] :]
            y_bar = np.reshape(others_bar if rowvar or y.ndim < 2 else others_bar.T, y.shape)
        x_bar = np.reshape(rows_bar if rowvar or x.ndim < 2 else rows_bar.T, x.shape)
        return x_bar, y_bar

    return z, backward


# Histograms


@formula(np.bincount, linear="weights")
def bincount(x, weights=None, *, minlength=0):
    """z = for each whole number, the sum of the weights of its occurrences in x."""
    z = np.bincount(x, weights=weights, minlength=minlength)

    def backward(z_bar):
        return None, None if weights is None else z_bar[x]

    return z, backward


@formula(np.histogram, of_complex=REAL_FORMULA, sequences="bins density range")
def histogram(x, bins=10, range=None, density=None, weights=None):
    """z = sums of weights in bins, and the edges of the bins; the sums jump in x.

    A density is each sum, divided by the sum of all and by the width of its bin.
    """
    z = np.histogram(x, bins, range=range, density=density, weights=weights)

    def backward(z_bar):
        edges = z[1]
        inside = (x >= edges[0]) & (x <= edges[-1])
        edges_bar = z_bar[1]
        counts_bar = z_bar[0]
        if density and z_bar[0] is not None:
            widths = np.diff(edges)
            total = np.sum(inside if weights is None else np.where(inside, weights, 0))
            widths_bar = -z_bar[0] * z[0] / widths
            counts_bar = (z_bar[0] / widths - np.sum(z_bar[0] * z[0])) / total
            moved_bar = np.pad(widths_bar, (1, 0)) - np.pad(widths_bar, (0, 1))
            edges_bar = moved_bar if z_bar[1] is None else z_bar[1] + moved_bar
        x_bar, bins_bar, range_bar = np.zeros_like(x), None, None
        if edges_bar is not None and np.ndim(bins) > 0:
            bins_bar = edges_bar
        elif edges_bar is not None:
            t = arange_like(edges, 0, edges.size) / (edges.size - 1)
            low_bar = np.sum(edges_bar * (1 - t))
            high_bar = np.sum(edges_bar * t)
            if range is None:  # the outer edges are the extrema of x
                lowest = x == np.min(x)
                highest = x == np.max(x)
                of_low = low_bar / np.sum(lowest, dtype=x.dtype) * lowest
                of_high = high_bar / np.sum(highest, dtype=x.dtype) * highest
                x_bar = cast_like(of_low + of_high, x)
            else:
                range_bar = (low_bar, high_bar)
        if weights is None or counts_bar is None:
            weights_bar = None
        else:
            k = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, edges.size - 2)
            weights_bar = cast_like(np.where(inside, counts_bar[k], 0), weights)
        return x_bar, bins_bar, range_bar, None, weights_bar

    def tangent(x_dot, bins_dot, range_dot, density_dot, weights_dot):
        edges = z[1]
        inside = (x >= edges[0]) & (x <= edges[-1])
        if np.ndim(bins) > 0:
            edges_dot = bins_dot
        else:
            if range is None:
                lowest = x == np.min(x)
                highest = x == np.max(x)
                low_dot = np.sum(x_dot * lowest) / np.sum(lowest, dtype=x.dtype)
                high_dot = np.sum(x_dot * highest) / np.sum(highest, dtype=x.dtype)
            else:
                low_dot, high_dot = range_dot
            t = arange_like(edges, 0, edges.size) / (edges.size - 1)
            edges_dot = low_dot * (1 - t) + high_dot * t
        if weights is None:
            counts_dot = None
        else:
            k = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, edges.size - 2)
            counts_dot = place(np.where(inside, weights_dot, 0), k, z[0])
        if density:
            widths = np.diff(edges)
            total = np.sum(inside if weights is None else np.where(inside, weights, 0))
            z0_dot = -z[0] * np.diff(edges_dot) / widths
            if weights is not None:
                z0_dot = z0_dot + (counts_dot / widths - z[0] * np.sum(counts_dot)) / total
        else:
            z0_dot = counts_dot
        return z0_dot, edges_dot

    return z, backward, tangent


# Polynomials


@formula(np.polyval)
def polyval(p, x):
    """z = the polynomial with coefficients p, the highest power first, at x."""
    z = np.polyval(p, x)

    def backward(z_bar):
        whole = np.vander(np.ravel(x), p.size)
        powers = cast_like(whole, x if np.iscomplexobj(x) else p)  # vander gives double precision
        factors = as_floats(p)
        slopes = factors[:-1] * arange_like(factors, p.size - 1, 0, -1)
        return np.ravel(z_bar) @ powers, z_bar * np.polyval(slopes, x)

    return z, backward


@formula(np.poly1d.__call__, constant="curve", sequences="curve", shaped_like=1)
def poly1d(curve, x):
    """z = the value of a poly1d at x."""
    z = np.poly1d.__call__(curve, x)

    def backward(z_bar):
        return None, z_bar * polynomial_slope(curve, x)

    return z, backward


@formula(polynomial_slope, constant="curve", sequences="curve", shaped_like=1)
def polynomial_slope_(curve, x, *, nu=1):
    """z = a derivative of a polynomial at x."""
    z = polynomial_slope(curve, x, nu=nu)

    def backward(z_bar):
        return None, z_bar * polynomial_slope(curve, x, nu=nu + 1)

    return z, backward
