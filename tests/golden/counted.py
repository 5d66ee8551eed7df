"""A counter of calls, and a report now and then."""

import numpy as np

from srcgrad import grad

calls = 0


def rosenbrock(x):
    global calls
    calls += 1
    value = np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    if calls % 10 == 0:
        print(calls, value)
    return value


def arguments():
    return (np.array([0.5, 1.5, -0.5, 2.0]),)


derivative = grad(rosenbrock)


# ------------------------------------------------------------------------------------------

def rosenbrock_grad(x):
    """Gradient of rosenbrock (counted.py:10) with respect to x."""
    global calls
    calls += 1
    diff = x[1:] - x[:-1] ** 2
    value = np.sum(100.0 * diff ** 2 + (1 - x[:-1]) ** 2)
    if calls % 10 == 0:
        print(calls, value)

    # counted.py:13  value = np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)
    x_bar = np.zeros(x.shape)
    x_bar[:-1] = -400 * diff * x[:-1] - 2 * (1 - x[:-1])
    x_bar[1:] += 200 * diff
    return x_bar
