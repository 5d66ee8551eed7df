"""A list whose elements are replaced in turn, each by what the others say."""

import numpy as np

from srcgrad import grad


def relaxed(x, a):
    c = [x[0], x[1], x[2]]
    for i in range(3):
        new = np.tanh(a * sum(c[:i] + c[i + 1 :]))
        c = c[:i] + [new] + c[i + 1 :]
    return c[0] * c[1] + c[2]


def arguments():
    return np.array([0.5, 1.5, -0.5]), 0.8


derivative = grad(relaxed, wrt=("x", "a"))


# ------------------------------------------------------------------------------------------

def relaxed_grad(x, a):
    """Gradient of relaxed (one_after_the_other.py:8) with respect to (x, a)."""
    c = [x[0], x[1], x[2]]
    i = 0
    new = np.tanh(a * sum(c[:i] + c[i + 1 :]))
    c = c[:i] + [new] + c[i + 1 :]
    i = 1
    new = np.tanh(a * sum(c[:i] + c[i + 1 :]))
    c = c[:i] + [new] + c[i + 1 :]
    i = 2
    new = np.tanh(a * sum(c[:i] + c[i + 1 :]))
    c = c[:i] + [new] + c[i + 1 :]

    # one_after_the_other.py:11  new = np.tanh(a * sum(c[:i] + c[i + 1 :]))
    pre_bar = 1 - new ** 2
    a_bar = pre_bar * (c[0] + c[1])
    sum_bar = pre_bar * a
    new_bar = c[1] + sum_bar
    new_bar2 = c[0] + sum_bar
    pre_bar = new_bar2 * (1 - c[1] ** 2)
    sum_bar = pre_bar * a
    a_bar += pre_bar * (c[0] + x[2])
    new_bar += sum_bar
    pre_bar = new_bar * (1 - c[0] ** 2)
    sum_bar2 = pre_bar * a
    a_bar += pre_bar * (x[1] + x[2])
    # one_after_the_other.py:9  c = [x[0], x[1], x[2]]
    x_bar = np.zeros(x.shape)
    x_bar[2] = sum_bar + sum_bar2
    x_bar[1] = sum_bar2
    return x_bar, a_bar
