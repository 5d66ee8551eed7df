"""An array that is cut into parts of one length."""

import numpy as np

from srcgrad import grad


def gated(state, x):
    keep, new, out = np.split(state, 3)
    h = 1 / (1 + np.exp(-keep)) * x + np.tanh(new)
    return np.sum(h * out)


def arguments():
    return np.array([0.5, 0.3, -0.9, 1.0, 2.0, 0.1]), np.array([0.7, -0.4])


derivative = grad(gated, wrt=("state", "x"))


# ------------------------------------------------------------------------------------------

def gated_grad(state, x):
    """Gradient of gated (cut_up.py:8) with respect to (state, x)."""
    keep, new, out = np.split(state, 3)
    exp = np.exp(-keep)
    ratio = 1 / (1 + exp)
    tanh_new = np.tanh(new)
    h = ratio * x + tanh_new

    # cut_up.py:10  h = 1 / (1 + np.exp(-keep)) * x + np.tanh(new)
    new_bar = out * (1 - tanh_new ** 2)
    x_bar = out * ratio
    keep_bar = out * x / (1 + exp) * ratio * exp
    # cut_up.py:9  keep, new, out = np.split(state, 3)
    state_bar = np.concatenate((keep_bar, new_bar, h))
    return state_bar, x_bar
