"""What a formula has to be."""

import numpy as np
import pytest

from srcgrad import formula
from srcgrad.errors import MalformedFormulaError


def cube(v):
    w = v**3
    return w, lambda w_bar: w_bar * 3 * v**2


@pytest.mark.parametrize("given", [np.ones(2), 2.0])
def test_a_formula_is_for_some_function(given):
    """Under a bare ``@formula``, a function takes a formula, which an array is not."""
    with pytest.raises(MalformedFormulaError, match="say which function it is for"):
        formula(cube)(given)
