"""The formulas of the methods of NumPy's ufuncs."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import grad, source
from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.transposes import reduceat_transpose
from tests.formulas.checking import case, check_case, normal, positive

load("numpy")

REDUCED = [np.add, np.multiply, np.maximum, np.minimum, np.logaddexp]
OUTER = [np.add, np.subtract, np.multiply, np.divide]

CASES = [
    case(np.add.reduceat, normal(6), [0, 4, 1, 5]),
    case(np.add.reduceat, normal(6), np.array([0, 2, 2, 5])),
    case(np.add.reduceat, normal(2, 5), [0, 3], axis=1),
    case(np.add.reduceat, normal(5, 2), [1, 3]),
    case(reduceat_transpose, normal(2), [1, 3], normal(5)),
    *(case(u.reduce, normal(2, 3)) for u in REDUCED),
    *(case(u.reduce, normal(2, 3), axis=1, keepdims=True) for u in REDUCED),
    *(case(u.reduce, normal(4)) for u in REDUCED),
    case(np.add.reduce, normal(2, 3, 2), axis=(0, 2)),
    case(np.add.reduce, normal(2, 3), axis=None),
    case(np.multiply.reduce, np.array([1.0, 0.0, 2.0])),
    case(np.add.accumulate, normal(2, 3)),
    case(np.add.accumulate, normal(2, 3), axis=1),
    case(np.multiply.accumulate, normal(2, 3)),
    *(case(u.outer, positive(2), positive(3)) for u in OUTER),
    *(case(u.outer, positive(2, 2), positive(3)) for u in OUTER),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def test_name_in_the_source():
    """A method of a ufunc is written as one, and named in errors."""
    with pytest.raises(MissingFormulaError, match=r"no formula for numpy\.hypot\.reduce"):
        grad(lambda x: np.hypot.reduce(x))(np.ones(3))
    assert "add.outer" in source(grad(lambda x: np.sum(np.add.outer(x, x) ** 2)))


def test_ties():
    """Entries that are all the largest share the slope."""
    x = np.array([1.0, 3.0, 3.0])
    np.testing.assert_array_equal(grad(lambda x: np.maximum.reduce(x))(x), [0.0, 0.5, 0.5])
