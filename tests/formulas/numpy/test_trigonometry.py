"""The formulas of NumPy's trigonometric functions."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from tests.formulas.checking import between, case, formula_test, normal, positive

load("numpy")

CASES = [
    case(np.unwrap, np.array([0.1, 3.3, 6.9, 0.4])),
    case(np.unwrap, normal(3, 4) * 5, axis=0, period=4.0),
    *(
        case(fn, x)
        for fn in (np.sin, np.cos, np.tan, np.arctan, np.degrees, np.radians)
        for x in (0.7, normal(2, 3))
    ),
    case(np.rad2deg, normal(3)),
    case(np.deg2rad, normal(3)),
    *(case(fn, x) for fn in (np.arcsin, np.arccos) for x in (0.3, between(-0.9, 0.9, 4))),
    case(np.hypot, 0.7, -1.2),
    case(np.hypot, normal(2, 3), normal(2, 1)),
    case(np.arctan2, 0.7, -1.2),
    case(np.arctan2, normal(2, 3), positive(3)),
    case(np.arctan2, 1.5, positive(3)),
]

test_formula = formula_test(CASES)


def test_hypot_at_the_origin():
    """The slopes of a length at the origin are 0, without a warning."""
    _, backward = find_formula(np.hypot)(np.zeros(2), np.zeros(2))
    np.testing.assert_array_equal(backward(np.ones(2)), np.zeros((2, 2)))
