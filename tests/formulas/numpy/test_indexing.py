"""The formulas of NumPy's indexing and selecting functions."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from srcgrad.runtime.choosing import choose_row, place_chosen
from tests.formulas.checking import case, formula_test, normal

load("numpy")

MASK = np.array([[True, False, True], [False, False, True]])

CASES = [
    case(np.where, MASK, normal(2, 3), normal(3)),
    case(np.where, MASK, 1.5, normal(2, 1)),
    case(np.where, MASK[0], normal(2, 3), 0.0),
    case(np.where, True, 1.5, 0.7),
    case(np.where, np.array([0, 2, 3]), normal(3), 0.7),
    case(np.select, [MASK, ~MASK], [normal(2, 3), normal(3)]),
    case(np.select, [MASK, MASK[0], MASK[1]], [normal(2, 3), 0.7, normal(3)], 1.5),
    case(np.choose, np.array([[0, 1, 2], [2, 2, 0]]), (normal(2, 3), normal(3), 0.5)),
    case(np.choose, np.array([0, 4, -1]), (normal(3), normal(2, 3)), mode="wrap"),
    case(np.choose, np.array([0, 4, -1]), (normal(3), normal(2, 3)), mode="clip"),
    case(choose_row, np.array([[0, 1, 0], [1, 1, 0]]), normal(2, 3)),
    case(choose_row, np.array([[0], [1]]), normal(2, 1, 3)),
    case(choose_row, 1, normal(2, 3)),
    case(choose_row, np.array([0, 4, -1]), normal(2, 2, 3), mode="wrap"),
    case(choose_row, np.array([0, 4, -1]), normal(2, 3), mode="clip"),
    case(place_chosen, normal(2, 3), np.array([[0, 1, 0], [1, 1, 0]]), np.ones((2, 3))),
    case(place_chosen, normal(3), np.array([0, 4, -1]), np.ones((2, 3)), mode="wrap"),
    case(np.compress, [True, False, True], normal(4)),
    case(np.compress, MASK[0], normal(2, 3), axis=1),
    case(np.compress, np.array([False, True]), normal(3, 4), axis=0),
    case(np.extract, MASK, normal(2, 3)),
    case(np.take, normal(4), 2),
    case(np.take, normal(4), np.array([1, 1, 3])),
    case(np.take, normal(2, 3), np.array([[1, 1], [3, 5]])),
    case(np.take, normal(2, 3), [0, 0, 2], axis=1),
    case(np.take, normal(2, 3, 4), np.array([[1, 1], [2, 0]]), axis=-2),
    case(np.take, normal(2, 3), -1, axis=0),
    case(np.take, normal(2, 3), [0, 4, -5], axis=1, mode="wrap"),
    case(np.take, normal(2, 3), [0, 4, -5], axis=1, mode="clip"),
    case(np.take, normal(2, 3), np.array([7, 1]), mode="wrap"),
    case(np.take_along_axis, normal(2, 3), np.array([5, 0, 0]), axis=None),
    case(np.take_along_axis, normal(2, 3), np.array([[2, 2], [0, 1]]), axis=1),
    case(np.take_along_axis, normal(2, 3), np.array([[1, 1, 0]]), axis=0),
    case(np.take_along_axis, normal(4), np.array([3, 3, 0]), axis=-1),
    *(case(np.diagonal, normal(3, 4), offset=k) for k in (-2, -1, 0, 2)),
    case(np.diagonal, normal(2, 3, 4), offset=1, axis1=2, axis2=0),
    case(np.diagonal, normal(2, 3, 4), axis1=-2, axis2=-1),
]

test_formula = formula_test(CASES)


def test_what_is_not_chosen_is_dropped():
    """An infinite cotangent of the other side does not become nan."""
    _, backward, _ = find_formula(np.where)(np.array([True, False]), np.zeros(2), np.ones(2))
    _, x_bar, y_bar = backward(np.array([1.0, np.inf]))
    np.testing.assert_array_equal(x_bar, [1, 0])
    np.testing.assert_array_equal(y_bar, [0, np.inf])
