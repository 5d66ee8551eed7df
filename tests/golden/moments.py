"""A running state that is None until the first element has come."""

import numpy as np

from srcgrad import grad


def spread(x, rate):
    state = None
    for v in x:
        if state is None:
            state = (v, v**2)
        else:
            mean, square = state
            state = (mean + rate * (v - mean), square + rate * (v**2 - square))
    return np.sqrt(state[1] - state[0] ** 2)


def arguments():
    return np.array([0.5, 1.5, -0.5, 2.0]), 0.3


derivative = grad(spread, wrt=("x", "rate"))


# ------------------------------------------------------------------------------------------

def spread_grad(x, rate):
    """Gradient of spread (moments.py:8) with respect to (x, rate)."""
    state = None
    saved = []
    saved2 = []
    for v in x:
        cond = state is None
        saved2.append((v, cond))
        if cond:
            state = (v, v**2)
        else:
            mean, square = state
            diff = v - mean
            diff2 = v**2 - square
            saved.append((diff, diff2))
            state = (mean + rate * diff, square + rate * diff2)
    state_ = state[0]
    value = np.sqrt(state[1] - state_ ** 2)

    # moments.py:16  return np.sqrt(state[1] - state[0] ** 2)
    term = 2 * value
    state_bar2 = 1 / term
    state_bar = -2 / term * state_
    # moments.py:10  for v in x:
    x_bar = np.zeros(x.shape)
    rate_bar = 0.0
    i = len(saved2)
    for v, cond in saved2[::-1]:
        i -= 1
        if cond:
            # moments.py:12  state = (v, v**2)
            v_bar = state_bar + 2 * state_bar2 * v
            state_bar2 = 0.0
            state_bar = 0.0
        else:
            diff, diff2 = saved.pop()
            # moments.py:15  state = (mean + rate * (v - mean), square + rate * (v**2 - square))
            diff_bar = state_bar2 * rate
            square_bar = state_bar2 - diff_bar
            diff_bar2 = state_bar * rate
            rate_bar = rate_bar + state_bar2 * diff2 + state_bar * diff
            v_bar = 2 * diff_bar * v + diff_bar2
            state_bar = state_bar - diff_bar2
            state_bar2 = square_bar
        # moments.py:10  for v in x:
        x_bar[i] += v_bar
    return x_bar, rate_bar
