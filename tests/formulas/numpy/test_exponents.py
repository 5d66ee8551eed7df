"""The formulas of NumPy's exponents and logarithms."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.formulas.checking import case, check_case, normal, positive

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


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def test_logaddexp_of_far_numbers():
    """The slopes of logaddexp neither overflow nor lose the larger number."""
    _, backward = find_formula(np.logaddexp)(1000.0, -1000.0)
    assert backward(1.0) == (1.0, 0.0)
