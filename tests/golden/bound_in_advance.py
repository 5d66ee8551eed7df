"""A method with some of its arguments bound in advance."""

from functools import partial

import numpy as np

from srcgrad import grad


class Decay:
    def __init__(self, rate):
        self.rate = rate

    def at(self, t, x):
        return x * np.exp(-self.rate * t)


def halved(rate, x):
    later = partial(Decay(rate).at, 2.0)
    return np.sum(later(x) ** 2)


def arguments():
    return 0.7, np.array([0.3, 0.6, -1.0])


derivative = grad(halved, wrt=("rate", "x"))


# ------------------------------------------------------------------------------------------

def halved_grad(rate, x):
    """Gradient of halved (bound_in_advance.py:18) with respect to (rate, x)."""
    owner = Decay(rate)
    value, lambda__residuals = lambda__forward(x, owner=owner)

    # bound_in_advance.py:20  return np.sum(later(x) ** 2)
    x_bar, rate_bar = lambda__backward(lambda__residuals, 2 * value)
    return rate_bar, x_bar


def lambda__forward(x, *, owner):
    """lambda_ (bound_in_advance.py:19), with what its backward function needs."""
    at_value, at_residuals = at_forward(owner, 2.0, x)
    return at_value, (at_residuals,)


def at_forward(self, t, x):
    """at (bound_in_advance.py:14), with what its backward function needs."""
    exp = np.exp(-self.rate * t)
    return x * exp, (t, x, exp)


def at_backward(residuals, value_bar):
    """Backward function of at (bound_in_advance.py:14)."""
    t, x, exp = residuals
    # bound_in_advance.py:15  return x * np.exp(-self.rate * t)
    x_bar = exp * value_bar
    rate_bar = -np.dot(value_bar, x) * exp * t
    return rate_bar, x_bar


def lambda__backward(residuals, value_bar):
    """Backward function of lambda_ (bound_in_advance.py:19)."""
    at_residuals, = residuals
    rate_bar, x_bar = at_backward(at_residuals, value_bar)
    return x_bar, rate_bar
