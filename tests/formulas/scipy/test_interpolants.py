"""Objects and functions that interpolate between constants, at places that are differentiated."""

import warnings

import numpy as np
import pytest
from numpy.polynomial import Chebyshev, Polynomial
from scipy import interpolate
from scipy.interpolate import (
    BarycentricInterpolator,
    BivariateSpline,
    InterpolatedUnivariateSpline,
    KroghInterpolator,
    RectBivariateSpline,
    RegularGridInterpolator,
    UnivariateSpline,
    bisplev,
    interp1d,
    splev,
    splrep,
)
from srcgrad.formulas import load

from srcgrad import check, grad, hessian, jvp, source, tape
from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.numpy.polynomials import polynomial_slope
from srcgrad.runtime.scipy.interpolants import (
    bisplev_slope,
    fitpack_slope,
    fitted_slope,
    grid_slopes,
    grid_values,
    interpolator_slope,
    surface_slope,
    surface_values,
)
from tests.rotation import highest

load("scipy.interpolate")
load("numpy.polynomial")

X = np.array([0.0, 0.7, 1.1, 2.0, 2.9, 4.0])
Y = np.sin(X) + 0.1 * X**2
U = np.linspace(0.0, 2.0, 7)
Z = np.outer(np.sin(X), np.cos(U)) + np.add.outer(X, U)
T = np.array([0.31, 1.7, 3.2])
BEYOND = np.array([-0.5, 1.7, 4.5])
TCK = splrep(X, Y)
SURFACE_TCK = interpolate.bisplrep(*np.meshgrid(X, U, indexing="ij"), Z, s=0)
LINEAR, CUBIC = interp1d(X, Y), interp1d(X, Y, kind="cubic")
STEP = interp1d(X, Y, kind="previous")
PADDED = interp1d(X, Y, bounds_error=False, fill_value=(1.0, 2.0))
GOING_ON = interp1d(X, Y, kind="linear", fill_value="extrapolate")
FITTED = InterpolatedUnivariateSpline(X, Y)
HELD = UnivariateSpline(X, Y, k=2, s=0.1, ext="const")
BARYCENTRIC, KROGH = BarycentricInterpolator(X, Y), KroghInterpolator(X, Y)
POLY, SERIES, CHEBYSHEV = np.poly1d([1.0, -2.0, 0.5]), Polynomial([1.0, 2.0, 3.0]), Chebyshev(Y)
SURFACE = RectBivariateSpline(X, U, Z)
GRID = RegularGridInterpolator((X, U), Z)
SMOOTH = RegularGridInterpolator((X, U), Z, method="cubic")
OPEN = RegularGridInterpolator((X, U), Z, bounds_error=False, fill_value=None)
FILLED = RegularGridInterpolator((X, U), Z, bounds_error=False, fill_value=0.0)


# the functions that the programs call, themselves or in their derivatives
CALLED = [
    interp1d.__call__, BarycentricInterpolator.__call__, interpolator_slope,
    UnivariateSpline.__call__, fitted_slope, splev, fitpack_slope, BivariateSpline.ev,
    surface_values, surface_slope, bisplev, bisplev_slope, grid_values, grid_slopes,
    np.poly1d.__call__, Polynomial.__call__, polynomial_slope,
]  # fmt: skip


def linear(t):
    """Straight lines, and steps beside them."""
    return np.sum(LINEAR(t) * t + STEP(t) * t**2)


def cubic(t):
    """A spline in an old interpolator."""
    return np.sum(CUBIC(t) ** 2)


def padded(t):
    """What is given beyond the ends is constant."""
    return np.sum(PADDED(t + BEYOND - T) * t) + np.sum(GOING_ON(t + BEYOND - T) ** 2)


def fitted(t):
    """A spline, its derivative and one that is held beyond its ends."""
    return np.sum(FITTED(t) * FITTED(t, nu=1)) + np.sum(HELD(t + BEYOND - T) ** 2)


def through_all(t):
    """Polynomials through all points."""
    return np.sum(BARYCENTRIC(t) * KROGH(t))


def polynomials(t):
    """Objects of polynomials, old and new."""
    return np.sum(POLY(t) * SERIES(t)) + np.sum(CHEBYSHEV(t / 4.0) ** 2)


def evaluated(t):
    """A spline in FITPACK's form."""
    return np.sum(splev(t, TCK) * splev(t, TCK, der=1)) + splev(t[0], TCK) ** 2


def surface(t):
    """A surface at points, on a grid, and in FITPACK's form."""
    at_points = SURFACE.ev(t, t / 2.0) * SURFACE(t, t / 3.0, grid=False)
    on_grid = SURFACE(t, t[:2] / 2.0)
    return np.sum(at_points) + np.sum(on_grid**2) + bisplev(t[1], t[0], SURFACE_TCK) ** 2


def beyond_the_edge(t):
    """Beyond its edges a surface stays as it is there."""
    return np.sum(SURFACE.ev(t + BEYOND - T, t / 2.0) ** 2)


def grid(t):
    """Numbers on a grid, at one point, at several, and at a tuple of coordinates."""
    points = np.stack((t, t / 2.0), axis=-1)
    in_tuples = np.sum(GRID((t, t[0] / 2.0)) * t) + GRID((t[2], t[0]))
    return np.sum(GRID(points) ** 2) + GRID(t[:2] / 2.0)[0] + in_tuples


def grid_of_splines(t):
    """A cubic interpolation on a grid."""
    return np.sum(SMOOTH(np.stack((t, t / 2.0), axis=-1)) ** 2)


def beyond_the_grid(t):
    """Beyond a grid, lines go on, or a number stands there."""
    points = np.stack((t + BEYOND - T, t / 2.0), axis=-1)
    return np.sum(OPEN(points) ** 2) + np.sum(FILLED(points) ** 2)


PROGRAMS = [
    linear, cubic, padded, fitted, through_all, polynomials, evaluated, surface,
    beyond_the_edge, grid, grid_of_splines, beyond_the_grid,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.one_of(2)
def test_program(f):
    """Text, forward mode, second order and the tape agree with differences."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing is recorded
        check(f, T, order=highest())
    slope = grad(f)(T)
    np.testing.assert_allclose(tape.grad(f)(T), slope, rtol=1e-10)
    direction = np.array([1.0, -0.5, 0.25])
    np.testing.assert_allclose(jvp(f, (T,), (direction,))[1], slope @ direction, rtol=1e-9)
    curved = tape.grad(lambda t: np.sum(tape.grad(f)(t) * direction))(T)
    np.testing.assert_allclose(curved, hessian(f)(T) @ direction, rtol=1e-8, atol=1e-9)


def test_text():
    """The user's line stays, and the backward part names the object as the user does."""
    g = grad(evaluated)
    g(T)
    assert "splev(t, TCK, der=1)" in source(g)
    g = grad(cubic)
    g(T)
    assert "t_bar = " in source(g)
    assert "interpolator_slope(CUBIC, t)" in source(g)


class Airfoil:
    """A wing whose lift is tabulated."""

    def __init__(self, lift):
        self.lift = lift

    def force(self, angle, speed):
        """Return the lift at an angle and a speed."""
        return speed**2 * self.lift(angle)


def test_attribute_that_changes():
    """The object is the one that is there at the call."""
    wing = Airfoil(LINEAR)
    slope = grad(wing.force)
    assert slope(1.7, 2.0) == pytest.approx(4.0 * (Y[3] - Y[2]) / (X[3] - X[2]))
    wing.lift = interp1d(X, 3.0 * Y)
    assert slope(1.7, 2.0) == pytest.approx(12.0 * (Y[3] - Y[2]) / (X[3] - X[2]))
    wing.lift = POLY
    assert slope(1.7, 2.0) == pytest.approx(4.0 * (2.0 * 1.7 - 2.0))
    wing.lift = np.cos
    assert slope(1.7, 2.0) == pytest.approx(-4.0 * np.sin(1.7))


def test_made_inside():
    """An object that the function makes of constants is recorded with it."""

    def f(t):
        table = interp1d(X, Y)
        return table(t) ** 2

    expected = 2.0 * float(LINEAR(1.7)) * (Y[3] - Y[2]) / (X[3] - X[2])
    assert grad(f, recorded="allow")(1.7) == pytest.approx(expected)


def test_made_of_what_is_differentiated():
    """The numbers that an object interpolates between are constants."""

    def f(y):
        return interp1d(X, y)(1.7)

    with pytest.raises(MissingFormulaError):
        grad(f)(Y)


def test_arrays():
    """What is interpolated between arrays is refused when it is differentiated."""
    rows = interp1d(X, np.stack((Y, Y)))

    def f(t):
        return np.sum(rows(t))

    with pytest.raises(MissingFormulaError, match="between arrays"):
        grad(f)(1.7)


def test_lambda_that_a_lambda_gives():
    """A lambda that ends where the one around it ends has a text of its own."""
    made = (lambda tck: lambda t: splev(t, tck) * t)(TCK)
    assert grad(made)(1.7) == pytest.approx(float(splev(1.7, TCK) + 1.7 * splev(1.7, TCK, der=1)))
