"""Functions of a table, chosen by a number among the arguments."""

import numpy as np

from srcgrad import grad

WAVES = [np.sin, np.cos, np.tanh]


def signal(x, k, rate):
    carrier, envelope = WAVES[k], WAVES[k - 1]
    return np.sum(carrier(rate * x) * envelope(x))


def arguments():
    return np.array([0.5, -1.0, 2.0]), 1, 3.0


derivative = grad(signal, wrt=("x", "rate"))


# ------------------------------------------------------------------------------------------

def signal_grad(x, k, rate):
    """Gradient of signal (chosen_by_number.py:10) with respect to (x, rate)."""
    carrier, envelope = WAVES[k], WAVES[k - 1]
    pre = rate * x
    cos = carrier(pre)
    sin_x = envelope(x)

    # chosen_by_number.py:12  return np.sum(carrier(rate * x) * envelope(x))
    pre_bar = -sin_x * np.sin(pre)
    rate_bar = np.dot(pre_bar, x)
    x_bar = cos * np.cos(x) + rate * pre_bar
    return x_bar, rate_bar
