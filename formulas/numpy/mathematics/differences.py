"""Derivatives of NumPy's differences, slopes and integrals."""

from __future__ import annotations

import numpy as np
from srcgrad.formulas.numpy.arrays.axes import (
    along_axis,
    following,
    one_after,
    one_axis,
    one_before,
    padding,
    require_numbers,
    without_first,
    without_last,
)

from srcgrad.registry import formula
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.broadcasting import as_floats
from srcgrad.runtime.transposes import gradient_along, gradient_transpose, resized


@formula(np.diff, sequences="axis n")
def diff(x, n=1, axis=-1, prepend=None, append=None):
    """z = the differences of neighbours along an axis, n times over."""
    if prepend is None and append is None:
        z = np.diff(x, n=n, axis=axis)
    elif append is None:
        z = np.diff(x, n=n, axis=axis, prepend=prepend)
    elif prepend is None:
        z = np.diff(x, n=n, axis=axis, append=append)
    else:
        z = np.diff(x, n=n, axis=axis, prepend=prepend, append=append)

    def backward(z_bar):
        if n == 0:  # NumPy gives x itself then, and leaves the others out
            prepend_bar = None if prepend is None else np.zeros_like(prepend)
            append_bar = None if append is None else np.zeros_like(append)
            return +z_bar, None, None, prepend_bar, append_bar
        if n == 1 and prepend is None and append is None:
            x_bar = np.zeros_like(x)
            x_bar[without_first(axis, x.ndim)] += z_bar
            x_bar[without_last(axis, x.ndim)] -= z_bar
            return x_bar, None, None, None, None
        total = (-1) ** n * np.diff(np.pad(z_bar, padding(n, axis, x.ndim)), n=n, axis=axis)
        if prepend is None and append is None:
            # of an array with fewer entries than n, too
            x_bar = total[: x.size] if x.ndim == 1 else resized(total, x.shape)
            prepend_bar = None
            append_bar = None
        elif append is None:
            start = total.shape[axis] - x.shape[axis]
            prepend_bar, x_bar = np.split(total, (start,), axis=axis)
            prepend_bar = unbroadcast(prepend_bar, prepend)
            append_bar = None
        elif prepend is None:
            x_bar, append_bar = np.split(total, (x.shape[axis],), axis=axis)
            prepend_bar = None
            append_bar = unbroadcast(append_bar, append)
        else:
            start = 1 if np.ndim(prepend) == 0 else prepend.shape[axis]
            stop = start + x.shape[axis]
            prepend_bar, x_bar, append_bar = np.split(total, (start, stop), axis=axis)
            prepend_bar = unbroadcast(prepend_bar, prepend)
            append_bar = unbroadcast(append_bar, append)
        return x_bar, None, None, prepend_bar, append_bar

    def tangent(x_dot, n_dot, axis_dot, prepend_dot, append_dot):
        if prepend is None and append is None:
            z_dot = np.diff(x_dot, n=n, axis=axis)
        elif append is None:
            z_dot = np.diff(x_dot, n=n, axis=axis, prepend=prepend_dot)
        elif prepend is None:
            z_dot = np.diff(x_dot, n=n, axis=axis, append=append_dot)
        else:
            z_dot = np.diff(x_dot, n=n, axis=axis, prepend=prepend_dot, append=append_dot)
        return z_dot

    return z, backward, tangent


@formula(np.ediff1d)
def ediff1d(x, to_end=None, to_begin=None):
    """z = the differences of neighbours in the flattened x, between two other pieces."""
    z = np.ediff1d(x, to_end=to_end, to_begin=to_begin)

    def backward(z_bar):
        start = 0 if to_begin is None else np.size(to_begin)
        stop = start + max(x.size - 1, 0)
        inner = z_bar if to_begin is None and to_end is None else z_bar[start:stop]
        x_bar = np.reshape(-np.diff(np.pad(inner, 1))[: x.size], x.shape)
        end_bar = None if to_end is None else np.reshape(z_bar[stop:], np.shape(to_end))
        begin_bar = None if to_begin is None else np.reshape(z_bar[:start], np.shape(to_begin))
        return x_bar, end_bar, begin_bar

    return z, backward


@formula(np.gradient, sequences="spacing")
def gradient(x, *spacing, axis=None, edge_order=1):
    """z = the slopes of x along some axes, by differences.

    The spacing is a number, or one number for each axis.
    """
    z = np.gradient(x, *spacing, axis=axis, edge_order=edge_order)

    def backward(z_bar):
        require_numbers(tuple(np.ndim(h) for h in spacing))
        axes = along_axis(axis, x.ndim)
        bars = (z_bar,) if len(axes) == 1 else z_bar
        slopes = (z,) if len(axes) == 1 else z
        distances = (
            spacing
            if len(spacing) == len(axes)
            else tuple(1.0 if len(spacing) == 0 else spacing[0] for _ in axes)
        )
        parts = tuple(
            gradient_transpose(bar, h, axis=along, edge_order=edge_order)
            for bar, h, along in zip(bars, distances, axes, strict=True)
        )
        x_bar = sum(parts)
        pulls = tuple(-np.sum(bar * slope) for bar, slope in zip(bars, slopes, strict=True))
        if len(spacing) == len(axes):
            spacing_bar = tuple(pull / h for pull, h in zip(pulls, spacing, strict=True))
        else:
            spacing_bar = tuple(sum(pulls) / h for h in spacing)
        return (x_bar, *spacing_bar)

    return z, backward


@formula(gradient_transpose)
def gradient_transpose_(z_bar, spacing, *, axis, edge_order=1):
    """w = transpose of np.gradient along an axis, applied to z_bar."""
    w = gradient_transpose(z_bar, spacing, axis=axis, edge_order=edge_order)

    def backward(w_bar):
        z_bar_bar = np.gradient(w_bar, spacing, axis=axis, edge_order=edge_order)
        return z_bar_bar, -np.sum(w_bar * w) / spacing

    return w, backward


@formula(np.trapezoid, linear="y x dx", sequences="axis")
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """z = integral along an axis by trapezoids."""
    z = np.trapezoid(y, x=x, dx=dx, axis=axis)

    def backward(z_bar):
        sums = 0.5 * (y[without_first(axis, y.ndim)] + y[without_last(axis, y.ndim)])
        if x is None:
            width = dx
        elif x.ndim > 1:
            width = np.diff(x, axis=axis)
        elif y.ndim == 1:
            width = np.diff(x)
        else:
            width = np.reshape(np.diff(x), one_axis(axis, y.ndim))
        if np.ndim(dx if x is None else x) > (x is not None):  # it broadcasts with y
            wide = np.broadcast_to(np.expand_dims(z_bar, axis), (width * sums).shape)
            half = unbroadcast(0.5 * wide * width, sums)
        else:
            wide = z_bar if y.ndim == 1 else np.expand_dims(z_bar, axis)
            half = np.broadcast_to(0.5 * wide * width, sums.shape)
        total = np.pad(half, one_before(axis, y.ndim)) + np.pad(half, one_after(axis, y.ndim))
        y_bar = total[: y.size] if y.ndim == 1 else resized(total, y.shape)
        if x is None:
            x_bar = None
            dx_bar = unbroadcast(wide * sums, dx)
        elif x.ndim > 1:
            width_bar = unbroadcast(wide * sums, width)
            change = -np.diff(np.pad(width_bar, padding(1, axis, x.ndim)), axis=axis)
            x_bar = resized(change, x.shape)
            dx_bar = None
        elif y.ndim == 1:
            x_bar = -np.diff(np.pad(unbroadcast(wide * sums, width), 1))[: x.size]
            dx_bar = None
        else:
            width_bar = np.reshape(unbroadcast(wide * sums, width), -1)
            x_bar = -np.diff(np.pad(width_bar, 1))[: x.size]
            dx_bar = None
        return y_bar, x_bar, dx_bar, None

    return z, backward


@formula(gradient_along, shaped_like=0)
def gradient_along_(x, coordinates, *, axis=0, edge_order=1):
    """z = slopes of x along an axis, whose coordinates are given: NumPy's formula.

    Inside, z is the mean of the slopes over both steps, each weighted with the other step. At
    the ends it is the slope over the step there; with edge_order=2 that is corrected by its
    change from one step to the next, weighted with the step's part of both.
    """
    z = gradient_along(x, coordinates, axis=axis, edge_order=edge_order)

    def backward(z_bar):
        rows_bar = z_bar if axis == 0 else np.moveaxis(z_bar, axis, 0)
        rows = as_floats(x) if axis == 0 else np.moveaxis(as_floats(x), axis, 0)
        means = z if axis == 0 else np.moveaxis(z, axis, 0)
        steps = np.reshape(np.diff(coordinates), one_axis(0, x.ndim))
        slopes = np.diff(rows, axis=0) / steps
        before, after = steps[:-1], steps[1:]
        inner_bar = rows_bar[1:-1] / (before + after)
        of_left = np.concatenate((inner_bar * after, rows_bar[-1:]))
        of_right = np.concatenate((rows_bar[:1], inner_bar * before))
        none = np.zeros_like(rows_bar[:1])
        of_before = np.concatenate((inner_bar * (slopes[1:] - means[1:-1]), none))
        of_after = np.concatenate((none, inner_bar * (slopes[:-1] - means[1:-1])))
        if edge_order == 2:
            others = np.zeros_like(rows_bar[3:])
            first = rows_bar[:1] / (steps[:1] + steps[1:2])
            last = rows_bar[-1:] / (steps[-1:] + steps[-2:-1])
            start, stop = first * steps[:1], last * steps[-1:]
            correction = np.concatenate((start, -start, others))
            slopes_bar = of_left + of_right + correction + np.concatenate((others, -stop, stop))
            bend = first * (slopes[:1] - slopes[1:2]) / (steps[:1] + steps[1:2])
            turn = last * (slopes[-1:] - slopes[-2:-1]) / (steps[-1:] + steps[-2:-1])
            at_start = np.concatenate((bend * steps[1:2], -bend * steps[:1], others))
            at_stop = np.concatenate((others, -turn * steps[-1:], turn * steps[-2:-1]))
            weights_bar = of_before + of_after + at_start + at_stop
        else:
            slopes_bar = of_left + of_right
            weights_bar = of_before + of_after
        rows_bar = -np.diff(np.pad(slopes_bar / steps, padding(1, 0, x.ndim)), axis=0)
        steps_bar = weights_bar - slopes_bar * slopes / steps
        if x.ndim > 1:
            steps_bar = np.sum(steps_bar, axis=following(1, x.ndim - 1))
        coordinates_bar = -np.diff(np.pad(steps_bar, 1))
        return rows_bar if axis == 0 else np.moveaxis(rows_bar, 0, axis), coordinates_bar

    def tangent(x_dot, coordinates_dot):
        rows = x if axis == 0 else np.moveaxis(x, axis, 0)
        moves = x_dot if axis == 0 else np.moveaxis(x_dot, axis, 0)
        means = z if axis == 0 else np.moveaxis(z, axis, 0)
        steps = np.reshape(np.diff(coordinates), one_axis(0, x.ndim))
        steps_dot = np.reshape(np.diff(coordinates_dot), one_axis(0, x.ndim))
        slopes = np.diff(rows, axis=0) / steps
        slopes_dot = np.diff(moves, axis=0) / steps - slopes * steps_dot / steps
        before, after = steps[:-1], steps[1:]
        weighted = after * slopes_dot[:-1] + before * slopes_dot[1:]
        bent = steps_dot[:-1] * (slopes[1:] - means[1:-1])
        turned = steps_dot[1:] * (slopes[:-1] - means[1:-1])
        inner = (weighted + bent + turned) / (before + after)
        first, last = slopes_dot[:1], slopes_dot[-1:]
        if edge_order == 2:
            start, stop = steps[:1] + steps[1:2], steps[-1:] + steps[-2:-1]
            first = first + (first - slopes_dot[1:2]) * (steps[:1] / start)
            last = last + (last - slopes_dot[-2:-1]) * (steps[-1:] / stop)
            begun = steps_dot[:1] * steps[1:2] - steps[:1] * steps_dot[1:2]
            ended = steps_dot[-1:] * steps[-2:-1] - steps[-1:] * steps_dot[-2:-1]
            first = first + begun * (slopes[:1] - slopes[1:2]) / start**2
            last = last + ended * (slopes[-1:] - slopes[-2:-1]) / stop**2
        rows_dot = np.concatenate((first, inner, last))
        return rows_dot if axis == 0 else np.moveaxis(rows_dot, 0, axis)

    return z, backward, tangent
