"""The formulas of SciPy's integrals of samples."""

import numpy as np
import pytest
from scipy import integrate
from srcgrad.formulas import load

from srcgrad import check
from srcgrad.runtime.filters import simpson_weights_at
from srcgrad.testing import check_orders
from tests.formulas.checking import case, check_case, normal, positive

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


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def test_places():
    """Values at places that are given, and a distance that is differentiated."""
    t = np.array([0.0, 0.7, 1.5, 2.2, 3.0, 3.1])

    def at_places(y):
        return integrate.simpson(y**2, x=t) + np.sum(integrate.simpson(np.outer(y, y), t, axis=0))

    check(at_places, normal(6), order=2)
    check(lambda y, h: integrate.simpson(y**2, dx=h * h), normal(6), 0.7, wrt=1, order=2)
    check(lambda x: integrate.simpson(np.sin(x), x=x * x), t + 0.1, order=2)


def test_orders():
    """Second derivatives in values and places agree in all modes."""
    assert check_orders(integrate.simpson, normal(2, 6), ascending(6)) == 2
