"""Splines as functions of arrays, and the transposes of these.

SciPy makes an object of a spline, which is then called. A spline is linear in its
coefficients, and these are linear in the values that it interpolates: SciPy is asked
for the proportions, by giving it ones and zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import interpolate

# Making


def cubic_spline(x: Any, y: Any, bc_type: Any = "not-a-knot", axis: int = 0) -> tuple[Any, Any]:
    """Return the coefficients of ``CubicSpline(x, y, axis, bc_type)``, and where its pieces end.

    Args:
        x: where the values are, ascending.
        y: the values.
        bc_type: that of SciPy.
        axis: the axis of ``y`` along which there is one entry for each of ``x``.
    """
    spline = interpolate.CubicSpline(x, y, axis=axis, bc_type=bc_type)
    return spline.c, spline.x


def cubic_spline_change(x: Any, y_dot: Any, bc_type: Any = "not-a-knot", axis: int = 0) -> Any:
    """Return how the coefficients of ``cubic_spline`` change with the values, the ends held."""
    held = _without_values(bc_type, _beside(y_dot, axis))
    return interpolate.CubicSpline(x, y_dot, axis=axis, bc_type=held).c


def cubic_spline_transpose(c_bar: Any, x: Any, bc_type: Any = "not-a-knot", axis: int = 0) -> Any:
    """Return the transpose of ``cubic_spline_change`` as a linear function of the values."""

    def make(units: Any, ends: Any) -> Any:
        return interpolate.CubicSpline(x, units, bc_type=ends).c

    return _of_values(make, c_bar, len(x), bc_type, axis, 2)


def interpolating_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0
) -> tuple[Any, Any, int]:
    """Return coefficients, knots and degree of ``make_interp_spline(x, y, k, t, bc_type, axis)``.

    Args:
        x: where the values are, ascending.
        y: the values.
        k: the degree.
        t: the knots; chosen by SciPy if None.
        bc_type: that of SciPy.
        axis: the axis of ``y`` along which there is one entry for each of ``x``.
    """
    spline = interpolate.make_interp_spline(x, y, k=k, t=t, bc_type=bc_type, axis=axis)
    return spline.c, spline.t, spline.k


def interpolating_spline_change(
    x: Any, y_dot: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0
) -> Any:
    """Return how the coefficients of ``interpolating_spline`` change with the values."""
    held = _without_values(bc_type, _beside(y_dot, axis))
    return interpolate.make_interp_spline(x, y_dot, k=k, t=t, bc_type=held, axis=axis).c


def interpolating_spline_transpose(
    c_bar: Any, x: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0
) -> Any:
    """Return the transpose of ``interpolating_spline_change``."""

    def make(units: Any, ends: Any) -> Any:
        return interpolate.make_interp_spline(x, units, k=k, t=t, bc_type=ends).c

    return _of_values(make, c_bar, len(x), bc_type, axis, 1)


def _of_values(
    make: Callable[..., Any], c_bar: Any, count: int, bc_type: Any, axis: int, leading: int
) -> Any:
    """The cotangent of values from that of coefficients, by what ones in their places make."""
    units = np.eye(count)
    periodic = isinstance(bc_type, str) and bc_type == "periodic"
    if periodic:  # the first value is the last one, too: each has half of their cotangent
        units = units[:, :-1].copy()
        units[-1, 0] = 1
    made = make(units, _without_values(bc_type, units.shape[1:]))
    y_bar = np.tensordot(made, c_bar, (range(leading), range(leading)))
    if periodic:
        y_bar = np.concatenate((y_bar[:1] / 2, y_bar[1:], y_bar[:1] / 2))
    return np.moveaxis(y_bar, 0, axis)


def _without_values(bc_type: Any, shape: tuple[int, ...]) -> Any:
    """Conditions at the ends in which the values are 0."""
    if bc_type is None or isinstance(bc_type, str):
        return bc_type
    return tuple(_end_without_values(end, shape) for end in bc_type)


def _end_without_values(end: Any, shape: tuple[int, ...]) -> Any:
    if end is None or isinstance(end, str):
        return end
    if isinstance(end[0], int | np.integer):
        return end[0], np.zeros(shape)
    return [(order, np.zeros(shape)) for order, _ in end]


def _beside(y: Any, axis: int) -> tuple[int, ...]:
    """The lengths of an array but for one axis."""
    axis = axis % y.ndim
    return y.shape[:axis] + y.shape[axis + 1 :]


# Evaluating


def piecewise(c: Any, x: Any, t: Any, nu: int = 0, extrapolate: Any = True, axis: int = 0) -> Any:
    """Return ``PPoly(c, x, extrapolate, axis)(t, nu)``: polynomials in pieces.

    Args:
        c: the coefficients, the highest power first, one column for each piece.
        x: where the pieces end.
        t: where they are evaluated.
        nu: which derivative is evaluated.
        extrapolate: that of SciPy.
        axis: where the axes of ``t`` stand in the result.
    """
    c, x = _double(c), _double(x)
    return interpolate.PPoly.construct_fast(c, x, extrapolate, axis)(t, nu)


def piecewise_transpose(
    z_bar: Any,
    c: Any,
    x: Any,
    t: Any,
    nu: int = 0,
    extrapolate: Any = True,
    axis: int = 0,
) -> Any:
    """Return the transpose of ``piecewise`` as a linear function of its coefficients.

    Args:
        z_bar: an array with the shape of the result of ``piecewise``.
        c: the coefficients; only their shape matters.
        x: where the pieces end, ascending.
        t: where they are evaluated.
        nu: which derivative is evaluated.
        extrapolate: that of SciPy.
        axis: where the axes of ``t`` stand in ``z_bar``.
    """
    flat, shape, x = np.ravel(t), c.shape, _double(x)
    powers = np.broadcast_to(np.eye(shape[0])[:, None, :], (shape[0], shape[1], shape[0]))
    weights = interpolate.PPoly.construct_fast(powers.copy(), x, extrapolate)(flat, nu)
    if isinstance(extrapolate, str):
        flat = x[0] + (flat - x[0]) % (x[-1] - x[0])
    piece = np.clip(np.searchsorted(x, flat, side="right") - 1, 0, shape[1] - 1)
    rows = _rows(z_bar, np.ndim(t), axis)
    out = np.zeros((shape[1], shape[0], rows.shape[1]))
    np.add.at(out, piece, _present(weights)[:, :, None] * rows[:, None, :])
    return np.moveaxis(out, 0, 1).reshape(shape)


def basis_spline(
    c: Any, t: Any, k: int, x: Any, nu: int = 0, extrapolate: Any = True, axis: int = 0
) -> Any:
    """Return ``BSpline(t, c, k, extrapolate, axis)(x, nu)``.

    Args:
        c: the coefficients.
        t: the knots, ascending.
        k: the degree.
        x: where the spline is evaluated.
        nu: which derivative is evaluated.
        extrapolate: that of SciPy.
        axis: where the axes of ``x`` stand in the result.
    """
    c, t = _double(c), _double(t)
    return interpolate.BSpline.construct_fast(t, c, k, extrapolate, axis)(x, nu)


def basis_spline_transpose(
    z_bar: Any,
    c: Any,
    t: Any,
    k: int,
    x: Any,
    nu: int = 0,
    extrapolate: Any = True,
    axis: int = 0,
) -> Any:
    """Return the transpose of ``basis_spline`` as a linear function of its coefficients.

    Args:
        z_bar: an array with the shape of the result of ``basis_spline``.
        c: the coefficients; only their shape matters.
        t: the knots, ascending.
        k: the degree.
        x: where the spline is evaluated.
        nu: which derivative is evaluated.
        extrapolate: that of SciPy.
        axis: where the axes of ``x`` stand in ``z_bar``.
    """
    flat, count, t = np.ravel(x), t.shape[0] - k - 1, _double(t)
    # of any k + 1 coefficients in a row, each is at another place in every k + 1 ones
    units = np.eye(k + 1)[np.arange(c.shape[0]) % (k + 1)]
    weights = interpolate.BSpline.construct_fast(t, units, k, extrapolate)(flat, nu)
    if isinstance(extrapolate, str):
        flat = t[k] + (flat - t[k]) % (t[count] - t[k])
    first = np.clip(np.searchsorted(t, flat, side="right") - 1, k, count - 1) - k
    places = first[:, None] + (np.arange(k + 1) - first[:, None]) % (k + 1)
    rows = _rows(z_bar, np.ndim(x), axis)
    out = np.zeros((c.shape[0], rows.shape[1]))
    np.add.at(out, places, _present(weights)[:, :, None] * rows[:, None, :])
    return out.reshape(c.shape)


def _rows(z_bar: Any, count: int, axis: int) -> Any:
    """An array with the axes from ``axis`` on first, these and the others in one axis each."""
    moved = np.moveaxis(np.asarray(z_bar), range(axis, axis + count), range(count))
    length = int(np.prod(moved.shape[:count]))
    return moved.reshape(length, int(np.prod(moved.shape[count:])))


def _present(weights: Any) -> Any:
    """What is no number, where a spline is not extrapolated, depends on no coefficient."""
    return np.where(np.isnan(weights), 0.0, weights)


def _double(x: Any) -> Any:
    """An array as SciPy has it in its splines."""
    return np.ascontiguousarray(x, dtype=np.float64)
