"""Solvers that are given methods, objects that are called, and functions that read objects."""

import dataclasses

import numpy as np
import pytest
from scipy import integrate, optimize

from srcgrad import grad, jvp, source
from tests import finite_differences as fd

TIMES = np.linspace(0.0, 1.0, 4)


@dataclasses.dataclass
class Decay:
    rate: float
    limit: float

    def rhs(self, t, y):
        return [-self.rate * y[0], self.rate * y[0] - self.limit * y[1]]

    def level(self, x):
        return self.rate * x - np.exp(-self.limit * x)

    def __call__(self, t, y):
        return np.array(self.rhs(t, y))


def followed(sol):
    return np.sum(sol.y[:, -1] ** 2)


def by_a_method(p):
    model = Decay(p[0], p[1] * 2.0)
    start = np.array([1.0, 0.5])
    return followed(integrate.solve_ivp(model.rhs, (0.0, 1.0), start, t_eval=TIMES, rtol=1e-9))


def change(y, t, p, scale):
    return [-p["rate"] * y[0] * scale[0], p["rate"] * y[0] - p["more"][0] * y[1]]


def by_trees(p):
    tree = {"rate": p[0], "more": [p[1], 2.0]}
    args = (tree, (p[1],))
    return np.sum(integrate.odeint(change, [1.0, 0.5], TIMES, args, rtol=1e-9, atol=1e-9) ** 2)


def by_functions_that_read_functions(p):
    limit = p[1] * 2.0

    def level(x):
        return p[0] * x * limit

    return integrate.quad(lambda x: np.cos(level(x)), 0.0, 1.0)[0]


MODEL = Decay(0.5, 0.2)


def by_a_method_from_outside(p):
    root = optimize.brentq(lambda x: MODEL.level(x) - p[0], -1.0, 5.0, xtol=1e-13)
    return root * p[1]


@pytest.mark.parametrize(
    "f", [by_trees, by_functions_that_read_functions], ids=lambda f: f.__name__
)
def test_what_solvers_are_given(f):
    """Gradients and tangents are text, and those of differences."""
    p, step = np.array([0.7, 0.4]), np.array([0.3, -1.0])
    expected = fd.gradient(f, (p,), 0)
    np.testing.assert_allclose(grad(f, recorded="refuse")(p), expected, rtol=2e-5)
    _, tangent = jvp(f, (p,), (step,), recorded="refuse")
    np.testing.assert_allclose(tangent, expected @ step, rtol=2e-5)


def test_an_object_that_changes():
    """What the object from outside holds is read at each call."""
    slope = grad(by_a_method_from_outside, recorded="refuse")
    p, before = np.array([0.7, 0.4]), MODEL.rate
    try:
        for MODEL.rate in (0.5, 0.9, 2.0):
            expected = fd.gradient(by_a_method_from_outside, (p,), 0)
            np.testing.assert_allclose(slope(p), expected, rtol=2e-5)
    finally:
        MODEL.rate = before


def test_the_text():
    """The user's call stays; the derivative is given the parts by their names."""
    slope = grad(by_a_method, recorded="refuse")
    slope(np.array([0.7, 0.4]))
    assert "solve_ivp(model.rhs, (0.0, 1.0), start, t_eval=TIMES, rtol=1e-9)" in source(slope)
