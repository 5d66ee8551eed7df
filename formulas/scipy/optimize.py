"""Derivatives of SciPy's roots and minima: the implicit function theorem.

At a root x of f(x, p) = 0, the derivative of x in p is that of -f in p, divided by that
of f in x, which must not vanish; a minimum is a root of the gradient. It is as exact as the
root is: near a root that was found to a tolerance, it is off by as much.
Where a search stopped before its end, that is an error.
What the search starts from has no influence on what it finds, so its cotangent is zero.
A minimum between bounds is a root in the variables that no bound holds.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize
from srcgrad.formulas.scipy import named

from srcgrad.ir.forms import Outcome
from srcgrad.ir.nodes import Derivative
from srcgrad.ir.recipes import Recipe
from srcgrad.registry import formula, in_python, nondifferentiable, refused, solver
from srcgrad.runtime.scipy import valleys
from srcgrad.runtime.scipy.solvers import (
    free_variables,
    root,
    roots,
    roots_between,
    slope_at_root,
)


@formula(slope_at_root)
def slope_at_root_(slope, value, x):
    """z = slope, where value is 0 and x a root."""
    return slope_at_root(slope, value, x), lambda z_bar: (z_bar, None, None)


@formula(root)
def root_(slope, pullback, pushforward, moving, still, rest):
    """z = the number at which a function of it, and of what moves, is 0."""
    z = root(slope, pullback, pushforward, moving, still, rest)

    def backward(z_bar):
        bars = pullback(z, *moving, *still, -z_bar / slope(z, *moving, *still))
        return None, None, None, bars if len(moving) > 1 else (bars,), None, None

    def tangent(slope_dot, pullback_dot, pushforward_dot, moving_dot, still_dot, rest_dot):
        return -pushforward(z, *moving, *still, *moving_dot) / slope(z, *moving, *still)

    return z, backward, tangent


@formula(roots)
def roots_(jacobian, pullback, pushforward, moving, still, rest):
    """z = the vector at which a function of it, and of what moves, is 0."""
    z = roots(jacobian, pullback, pushforward, moving, still, rest)

    def backward(z_bar):
        value_bar = -np.linalg.solve(jacobian(z, *moving, *still).T, z_bar)
        bars = pullback(z, *moving, *still, value_bar)
        return None, None, None, bars if len(moving) > 1 else (bars,), None, None

    def tangent(jacobian_dot, pullback_dot, pushforward_dot, moving_dot, still_dot, rest_dot):
        value_dot = pushforward(z, *moving, *still, *moving_dot)
        return -np.linalg.solve(jacobian(z, *moving, *still), value_dot)

    return z, backward, tangent


@formula(roots_between)
def roots_between_(jacobian, value, pullback, pushforward, moving, still, rest, bounds):
    """z = the least point between bounds of a function whose slope is that of ``value``.

    A variable that a bound holds stays there; the others are those of a root. Where a
    bound just begins to hold a variable, the slope is that on one side.
    """
    z = roots_between(jacobian, value, pullback, pushforward, moving, still, rest, bounds)

    def backward(z_bar):
        curvature = jacobian(z, *moving, *still)
        slope = value(z, *moving, *still)
        free = free_variables(z, slope, curvature, bounds)
        own = curvature * (free[:, None] * free) + np.diag(1 - free)
        reduced = slope_at_root(own, free * slope, z)
        bars = pullback(z, *moving, *still, -free * np.linalg.solve(reduced.T, free * z_bar))
        return None, None, None, None, bars if len(moving) > 1 else (bars,), None, None, None

    def tangent(
        jacobian_dot, value_dot, pullback_dot, push_dot, moving_dot, still_dot, rest_dot, bounds_dot
    ):
        curvature = jacobian(z, *moving, *still)
        slope = value(z, *moving, *still)
        free = free_variables(z, slope, curvature, bounds)
        own = curvature * (free[:, None] * free) + np.diag(1 - free)
        reduced = slope_at_root(own, free * slope, z)
        return -np.linalg.solve(reduced, free * pushforward(z, *moving, *still, *moving_dot))

    return z, backward, tangent


_RESULT = Outcome(
    optimize.OptimizeResult,
    ("x",),
    ("success", "status", "message", "nit", "nfev", "njev", "nhev", "method"),
)
_OF_NUMBER = ("grad", "pullback", "pushforward")
_OF_VECTOR = ("jacobian", "pullback", "pushforward")

solver(
    Recipe(root, _OF_NUMBER, 0, ("a", "b", "k", "xtol", "rtol", "maxiter", "disp")),
    *named(optimize, "brentq brenth bisect ridder toms748"),
)
solver(
    Recipe(
        root,
        _OF_NUMBER,
        0,
        ("x0", "x1", "fprime", "fprime2", "tol", "rtol", "maxiter", "disp"),
    ),
    optimize.newton,
)
solver(
    Recipe(
        roots,
        _OF_VECTOR,
        1,
        ("x0", "fprime", "col_deriv", "xtol", "maxfev", "band", "epsfcn", "factor", "diag"),
    ),
    optimize.fsolve,
)
solver(
    Recipe(
        roots,
        _OF_VECTOR,
        1,
        ("x0", "method", "jac", "tol", "callback", "options"),
        form=_RESULT,
    ),
    optimize.root,
)
solver(
    Recipe(
        roots,
        _OF_VECTOR,
        1,
        ("x0", "method", "jac", "hess", "hessp", "tol", "callback", "options"),
        before=(Derivative("grad", 0),),
        form=_RESULT,
        between=(roots_between, ("jacobian", "value", "pullback", "pushforward")),
        refused={"constraints": "solve for the multipliers too, by scipy.optimize.root"},
    ),
    optimize.minimize,
)
nondifferentiable(free_variables, shaped_like=0)

nondifferentiable(*named(optimize, "linear_sum_assignment linprog_verbose_callback show_options"))
refused("it gives more than places; call it with stop_gradient(...) and read what it chose", *named(
    optimize, "quadratic_assignment"
))  # fmt: skip
refused("use scipy.optimize.brentq or newton", *named(optimize, "fixed_point root_scalar"))
refused("use scipy.optimize.brentq for the root of the slope", *named(
    optimize, "bracket brent fminbound golden minimize_scalar"
))  # fmt: skip
refused("use scipy.optimize.root or fsolve", *named(optimize, (
    "anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing newton_krylov"
)))  # fmt: skip
refused("use scipy.optimize.minimize", *named(optimize, (
    "fmin fmin_bfgs fmin_cg fmin_cobyla fmin_l_bfgs_b fmin_ncg fmin_powell fmin_slsqp fmin_tnc "
    "leastsq least_squares curve_fit basinhopping brute differential_evolution direct "
    "dual_annealing shgo"
)))  # fmt: skip
refused("where constraints are active, its derivative jumps", *named(optimize, (
    "isotonic_regression linprog lsq_linear milp nnls"
)))  # fmt: skip
refused("call the function itself", *named(optimize, "approx_fprime check_grad line_search"))
for name in ["rosen", "rosen_der", "rosen_hess", "rosen_hess_prod"]:
    in_python(getattr(optimize, name), getattr(valleys, name))
refused("its objects are not followed", *named(optimize, (
    "BFGS Bounds BroydenFirst HessianUpdateStrategy InverseJacobian KrylovJacobian "
    "LbfgsInvHessProduct LinearConstraint NonlinearConstraint OptimizeResult RootResults SR1"
)))  # fmt: skip
refused("it only stands for a kind of error", *named(optimize, "NoConvergence OptimizeWarning"))
