"""The formulas of NumPy's sums, products and running totals."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.formulas.checking import case, formula_test, normal

load("numpy")

MASK = np.array([[True, False, True], [False, True, True]])
HOLES = np.array([[1.5, np.nan, 0.7], [np.nan, -0.4, 2.0]])
CUMULATIVE = [getattr(np, n) for n in ("cumulative_sum", "cumulative_prod") if hasattr(np, n)]

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
    case(np.prod, normal(2, 3), axis=0, where=MASK, initial=2.5),
    case(np.prod, normal(2, 3), where=MASK),
    case(np.prod, normal(2, 3), dtype=np.float64),
    case(np.sum, normal(2, 3), axis=1, where=MASK),
    case(np.sum, normal(2, 3), where=MASK[0], initial=1.5),
    case(np.sum, normal(2, 3), axis=0, where=MASK, keepdims=True),
    *(
        case(fn, x, **options)
        for fn in (np.nansum, np.nanprod)
        for x in (HOLES, normal(2, 3))
        for options in (
            {},
            {"axis": 1},
            {"axis": (0, 1)},
            {"axis": -1, "keepdims": True},
            {"axis": 0, "where": MASK, "initial": 2},
        )
    ),
    *(
        case(fn, x, **options)
        for fn in (np.nancumsum, np.nancumprod)
        for x in (HOLES, normal(4))
        for options in ({}, {"axis": 0}, {"axis": -1})
    ),
    case(np.cumsum, normal(2, 3), axis=1, dtype=np.float64),
    *(
        case(fn, normal(*shape), **options)
        for fn in CUMULATIVE
        for shape, options in (
            ((4,), {}),
            ((4,), {"include_initial": True}),
            ((3, 4), {"axis": 0}),
            ((3, 4), {"axis": -1, "include_initial": True}),
        )
    ),
]

test_formula = formula_test(CASES)


def test_sums_share_no_cost():
    """The cotangent of a sum is a view, not a filled array."""
    _, backward = find_formula(np.sum)(np.ones((100, 100)))
    assert backward(np.float64(1)).strides == (0, 0)
