"""Loops whose names hold another kind of thing after an iteration."""

import numpy as np
import pytest

from srcgrad import grad


def sorted_and_made_anew(x):
    """Sum of products; the list that the loop reads is another one after each iteration."""
    held = np.full(3, 0.5)
    rows = [held]
    for _ in range(3):
        rows[0].sort()
        rows = [held]
    return np.sum(x * held)


def test_a_list_that_is_made_anew_is_recorded_for_what_the_user_wrote():
    gradient = grad(sorted_and_made_anew, recorded="allow")
    assert gradient(np.array([0.3, 0.7])[[0, 1, 0]]).tolist() == [0.5, 0.5, 0.5]
    (recorded,) = gradient.recorded
    assert "'rows'" in recorded.reason


def read_before_it_is_filled(x):
    """Sum of products of neighbours in a list, of which there is none at first."""
    held = []
    total = 0.0
    for v in x:
        total += held[-1] * v
        held.append(v)
    return total


def read_where_nothing_fills_it(x):
    """Sum of squares, with a list that is read in no iteration."""
    held = []
    total = 0.0
    for k in range(3):
        if k > 5:
            total += held[-1]
        total += x[k] ** 2
    return total


def test_a_list_that_is_empty_where_it_is_read_is_an_error_of_the_program():
    with pytest.raises(IndexError):
        grad(read_before_it_is_filled, recorded="allow")(np.array([0.3, 0.7]))
    gradient = grad(read_where_nothing_fills_it, recorded="allow")
    assert gradient(np.array([0.5, 1.0, 2.0])).tolist() == [1.0, 2.0, 4.0]
    assert "an empty list" in gradient.recorded[0].reason
