"""The formula of NumPy's sorting."""

import numpy as np
import pytest
from srcgrad.formulas import load

from tests.formulas.checking import case, check_case, normal

load("numpy")

CASES = [
    case(np.sort, normal(5)),
    case(np.sort, normal(3, 4)),
    case(np.sort, normal(3, 4), axis=0),
    case(np.sort, normal(3, 4), axis=None),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
