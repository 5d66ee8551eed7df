"""The formulas of Python's built-in functions."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import grad, jvp
from srcgrad.registry import find_formula, is_nondifferentiable
from tests.formulas.checking import case, formula_test, normal

load("python")

CASES = [
    case(float, 1.5),
    case(float, normal()),
    case(max, 1.5, 0.7),
    case(max, 0.7, 1.5),
    case(min, 1.5, 0.7),
    case(min, 0.7, 1.5),
    case(sum, normal(3)),
    case(sum, normal(3, 2)),
    case(pow, 1.5, 0.7),
    case(abs, -1.5),
]

test_formula = formula_test(CASES)


@pytest.mark.parametrize("fn", [max, min])
def test_tie(fn):
    """Two equal numbers share the slope."""
    _, backward = find_formula(fn)(2.0, 2.0)
    assert backward(1.0) == (0.5, 0.5)


@pytest.mark.parametrize("x", [-1.5, 1.5])
def test_beside_a_whole_number(x):
    """What is given back may be a whole number, and has a slope all the same."""
    assert grad(lambda x: min(x, 0))(x) == float(x < 0)
    assert grad(lambda x: min(0, x))(x) == float(x < 0)
    assert grad(lambda x: max(x, 0))(x) == float(x > 0)
    assert jvp(lambda x: min(x, 0), (x,), (2.0,))[1] == 2.0 * (x < 0)


def test_item_of_an_array():
    """The one entry of an array keeps the array's shape in its cotangent."""
    formula = find_formula(float)

    class OneEntry(np.ndarray):
        def __float__(self):
            return self.item()

    _, backward = formula(np.ones((1, 1)).view(OneEntry))
    assert np.shape(backward(2.0)) == (1, 1)


@pytest.mark.parametrize("fn", [round, int, len, bool])
def test_piecewise_constant(fn):
    """Whole numbers and truth values have no derivative to have."""
    assert is_nondifferentiable(fn)
