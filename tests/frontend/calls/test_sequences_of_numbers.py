"""Functions of Python's that are given named tuples and views of numbers."""

from collections import namedtuple

import numpy as np

from srcgrad import grad, source
from tests import finite_differences as fd

State = namedtuple("State", "susceptible infected recovered")


def step(state, rate):
    """Let some be infected, out of all."""
    infected = rate * state.susceptible * state.infected / sum(state)
    return State(state.susceptible - infected, state.infected + infected, state.recovered)


def epidemic(rate):
    """Begin with numbers that do not depend on the rate."""
    state = State(90.0, 10.0, 0.0)
    for _ in range(4):
        state = step(state, rate)
    return state.infected


def test_the_sum_of_a_named_tuple():
    """It is a number, before it depends on what is differentiated and after."""
    slope = grad(epidemic, recorded="refuse")
    np.testing.assert_allclose(slope(0.3), fd.gradient(epidemic, (0.3,), 0), rtol=1e-6)
    assert "unbroadcast" not in source(slope)
