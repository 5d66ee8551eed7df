"""The formulas of NumPy's averages and variances."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

MASK = np.array([[True, False, True], [False, True, True]])
HOLES = np.array([[1.5, np.nan, 0.7], [1.3, -0.4, np.nan]])

CASES = [
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
    *(
        case(fn, HOLES, where=MASK, axis=axis)
        for fn in (np.nanmean, np.nanvar, np.nanstd)
        for axis in (0, None)
    ),
    case(np.nanvar, normal(3, 4), correction=0.5),
    *(
        case(fn, normal(3, 4), axis=0, dtype=np.float64)
        for fn in (np.var, np.std, np.nanmean, np.nanvar, np.nanstd)
    ),
    case(np.average, normal(2, 3)),
    case(np.average, normal(2, 3), axis=1),
    case(np.average, normal(2, 3), axis=0, keepdims=True),
    case(np.average, normal(2, 3), weights=positive(2, 3)),
    *(
        case(np.average, normal(2, 3), returned=True, **options)
        for options in (
            {},
            {"axis": 1},
            {"weights": positive(2, 3)},
            {"weights": positive(2, 3), "axis": 1},
            {"weights": positive(2, 3), "axis": 0, "keepdims": True},
            {"weights": positive(3), "axis": 1},
        )
    ),
    case(np.average, normal(2, 3), axis=1, weights=positive(2, 3)),
    case(np.average, normal(2, 3), axis=1, weights=positive(3)),
    case(np.average, normal(2, 3), axis=0, weights=positive(2), keepdims=True),
    case(np.average, normal(4), weights=positive(4)),
    case(np.average, normal(2, 3, 4), axis=(0, 2), weights=positive(2, 4)),
    case(np.average, normal(2, 3, 4), axis=(2, 0), weights=positive(4, 2), keepdims=True),
    case(np.average, normal(2, 3, 4), axis=(1,), weights=positive(3), returned=True),
    case(np.average, normal(2, 3), 0, positive(2, 3)),
    *(
        case(fn, normal(2, 3), where=mask, **options)
        for fn in (np.mean, np.var, np.std)
        for mask, options in (
            (MASK, {}),
            (MASK[0], {"axis": 1}),
            (MASK, {"axis": 1, "keepdims": True}),
        )
    ),
    case(np.var, normal(4), correction=1),
    case(np.std, normal(3, 4), axis=0, correction=1),
    case(np.mean, normal(3, 4), axis=0, dtype=np.float64),
    *(
        case(fn, x, **options)
        for fn in (np.nanmean, np.nanvar, np.nanstd)
        for x in (HOLES, normal(2, 3))
        for options in ({}, {"axis": 1}, {"axis": (0, 1), "keepdims": True})
    ),
    case(np.nanvar, HOLES, axis=1, ddof=1),
]

test_formula = formula_test(CASES, turns=2)


def test_std_of_equal_numbers():
    """The slope of a standard deviation of 0 is 0, without a warning."""
    _, backward = find_formula(np.std)(np.full(4, 2.0))
    np.testing.assert_array_equal(backward(1.0), 0)
