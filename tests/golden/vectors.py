"""Objects that stand for numbers: making one, and adding two, needs no functions of their own."""

import numpy as np

from srcgrad import grad


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def norm(self):
        return np.hypot(self.x, self.y)


def path(p):
    start, end = Vector(p[0], p[1]), Vector(p[2], p[3])
    return (end - start).norm() + (end + start).norm()


def arguments():
    return (np.array([0.3, -0.4, 1.2, 0.5]),)


derivative = grad(path)


# ------------------------------------------------------------------------------------------

def path_grad(p):
    """Gradient of path (vectors.py:22) with respect to p."""
    start, end = Vector(p[0], p[1]), Vector(p[2], p[3])
    norm_value, norm_residuals = norm_forward(end - start)
    norm_value2, norm_residuals2 = norm_forward(end + start)

    # vectors.py:24  return (end - start).norm() + (end + start).norm()
    x_bar, y_bar = norm_backward(norm_residuals2, 1.0)
    x_bar2, y_bar2 = norm_backward(norm_residuals, 1.0)
    # vectors.py:23  start, end = Vector(p[0], p[1]), Vector(p[2], p[3])
    p_bar = np.zeros(p.shape)
    p_bar[3] = y_bar + y_bar2
    p_bar[2] = x_bar + x_bar2
    p_bar[1] = y_bar - y_bar2
    p_bar[0] = x_bar - x_bar2
    return p_bar


def norm_forward(self):
    """norm (vectors.py:18), with what its backward function needs."""
    value = np.hypot(self.x, self.y)
    return value, (self.x, self.y, value)


def norm_backward(residuals, value_bar):
    """Backward function of norm (vectors.py:18)."""
    x, y, value = residuals
    # vectors.py:19  return np.hypot(self.x, self.y)
    term = value + (value == 0)
    x_bar = value_bar * (x / term)
    y_bar = value_bar * (y / term)
    return x_bar, y_bar
