"""A filter that keeps its states, named tuples, in a list that grows."""

from typing import NamedTuple

import numpy as np

from tests.programs.table import program


class State(NamedTuple):
    mean: np.ndarray
    cov: np.ndarray

def observed(state, value, H, r):
    spread = H @ state.cov @ H + r
    gain = state.cov @ H / spread
    miss = value - H @ state.mean
    mean = state.mean + gain * miss
    return State(mean, state.cov - np.outer(gain, H @ state.cov)), miss**2 / spread + np.log(spread)

@program(
    args=lambda rng: (0.3, 0.5, rng.normal(size=4)),
    wrt=(0, 1, 2),
    order2=False,
)
def tracker(q, r, values):
    """A filter whose states are named tuples, kept in a list."""
    F, H = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([1.0, 0.0])
    states = [State(np.zeros(2), np.eye(2))]
    cost = 0.0
    for value in values:
        last = states[-1]
        ahead = State(F @ last.mean, F @ last.cov @ F.T + q * np.eye(2))
        state, term = observed(ahead, value, H, r)
        states.append(state)
        cost += 0.5 * term
    return cost + states[-1].mean[1] ** 2
