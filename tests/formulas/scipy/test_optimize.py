"""Minima between bounds, and options of SciPy's roots and minima."""

import numpy as np
import pytest
from scipy import optimize
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, vjp
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.runtime.scipy import valleys
from srcgrad.runtime.scipy.solvers import free_variables
from tests.rotation import highest, some_of

load("scipy.optimize")

A, START = np.array([1.0, 2.0, 0.5]), np.full(3, 0.1)
PAIRS = [(0, 0.2), (-1, 0.25), (None, None)]
ROWS = np.array([[0.0, 0.2], [0.0, 0.2], [-np.inf, np.inf]])


def cost(x, a, b):
    """Has one minimum, in whose variables it is not separable."""
    return np.sum(a * (x - b) ** 2) + 0.1 * np.sum(x**4) + 0.3 * x[0] * x[1] + 0.2 * x[1] * x[2]


def slope(x, a, b):
    """Return the derivative of the cost."""
    beside = np.array([0.3 * x[1], 0.3 * x[0] + 0.2 * x[2], 0.2 * x[1]])
    return 2 * a * (x - b) + 0.4 * x**3 + beside


def curvature(x, a, b):
    """Return the second derivative of the cost."""
    beside = np.array([[0, 0.3, 0], [0.3, 0, 0.2], [0, 0.2, 0]])
    return np.diag(2 * a + 1.2 * x**2) + beside


def written_out(a, b):
    """Bounds that are written out."""
    bounds = [(0, 0.2), (None, 0.25), (None, None)]
    found = optimize.minimize(cost, START, (a, b), jac=slope, bounds=bounds, tol=1e-13)
    return np.sum(a * found.x**2)


def of_the_module(a, b):
    """Bounds that are a list of the module, by a method that takes constraints too."""
    found = optimize.minimize(cost, START, (a, b), "SLSQP", slope, bounds=PAIRS, tol=1e-15)
    return np.sum(a * found.x**2)


def of_an_array(a, b):
    """Bounds that are an array; the other bound holds another variable."""
    found = optimize.minimize(cost, START, (a, b), "TNC", slope, bounds=ROWS, tol=1e-13)
    return np.sum(a * found.x**2)


def below(a, b):
    """A lower bound holds what would be negative."""
    bounds = ((0.0, None), (0.3, 2.0), (0.0, 0.0))
    found = optimize.minimize(cost, START, (a, b), jac=slope, bounds=bounds, tol=1e-13)
    return np.sum((a + found.x) ** 3)


def free(a, b):
    """No bound holds anything."""
    bounds = [(-9, 9)] * 3
    found = optimize.minimize(cost, START, (a, b), jac=slope, bounds=bounds, tol=1e-13)
    return np.sum(a * found.x**2)


def options_of_minimize(a, b):
    """Slopes, curvatures and constraints, of which there are none."""
    by_newton = optimize.minimize(
        cost, START, (a, b), method="trust-exact", jac=slope, hess=curvature, tol=1e-11
    )
    plain = optimize.minimize(
        cost, START, (a, b), jac=slope, bounds=None, constraints=(), tol=1e-11
    )
    return np.sum(by_newton.x**2 * plain.x)


def options_of_root(a, b):
    """Derivatives, methods and tolerances."""
    one = optimize.root(slope, START, args=(a, b), jac=curvature, tol=1e-13)
    two = optimize.root(slope, START, args=(a, b), method="lm", options={"xtol": 1e-13})
    three = optimize.fsolve(slope, START, (a, b), curvature, False, 0, 1e-13)
    return np.sum(one.x**2 * two.x) + np.sum(three**3)


OF_VECTORS = [
    written_out, of_the_module, of_an_array, below, free, options_of_minimize, options_of_root,
]  # fmt: skip


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", OF_VECTORS)
def test_minima(f):
    """Slope, tangent and second derivatives agree with differences, in all modes."""
    for wrt in some_of(0, 1):
        check(f, A, 0.3, wrt=wrt, order=highest())
    a_dot = np.array([0.3, -0.2, 0.5])
    backward, second = vjp(grad(f), A, 0.3)
    np.testing.assert_allclose(jvp(f, (A, 0.3), (a_dot, None))[1], backward @ a_dot, rtol=1e-7)
    along = jvp(grad(f), (A, 0.3), (a_dot, None))[1]
    np.testing.assert_allclose(along @ a_dot, second(a_dot) @ a_dot, rtol=1e-6)


def test_held_variables():
    """A variable that a bound holds does not move; one that is near its bound may."""
    dots = jvp(
        lambda b: optimize.minimize(cost, START, (A, b), jac=slope, bounds=ROWS, tol=1e-13).x,
        (0.3,),
        (1.0,),
    )[1]
    assert not np.any(dots[:2])
    assert abs(dots[2]) > 0.5
    x, g = np.array([1e-7, 1e-3, 0.5]), np.array([0.5, 1e-9, -1e-9])
    bounds = [(0, 1), (0, None), (None, 0.5)]
    np.testing.assert_array_equal(free_variables(x, g, np.eye(3), bounds), [0.0, 1.0, 0.0])
    np.testing.assert_array_equal(free_variables(x, -g, np.eye(3), bounds), [1.0, 1.0, 1.0])


@pytest.mark.filterwarnings("ignore:Method BFGS cannot handle")
def test_ignored_bounds():
    """A method that ignores bounds, with a minimum that is not between them, is refused."""

    def ignoring(b):
        found = optimize.minimize(cost, START, (A, b), "BFGS", slope, bounds=ROWS)
        return np.sum(found.x)

    with pytest.raises(ValueError, match="ignores them"):
        grad(ignoring)(0.3)


PLANE = ({"type": "eq", "fun": lambda x: np.sum(x) - 1.0},)
BOX = optimize.Bounds(0.0, 0.2)

REFUSED = {
    "active value as bounds": lambda b: optimize.minimize(
        cost, START, (A, b), bounds=[(0.0, b)] * 3
    ).x[0],
    "no list of pairs": lambda b: optimize.minimize(cost, START, (A, b), bounds=BOX).x[0],
    "multipliers": lambda b: optimize.minimize(cost, START, (A, b), constraints=PLANE).x[0],
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    """Bounds that move, objects, and constraints are refused, with what to do instead."""
    with pytest.raises(UnsupportedSyntaxError, match=what):
        grad(REFUSED[what])(0.3)


def test_valley():
    """The function of Rosenbrock, its gradient, its Hessian and products with it are SciPy's."""
    x, p = np.array([0.5, 0.8, 1.2, 0.9]), np.array([1.0, -1.0, 0.5, 2.0])
    for name in ("rosen", "rosen_der", "rosen_hess"):
        f = getattr(optimize, name)
        np.testing.assert_allclose(getattr(valleys, name)(x), f(x))
        check(lambda x: np.sum(f(x) ** 2), x, order=highest())
    np.testing.assert_allclose(grad(optimize.rosen)(x), optimize.rosen_der(x))
    np.testing.assert_allclose(valleys.rosen_hess_prod(x, p), optimize.rosen_hess_prod(x, p))
    check(
        lambda x, p: np.sum(optimize.rosen_hess_prod(x, p) ** 2), x, p, wrt=(0, 1), order=highest()
    )
