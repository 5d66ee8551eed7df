"""Slopes of what SciPy interpolates between numbers that are constant.

An object that interpolates is a function of the places where it is asked. Its derivatives are
asked of the object itself where SciPy knows them. Where a derivative jumps, at an end of a
piece, it is that on the right, and beyond the ends it is that of what is given there.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import interpolate

from srcgrad.errors import MissingFormulaError

_ARRAYS = "no formula for what is interpolated between arrays, at places that are differentiated"
_EACH = ["make an object for each of their elements"]
_STEPS = ("nearest", "nearest-up", "previous", "next", "zero")


def interpolator_slope(curve: Any, x: Any, *, nu: int = 1) -> Any:
    """Return a derivative of an ``interp1d``, ``KroghInterpolator`` or the like.

    Args:
        curve: the object; one number at each place.
        x: the places.
        nu: the order of the derivative.

    Returns:
        An array of the shape of ``x``.
    """
    if not isinstance(curve, interpolate.interp1d):
        return _of_numbers(curve.derivative(x, der=nu), x)
    kind = curve._kind  # noqa: SLF001 - told by no public attribute, as are the next two
    if curve.y.ndim > 1:
        raise MissingFormulaError(_ARRAYS, fixes=_EACH)
    if kind in _STEPS:
        return np.zeros(np.shape(x))
    if kind == "linear":
        slope = _broken_line(curve, x) if nu == 1 else np.zeros(np.shape(x))
    else:
        slope = curve._spline(x, nu)[..., 0]  # noqa: SLF001
    slope = _of_numbers(slope, x)
    if curve._extrapolate:  # noqa: SLF001
        return slope
    return np.where((x < curve.x[0]) | (x > curve.x[-1]), 0.0, slope)


def _broken_line(curve: Any, x: Any) -> Any:
    """Return the slopes of the pieces of straight line at some places."""
    piece = np.clip(np.searchsorted(curve.x, x, side="right") - 1, 0, len(curve.x) - 2)
    return (curve.y[piece + 1] - curve.y[piece]) / (curve.x[piece + 1] - curve.x[piece])


def _of_numbers(slope: Any, x: Any) -> Any:
    """Return slopes that are one number at each place."""
    if np.shape(slope) != np.shape(x):
        raise MissingFormulaError(_ARRAYS, fixes=_EACH)
    return slope


def fitted_slope(curve: Any, x: Any, *, nu: int = 1, ext: Any = None) -> Any:
    """Return a derivative of a ``UnivariateSpline`` or a class that is derived from it.

    Args:
        curve: the object.
        x: the places.
        nu: the order of the derivative.
        ext: what there is beyond its ends, as for the call of the object.
    """
    try:
        slope = curve.derivative(nu)
    except ValueError:  # the order is above the degree
        return np.zeros(np.shape(x))
    held = 1 if ext in (3, "const") else ext  # what is constant has no slope
    return slope(x, ext=held)


def fitpack_slope(x: Any, tck: Any, *, nu: int = 1, ext: int = 0) -> Any:
    """Return a derivative of ``splev(x, tck)``.

    Args:
        x: the places.
        tck: knots, coefficients and degree.
        nu: the order of the derivative.
        ext: what there is beyond the ends, as for ``splev``.
    """
    if nu > tck[2]:
        return np.zeros(np.shape(x))
    return _of_numbers(interpolate.splev(x, tck, der=nu, ext=1 if ext == 3 else ext), x)


def surface_call(self: Any, x: Any, y: Any, dx: int = 0, dy: int = 0, grid: bool = True) -> Any:
    """Return what calling a ``RectBivariateSpline`` or another ``BivariateSpline`` gives.

    Args:
        self: the object.
        x: the first coordinates.
        y: the second ones.
        dx: the order of a derivative in ``x``.
        dy: that in ``y``.
        grid: whether all of ``x`` meet all of ``y``.
    """
    if grid:
        x = np.reshape(x, (-1, 1))
        y = np.reshape(y, (1, -1))
    return surface_values(self, x, y, dx=dx, dy=dy)


def surface_values(surface: Any, x: Any, y: Any, *, dx: int = 0, dy: int = 0) -> Any:
    """Return ``surface.ev(x, y, dx, dy)``."""
    return surface.ev(x, y, dx=dx, dy=dy)


def surface_slope(surface: Any, x: Any, y: Any, *, dx: int, dy: int) -> Any:
    """Return a derivative of ``surface.ev(x, y)``, 0 where that is asked beyond the edges.

    Args:
        surface: a ``RectBivariateSpline`` or another ``BivariateSpline``.
        x: the first coordinates.
        y: the second ones.
        dx: the order of the derivative in ``x``.
        dy: that in ``y``.
    """
    t, u = surface.get_knots()
    tck = (t, u, surface.get_coeffs(), *surface.degrees)
    return _of_surface(tck, x, y, dx, dy)


def bisplev_slope(x: Any, y: Any, tck: Any, *, dx: int, dy: int) -> Any:
    """Return a derivative of ``bisplev(x, y, tck)`` of numbers ``x`` and ``y``.

    Args:
        x: the first coordinate.
        y: the second one.
        tck: knots, coefficients and degrees in both directions.
        dx: the order of the derivative in ``x``.
        dy: that in ``y``.
    """
    if np.ndim(x) or np.ndim(y):
        raise MissingFormulaError(
            "no formula for bisplev on a grid that is differentiated",
            fixes=["use RectBivariateSpline(...).ev(x, y)"],
        )
    return _of_surface(tck, x, y, dx, dy)


def _of_surface(tck: Any, x: Any, y: Any, dx: int, dy: int) -> Any:
    t, u, c, *degrees = tck
    shape = (len(t) - degrees[0] - 1, len(u) - degrees[1] - 1)
    surface = interpolate.NdBSpline((t, u), np.reshape(c, shape), tuple(degrees))
    x, y = np.broadcast_arrays(x, y)
    inside = np.ones(x.shape, dtype=bool)
    at = []
    for place, ends, order in ((x, t, dx), (y, u, dy)):
        at.append(np.clip(place, ends[0], ends[-1]))
        if order:
            inside &= (place >= ends[0]) & (place <= ends[-1])
    return np.where(inside, surface(np.stack(at, axis=-1), nu=(dx, dy)), 0.0)


def grid_call(self: Any, xi: Any, method: Any = None) -> Any:
    """Return what calling a ``RegularGridInterpolator`` gives.

    Args:
        self: the object.
        xi: the places, or a tuple of their coordinates.
        method: how to interpolate; that of the object if None.
    """
    if isinstance(xi, tuple):
        parts = np.broadcast_arrays(*xi)
        values = grid_values(self, np.stack(parts, axis=-1), method=method)
        return np.reshape(values, np.shape(parts[0]))
    return grid_values(self, xi, method=method)


def grid_values(grid: Any, xi: Any, *, method: Any = None) -> Any:
    """Return ``grid(xi, method)`` for an array of places.

    Args:
        grid: a ``RegularGridInterpolator``.
        xi: the places, their coordinates along the last axis.
        method: how to interpolate; that of the object if None.
    """
    return grid(xi, method)


def grid_slopes(grid: Any, xi: Any, *, method: Any = None, order: int = 1) -> Any:
    """Return the derivatives of ``grid_values`` in the coordinates of the places.

    Args:
        grid: a ``RegularGridInterpolator`` of numbers.
        xi: the places, their coordinates along the last axis.
        method: how to interpolate; that of the object if None.
        order: the order of the derivatives.

    Returns:
        An array with a row for each place, and as many further axes as the order says, each as
        long as there are coordinates.
    """
    count = len(grid.grid)
    if np.ndim(grid.values) > count:
        raise MissingFormulaError(_ARRAYS, fixes=_EACH)
    method = grid.method if method is None else method
    at = np.reshape(xi, (-1, count))
    made = {}
    for axes in itertools.combinations_with_replacement(range(count), order):
        nu = tuple(axes.count(k) for k in range(count))
        if method == "linear":
            made[axes] = _between_lines(grid, at, nu)
        elif method == "nearest":
            made[axes] = np.zeros(len(at))
        else:
            made[axes] = grid(at, method, nu=nu)
    every = itertools.product(range(count), repeat=order)
    slopes = np.stack([made[tuple(sorted(axes))] for axes in every], axis=-1)
    if grid.fill_value is not None:
        ends = [(line[0], line[-1]) for line in grid.grid]
        beyond = [(x < low) | (x > high) for x, (low, high) in zip(at.T, ends, strict=True)]
        slopes = np.where(np.any(beyond, axis=0)[:, None], 0.0, slopes)
    return np.reshape(slopes, (-1, *(count,) * order))


def _between_lines(grid: Any, at: Any, nu: tuple[int, ...]) -> Any:
    """Return a derivative of a function that is linear in each coordinate between its lines."""
    total, width = np.zeros(len(at)), np.ones(len(at))
    if max(nu) > 1:
        return total
    moved = [k for k, order in enumerate(nu) if order]
    cells = {}
    for k in moved:
        line = grid.grid[k]
        cell = np.clip(np.searchsorted(line, at[:, k], side="right") - 1, 0, len(line) - 2)
        cells[k] = line[cell], line[cell + 1]
        width = width * (line[cell + 1] - line[cell])
    for sides in itertools.product((0, 1), repeat=len(moved)):
        place = at.astype(float)
        for k, side in zip(moved, sides, strict=True):
            place[:, k] = cells[k][side]
        total += (-1.0) ** (len(moved) - sum(sides)) * grid(place, "linear")
    return total / width


def cells_of_grid(grid: Any, xi: Any) -> Any:
    """Return in which cell of a grid points are, and how far along it, from 0 to 1.

    Args:
        grid: the ticks along each axis.
        xi: the coordinates of the points, a row for each axis.
    """
    indices = [
        np.clip(np.searchsorted(ticks, row, side="right") - 1, 0, len(ticks) - 2)
        for ticks, row in zip(grid, xi, strict=True)
    ]
    along = [
        (xi[k] - ticks[i]) / (ticks[i + 1] - ticks[i])
        for k, (ticks, i) in enumerate(zip(grid, indices, strict=True))
    ]
    return np.stack(indices), np.stack(along)


def bilinear_in_cells(values: Any, indices: Any, along: Any, grid: Any, out: Any = None) -> Any:
    """Return the values of a plane between those at the corners of cells.

    Args:
        values: those at the ticks of a grid.
        indices: in which cells points are.
        along: how far along these.
        grid: the ticks along each axis.
        out: where SciPy writes them.
    """
    (i, j), (s, t) = indices, along
    low = values[i, j] * (1 - t) + values[i, j + 1] * t
    high = values[i + 1, j] * (1 - t) + values[i + 1, j + 1] * t
    return low * (1 - s) + high * s


def coordinates(points: Any, ndim: Any = None) -> Any:
    """Return points as an array with their coordinates along its last axis.

    Args:
        points: an array, or a tuple with an array for each coordinate.
        ndim: the number of coordinates.
    """
    if isinstance(points, tuple):
        parts = points[0] if len(points) == 1 and isinstance(points[0], tuple) else points
        return np.stack(np.broadcast_arrays(*parts), axis=-1)
    points = np.asarray(points)
    if np.ndim(points) == 1:
        points = np.reshape(points, (-1, 1) if ndim is None else (-1, ndim))
    return points


_DEGREES = {"slinear": 1, "cubic": 3, "quintic": 5}


class Gridded:
    """What ``RegularGridInterpolator`` makes of values that are differentiated, with splines.

    A spline in several directions is, in each of them, a sum of those through 1 at one tick and
    0 at the others: C. de Boor, "A Practical Guide to Splines", 1978, chapter XVII.

    Args:
        points: the ticks along each axis.
        values: the values, the axes of the grid first.
        method: ``slinear``, ``cubic`` or ``quintic``.
        bounds_error: whether places beyond the grid are an error.
        fill_value: what there is beyond it; None: the splines go on.
        solver: None.
        solver_args: None.
    """

    def __init__(
        self,
        points: Any,
        values: Any,
        method: str = "linear",
        bounds_error: bool = True,
        fill_value: Any = np.nan,
        *,
        solver: Any = None,
        solver_args: Any = None,
    ) -> None:
        if solver is not None or solver_args is not None:
            raise MissingFormulaError(
                "no formula for RegularGridInterpolator with solver=", fixes=["leave it out"]
            )
        self.method, self.bounds_error, self.fill_value = method, bounds_error, fill_value
        self.plain = solved_grid(points, values, (method, bounds_error, fill_value))
        self.values, self.grid = np.array(values), []  # may be written to afterwards
        for axis, ticks in enumerate(points):
            ticks = np.asarray(ticks, dtype=float)
            if ticks[0] > ticks[-1]:
                ticks, self.values = np.flip(ticks), np.flip(self.values, axis)
            self.grid.append(ticks)

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        """Return what there is at some places, their coordinates along the last axis."""
        if nu is not None or method not in (None, self.method):
            what = "nu" if nu is not None else "method"
            raise MissingFormulaError(
                f"no formula for RegularGridInterpolator()(..., {what}=) of values that are "
                "differentiated",
                fixes=["make an object with this method"],
            )
        count = len(self.grid)
        xi = coordinates(xi, count)
        flat = np.reshape(xi, (-1, count))
        found = self.values[None]
        for axis, ticks in enumerate(self.grid):
            through = interpolate.make_interp_spline(ticks, np.eye(len(ticks)), self._degree())
            shares = through(flat[:, axis])
            shares = np.reshape(shares, (*np.shape(shares), *(1,) * (np.ndim(found) - 2)))
            found = np.sum(shares * found, axis=1)
        missed, outside = missed_by(self.plain, flat, found, self.fill_value)
        found = np.where(outside, 0.0, found) + missed
        return np.reshape(found, (*np.shape(xi)[:-1], *np.shape(found)[1:]))

    def _degree(self) -> int:
        return _DEGREES[self.method]


def solved_grid(points: Any, values: Any, options: Any) -> Any:
    """Return a ``RegularGridInterpolator`` of constants."""
    return interpolate.RegularGridInterpolator(points, values, *options)


def missed_by(grid: Any, xi: Any, found: Any, fill_value: Any) -> Any:
    """Return by how much a ``RegularGridInterpolator`` misses splines, and where it is constant.

    SciPy solves for the splines by iteration, to a few digits.

    Args:
        grid: the object, of constants.
        xi: the places, a row each.
        found: what the splines are there.
        fill_value: what there is beyond the grid; None: the splines go on.
    """
    beyond = np.zeros(len(xi), dtype=bool)
    if fill_value is not None:
        for axis, ticks in enumerate(grid.grid):
            beyond |= (xi[:, axis] < ticks[0]) | (xi[:, axis] > ticks[-1])
    outside = np.reshape(beyond, (-1, *(1,) * (np.ndim(found) - 1)))
    return grid(xi) - np.where(outside, 0.0, found), outside
