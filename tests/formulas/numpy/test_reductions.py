"""The formulas of NumPy's sums, products, differences and averages."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.formulas.checking import case, check_case, normal, positive

load("numpy")

CASES = [
    case(np.prod, normal(4)),
    case(np.prod, normal(2, 3, 4)),
    case(np.prod, normal(2, 3), axis=0),
    case(np.prod, normal(2, 3, 4), axis=-1, keepdims=True),
    case(np.prod, normal(2, 3, 4), axis=(0, 2)),
    case(np.prod, normal(2, 3, 4), axis=(-1, 1), keepdims=True),
    case(np.prod, np.array([2.0, 0.0, 3.0])),
    case(np.prod, np.array([[2.0, 0.0], [0.0, 0.0]]), axis=1),
    case(np.sum, normal(4)),
    case(np.sum, normal(2, 3)),
    case(np.sum, normal(2, 3), keepdims=True),
    case(np.sum, normal(2, 3), axis=0),
    case(np.sum, normal(2, 3, 4), axis=-2),
    case(np.sum, normal(2, 3, 4), axis=(0, -1)),
    case(np.sum, normal(2, 3, 4), axis=(0, 2), keepdims=True),
    case(np.sum, normal(2, 3), axis=1, dtype=np.float64),
    case(np.cumprod, normal(4)),
    case(np.cumprod, normal(2, 3)),
    case(np.cumprod, normal(2, 3), axis=0),
    case(np.cumprod, normal(2, 3, 4), axis=-1),
    case(np.cumprod, np.array([2.0, 0.0, 3.0, 0.0, 5.0]), axis=0),
    case(np.cumsum, normal(4)),
    case(np.cumsum, normal(2, 3)),
    case(np.cumsum, normal(2, 3), axis=0),
    case(np.cumsum, normal(2, 3, 4), axis=-1),
    case(np.diff, normal(5)),
    case(np.diff, normal(5), n=2),
    case(np.diff, normal(5), n=3),
    case(np.diff, normal(3, 4), axis=0),
    case(np.diff, normal(3, 4), n=2, axis=-1),
    *(
        case(fn, normal(*shape), **options)
        for fn in (np.mean, np.var, np.std)
        for shape, options in (
            ((4,), {}),
            ((2, 3), {}),
            ((2, 3), {"keepdims": True}),
            ((2, 3), {"axis": 0}),
            ((2, 3, 4), {"axis": -2}),
            ((2, 3, 4), {"axis": (0, -1)}),
            ((2, 3, 4), {"axis": (0, 2), "keepdims": True}),
        )
    ),
    *(
        case(fn, normal(3, 4), **options)
        for fn in (np.var, np.std)
        for options in ({"ddof": 1}, {"axis": 1, "ddof": 1}, {"axis": (0,), "ddof": 2})
    ),
    case(np.average, normal(2, 3)),
    case(np.average, normal(2, 3), axis=1),
    case(np.average, normal(2, 3), axis=0, keepdims=True),
    case(np.average, normal(2, 3), weights=positive(2, 3)),
    case(np.average, normal(2, 3), axis=1, weights=positive(2, 3)),
    case(np.average, normal(2, 3), axis=1, weights=positive(3)),
    case(np.average, normal(2, 3), axis=0, weights=positive(2), keepdims=True),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def test_std_of_equal_numbers():
    """The slope of a standard deviation of 0 is 0, without a warning."""
    _, backward = find_formula(np.std)(np.full(4, 2.0))
    np.testing.assert_array_equal(backward(1.0), 0)


def test_sums_share_no_cost():
    """The cotangent of a sum is a view, not a filled array."""
    _, backward = find_formula(np.sum)(np.ones((100, 100)))
    assert backward(np.float64(1)).strides == (0, 0)
