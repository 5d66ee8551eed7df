"""Loops whose names hold another kind of thing after an iteration."""

import numpy as np

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
