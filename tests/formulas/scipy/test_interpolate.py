"""Splines: their values, the points where they are evaluated, and what they are made with."""

import numpy as np
import pytest
from scipy import interpolate
from scipy.interpolate import BSpline, CubicSpline, PchipInterpolator, make_interp_spline
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, source, tape
from srcgrad.errors import MissingFormulaError, UnsupportedSyntaxError
from srcgrad.runtime.scipy.splines import (
    basis_spline,
    basis_spline_transpose,
    cubic_spline_change,
    cubic_spline_transpose,
    interpolating_spline_change,
    interpolating_spline_transpose,
    piecewise,
    piecewise_transpose,
)
from tests.finite_differences import inner, random_like
from tests.formulas.checking import between, case, formula_test, normal
from tests.rotation import highest

load("scipy.interpolate")

X = np.array([0.0, 0.7, 1.1, 2.0, 2.9, 4.0])
ENDS = np.array([0.0, 1.0, 2.5, 4.0])
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.5, 4.0, 4.0, 4.0, 4.0])
Y, T = normal(6), between(0.1, 3.9, 3)
WIDE, PLANE = normal(6, 2), between(0.1, 3.9, 2, 2)
POLYNOMIALS, OTHERS = normal(4, 3), normal(4, 3, 2)
COEFFICIENTS, ROWS = normal(7), normal(7, 2)
FIXED = PchipInterpolator(X, Y)
FLAT = make_interp_spline(X, WIDE, k=2)
BENT = ((1, 0.5), (2, 0.25))

CASES = [
    case(piecewise, POLYNOMIALS, ENDS, T),
    case(piecewise, POLYNOMIALS, ENDS, T, nu=1),
    case(piecewise, POLYNOMIALS, ENDS, 1.3),
    case(piecewise, OTHERS, ENDS, T),
    case(piecewise, OTHERS, ENDS, PLANE, axis=1),
    case(piecewise, POLYNOMIALS, ENDS, T + 5, extrapolate="periodic"),
    case(piecewise_transpose, normal(3), POLYNOMIALS, ENDS, T),
    case(piecewise_transpose, normal(2, 3), OTHERS, ENDS, T, axis=1, nu=2),
    case(basis_spline, COEFFICIENTS, KNOTS, 3, T),
    case(basis_spline, COEFFICIENTS, KNOTS, 3, 2.2, nu=1),
    case(basis_spline, ROWS, KNOTS, 3, PLANE),
    case(basis_spline, ROWS, KNOTS, 3, T, axis=1),
    case(basis_spline, COEFFICIENTS, KNOTS, 3, T + 5, extrapolate="periodic"),
    case(basis_spline_transpose, normal(3), COEFFICIENTS, KNOTS, 3, T),
    case(basis_spline_transpose, normal(2, 3), ROWS, KNOTS, 3, T, axis=1, nu=1),
    case(cubic_spline_change, X, Y),
    case(cubic_spline_change, X, WIDE.T.copy(), axis=1, bc_type="natural"),
    case(cubic_spline_transpose, normal(4, 5), X),
    case(cubic_spline_transpose, normal(4, 5, 2), X, axis=1, bc_type="clamped"),
    case(interpolating_spline_change, X, Y, k=5),
    case(interpolating_spline_change, X, WIDE),
    case(interpolating_spline_transpose, normal(6), X, k=2),
    case(interpolating_spline_transpose, normal(8, 2), X, bc_type="natural"),
]

test_formula = formula_test(CASES)


def curve(y, t):
    """A spline and its slope."""
    spline = CubicSpline(X, y)
    return np.sum(spline(t) ** 2) + np.sum(spline(t, 1) * t)


def natural(y, t):
    """Conditions at the ends by name, and beyond the ends."""
    return np.sum(CubicSpline(X, np.exp(y), bc_type="natural")(t + 2.0) ** 2)


def bent(y, t):
    """Derivatives at the ends that are given; nothing is extrapolated."""
    return np.sum(CubicSpline(X, y, bc_type=BENT, extrapolate=False)(t) ** 2)


def closed(y, t):
    """A periodic spline."""
    spline = CubicSpline(np.arange(7.0), np.concatenate((y, y[:1])), bc_type="periodic")
    return np.sum(spline(t + 10.0) ** 2)


def quintic(y, t):
    """A spline of a degree of its own."""
    return np.sum(make_interp_spline(X, y, k=5)(t) ** 2)


def held(y, t):
    """Several conditions at the ends."""
    spline = make_interp_spline(X, y, bc_type=([(1, 0.5)], [(2, 0.3)]))
    return np.sum(spline(t) ** 2) + spline(t[0], nu=2)


def ring(y, t):
    """A periodic B-spline."""
    spline = make_interp_spline(np.arange(7.0), np.concatenate((y, y[:1])), bc_type="periodic")
    return np.sum(spline(t + 10.0, nu=1) ** 2)


def made_elsewhere(y, t):
    """Splines that are constant, of two kinds."""
    return np.sum(FIXED(t) * y[:3]) + np.sum(FLAT(t, 1) ** 2)


def made_of_constants(y, t):
    """A spline that is made in the function, and does not move."""
    spline = CubicSpline(X, X**2)
    return np.sum(spline(t) * y[:3])


def coefficients(y, t):
    """What a spline is made of can be read."""
    spline = CubicSpline(X, y)
    return np.sum(spline.c**2) + np.sum(spline.x * y) * t[0]


def make(y):
    """A function that returns a spline."""
    return CubicSpline(X, y, bc_type="clamped")


def read(spline, t):
    """A function of a spline."""
    return 2 * spline(t)


def passed_on(y, t):
    """A spline that goes through other functions."""
    return np.sum(read(make(y), t) ** 2)


def repeated(y, t):
    """Points one by one, in a branch and a loop."""
    spline = make(y) if y[0] > 0 else make(-y)
    total = 0.0
    for k in range(3):
        total = total + np.sin(spline(t[k])) * spline(t[k], 1)
    return total


PROGRAMS = [
    curve, natural, bent, closed, quintic, held, ring, made_elsewhere, made_of_constants,
    coefficients, passed_on, repeated,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.one_of(2)
def test_program(f):
    """All modes agree with differences, to second order."""
    check(f, Y, T, order=highest())
    rng = np.random.default_rng(3)
    moves = tuple(random_like(x, rng) for x in (Y, T))
    bars = grad(f, (0, 1))(Y, T)
    np.testing.assert_allclose(jvp(f, (Y, T), moves)[1], inner(bars, moves), rtol=1e-9)


def test_axes():
    """The values may lie along any axis, and the points have any shape."""

    def f(y, t):
        return np.sum(CubicSpline(X, y, axis=1)(t) ** 2) + np.sum(CubicSpline(X, y, 1)(t[0, 0]))

    check(f, WIDE.T.copy(), PLANE, order=highest())


def test_text():
    """The forward part is the user's, and the backward part reads the spline's own arrays."""

    def f(y, t):
        spline = CubicSpline(X, y)
        return np.sum(spline(t) ** 2)

    g = grad(f, (0, 1))
    g(Y, T)
    text = source(g)
    assert "    spline = CubicSpline(X, y)\n" in text
    assert "t_bar = curve_bar * piecewise(spline.c, spline.x, t, nu=1)\n" in text


def test_outside():
    """Where nothing is extrapolated, the coefficients have no influence."""

    def f(y):
        return np.nansum(CubicSpline(X, y, extrapolate=False)(np.array([-1.0, 0.5])))

    def g(y):
        return CubicSpline(X, y)(0.5)

    np.testing.assert_allclose(grad(f)(Y), grad(g)(Y))


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda y: CubicSpline(y, X)(0.5), "an active value as x of scipy.interpolate.CubicSpline"),
        (lambda y: CubicSpline(X, y, bc_type=((1, y[0]), (1, 0.0)))(0.5), "value as bc_type"),
        (lambda y: CubicSpline(X, y + 1j)(0.5).real, "CubicSpline of complex numbers"),
        (lambda y: CubicSpline(X, y).derivative()(0.5), "the method .derivative of a spline"),
        (lambda y: CubicSpline(X, y).integrate(0.0, 1.0), "the method .integrate of a spline"),
        (lambda y: make_interp_spline(X, y, k=1)(0.5), "not known to be above 1"),
        (lambda y: CubicSpline(X, y)(0.5, int(X[0])), "the option nu=, not written out,"),
        (lambda y: CubicSpline(X, y)(0.5, what=1), "this call of a spline"),
    ],
)
def test_refused(f, text):
    """What has no formula is refused at its line."""
    with pytest.raises(UnsupportedSyntaxError, match=text):
        grad(f)(np.sort(Y))


def test_other_objects():
    """Other objects are refused with the reason."""
    for make_other in (PchipInterpolator, interpolate.Akima1DInterpolator):
        with pytest.raises(MissingFormulaError, match="interpolates between constants"):
            grad(lambda y, make_other=make_other: make_other(X, y)(0.5))(Y)
    with pytest.raises(MissingFormulaError, match="interpolates between constants"):
        grad(lambda c: BSpline(KNOTS, c, 3)(0.5))(COEFFICIENTS)


PLACES = np.linspace(0.0, 1.0, 5)
KNOWN = interpolate.CubicSpline(PLACES, normal(5))


@pytest.mark.parametrize(
    "f",
    [
        lambda y: np.sum(interpolate.CubicSpline(PLACES, y)(0.37) ** 2),
        lambda y: np.sum(interpolate.CubicSpline(PLACES, y, bc_type="natural")(0.3 * y, 1)),
        lambda y: np.sum(interpolate.CubicSpline(PLACES, np.outer(y, y), axis=1)(PLACES) ** 2),
        lambda y: np.sum(interpolate.make_interp_spline(PLACES, y, k=2)(0.9 * PLACES) ** 2),
        lambda y: np.sum(interpolate.CubicSpline(PLACES, normal(5))(y) ** 2),
        lambda y: np.sum(KNOWN(y, extrapolate=True) ** 2) * KNOWN(0.2),
    ],
)
def test_tape(f):
    """Splines are recorded on a tape, too, and on one inside of another."""
    y = np.array([0.3, -0.2, 0.5, 1.1, 0.7])
    np.testing.assert_allclose(tape.grad(f)(y), grad(f)(y), rtol=1e-12)
    twice = tape.grad(lambda y: np.sum(tape.grad(f)(y) ** 2))(y)
    np.testing.assert_allclose(twice, grad(lambda y: np.sum(grad(f)(y) ** 2))(y), rtol=1e-10)


def test_tape_refuses():
    """What has no formula is refused there."""
    with pytest.raises(MissingFormulaError, match="x"):
        tape.grad(lambda x: interpolate.CubicSpline(x, np.ones(5))(0.3))(PLACES)
