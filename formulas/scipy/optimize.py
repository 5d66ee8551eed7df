"""Derivatives of SciPy's roots and minima: the implicit function theorem.

At a root x of f(x, p) = 0, the derivative of x in p is that of -f in p, divided by that
of f in x, which must not vanish; a minimum is a root of the gradient. It is as exact as the
root is: near a root that was found to a tolerance, it is off by as much.
What the search starts from has no influence on what it finds, so its cotangent is zero.
"""

from __future__ import annotations

import numpy as np
from scipy import optimize
from srcgrad.formulas.scipy import named

from srcgrad.frontend.solvers import Recipe
from srcgrad.ir.forms import Attributes
from srcgrad.ir.nodes import Derivative
from srcgrad.registry import formula, solver
from srcgrad.solvers import root, roots


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
        form=Attributes(optimize.OptimizeResult, ("x",)),
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
        form=Attributes(optimize.OptimizeResult, ("x",)),
    ),
    optimize.minimize,
)
