"""A list that is put together of displays, one of them as often as a number says."""

import numpy as np

from srcgrad import grad


def deep(first, inner, n, x):
    weights = [first] + [inner] * (n - 2) + [first.T]
    for w in weights:
        x = np.tanh(w @ x)
    return np.sum(x)


def arguments():
    first = np.array([[0.5, 0.1], [-0.3, 0.8]])
    return first, np.array([[1.0, 2.0], [0.0, 1.0]]), 4, np.array([0.3, 0.6])


derivative = grad(deep, wrt=("first", "inner"))


# ------------------------------------------------------------------------------------------

def deep_grad(first, inner, n, x):
    """Gradient of deep (repeated_layers.py:8) with respect to (first, inner)."""
    weights = [first] + [inner] * (n - 2) + [first.T]
    saved = []
    for w in weights:
        x_0 = x
        x = np.tanh(w @ x)
        saved.append((x_0, w, x))

    # repeated_layers.py:12  return np.sum(x)
    x_bar = np.ones_like(x)
    # repeated_layers.py:10  for w in weights:
    weights_bar = []
    for x_0, w, x in saved[::-1]:
        # repeated_layers.py:11  x = np.tanh(w @ x)
        pre_bar = x_bar * (1 - x ** 2)
        w_bar = np.outer(pre_bar, x_0)
        x_bar = w.T @ pre_bar
        weights_bar.append(w_bar)
    first_bar = weights_bar.pop()
    inner_bar = weights_bar.pop()
    inner_term = weights_bar.pop()
    # repeated_layers.py:10  for w in weights:
    inner_bar = inner_bar + inner_term
    T_first_bar = weights_bar.pop()
    # repeated_layers.py:9  weights = [first] + [inner] * (n - 2) + [first.T]
    first_bar += T_first_bar.T
    return first_bar, inner_bar
