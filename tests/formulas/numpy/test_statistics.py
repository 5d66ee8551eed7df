"""The formulas of NumPy's correlations, histograms and polynomials."""

import numpy as np
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

CASES = [
    *(
        case(fn, normal(n), normal(m) + 1, mode=mode)
        for fn in (np.convolve, np.correlate)
        for n, m in ((5, 3), (5, 2), (2, 5), (3, 6), (4, 4), (4, 1))
        for mode in ("full", "same", "valid")
    ),
    case(np.cov, normal(5)),
    case(np.cov, normal(3, 5)),
    case(np.cov, normal(3, 5), bias=True),
    case(np.cov, normal(3, 5), rowvar=False, ddof=2),
    case(np.cov, normal(3, 5), fweights=np.array([1, 2, 1, 3, 1])),
    case(np.cov, normal(5, 3), rowvar=False, fweights=np.array([1, 2, 1, 3, 1]), bias=True),
    case(np.cov, normal(3, 5), aweights=positive(5)),
    case(np.cov, normal(3, 5), aweights=positive(5), ddof=0),
    case(np.cov, normal(5), aweights=positive(5), ddof=2),
    case(
        np.cov,
        normal(5, 2),
        positive(5, 1),
        rowvar=False,
        fweights=np.array([1, 2, 1, 3, 1]),
        aweights=positive(5),
    ),
    case(np.cov, normal(5), positive(5)),
    case(np.cov, normal(3, 5), positive(2, 5)),
    case(np.cov, normal(5, 3), positive(5, 2), rowvar=False),
    case(np.corrcoef, normal(3, 5)),
    case(np.corrcoef, normal(3, 5), rowvar=False),
    case(np.corrcoef, normal(5), positive(5)),
    case(np.corrcoef, normal(3, 5), positive(2, 5)),
    case(np.bincount, np.array([0, 2, 2, 1]), normal(4)),
    case(np.bincount, np.array([0, 2, 2]), normal(3), minlength=5),
    case(np.histogram, normal(7), 4, weights=positive(7)),
    case(np.histogram, normal(7), 4, weights=positive(7), density=True),
    case(np.histogram, normal(7), 3, range=(-0.5, 1.0), weights=positive(7), density=True),
    case(np.histogram, normal(7), np.array([-1.0, 0.1, 0.7]), weights=positive(7), density=True),
    case(np.histogram, normal(7), 3, density=True),
    case(np.histogram, normal(7), 3, range=(-0.5, 1.0), weights=positive(7)),
    case(np.histogram, normal(7), np.array([-1.0, 0.1, 0.7]), weights=positive(7)),
    case(np.histogram, normal(7), 4, (-2.5, 2.0)),
    case(np.histogram, normal(7), 4, (-2.5, 2.0), True, positive(7)),
    case(np.histogram, normal(7), 4, density=True),
    case(np.histogram, normal(7), 4, density=True, weights=positive(7)),
    case(np.histogram, normal(7), 3, range=(-0.5, 1.0), density=True, weights=positive(7)),
    case(np.histogram, normal(7), np.array([-1.0, 0.1, 0.7]), density=True),
    case(np.histogram, normal(7), np.array([-1.0, 0.1, 0.7]), density=True, weights=positive(7)),
    case(np.polyval, normal(4), normal(2, 3)),
    case(np.polyval, normal(4), 0.7),
    case(np.polyval, normal(1), normal(3)),
]

test_formula = formula_test(CASES)
