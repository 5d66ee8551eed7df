"""The formulas of NumPy's sorting and quantiles."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.runtime.numpy.quantiles import place_ranked, read_ranked
from tests.formulas.checking import case, formula_test, normal

load("numpy")

HOLES = normal(2, 4, 3)
HOLES[0, 1, 2] = HOLES[1, 1, 0] = np.nan
TIMES = (2.0, 1.0, 3.0, 1.0, 1.0, 2.0, 1.0)
MANY = ((1.0, 2.0, 1.0, 3.0), (2.0, 1.0, 1.0, 1.0), (1.0, 1.0, 4.0, 1.0))
MEDIANS = [np.median, np.nanmedian]
PERCENTILES = [np.percentile, np.nanpercentile]
METHODS = ["lower", "higher", "nearest", "midpoint", "inverted_cdf"]

CASES = [
    case(np.sort, normal(5)),
    case(np.sort, normal(3, 4)),
    case(np.sort, normal(3, 4), axis=0),
    case(np.sort, normal(3, 4), axis=None),
    case(np.sort, normal(5), kind="stable"),
    case(np.partition, normal(6), 2),
    case(np.partition, normal(3, 7), 3, axis=1),
    case(np.partition, normal(7, 3), 3, axis=0),
    case(np.partition, normal(3, 4), (2, 5), axis=None),
    *(case(fn, normal(*shape)) for fn in MEDIANS for shape in ((5,), (6,), (3, 4))),
    *(
        case(fn, x, **options)
        for fn, x in ((np.median, normal(2, 3, 4)), (np.nanmedian, HOLES))
        for options in ({"axis": 1}, {"axis": (0, -1)}, {"axis": 0, "keepdims": True})
    ),
    *(
        case(fn, x, q, **options)
        for fn, x in ((np.quantile, normal(3, 5)), (np.nanquantile, HOLES[0]))
        for q in (0.37, np.array([0.22, 0.93]))
        for options in ({}, {"axis": 1}, {"axis": (0, 1), "keepdims": True})
    ),
    *(case(fn, normal(5), q) for fn in PERCENTILES for q in (30.0, np.array([21.0, 93.0]))),
    *(case(np.quantile, normal(7), 0.37, method=m) for m in METHODS),
    case(np.quantile, normal(7), 0.01, method="hazen"),
    case(np.quantile, normal(7), 0.37, method="weibull"),
    case(np.quantile, normal(7), np.array([0.37, 0.6]), method="median_unbiased"),
    *(
        case(fn, normal(7), scale * q, method="inverted_cdf", weights=TIMES)
        for fn, scale in (
            (np.quantile, 1),
            (np.nanquantile, 1),
            (np.percentile, 100),
            (np.nanpercentile, 100),
        )
        for q in (0.37, np.array([0.11, 0.83]))
    ),
    case(
        np.quantile,
        normal(2, 4, 3),
        0.37,
        axis=1,
        keepdims=True,
        weights=TIMES[:4],
        method="inverted_cdf",
    ),
    case(np.quantile, normal(3, 4), 0.57, axis=0, weights=MANY, method="inverted_cdf"),
    case(np.quantile, normal(3, 4), 0.57, weights=MANY, method="inverted_cdf"),
    case(read_ranked, normal(5), normal(5), 0.3, slope=True),
    case(place_ranked, 0.7, normal(5), 0.3),
    case(place_ranked, normal(3), normal(3, 5), 0.3, axis=1, slope=True),
]

test_formula = formula_test(CASES)
