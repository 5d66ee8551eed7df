"""An object that is unpacked, gone through, and spread over the arguments of a call."""

import numpy as np

from srcgrad import grad


class Direction:
    """A vector of two numbers."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __iter__(self):
        return iter((self.x, self.y))

    def normalised(self):
        length = np.sqrt(sum(c * c for c in self))
        return Direction(*(c / length for c in self))


def alignment(p, axis):
    x, y = Direction(p[0], p[1]).normalised()
    return x * axis[0] + y * axis[1]


def arguments():
    return np.array([0.8, 1.5]), np.array([0.6, 0.8])


derivative = grad(alignment)


# ------------------------------------------------------------------------------------------

def alignment_grad(p, axis):
    """Gradient of alignment (unpacked_objects.py:22) with respect to p."""
    items, normalised_residuals = normalised_forward(Direction(p[0], p[1]))

    # unpacked_objects.py:23  x, y = Direction(p[0], p[1]).normalised()
    x_bar, y_bar = normalised_backward(normalised_residuals, axis[0], axis[1])
    p_bar = np.zeros(p.shape)
    p_bar[1] = y_bar
    p_bar[0] = x_bar
    return p_bar


def normalised_forward(self):
    """normalised (unpacked_objects.py:17), with what its backward function needs."""
    length = np.sqrt(sum([self.x * self.x, self.y * self.y]))
    return Direction(self.x / length, self.y / length), (self.x, self.y, length)


def normalised_backward(residuals, x_bar, y_bar):
    """Backward function of normalised (unpacked_objects.py:17)."""
    x, y, length = residuals
    # unpacked_objects.py:19  return Direction(*(c / length for c in self))
    y_bar = y_bar / length
    x_bar = x_bar / length
    length_bar = -x_bar * (x / length) - y_bar * (y / length)
    # unpacked_objects.py:18  length = np.sqrt(sum(c * c for c in self))
    pre_bar = length_bar / (2 * length)
    y_bar += 2 * pre_bar * y
    x_bar += 2 * pre_bar * x
    return x_bar, y_bar
