"""Arguments by name, where a function has parameters that are given by position only."""

import numpy as np
import pytest

from srcgrad import grad
from tests import finite_differences as fd


def mixed(a, b=2.0, /, c=3.0, *args, d, e=4.0, **rest):
    """A parameter of each kind; a name of one by position only goes to the rest."""
    more = rest.get("b", 0.0) + rest.get("a", 0.0) ** 2
    return a * b + c * d + e * sum(args) + more * a


CALLS = [
    lambda x: mixed(x[0], d=x[1]),
    lambda x: mixed(x[0], x[1], x[2], 5.0, x[0], d=2.0),
    lambda x: mixed(x[0], d=1.0, c=x[2], b=x[1]),
    lambda x: mixed(x[0], a=x[1], d=x[2], **{"b": x[1] * x[2]}),
]


@pytest.mark.parametrize("f", CALLS)
def test_derivatives(f):
    """They are those of differences, and there is generated code."""
    x = np.array([0.3, 0.7, 1.1])
    expected = fd.gradient(f, (x,), 0)
    np.testing.assert_allclose(grad(f, recorded="refuse")(x), expected, rtol=1e-6, atol=1e-8)
