"""Derivatives through SciPy's solvers, minimisers, integrals and differential equations."""

import math

import numpy as np
import pytest
from scipy import integrate, optimize
from srcgrad.formulas import load

from srcgrad import check, grad, hessian, jvp, source
from srcgrad.calling.api import differentiate
from srcgrad.errors import MissingFormulaError, UnsupportedSyntaxError
from tests.rotation import highest, some_of

load("scipy.optimize")
load("scipy.integrate")

A, B = np.array([1.0, 2.0, 0.5]), np.array([1.0, 0.5])
TIMES = np.linspace(0.0, 1.0, 5)
EXACT = {"rtol": 1e-10, "atol": 1e-10}


def cubic(x, p, q=2.0):
    """Has one root, between 0 and 5 for positive p."""
    return p * x**3 + q * x - 2.0


def system(x, a, b):
    """Has a root near 0."""
    return a * x**3 + x + b * np.sum(x) - 1.0


def cost(x, a, b):
    """Has one minimum."""
    return np.sum(a * (x - b) ** 2) + 0.1 * np.sum(x**4)


def bell(x, p, q):
    """A bell of width 1 / p."""
    return np.exp(-p * x**2) * q


def wave(x, a):
    """A sum of waves."""
    return np.sum(a * np.sin(x * a))


def waves(x, a, p):
    """Several waves."""
    return np.cos(x * a) * p


def pendulum(y, t, w, c):
    """The change of an angle and its speed."""
    return np.array([y[1], -w * np.sin(y[0]) - c * y[1] + 0.1 * t])


def spring(t, y, w):
    """The change of a place and a speed."""
    return np.stack((y[1], -w * y[0]))


def potential(x, p):
    """Has one minimum."""
    return p * x**4 + (x - 1.0) ** 2


def root_by_brackets(p, q):
    x = optimize.brentq(cubic, 0.0, 5.0, args=(p, q), xtol=1e-13)
    return x**2 * p


def other_brackets(p, q):
    first = optimize.brenth(cubic, 0.0, 5.0, args=(p, q), xtol=1e-13)
    second = optimize.ridder(cubic, 0.0, 5.0, args=(p, q), xtol=1e-13)
    third = optimize.bisect(cubic, 0.0, 5.0, (p, q), 1e-14)
    return first * second * third * optimize.toms748(cubic, 0.0, 5.0, args=(p, q))


def root_that_captures(p, q):
    c = p * p

    def g(x):
        return np.exp(x) * c - 3.0 + x * q

    return np.sin(optimize.newton(g, 0.3, tol=1e-12))


def root_of_functions_inside(p, q):
    k = p * 2.0

    def a(x):
        return k * x

    def b(x):
        return a(x) + x**3 - q

    return optimize.brentq(b, 0.0, 3.0) ** 2


def root_of_a_slope(p, q):
    return optimize.brentq(lambda x: grad(potential)(x, p), -1.0, 3.0) * q


def captured_and_overwritten(p, q):
    k = p * 2.0
    x = optimize.brentq(lambda x: x**3 - k, 0.0, 5.0)
    k = k * 3.0
    return x * k * q


def written_array_captured(p, q):
    c = np.stack((p, q))
    c[0] = c[0] * 2.0
    x = optimize.newton(lambda x: c[0] * x**3 + c[1] * x - 1.0, 0.3, tol=1e-12)
    c[1] = 7.0
    return x * c[0]


def in_branches(p, q):
    if p > 1.0:
        x = optimize.brentq(cubic, 0.0, 5.0, args=(p,))
    else:
        x = optimize.newton(cubic, 1.0, args=(p,), tol=1e-12)
    return x**2 * q


def in_loops(p, q):
    y = p
    for k in range(3):
        y = optimize.brentq(lambda x: x**3 + x - y, -5.0, 5.0) + q * k
    return y


def root_of_roots(p, q):
    """A root of a function that looks for a root itself."""

    def outer(y):
        return optimize.brentq(cubic, 0.0, 5.0, args=(y * p,)) - 0.5 * q

    return optimize.brentq(outer, 0.01, 500.0, xtol=1e-13)


def integral_of_integrals(p, q):
    """An integral of integrals whose ends move."""

    def inner(y):
        return integrate.quad(lambda x: np.exp(-p * x * y), 0.0, y)[0]

    return integrate.quad(inner, 0.0, q)[0]


def called(p):
    return optimize.brentq(cubic, 0.0, 5.0, args=(p,))


def in_calls(p, q):
    return called(p * q) * called(p)


def moving_brackets(p, q):
    return optimize.brentq(cubic, -p, p + 5.0, args=(2.0,)) * q


def integral(p, q):
    value, _ = integrate.quad(bell, 0.0, 2.0, args=(p, q))
    return value**2


def moving_ends(p, q):
    return integrate.quad(bell, q, p, args=(p, 0.7))[0]


def integral_to_infinity(p, q):
    return integrate.quad(bell, 0.0, np.inf, args=(p, q), epsabs=1e-12)[0]


def only_ends(p, q):
    return integrate.quad(lambda x: x**2, q, p)[0]


def integrals_in_a_loop(p, q):
    y = 0.0
    for k in range(3):
        y = y + integrate.quad(lambda x: np.exp(-k * x * p), 0.0, q)[0]
    return y


def vector_root(a, b):
    x = optimize.fsolve(system, np.ones(3), args=(a, b), xtol=1e-13)
    return np.sum(x**2 * a)


def vector_root_of_result(a, b):
    found = optimize.root(system, np.ones(3), args=(a, b), tol=1e-13)
    if not found.success:
        raise ValueError(found.message)
    return np.sum(found.x**2 * a)


def minimum(a, b):
    found = optimize.minimize(cost, np.ones(3), args=(a, b), tol=1e-10)
    y = found.x
    return np.sum(y**2 * a)


def minimum_with_slopes(a, b):
    found = optimize.minimize(cost, np.ones(3), (a, b), jac=grad(cost), method="BFGS", tol=1e-10)
    return np.sum(found.x**3)


def integral_of_arrays(a, b):
    return integrate.quad(wave, 0.0, 1.0, args=(a,))[0] ** 2 * b


def vector_integral(a, b):
    value, _ = integrate.quad_vec(waves, 0.0, b, args=(a, 0.3))
    return np.sum(value**2)


def path(y0, w):
    y = integrate.odeint(pendulum, y0, TIMES, args=(w, 0.3), **EXACT)
    return np.sum(y[-1] ** 2)


def path_written_out(y0, w):
    y = integrate.odeint(pendulum, y0, TIMES, args=(w, 0.3), rtol=1e-10, atol=1e-10)
    return np.sum(y[-1] ** 2)


def path_that_captures(y0, w):
    def change(y, t):
        return -w * y

    return np.sum(integrate.odeint(change, y0, TIMES, rtol=1e-10, atol=1e-10) ** 2)


def path_from_its_start(y0, w):
    def change(y, t):
        return -(y**2)

    return np.sum(integrate.odeint(change, y0, TIMES, rtol=1e-10, atol=1e-10) ** 2) * w


def path_in_columns(y0, w):
    found = integrate.solve_ivp(
        spring, (0.0, 1.0), y0, t_eval=TIMES, args=(w,), rtol=1e-10, atol=1e-10
    )
    return np.sum(found.y[:, -1] ** 2 * found.t[-1])


def path_by_another_method(y0, w):
    found = integrate.solve_ivp(
        lambda t, y: w * y * np.cos(t), (0.0, 1.0), y0, "DOP853", TIMES, rtol=1e-10, atol=1e-10
    )
    return np.sum(found.y[:, -1] ** 2)


OF_NUMBERS = [
    root_by_brackets, other_brackets, root_that_captures, root_of_functions_inside,
    root_of_a_slope, captured_and_overwritten, written_array_captured, in_branches, in_loops,
    in_calls, moving_brackets, integral, moving_ends, integral_to_infinity, only_ends,
    integrals_in_a_loop, root_of_roots, integral_of_integrals,
]  # fmt: skip
OF_ARRAYS = [
    vector_root, vector_root_of_result, minimum, minimum_with_slopes, integral_of_arrays,
    vector_integral,
]  # fmt: skip
OF_STARTS = [
    path, path_written_out, path_that_captures, path_from_its_start, path_in_columns,
    path_by_another_method,
]  # fmt: skip


@pytest.mark.one_of(4)
@pytest.mark.parametrize("f", OF_NUMBERS)
def test_of_numbers(f):
    """Slope, tangent and second derivative agree with differences."""
    check(f, 1.3, 0.7, wrt=0, order=highest())
    check(f, 0.8, 0.4, wrt=1, order=highest())


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", OF_ARRAYS)
def test_of_arrays(f):
    """Slope, tangent and second derivative agree with differences."""
    for wrt in some_of(0, 1):
        check(f, A, 0.3, wrt=wrt, order=highest())


@pytest.mark.parametrize("f", OF_STARTS)
@pytest.mark.one_of(3)
def test_paths(f):
    """Slope, tangent and second derivative agree with differences."""
    for wrt in some_of(0, 1):
        check(f, B, 0.7, wrt=wrt, order=highest())


def test_closed_form():
    """The root of x**3 = p, whose derivatives are known, to the third order."""

    def cube_root(p):
        return optimize.brentq(lambda x: x**3 - p, 0.0, 5.0, xtol=1e-15)

    p = 1.7
    assert math.isclose(grad(cube_root)(p), p ** (-2 / 3) / 3)
    assert math.isclose(hessian(cube_root)(p), -2 / 9 * p ** (-5 / 3))
    assert math.isclose(grad(grad(grad(cube_root)))(p), 10 / 27 * p ** (-8 / 3), rel_tol=1e-9)
    assert math.isclose(jvp(grad(cube_root), (p,), (1.0,))[1], -2 / 9 * p ** (-5 / 3))


def test_text():
    """The call stays as it was; the backward part is the implicit function theorem."""
    text = source(grad(root_by_brackets))
    assert "    x = optimize.brentq(cubic, 0.0, 5.0, args=(p, q), xtol=1e-13)\n" in text
    assert "cubic_pullback(x, p, q, -x_bar / cubic_slope(x, p, q))" in text
    assert "def cubic_pullback(x, p, q, value_bar):" in text


def test_saved(tmp_path, monkeypatch):
    """A saved module holds the derivatives of the functions."""
    path = tmp_path / "saved_solver.py"
    made = differentiate(vector_root)
    expected = made.grad(A, 0.3)
    made.save(path)
    assert "srcgrad" not in path.read_text().split("\n", 1)[1]
    monkeypatch.syspath_prepend(tmp_path)
    import saved_solver  # type: ignore

    np.testing.assert_allclose(saved_solver.vector_root_grad(A, 0.3), expected)


REFUSED = {
    "jac=True": lambda p: optimize.minimize(cost, A, (p, 1.0), jac=True).x[0],
    "attribute 'fun'": lambda p: optimize.minimize(cost, A, (p, 1.0)).fun,
    "known to be a number": lambda p: optimize.newton(lambda x: x**2 - p, np.ones(2))[0],
    "full_output=": lambda p: optimize.brentq(cubic, 0.0, 5.0, (p,), full_output=True)[0],
    "without t_eval": lambda p: integrate.solve_ivp(spring, (0, 1), B, args=(p,)).y[0, -1],
    "known to be a vector": lambda p: integrate.odeint(lambda y, t: -p * y, 1.0, TIMES)[-1, 0],
    "active value as t": lambda p: integrate.odeint(lambda y, t: -y, B * p, TIMES * p)[-1, 0],
    "weight=": lambda p: integrate.quad(cubic, 0.0, 1.0, (p,), weight="cos", wvar=1.0)[0],
    "without names": lambda p: optimize.brentq(lambda x, *a: x - a[0], -5.0, 5.0, args=(p,)),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    """What has no formula is refused at its line."""
    with pytest.raises(UnsupportedSyntaxError, match=what):
        grad(REFUSED[what])(1.3)


def test_others_say_what_to_use():
    """What is not followed names what is."""
    with pytest.raises(MissingFormulaError, match="brentq or newton"):
        grad(lambda p: optimize.root_scalar(cubic, args=(p,), bracket=(0, 5)).root)(1.3)
    with pytest.raises(MissingFormulaError, match="inside of a function"):
        grad(lambda p: integrate.dblquad(lambda y, x: x * y, 0, p, 0, 1)[0])(1.3)


def least(z, x):
    """Be least at about x."""
    return np.sum((z - x) ** 2) + np.sum(z**4)


def root_of(z, x):
    """Be zero at about x."""
    return z**3 + z - x


STOPPED = [
    lambda x: optimize.minimize(least, np.zeros(3), args=(x,), options={"maxiter": 1}).x[0],
    lambda x: optimize.minimize(least, np.zeros(3), (x,), "Nelder-Mead", options={"maxiter": 9}).x[
        0
    ],
    lambda x: optimize.minimize(
        least, np.zeros(3), (x,), bounds=[(-1, 1)] * 3, options={"maxiter": 1}
    ).x[0],
    lambda x: optimize.root(root_of, np.full(3, 5.0), args=(x,), options={"maxfev": 3}).x[1],
    lambda x: optimize.fsolve(root_of, np.full(3, 5.0), args=(x,), maxfev=3)[2],
    lambda x: optimize.newton(root_of, 5.0, args=(x[0],), tol=1.0),
    lambda x: optimize.brentq(root_of, -5.0, 5.0, args=(x[0],), xtol=0.5),
]


@pytest.mark.parametrize("k", range(len(STOPPED)))
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_searches_that_stopped(k):
    """What a search found that stopped before its end has no derivative by the rule."""
    x = np.array([0.7, 1.3, 0.4])
    f = STOPPED[k]
    with pytest.raises(ValueError, match="before it came to its end"):
        grad(f)(x)
    with pytest.raises(ValueError, match="before it came to its end"):
        jvp(f, (x,), (np.ones(3),))
