"""An array filled step by step: a recursive filter."""

import numpy as np

from srcgrad import grad


def filtered_energy(x, a, b):
    y = np.zeros(len(x))
    y[0] = b * x[0]
    for i in range(1, len(x)):
        y[i] = a * y[i - 1] + b * x[i]
    return np.sum(y ** 2)


def arguments():
    return np.array([1.0, -0.5, 2.0, 0.3, 0.8]), 0.6, 0.4


derivative = grad(filtered_energy, wrt=("a", "b"))


# ------------------------------------------------------------------------------------------

def filtered_energy_grad(x, a, b):
    """Gradient of filtered_energy (recurrence.py:8) with respect to (a, b)."""
    y = np.zeros(len(x))
    y[0] = b * x[0]
    len_x = len(x)
    for i in range(1, len_x):
        y[i] = a * y[i - 1] + b * x[i]

    # recurrence.py:13  return np.sum(y ** 2)
    y_bar = 2 * y
    b_bar = 0.0
    a_bar = 0.0
    for i in range(len_x - 1, 0, -1):
        # recurrence.py:12  y[i] = a * y[i - 1] + b * x[i]
        sum_bar = y_bar[i]
        b_bar += sum_bar * x[i]
        a_bar += sum_bar * y[i - 1]
        y_bar[i - 1] += sum_bar * a
    # recurrence.py:10  y[0] = b * x[0]
    b_bar += y_bar[0] * x[0]
    return a_bar, b_bar
