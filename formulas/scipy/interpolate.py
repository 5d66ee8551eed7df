"""Derivatives of SciPy's splines in their values and in the points where they are evaluated.

A spline is linear in its coefficients, and these are linear in the values: C. de Boor,
"A Practical Guide to Splines", 1978, chapters IV and XIII. Where a derivative of it jumps,
at an end of a piece, the slope is that on the right.
"""

from __future__ import annotations

import numpy as np
from scipy import interpolate
from srcgrad.formulas.numpy.arrays.axes import all_but
from srcgrad.formulas.scipy import named

from srcgrad.effects import effects
from srcgrad.ir.forms import Spline
from srcgrad.ir.recipes import SplineRecipe
from srcgrad.registry import NOT_YET, called, formula, refused, solver
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

refused("its knots are numbers among those in x; choose them once, with stop_gradient(...)", *named(
    interpolate, "generate_knots"
))  # fmt: skip
refused(
    "its objects are not followed; use scipy.interpolate.CubicSpline or make_interp_spline",
    *named(interpolate, (
        "AAA Akima1DInterpolator BPoly BSpline BarycentricInterpolator BivariateSpline "
        "CloughTocher2DInterpolator CubicHermiteSpline FloaterHormannInterpolator "
        "InterpolatedUnivariateSpline KroghInterpolator LSQBivariateSpline "
        "LSQSphereBivariateSpline "
        "LSQUnivariateSpline LinearNDInterpolator NdBSpline NdPPoly NearestNDInterpolator PPoly "
        "PchipInterpolator RBFInterpolator Rbf RectBivariateSpline RectSphereBivariateSpline "
        "RegularGridInterpolator SmoothBivariateSpline SmoothSphereBivariateSpline "
        "UnivariateSpline "
        "interp1d interp2d lagrange make_lsq_spline make_smoothing_spline "
        "make_splprep make_splrep pade approximate_taylor_polynomial"
    )),
)  # fmt: skip
refused("on a grid, use scipy.ndimage.map_coordinates with order=1", *named(
    interpolate, "griddata interpn"
))  # fmt: skip
refused(NOT_YET, *named(interpolate, (
    "barycentric_interpolate bisplev bisplrep insert krogh_interpolate pchip_interpolate spalde "
    "splantider splder splev splint splprep splrep sproot"
)))  # fmt: skip
effects(*named(interpolate, "bisplrep"), keeps="*")  # it starts from there the next time
