"""Lengths that were equal where code was generated, and are not at a later call."""

import numpy as np
import pytest

from srcgrad import grad

Z = np.array([1.0, 2.0, 4.0])


def chosen_in_an_expression(a, b, z):
    t = a if np.sum(z) > 0 else b
    return np.sum(t * z)


def chosen_by_a_branch(a, b, z):
    if np.sum(z) > 0:
        t = a * 2.0
    else:
        t = b * 3.0
    return np.sum(t * z)


def carried_by_a_loop(a, b, z):
    t = a
    for k in range(2):
        t = b * 2.0
    return np.sum(t * z)


@pytest.mark.parametrize(
    ("f", "factor"),
    [(chosen_in_an_expression, 1.0), (chosen_by_a_branch, 3.0), (carried_by_a_loop, 2.0)],
)
def test_arrays_that_met_with_one_length_may_have_two(f, factor):
    """One that is stretched at a later call has its cotangent summed."""
    made = grad(f, wrt=(0, 1))
    made(np.ones(3), np.ones(3), Z)
    a_bar, b_bar = made(np.ones(3), np.ones(1), -Z)
    np.testing.assert_allclose(a_bar, np.zeros(3))
    np.testing.assert_allclose(b_bar, [-7.0 * factor])
