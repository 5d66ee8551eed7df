"""Derivatives of SciPy's integrals, of functions and of samples."""

from __future__ import annotations

import numpy as np
from scipy import integrate
from scipy.integrate._ivp.ivp import OdeResult
from srcgrad.formulas.numpy.arrays.axes import one_axis
from srcgrad.formulas.numpy.mathematics.differences import trapezoid
from srcgrad.formulas.scipy import named

from srcgrad.ir.forms import Outcome
from srcgrad.ir.recipes import Recipe
from srcgrad.registry import NOT_YET, formula, in_python, nondifferentiable, refused, solver
from srcgrad.runtime import cast_like, unbroadcast
from srcgrad.runtime.scipy.filters import (
    simpson_change,
    simpson_slopes,
    simpson_transpose,
    simpson_weights,
    simpson_weights_at,
    simpson_weights_change,
)
from srcgrad.runtime.scipy.quadrature import cumulative_trapezoid
from srcgrad.runtime.scipy.solvers import columns_of_path, integral, integral_of_array, path

# what NumPy has under the same name
formula(integrate.trapezoid, linear="y x dx", of_complex=True, sequences="axis")(trapezoid)
in_python(integrate.cumulative_trapezoid, cumulative_trapezoid)


@formula(integrate.simpson, of_complex=True)
def simpson(y, x=None, dx=1.0, *, axis=-1):
    """z = integral along an axis by parabolas, of values at x, or at distance dx."""
    if x is None:
        z = integrate.simpson(y, dx=dx, axis=axis)
    else:
        z = integrate.simpson(y, x=x, axis=axis)

    def backward(z_bar):
        if x is None:
            weights = cast_like(simpson_weights(y.shape[axis]), y)
            if y.ndim == 1:
                y_bar = z_bar * dx * weights
            else:
                wide = np.expand_dims(z_bar * dx, axis)
                y_bar = wide * np.reshape(weights, one_axis(axis, y.ndim))
            dx_bar = np.sum(z_bar * integrate.simpson(y, axis=axis))
            x_bar = None
        else:
            wide = z_bar if y.ndim == 1 else np.expand_dims(z_bar, axis)
            weights = cast_like(simpson_weights_at(x, y.shape, axis=axis), y)
            y_bar = unbroadcast(wide * weights, y)
            x_bar = simpson_transpose(wide * simpson_slopes(y, x, axis), x, axis)
            dx_bar = None
        return y_bar, x_bar, dx_bar

    def tangent(y_dot, x_dot, dx_dot):
        if x is None:
            moved = integrate.simpson(y_dot, dx=dx, axis=axis)
            z_dot = moved + dx_dot * integrate.simpson(y, axis=axis)
        else:
            moved = integrate.simpson(y_dot, x=x, axis=axis)
            z_dot = moved + simpson_change(y, x, x_dot, axis)
        return z_dot

    return z, backward, tangent


@formula(simpson_weights_at)
def simpson_weights_at_(x, shape, *, axis=-1):
    """w = weights of ``simpson`` for values at x."""
    w = simpson_weights_at(x, shape, axis=axis)

    def backward(w_bar):
        return simpson_transpose(simpson_slopes(w_bar, x, axis), x, axis), None

    def tangent(x_dot, shape_dot):
        return simpson_weights_change(x, x_dot, shape, axis)

    return w, backward, tangent


@formula(integral)
def integral_(value, integrals, pushforward, a, b, moving, still, rest):
    """z = (integral of a function of what moves, from a to b; an estimate of its error).

    The estimate counts as constant. The derivatives are integrals too, found by ``quad``,
    or by ``quad_vec`` where they are arrays, to the tolerances of these.
    """
    z = integral(value, integrals, pushforward, a, b, moving, still, rest)

    def backward(z_bar):
        a_bar = -z_bar[0] * value(a, *moving, *still)
        b_bar = z_bar[0] * value(b, *moving, *still)
        if len(moving) == 0:
            bars = ()
        elif len(moving) == 1:
            bars = (integrals(a, b, *moving, *still, z_bar[0]),)
        else:
            bars = integrals(a, b, *moving, *still, z_bar[0])
        return None, None, None, a_bar, b_bar, bars, None, None

    def tangent(
        value_dot, integrals_dot, pushforward_dot, a_dot, b_dot, moving_dot, still_dot, rest_dot
    ):
        at_ends = b_dot * value(b, *moving, *still) - a_dot * value(a, *moving, *still)
        if len(moving) == 0:
            z_dot = at_ends
        else:
            z_dot = at_ends + pushforward(a, b, *moving, *still, *moving_dot)
        return z_dot, None

    return z, backward, tangent


@formula(integral_of_array)
def integral_of_array_(value, integrals, pushforward, a, b, moving, still, rest):
    """z = (integral of an array, from a to b; an estimate of its error); see ``integral_``."""
    z = integral_of_array(value, integrals, pushforward, a, b, moving, still, rest)

    def backward(z_bar):
        a_bar = -np.sum(z_bar[0] * value(a, *moving, *still))
        b_bar = np.sum(z_bar[0] * value(b, *moving, *still))
        if len(moving) == 0:
            bars = ()
        elif len(moving) == 1:
            bars = (integrals(a, b, *moving, *still, z_bar[0]),)
        else:
            bars = integrals(a, b, *moving, *still, z_bar[0])
        return None, None, None, a_bar, b_bar, bars, None, None

    def tangent(
        value_dot, integrals_dot, pushforward_dot, a_dot, b_dot, moving_dot, still_dot, rest_dot
    ):
        at_ends = b_dot * value(b, *moving, *still) - a_dot * value(a, *moving, *still)
        if len(moving) == 0:
            z_dot = at_ends
        else:
            z_dot = at_ends + pushforward(a, b, *moving, *still, *moving_dot)
        return z_dot, None

    return z, backward, tangent


solver(
    Recipe(
        integral,
        ("value", "integrals", "integral"),
        None,
        ("a", "b", "epsabs", "epsrel", "limit", "maxp1", "limlst", "points"),
        ends=("a", "b"),
        refused={
            "weight": "multiply the function by the weight",
            "complex_func": "integrate the real and the imaginary part",
        },
    ),
    integrate.quad,
)
solver(
    Recipe(
        integral_of_array,
        ("value", "integrals", "integral"),
        None,
        ("a", "b", "epsabs", "epsrel", "norm", "cache_size", "limit", "quadrature"),
        ends=("a", "b"),
    ),
    integrate.quad_vec,
)


@formula(path)
def path_(cotangents, tangents, y0, when, moving, still, rest):
    """z = states that follow an ordinary differential equation, one row for each time.

    The derivatives in the first state and in what moves are found with the states, by
    the equations that they follow: E. Hairer, S. Norsett, G. Wanner, "Solving Ordinary
    Differential Equations I", 1993, I.14.
    """
    z = path(cotangents, tangents, y0, when, moving, still, rest)

    def backward(z_bar):
        found = cotangents(y0, *when, *moving, *still, z_bar)
        if len(moving) == 0:
            y0_bar = found
            bars = ()
        else:
            y0_bar = found[0]
            bars = found[1:]
        return None, None, y0_bar, None, bars, None, None

    def tangent(cotangents_dot, tangents_dot, y0_dot, when_dot, moving_dot, still_dot, rest_dot):
        if len(moving) == 0:
            z_dot = tangents(y0, *when, *still, y0_dot)
        else:
            z_dot = tangents(y0, *when, *moving, *still, y0_dot, *moving_dot)
        return z_dot

    return z, backward, tangent


@formula(columns_of_path)
def columns_of_path_(cotangents, tangents, y0, when, moving, still, rest):
    """z = states that follow an equation, one column for each time; see ``path_``."""
    z = columns_of_path(cotangents, tangents, y0, when, moving, still, rest)

    def backward(z_bar):
        found = cotangents(y0, *when, *moving, *still, z_bar.T)
        if len(moving) == 0:
            y0_bar = found
            bars = ()
        else:
            y0_bar = found[0]
            bars = found[1:]
        return None, None, y0_bar, None, bars, None, None

    def tangent(cotangents_dot, tangents_dot, y0_dot, when_dot, moving_dot, still_dot, rest_dot):
        if len(moving) == 0:
            z_dot = tangents(y0, *when, *still, y0_dot).T
        else:
            z_dot = tangents(y0, *when, *moving, *still, y0_dot, *moving_dot).T
        return z_dot

    return z, backward, tangent


solver(
    Recipe(
        path,
        ("ends", "along"),
        None,
        [
            "y0",
            "t",
            "Dfun",
            "col_deriv",
            "ml",
            "mu",
            "rtol",
            "atol",
            "tcrit",
            "h0",
            "hmax",
            "hmin",
            "ixpr",
            "mxstep",
            "mxhnil",
            "mxordn",
            "mxords",
            "printmessg",
            "tfirst",
        ],
        ends=("y0",),
        fixed=("t", "rtol", "atol", "tcrit"),
    ),
    integrate.odeint,
)
solver(
    Recipe(
        columns_of_path,
        ("ends", "along"),
        None,
        [
            "t_span",
            "y0",
            "method",
            "t_eval",
            "rtol",
            "atol",
            "max_step",
            "min_step",
            "first_step",
            "jac",
            "jac_sparsity",
            "lband",
            "uband",
        ],
        form=Outcome(
            OdeResult, ("y",), ("t", "success", "status", "message", "nfev", "njev", "nlu")
        ),
        ends=("y0",),
        fixed=("t_span", "t_eval", "rtol", "atol"),
        before_state=True,
        refused={
            "dense_output": "give the times in t_eval, and read y",
            "events": "find the time of an event by scipy.optimize.brentq, from a path up to it",
            "vectorized": "write the function for one state, and leave the option out",
        },
    ),
    integrate.solve_ivp,
)
nondifferentiable(simpson_weights)
refused("use scipy.integrate.solve_ivp", *named(
    integrate, "ode complex_ode"
))  # fmt: skip
refused("call scipy.integrate.quad inside of a function that is integrated", *named(
    integrate, "dblquad tplquad nquad"
))  # fmt: skip
refused("use scipy.integrate.quad or quad_vec", *named(
    integrate, "cubature fixed_quad qmc_quad tanhsinh"
))  # fmt: skip
refused("its steps are chosen inside; use scipy.integrate.solve_ivp with t_eval", *named(
    integrate, "BDF DOP853 DenseOutput LSODA OdeSolution OdeSolver RK23 RK45 Radau"
))  # fmt: skip
refused(NOT_YET, *named(integrate, (
    "cumulative_simpson lebedev_rule newton_cotes nsum romb solve_bvp"
)))  # fmt: skip
refused("it only stands for a kind of warning", *named(
    integrate, "IntegrationWarning ODEintWarning"
))  # fmt: skip
