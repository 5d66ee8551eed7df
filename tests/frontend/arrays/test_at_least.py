"""Axes that several arrays get at once: each is what it is alone, recorded."""

import numpy as np
import pytest

from srcgrad import differentiate, hvp, jvp, tape
from tests import finite_differences as fd


def picked(x, y, fn):
    """One part, beside a constant."""
    return np.sum(fn(np.array([1, 2]), x)[1] ** 2) + np.sum(fn(y, 3)[0] ** 3)


def behind_a_star(x, y, fn):
    """The arrays in a list."""
    both = [x, y * x]
    x, y = fn(*both)
    return np.sum(x * y)


PROGRAMS = [picked, behind_a_star]
SHAPES = [((), ()), ((3,), ()), ((), (3,)), ((2, 3), (3,))]


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("fn", [np.atleast_1d, np.atleast_2d])
@pytest.mark.one_of(2)
def test_each_is_what_it_is_alone(fn, f, shapes):
    """All modes agree with differences, and gradients have the shapes of their arguments."""
    rng = np.random.default_rng(3)
    x, y = (rng.uniform(0.4, 1.5, shape)[()] for shape in shapes)
    expected = [fd.gradient(f, (x, y, fn), k) for k in (0, 1)]
    derivative = differentiate(f, wrt=(0, 1), recorded="allow")
    for found in (derivative.grad(x, y, fn), tape.grad(f, wrt=(0, 1))(x, y, fn)):
        for own, wanted, given in zip(found, expected, (x, y), strict=True):
            assert np.shape(own) == np.shape(given)
            assert own == pytest.approx(wanted, rel=1e-6)
    dot = jvp(f, (x, y, fn), (x, None, None), recorded="allow")[1]
    assert dot == pytest.approx(np.sum(expected[0] * x), rel=1e-6)
    turned = hvp(f, recorded="allow")(x, y, fn, x)
    slope = differentiate(f, recorded="allow")
    moved = [slope.grad(x * (1 + h), y, fn) for h in (1e-6, -1e-6)]
    assert turned == pytest.approx((moved[0] - moved[1]) / 2e-6, rel=1e-5, abs=1e-7)
