"""The formulas of NumPy's extrema."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula, running_for
from tests.formulas.checking import case, formula_test, normal

load("numpy")

PAIRS = [np.maximum, np.minimum, np.fmax, np.fmin]
REDUCTIONS = [np.max, np.min, np.ptp, np.nanmax, np.nanmin]
MASK = np.array([[True, False, True], [False, True, True]])
HOLES = np.array([[1.5, np.nan, 0.7], [np.nan, -0.4, 2.0]])

CASES = [
    *(case(fn, 0.7, -1.2) for fn in PAIRS),
    *(case(fn, normal(2, 3), normal(3)) for fn in PAIRS),
    *(case(fn, normal(2, 1), 0.0) for fn in PAIRS),
    *(case(fn, normal(4)) for fn in REDUCTIONS),
    *(case(fn, normal(2, 3)) for fn in REDUCTIONS),
    *(case(fn, normal(2, 3), keepdims=True) for fn in REDUCTIONS),
    *(case(fn, normal(2, 3), axis=0) for fn in REDUCTIONS),
    *(case(fn, normal(2, 3, 4), axis=(0, -1)) for fn in REDUCTIONS),
    *(case(fn, normal(2, 3, 4), axis=1, keepdims=True) for fn in REDUCTIONS),
    case(np.amax, normal(4)),
    *(
        case(fn, normal(2, 3), where=MASK, initial=initial, **options)
        for fn, initial in ((np.max, -9.0), (np.max, 0.3), (np.min, 9.0))
        for options in ({}, {"axis": 1}, {"axis": 0, "keepdims": True})
    ),
    *(case(fn, HOLES, axis=axis) for fn in (np.nanmax, np.nanmin) for axis in (None, 0, (0, 1))),
    case(np.amin, normal(4)),
    case(np.nanmax, HOLES, where=MASK, initial=-9.0, axis=1),
    case(np.nanmin, HOLES, where=MASK, initial=0.1),
]

test_formula = formula_test(CASES)


@pytest.mark.parametrize("fn", PAIRS)
def test_tie_of_two(fn):
    """Two numbers that tie share the slope."""
    with running_for(fn):
        _, backward = find_formula(fn)(np.array([1.0, 2.0]), 2.0)
    x_bar, y_bar = backward(np.ones(2))
    assert x_bar[1] == 0.5
    assert np.sum(x_bar) + np.sum(y_bar) == 2


@pytest.mark.parametrize("fn", [np.max, np.min])
@pytest.mark.parametrize("options", [{}, {"axis": 0}, {"axis": 0, "keepdims": True}])
def test_tie_in_an_array(fn, options):
    """All entries that tie share the slope evenly."""
    with running_for(fn):
        z, backward = find_formula(fn)(np.full(4, 2.0), **options)
    np.testing.assert_array_equal(backward(np.ones_like(z)), 0.25)


@pytest.mark.parametrize("fn", [np.fmax, np.fmin])
def test_nan_is_passed_over(fn):
    """The number beside a nan has the whole slope."""
    with running_for(fn):
        _, backward = find_formula(fn)(np.array([np.nan, 1.0]), np.array([2.0, np.nan]))
    np.testing.assert_array_equal(backward(np.ones(2)), [[0, 1], [1, 0]])
