"""Derivatives of SciPy's splines in their values and in the points where they are evaluated.

A spline is linear in its coefficients, and these are linear in the values: C. de Boor,
"A Practical Guide to Splines", 1978, chapters IV and XIII. Where a derivative of it jumps,
at an end of a piece, the slope is that on the right.
"""

from __future__ import annotations

import importlib

import numpy as np
from scipy import interpolate
from srcgrad.formulas.numpy.arrays.axes import all_but
from srcgrad.formulas.scipy import named

from srcgrad.effects import effects
from srcgrad.ir.forms import Spline
from srcgrad.ir.recipes import SplineRecipe
from srcgrad.registry import (
    DIFFERENTIATED,
    NOT_YET,
    called,
    formula,
    in_python,
    nondifferentiable,
    primal,
    refused,
    solver,
)
from srcgrad.runtime import unbroadcast
from srcgrad.runtime.scipy.equations import pieces_roots, pieces_solve, roots_start
from srcgrad.runtime.scipy.fitted import (
    basis_integrate,
    fitpack_integral,
    fitpack_knots,
    fitpack_values,
    interpolated,
    pieces_antiderivative,
    pieces_integrate,
    smoothing_spline,
    univariate,
    univariate_integral,
)
from srcgrad.runtime.scipy.interpolants import (
    Gridded,
    bilinear_in_cells,
    bisplev_slope,
    cells_of_grid,
    coordinates,
    fitpack_slope,
    fitted_slope,
    grid_call,
    grid_slopes,
    grid_values,
    interpolator_slope,
    missed_by,
    solved_grid,
    surface_call,
    surface_slope,
    surface_values,
)
from srcgrad.runtime.scipy.scattered import between
from srcgrad.runtime.scipy.splines import (
    basis_spline,
    basis_spline_transpose,
    cubic_spline,
    cubic_spline_change,
    cubic_spline_transpose,
    interpolating_spline,
    interpolating_spline_change,
    interpolating_spline_transpose,
    piecewise,
    piecewise_transpose,
)

# Making


@formula(cubic_spline, constant="x")
def cubic_spline_(x, y, *, bc_type="not-a-knot", axis=0):
    """z = (coefficients of the cubic spline through y at x, ends of its pieces).

    What bc_type says of derivatives at the ends is held.
    """
    z = cubic_spline(x, y, bc_type=bc_type, axis=axis)

    def backward(z_bar):
        return None, cubic_spline_transpose(z_bar[0], x, bc_type=bc_type, axis=axis)

    def tangent(x_dot, y_dot):
        return cubic_spline_change(x, y_dot, bc_type=bc_type, axis=axis), None

    return z, backward, tangent


@formula(cubic_spline_change, constant="x", linear="y_dot")
def cubic_spline_change_(x, y_dot, *, bc_type="not-a-knot", axis=0):
    """w = change of the coefficients of a cubic spline, its ends held."""
    w = cubic_spline_change(x, y_dot, bc_type=bc_type, axis=axis)

    def backward(w_bar):
        return None, cubic_spline_transpose(w_bar, x, bc_type=bc_type, axis=axis)

    return w, backward


@formula(cubic_spline_transpose, constant="x", linear="c_bar")
def cubic_spline_transpose_(c_bar, x, *, bc_type="not-a-knot", axis=0):
    """w = the transpose of ``cubic_spline_change``, applied to c_bar."""
    w = cubic_spline_transpose(c_bar, x, bc_type=bc_type, axis=axis)

    def backward(w_bar):
        return cubic_spline_change(x, w_bar, bc_type=bc_type, axis=axis), None

    return w, backward


@formula(interpolating_spline, constant="x")
def interpolating_spline_(x, y, *, k=3, t=None, bc_type=None, axis=0):
    """z = (coefficients of the spline of degree k through y at x, its knots, k).

    What bc_type says of derivatives at the ends is held.
    """
    z = interpolating_spline(x, y, k=k, t=t, bc_type=bc_type, axis=axis)

    def backward(z_bar):
        c_bar = z_bar[0]
        y_bar = interpolating_spline_transpose(c_bar, x, k=k, t=t, bc_type=bc_type, axis=axis)
        return None, y_bar

    def tangent(x_dot, y_dot):
        c_dot = interpolating_spline_change(x, y_dot, k=k, t=t, bc_type=bc_type, axis=axis)
        return c_dot, None, None

    return z, backward, tangent


@formula(interpolating_spline_change, constant="x", linear="y_dot")
def interpolating_spline_change_(x, y_dot, *, k=3, t=None, bc_type=None, axis=0):
    """w = change of the coefficients of a spline, its knots held."""
    w = interpolating_spline_change(x, y_dot, k=k, t=t, bc_type=bc_type, axis=axis)

    def backward(w_bar):
        total = interpolating_spline_transpose(w_bar, x, k=k, t=t, bc_type=bc_type, axis=axis)
        return None, total

    return w, backward


@formula(interpolating_spline_transpose, constant="x", linear="c_bar")
def interpolating_spline_transpose_(c_bar, x, *, k=3, t=None, bc_type=None, axis=0):
    """w = the transpose of ``interpolating_spline_change``, applied to c_bar."""
    w = interpolating_spline_transpose(c_bar, x, k=k, t=t, bc_type=bc_type, axis=axis)

    def backward(w_bar):
        return interpolating_spline_change(x, w_bar, k=k, t=t, bc_type=bc_type, axis=axis), None

    return w, backward


@formula(piecewise, constant="x")
def piecewise_(c, x, t, *, nu=0, extrapolate=True, axis=0):
    """z = polynomials in pieces with coefficients c at t, or a derivative of them."""
    z = piecewise(c, x, t, nu=nu, extrapolate=extrapolate, axis=axis)

    def backward(z_bar):
        c_bar = piecewise_transpose(z_bar, c, x, t, nu=nu, extrapolate=extrapolate, axis=axis)
        slope = z_bar * piecewise(c, x, t, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        if c.ndim == 2:
            t_bar = slope
        else:
            t_bar = np.sum(slope, axis=all_but(axis, t.ndim, t.ndim + c.ndim - 2))
        return c_bar, None, t_bar

    def tangent(c_dot, x_dot, t_dot):
        of_c = piecewise(c_dot, x, t, nu=nu, extrapolate=extrapolate, axis=axis)
        slope = piecewise(c, x, t, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        if c.ndim == 2:
            of_t = slope * t_dot
        else:
            of_t = slope * np.expand_dims(t_dot, all_but(axis, t.ndim, t.ndim + c.ndim - 2))
        return of_c + of_t

    return z, backward, tangent


@formula(piecewise_transpose, constant="x", shaped_like=1)
def piecewise_transpose_(z_bar, c, x, t, *, nu=0, extrapolate=True, axis=0):
    """w = the transpose of ``piecewise`` in its coefficients, applied to z_bar."""
    w = piecewise_transpose(z_bar, c, x, t, nu=nu, extrapolate=extrapolate, axis=axis)

    def backward(w_bar):
        z_bar_bar = piecewise(w_bar, x, t, nu=nu, extrapolate=extrapolate, axis=axis)
        slope = z_bar * piecewise(w_bar, x, t, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        if c.ndim == 2:
            t_bar = slope
        else:
            t_bar = np.sum(slope, axis=all_but(axis, t.ndim, t.ndim + c.ndim - 2))
        return z_bar_bar, None, None, t_bar

    def tangent(z_bar_dot, c_dot, x_dot, t_dot):
        if c.ndim == 2:
            move = z_bar * t_dot
        else:
            move = z_bar * np.expand_dims(t_dot, all_but(axis, t.ndim, t.ndim + c.ndim - 2))
        of_z_bar = piecewise_transpose(
            z_bar_dot, c, x, t, nu=nu, extrapolate=extrapolate, axis=axis
        )
        of_t = piecewise_transpose(move, c, x, t, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        return of_z_bar + of_t

    return w, backward, tangent


@formula(basis_spline, constant="t k")
def basis_spline_(c, t, k, x, *, nu=0, extrapolate=True, axis=0):
    """z = the spline of degree k with knots t and coefficients c at x, or a derivative of it."""
    z = basis_spline(c, t, k, x, nu=nu, extrapolate=extrapolate, axis=axis)

    def backward(z_bar):
        c_bar = basis_spline_transpose(z_bar, c, t, k, x, nu=nu, extrapolate=extrapolate, axis=axis)
        slope = z_bar * basis_spline(c, t, k, x, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        if c.ndim == 1:
            x_bar = slope
        else:
            x_bar = np.sum(slope, axis=all_but(axis, x.ndim, x.ndim + c.ndim - 1))
        return c_bar, None, None, x_bar

    def tangent(c_dot, t_dot, k_dot, x_dot):
        of_c = basis_spline(c_dot, t, k, x, nu=nu, extrapolate=extrapolate, axis=axis)
        slope = basis_spline(c, t, k, x, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        if c.ndim == 1:
            of_x = slope * x_dot
        else:
            of_x = slope * np.expand_dims(x_dot, all_but(axis, x.ndim, x.ndim + c.ndim - 1))
        return of_c + of_x

    return z, backward, tangent


@formula(basis_spline_transpose, constant="t k", shaped_like=1)
def basis_spline_transpose_(z_bar, c, t, k, x, *, nu=0, extrapolate=True, axis=0):
    """w = the transpose of ``basis_spline`` in its coefficients, applied to z_bar."""
    w = basis_spline_transpose(z_bar, c, t, k, x, nu=nu, extrapolate=extrapolate, axis=axis)

    def backward(w_bar):
        z_bar_bar = basis_spline(w_bar, t, k, x, nu=nu, extrapolate=extrapolate, axis=axis)
        slope = z_bar * basis_spline(w_bar, t, k, x, nu=nu + 1, extrapolate=extrapolate, axis=axis)
        if c.ndim == 1:
            x_bar = slope
        else:
            x_bar = np.sum(slope, axis=all_but(axis, x.ndim, x.ndim + c.ndim - 1))
        return z_bar_bar, None, None, None, x_bar

    def tangent(z_bar_dot, c_dot, t_dot, k_dot, x_dot):
        if c.ndim == 1:
            move = z_bar * x_dot
        else:
            move = z_bar * np.expand_dims(x_dot, all_but(axis, x.ndim, x.ndim + c.ndim - 1))
        of_z_bar = basis_spline_transpose(
            z_bar_dot, c, t, k, x, nu=nu, extrapolate=extrapolate, axis=axis
        )
        of_x = basis_spline_transpose(
            move, c, t, k, x, nu=nu + 1, extrapolate=extrapolate, axis=axis
        )
        return of_z_bar + of_x

    return w, backward, tangent


_PIECES = Spline(interpolate.CubicSpline, ("c", "x"), ("axis", "extrapolate"), piecewise, beside=2)
_BASIS = Spline(
    interpolate.BSpline, ("c", "t", "k"), ("axis", "extrapolate"), basis_spline, beside=1
)
solver(
    SplineRecipe(cubic_spline, _PIECES, ("x", "y"), "y", ("bc_type", "axis")),
    interpolate.CubicSpline,
)
solver(
    SplineRecipe(interpolating_spline, _BASIS, ("x", "y"), "y", ("k", "t", "bc_type", "axis")),
    interpolate.make_interp_spline,
)
called(_PIECES, interpolate.PPoly)
called(_BASIS, interpolate.BSpline)

# What is interpolated between constants, at places that are differentiated


@formula(interpolate.interp1d.__call__, constant="curve", sequences="curve", shaped_like=1)
def interpolator(curve, x):
    """z = what an interp1d, KroghInterpolator or the like gives at x."""
    z = interpolate.interp1d.__call__(curve, x)

    def backward(z_bar):
        return None, z_bar * interpolator_slope(curve, x)

    return z, backward


@formula(interpolator_slope, constant="curve", sequences="curve", shaped_like=1)
def interpolator_slope_(curve, x, *, nu=1):
    """z = a derivative of what an interp1d or the like gives at x."""
    z = interpolator_slope(curve, x, nu=nu)

    def backward(z_bar):
        return None, z_bar * interpolator_slope(curve, x, nu=nu + 1)

    return z, backward


@formula(
    interpolate.BarycentricInterpolator.__call__, constant="curve", sequences="curve", shaped_like=1
)
def barycentric(curve, x):
    """z = what a BarycentricInterpolator gives at x."""
    z = interpolate.BarycentricInterpolator.__call__(curve, x)

    def backward(z_bar):
        return None, z_bar * interpolator_slope(curve, x)

    return z, backward


@formula(interpolate.UnivariateSpline.__call__, constant="curve", sequences="curve", shaped_like=1)
def fitted(curve, x, *, nu=0, ext=None):
    """z = what a UnivariateSpline gives at x."""
    z = interpolate.UnivariateSpline.__call__(curve, x, nu=nu, ext=ext)

    def backward(z_bar):
        return None, z_bar * fitted_slope(curve, x, nu=nu + 1, ext=ext)

    return z, backward


@formula(fitted_slope, constant="curve", sequences="curve", shaped_like=1)
def fitted_slope_(curve, x, *, nu=1, ext=None):
    """z = a derivative of what a UnivariateSpline gives at x."""
    z = fitted_slope(curve, x, nu=nu, ext=ext)

    def backward(z_bar):
        return None, z_bar * fitted_slope(curve, x, nu=nu + 1, ext=ext)

    return z, backward


@formula(interpolate.splev, constant="tck", sequences="tck", shaped_like=0)
def splev(x, tck, *, der=0, ext=0):
    """z = the spline tck at x, or a derivative of it."""
    z = interpolate.splev(x, tck, der=der, ext=ext)

    def backward(z_bar):
        return z_bar * fitpack_slope(x, tck, nu=der + 1, ext=ext), None

    return z, backward


@formula(fitpack_slope, constant="tck", sequences="tck", shaped_like=0)
def fitpack_slope_(x, tck, *, nu=1, ext=0):
    """z = a derivative of the spline tck at x."""
    z = fitpack_slope(x, tck, nu=nu, ext=ext)

    def backward(z_bar):
        return z_bar * fitpack_slope(x, tck, nu=nu + 1, ext=ext), None

    return z, backward


@formula(interpolate.BivariateSpline.ev, surface_values, constant="surface", sequences="surface")
def surface_(surface, x, y, *, dx=0, dy=0):
    """z = what a RectBivariateSpline or the like gives at the points (x, y)."""
    z = primal(surface, x, y, dx=dx, dy=dy)

    def backward(z_bar):
        x_bar = z_bar * surface_slope(surface, x, y, dx=dx + 1, dy=dy)
        y_bar = z_bar * surface_slope(surface, x, y, dx=dx, dy=dy + 1)
        return None, unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(surface_slope, constant="surface", sequences="surface")
def surface_slope_(surface, x, y, *, dx, dy):
    """z = a derivative of what a RectBivariateSpline or the like gives at the points (x, y)."""
    z = surface_slope(surface, x, y, dx=dx, dy=dy)

    def backward(z_bar):
        x_bar = z_bar * surface_slope(surface, x, y, dx=dx + 1, dy=dy)
        y_bar = z_bar * surface_slope(surface, x, y, dx=dx, dy=dy + 1)
        return None, unbroadcast(x_bar, x), unbroadcast(y_bar, y)

    return z, backward


@formula(interpolate.bisplev, constant="tck", sequences="tck")
def bisplev(x, y, tck, *, dx=0, dy=0):
    """z = the surface tck at the point (x, y), or a derivative of it."""
    z = interpolate.bisplev(x, y, tck, dx=dx, dy=dy)

    def backward(z_bar):
        x_bar = z_bar * bisplev_slope(x, y, tck, dx=dx + 1, dy=dy)
        y_bar = z_bar * bisplev_slope(x, y, tck, dx=dx, dy=dy + 1)
        return x_bar, y_bar, None

    return z, backward


@formula(bisplev_slope, constant="tck", sequences="tck")
def bisplev_slope_(x, y, tck, *, dx, dy):
    """z = a derivative of the surface tck at the point (x, y)."""
    z = bisplev_slope(x, y, tck, dx=dx, dy=dy)

    def backward(z_bar):
        x_bar = z_bar * bisplev_slope(x, y, tck, dx=dx + 1, dy=dy)
        y_bar = z_bar * bisplev_slope(x, y, tck, dx=dx, dy=dy + 1)
        return x_bar, y_bar, None

    return z, backward


@formula(grid_values, constant="grid", sequences="grid")
def grid_values_(grid, xi, *, method=None):
    """z = what a RegularGridInterpolator gives at the places xi."""
    z = grid_values(grid, xi, method=method)

    def backward(z_bar):
        slopes = np.reshape(z_bar, (-1, 1)) * grid_slopes(grid, xi, method=method)
        return None, np.reshape(slopes, np.shape(xi))

    return z, backward


@formula(grid_slopes, constant="grid", sequences="grid")
def grid_slopes_(grid, xi, *, method=None, order=1):
    """z = the derivatives of some order of what a RegularGridInterpolator gives at xi."""
    z = grid_slopes(grid, xi, method=method, order=order)

    def backward(z_bar):
        curvatures = grid_slopes(grid, xi, method=method, order=order + 1)
        weighted = np.expand_dims(z_bar, -1) * curvatures
        return None, np.reshape(np.sum(weighted, axis=tuple(range(1, order + 1))), np.shape(xi))

    def tangent(grid_dot, xi_dot):
        curvatures = grid_slopes(grid, xi, method=method, order=order + 1)
        move = np.reshape(xi_dot, (-1, *(1,) * order, curvatures.shape[-1]))
        return np.sum(curvatures * move, axis=-1)

    return z, backward, tangent


in_python(interpolate.PPoly.antiderivative, pieces_antiderivative)
in_python(interpolate.PPoly.integrate, pieces_integrate)
in_python(interpolate.PPoly.solve, pieces_solve)
in_python(interpolate.PPoly.roots, pieces_roots)
nondifferentiable(roots_start)
in_python(interpolate.BSpline.integrate, basis_integrate)
in_python(interpolate.InterpolatedUnivariateSpline, interpolated)
in_python(interpolate.UnivariateSpline, univariate, "s", (0,))
in_python(interpolate.UnivariateSpline.integral, univariate_integral)
for _module, _name, _own in (  # what RegularGridInterpolator calls
    ("_rgi_cython", "find_indices", cells_of_grid),
    ("_rgi_cython", "evaluate_linear_2d", bilinear_in_cells),
    ("_interpnd", "_ndim_coords_from_arrays", coordinates),
):
    _compiled = getattr(importlib.import_module(f"scipy.interpolate.{_module}"), _name, None)
    if _compiled is not None:
        in_python(_compiled, _own)
in_python(interpolate.BivariateSpline.__call__, surface_call)
in_python(interpolate.RegularGridInterpolator.__call__, grid_call)
for _found in (
    between.triangulation, between.frame_of, between.corners_around, between.nearest_to,
    between.box_of, between.checked, solved_grid, missed_by,
):  # fmt: skip
    nondifferentiable(_found)
in_python(interpolate.RegularGridInterpolator, Gridded, "method", ("slinear", "cubic", "quintic"))
in_python(interpolate.splrep, fitpack_knots)
in_python(interpolate.splev, fitpack_values, "tck", DIFFERENTIATED)
in_python(interpolate.splint, fitpack_integral)
in_python(interpolate.make_smoothing_spline, smoothing_spline)
in_python(interpolate.LinearNDInterpolator, between.LinearBetween)
in_python(interpolate.NearestNDInterpolator, between.NearestBetween)
in_python(interpolate.RBFInterpolator, between.RadialBetween)
in_python(interpolate.LinearNDInterpolator.__call__, between.linear_call)
in_python(interpolate.RBFInterpolator.__call__, between.radial_call)

refused("its knots are numbers among those in x; choose them once, with stop_gradient(...)", *named(
    interpolate, "generate_knots"
))  # fmt: skip
refused(
    "it interpolates between constants, at places that may be differentiated; between values "
    "that are differentiated, use scipy.interpolate.CubicSpline or make_interp_spline",
    *named(interpolate, (
        "Akima1DInterpolator BSpline BarycentricInterpolator BivariateSpline "
        "CubicHermiteSpline KroghInterpolator LSQBivariateSpline "
        "LSQUnivariateSpline PPoly PchipInterpolator RectBivariateSpline "
        "SmoothBivariateSpline interp1d "
        "make_lsq_spline make_splprep make_splrep"
    )),
)  # fmt: skip
refused(
    "its objects are not followed; use scipy.interpolate.CubicSpline or make_interp_spline",
    *named(interpolate, (
        "AAA BPoly FloaterHormannInterpolator "
        "LSQSphereBivariateSpline NdBSpline NdPPoly "
        "Rbf RectSphereBivariateSpline SmoothSphereBivariateSpline "
        "interp2d lagrange pade approximate_taylor_polynomial"
    )),
)  # fmt: skip
refused("there is none for method='cubic'; use 'linear', or RBFInterpolator", *named(
    interpolate, "griddata CloughTocher2DInterpolator"
))  # fmt: skip
refused(NOT_YET, *named(interpolate, (
    "barycentric_interpolate bisplrep insert interpn krogh_interpolate pchip_interpolate spalde "
    "splantider splder splprep sproot"
)))  # fmt: skip
effects(*named(interpolate, "bisplrep"), keeps="*")  # it starts from there the next time
