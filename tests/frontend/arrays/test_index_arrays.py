"""Programs that pick with arrays of integers, called with lengths that broadcast and that do not.

What is picked has the shape of the index arrays, which is known when code is generated;
an index array of length 1 comes to a function that was generated for a longer one.
"""

import numpy as np
import pytest

from srcgrad import grad, jvp
from tests.finite_differences import gradient

TABLE = np.array([0, 2, 2])
RNG = np.random.default_rng(0)


def picked_twice(x, e, w):
    """Two index arrays in one index, and one beside a number."""
    return np.sum(np.sin(x[e, e[::-1]] * w + x[0, e]))


def crossed(x, e, w):
    """Index arrays that are broadcast against each other."""
    return np.sum(x[e[:, None], e] * w + x[e][:, e] ** 2)


def found(x, e, w):
    """Index arrays whose length depends on values."""
    return np.sum((x[np.unique(e)][:1] * w) ** 2) + np.sum(x[np.argsort(w)[:1]] * w)


def of_the_module(x, e, w):
    """An index array of the module."""
    return np.sum((x[TABLE] * w) ** 2) + np.sum(x[e])


LINE, PLANE, SPACE = RNG.normal(size=6), RNG.normal(size=(4, 4)), RNG.normal(size=(3, 4, 5))
LONG, SHORT = np.array([0, 1, 1]), np.array([2])
WIDE, NARROW = RNG.normal(size=3), RNG.normal(size=1)
ROWS = RNG.normal(size=(3, 4))


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("function", "x", "weights"),
    [
        (picked_twice, PLANE, [WIDE, NARROW]),
        (crossed, PLANE, [WIDE, NARROW]),
        (found, LINE, [WIDE, NARROW]),
        (of_the_module, LINE, [WIDE, NARROW]),
    ],
)
@pytest.mark.one_of(2)
def test_lengths_of_one_after_longer_ones(function, x, weights, order):
    """One derivative is called with all lengths, in both orders, and is right each time."""
    derivatives = [grad(function), grad(function, wrt="w")]
    for e, w in [(e, w) for e in (LONG, SHORT) for w in weights][::order]:
        for index, derivative in zip((0, 2), derivatives, strict=True):
            expected = gradient(function, (x, e, w), index)
            result = derivative(x, e, w)
            assert result.shape == expected.shape
            np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-7)
        x_dot = np.cos(np.arange(x.size)).reshape(x.shape)
        _, tangent = jvp(function, (x, e, w), (x_dot, None, None))
        np.testing.assert_allclose(tangent, np.sum(gradient(function, (x, e, w), 0) * x_dot))
