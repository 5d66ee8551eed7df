"""What SciPy interpolates between scattered points, in Python.

Which simplex a place is in, and which point is nearest to it, is constant: where that changes,
the slope jumps. Radial basis functions are one linear equation: G. Fasshauer, "Meshfree
Approximation Methods with Matlab", 2007, chapters 6 and 7.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from scipy import interpolate, spatial

from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.scipy.interpolants import coordinates

# Kernels, by the square of the distance; the lowest degree of the polynomial that each needs
_LOWEST = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
_WITHOUT_SCALE = ("linear", "thin_plate_spline", "cubic", "quintic")


def triangulation(points: Any, rescale: Any) -> Any:
    """Return the simplices between points, which are constant; see ``scipy.spatial.Delaunay``."""
    if not rescale:  # they may be written to until they are first looked at
        return spatial.Delaunay(points), 0.0, 1.0
    offset, scale = frame_of(points)
    return spatial.Delaunay((points - offset) / scale), offset, scale


def frame_of(points: Any) -> Any:
    """Return the mean and the extent of points along each axis."""
    extent = np.ptp(points, axis=0)
    return np.mean(points, axis=0), np.where(extent > 0, extent, 1.0)


def corners_around(simplices: Any, xi: Any) -> Any:
    """Return the corners of the simplex that each place is in, and whether it is in one."""
    made, offset, scale = simplices
    found = made.find_simplex((xi - offset) / scale)
    return made.simplices[np.where(found < 0, 0, found)], found >= 0


def nearest_to(points: Any, xi: Any, rescale: Any, options: Any) -> Any:
    """Return which point is nearest to each place."""
    offset, scale = frame_of(points) if rescale else (0.0, 1.0)
    tree = spatial.KDTree((points - offset) / scale)
    return tree.query((xi - offset) / scale, **options)[1]


class LinearBetween:
    """What ``LinearNDInterpolator`` makes.

    Args:
        points: the points, a row each; or a ``Delaunay`` of constants.
        values: a value for each point, along the first axis.
        fill_value: what there is outside of all simplices.
        rescale: whether points are taken to the same extent along each axis first.
    """

    def __init__(
        self, points: Any, values: Any, fill_value: Any = np.nan, rescale: bool = False
    ) -> None:
        if isinstance(points, spatial.Delaunay):
            self.simplices, self.points = (points, 0.0, 1.0), points.points
        else:
            self.points = np.array(coordinates(points)) if rescale else coordinates(points)
            self.simplices = triangulation(self.points, rescale)
        self.values, self.fill_value = np.asarray(values), fill_value
        self.corners: Any = None  # where the points are at the first call

    def __call__(self, *args: Any) -> Any:
        """Return what there is at some places: coordinates along the last axis, or one by one."""
        xi = coordinates(args[0] if len(args) == 1 else args, np.shape(self.points)[1])
        flat = np.reshape(xi, (-1, np.shape(xi)[-1]))
        corners, inside = corners_around(self.simplices, flat)
        if self.corners is None:
            self.corners = np.array(self.points)
        at = self.corners[corners]
        last = at[:, -1]
        edges = np.swapaxes(at[:, :-1] - last[:, None], 1, 2)
        shares = np.linalg.solve(edges, (flat - last)[..., None])[..., 0]
        shares = np.concatenate([shares, 1.0 - np.sum(shares, axis=1, keepdims=True)], axis=1)
        tail = np.shape(self.values)[1:]
        further = (1,) * len(tail)
        shares = np.reshape(shares, (*np.shape(shares), *further))
        found = np.sum(shares * self.values[corners], axis=1)
        found = np.where(np.reshape(inside, (-1, *further)), found, self.fill_value)
        return np.reshape(found, (*np.shape(xi)[:-1], *tail))


class NearestBetween:
    """What ``NearestNDInterpolator`` makes.

    Args:
        x: the points, a row each.
        y: a value for each point, along the first axis.
        rescale: whether points are taken to the same extent along each axis first.
        tree_options: how points are searched.
    """

    def __init__(self, x: Any, y: Any, rescale: bool = False, tree_options: Any = None) -> None:
        self.points, self.values = coordinates(x), np.asarray(y)
        self.rescale = rescale

    def __call__(self, *args: Any, **query_options: Any) -> Any:
        """Return the value of the nearest point."""
        if query_options:
            raise MissingFormulaError(
                f"no formula for NearestNDInterpolator with {next(iter(query_options))}=",
                fixes=["leave it out"],
            )
        xi = coordinates(args[0] if len(args) == 1 else args, np.shape(self.points)[1])
        found = self.values[nearest_to(self.points, xi, self.rescale, {})]
        return found if np.iscomplexobj(found) else found.astype(float)


def linear_call(self: Any, *args: Any) -> Any:
    """Return what calling a ``LinearNDInterpolator`` of constants gives."""
    if self.scale is not None:
        raise MissingFormulaError(
            "no formula for LinearNDInterpolator(..., rescale=True) of constants",
            fixes=["divide the points and the places by their extents"],
        )
    values = np.reshape(np.asarray(self.values), (-1, *self.values_shape))
    return LinearBetween(self.tri, values, self.fill_value)(*args)


def kernel_values(kernel: str, squares: Any) -> Any:
    """Return the values of a radial basis function.

    Args:
        kernel: its name.
        squares: squares of distances, in units of its scale.
    """
    if kernel == "gaussian":
        return np.exp(-squares)
    if kernel == "multiquadric":
        return -np.sqrt(squares + 1.0)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(squares + 1.0)
    if kernel == "inverse_quadratic":
        return 1.0 / (squares + 1.0)
    apart = squares > 0  # the others have slopes of 0 there, or a kink
    safe = np.where(apart, squares, 1.0)
    if kernel == "thin_plate_spline":
        return np.where(apart, 0.5 * safe * np.log(safe), 0.0)
    power = {"linear": 0.5, "cubic": 1.5, "quintic": 2.5}[kernel]
    made = np.where(apart, safe**power, 0.0)
    return made if kernel == "cubic" else -made


def squared_distances(x: Any, y: Any) -> Any:
    """Return the squares of the distances between all points of two sets."""
    return np.sum((x[:, None] - y[None]) ** 2, axis=-1)


def monomials(x: Any, degree: int) -> Any:
    """Return the products of up to ``degree`` coordinates of points, a column each."""
    count = np.shape(x)[1]
    columns = []
    for order in range(degree + 1):
        for axes in itertools.combinations_with_replacement(range(count), order):
            column = np.ones_like(x[:, 0])
            for axis in axes:
                column = column * x[:, axis]
            columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((np.shape(x)[0], 0))


def box_of(points: Any) -> Any:
    """Return the middle and half the extent of points, which the interpolant does not depend on."""
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    half = (high - low) / 2
    return (high + low) / 2, np.where(half > 0, half, 1.0)


class RadialBetween:
    """What ``RBFInterpolator`` makes.

    Args:
        y: the points, a row each.
        d: a value for each point, along the first axis.
        neighbors: None: all points count everywhere.
        smoothing: by how much values may be missed, one number or one for each point.
        kernel: the name of the function of the distance.
        epsilon: what distances are multiplied by.
        degree: that of the polynomial that is added, -1 for none.
    """

    def __init__(
        self,
        y: Any,
        d: Any,
        neighbors: Any = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: Any = None,
        degree: Any = None,
    ) -> None:
        checked(y, d, neighbors, smoothing, kernel, epsilon, degree)
        if neighbors is not None:
            raise MissingFormulaError(
                "no formula for RBFInterpolator with neighbors=", fixes=["leave it out"]
            )
        kernel = kernel.lower()
        y, d = np.asarray(y), np.asarray(d)
        self.y, self.kernel = y, kernel
        self.epsilon = 1.0 if epsilon is None else epsilon
        self.degree = max(_LOWEST.get(kernel, -1), 0) if degree is None else int(degree)
        self.box = box_of(y)
        self.tail = np.shape(d)[1:]
        values = np.reshape(d, (np.shape(d)[0], -1))
        n = np.shape(y)[0]
        matrix = self._kernel(y) + np.diag(smoothing * np.ones(n))
        basis = self._monomials(y)
        count = np.shape(basis)[1]
        upper = np.concatenate([matrix, basis], axis=1)
        lower = np.concatenate([basis.T, np.zeros((count, count))], axis=1)
        right = np.concatenate([values, np.zeros((count, np.shape(values)[1]))])
        self.weights = np.linalg.solve(np.concatenate([upper, lower]), right)

    def _kernel(self, x: Any) -> Any:
        return kernel_values(
            self.kernel, squared_distances(x * self.epsilon, self.y * self.epsilon)
        )

    def _monomials(self, x: Any) -> Any:
        middle, half = self.box
        return monomials((x - middle) / half, self.degree)

    def __call__(self, x: Any) -> Any:
        """Return what there is at some places, a row each."""
        x = np.asarray(x)
        found = np.concatenate([self._kernel(x), self._monomials(x)], axis=1) @ self.weights
        return np.reshape(found, (np.shape(x)[0], *self.tail))


def checked(y: Any, d: Any, *options: Any) -> None:
    """Raise what SciPy raises for what is no set of points, values and options."""
    interpolate.RBFInterpolator(y, d, *options)


def radial_call(self: Any, x: Any) -> Any:
    """Return what calling an ``RBFInterpolator`` of constants gives."""
    d = self.d.view(self.d_dtype) if self.d_dtype is complex else self.d
    values = np.reshape(d, (np.shape(self.y)[0], *self.d_shape))
    made = RadialBetween(
        self.y, values, self.neighbors, self.smoothing, self.kernel, self.epsilon,
        int(np.max(np.sum(self.powers, axis=1))) if len(self.powers) else -1,
    )  # fmt: skip
    return made(x)
