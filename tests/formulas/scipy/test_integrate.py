"""The formulas of SciPy's integrals of samples."""

import numpy as np
import pytest
from scipy import integrate
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, vjp
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.runtime.scipy.filters import simpson_weights_at
from srcgrad.testing import check_orders
from tests.formulas.checking import case, formula_test, normal, positive
from tests.rotation import highest, some_of

load("scipy.integrate")


def ascending(*shape):
    """Return places at uneven distances."""
    return np.cumsum(positive(*shape), axis=-1)


CASES = [
    case(integrate.trapezoid, normal(2, 5)),
    case(integrate.trapezoid, normal(5), normal(5)),
    case(integrate.trapezoid, normal(5, 2), normal(5), axis=0),
    *(case(integrate.simpson, normal(2, n)) for n in (1, 2, 3, 4, 5, 6)),
    case(integrate.simpson, normal(5, 2), dx=0.7, axis=0),
    *(case(integrate.simpson, normal(n), ascending(n)) for n in (1, 2, 3, 4, 5, 6, 7)),
    *(case(integrate.simpson, normal(2, n), ascending(2, n)) for n in (4, 5)),
    case(integrate.simpson, normal(2, 5), ascending(5)),
    case(simpson_weights_at, ascending(5), (2, 5)),
    case(simpson_weights_at, ascending(2, 4), (2, 4)),
    case(integrate.simpson, normal(4, 2), ascending(4), axis=0),
    case(integrate.simpson, normal(4, 2), ascending(2, 4).T, axis=0),
]

test_formula = formula_test(CASES)


def test_places():
    """Values at places that are given, and a distance that is differentiated."""
    t = np.array([0.0, 0.7, 1.5, 2.2, 3.0, 3.1])

    def at_places(y):
        return integrate.simpson(y**2, x=t) + np.sum(integrate.simpson(np.outer(y, y), t, axis=0))

    check(at_places, normal(6), order=highest())
    check(lambda y, h: integrate.simpson(y**2, dx=h * h), normal(6), 0.7, wrt=1, order=highest())
    check(lambda x: integrate.simpson(np.sin(x), x=x * x), t + 0.1, order=highest())


def test_orders():
    """Second derivatives in values and places agree in all modes."""
    assert check_orders(integrate.simpson, normal(2, 6), ascending(6)) == 2


TIMES, EXACT = np.linspace(0.0, 1.0, 5), 1e-10


def pendulum(t, y, w):
    """The change of an angle and its speed."""
    return np.array([y[1], -w * np.sin(y[0])])


def pendulum_slope(t, y, w):
    """The derivative of that in the angle and the speed."""
    return np.array([[0.0, 1.0], [-w * np.cos(y[0]), 0.0]])


def kink(x, p):
    """Has a kink at 0.5."""
    return abs(x - 0.5) * np.exp(p * x)


def time_first(y, w):
    """The time comes before the state; tolerances are numbers of the module."""
    found = integrate.odeint(pendulum, y, TIMES, (w,), tfirst=True, rtol=EXACT, atol=EXACT)
    return np.sum(found**2)


def options_of_odeint(y, w):
    """What only says how odeint finds the path."""
    found = integrate.odeint(
        pendulum,
        y,
        TIMES,
        args=(w,),
        Dfun=pendulum_slope,
        tfirst=True,
        rtol=1e-10,
        atol=1e-10,
        h0=1e-4,
        hmax=0.1,
        mxstep=5000,
        tcrit=np.array([0.5]),
    )
    return np.sum(found[-1] ** 2)


def options_of_solve_ivp(y, w):
    """What only says how solve_ivp finds the path; the options that are as usual."""
    found = integrate.solve_ivp(
        pendulum,
        [0, 1],
        y,
        "Radau",
        TIMES,
        False,
        None,
        False,
        args=[w],
        jac=pendulum_slope,
        rtol=1e-9,
        atol=EXACT,
        max_step=0.2,
        first_step=1e-3,
    )
    return np.sum(found.y[:, -1] ** 2)


def method_by_its_class(y, w):
    """The method is a class of SciPy's; the path goes back in time."""
    found = integrate.solve_ivp(
        pendulum,
        (1, 0),
        y,
        method=integrate.RK45,
        t_eval=TIMES[::-1],
        args=(w,),
        rtol=1e-10,
        atol=1e-10,
    )
    return np.sum(found.y[:, -1] ** 2)


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    "f", [time_first, options_of_odeint, options_of_solve_ivp, method_by_its_class]
)
def test_options_of_paths(f):
    """Slope, tangent and second derivatives agree with differences, in all modes."""
    y, w = np.array([1.0, 0.5]), 0.7
    for wrt in some_of(0, 1):
        check(f, y, w, wrt=wrt, order=highest())
    slope, second = vjp(grad(f, wrt=1), y, w, wrt=1)
    np.testing.assert_allclose(jvp(f, (y, w), (None, 1.0))[1], slope, rtol=1e-6)
    along = jvp(grad(f, wrt=1), (y, w), (None, 1.0))[1]
    np.testing.assert_allclose(along, second(1.0), rtol=1e-5)


def options_of_quad(p):
    """Tolerances, a kink, and an end at infinity."""
    first = integrate.quad(kink, 0.0, 1.0, args=(p,), points=[0.5], epsabs=1e-11, limit=99)[0]
    second = integrate.quad(lambda x: np.exp(-p * x**2), -np.inf, p, epsrel=1e-11, maxp1=60)[0]
    return first * second


def test_options_of_quad():
    """Slope, tangent and second derivatives agree with differences, in all modes."""
    check(options_of_quad, 0.7, order=highest())
    slope, second = vjp(grad(options_of_quad), 0.7)
    np.testing.assert_allclose(jvp(options_of_quad, (0.7,), (1.0,))[1], slope)
    np.testing.assert_allclose(jvp(grad(options_of_quad), (0.7,), (1.0,))[1], second(1.0))


def crossing(t, y, w):
    """Is 0 where the angle is."""
    return y[0]


Y = np.array([1.0, 0.5])

REFUSED = {
    "read y": lambda w: integrate.solve_ivp(
        pendulum, (0, 1), Y, t_eval=TIMES, args=(w,), dense_output=True
    ).y[0, -1],
    "brentq": lambda w: integrate.solve_ivp(
        pendulum, (0, 1), Y, t_eval=TIMES, args=(w,), events=crossing
    ).y[0, -1],
    "for one state": lambda w: integrate.solve_ivp(
        pendulum, (0, 1), Y, t_eval=TIMES, args=(w,), vectorized=True
    ).y[0, -1],
    "more variables than": lambda w: integrate.solve_ivp(
        pendulum, (0, 1), Y, t_eval=TIMES, args=(w,), atol=[1e-9, 1e-8]
    ).y[0, -1],
    "active value as atol": lambda w: integrate.solve_ivp(
        pendulum, (0, 1), Y, t_eval=TIMES, args=(w,), atol=1e-9 * w
    ).y[0, -1],
    "by the weight": lambda p: integrate.quad(kink, 0.0, 1.0, (p,), weight="cos", wvar=2.0)[0],
    "the imaginary part": lambda p: integrate.quad(kink, 0.0, 1.0, (p,), complex_func=True)[0],
    "up to each of them": lambda p: integrate.quad(kink, 0.0, 1.0, (p,), points=(p / 2,))[0],
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused(what):
    """What has no formula is refused, with what to do instead."""
    with pytest.raises(UnsupportedSyntaxError, match=what):
        grad(REFUSED[what])(0.7)
