"""The formulas of NumPy's exponents and logarithms."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

EVERYWHERE = [np.exp, np.expm1, np.exp2]
POSITIVE = [np.log, np.log10, np.log2, np.log1p]

CASES = [
    *(case(fn, x) for fn in EVERYWHERE for x in (0.7, normal(2, 3))),
    *(case(fn, x) for fn in POSITIVE for x in (0.7, positive(2, 3))),
    case(np.logaddexp, 0.7, -1.2),
    case(np.logaddexp, normal(2, 3), normal(3)),
    case(np.logaddexp, normal(2, 1), 0.3),
    case(np.logaddexp2, normal(2, 3), normal(2, 1)),
]

test_formula = formula_test(CASES)


def test_logaddexp_of_far_numbers():
    """The slopes of logaddexp neither overflow nor lose the larger number."""
    _, backward = find_formula(np.logaddexp)(1000.0, -1000.0)
    assert backward(1.0) == (1.0, 0.0)


@pytest.mark.parametrize("fn", [np.logaddexp, np.logaddexp2])
def test_logaddexp_of_large_and_infinite_numbers(fn):
    """The slopes add up to 1, also where the result cannot be told from the larger number."""
    _, backward = find_formula(fn)(1e19, 1e19)
    np.testing.assert_allclose(backward(1.0), (0.5, 0.5))
    with np.errstate(all="raise", under="ignore"):
        for x, y in ((np.inf, 1.0), (1.0, -np.inf), (800.0, -800.0)):
            _, backward = find_formula(fn)(x, y)
            np.testing.assert_allclose(backward(1.0), (1.0, 0.0), atol=1e-300)


def test_sums_of_exponentials_of_large_numbers():
    """The shares of what ``np.logaddexp.reduce`` adds up are those of all of it."""
    _, backward = find_formula(np.logaddexp.reduce)(np.array([1e19, 1e19, -np.inf]))
    np.testing.assert_array_equal(backward(1.0), [0.5, 0.5, 0.0])
