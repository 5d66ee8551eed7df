"""Parameters that are taken from an iterator, one after the other."""

import numpy as np

from srcgrad import grad


def network(params, x):
    leaves = iter(params)
    w, b = next(leaves), next(leaves)
    h = np.tanh(x @ w + b)
    v, c = next(leaves), next(leaves)
    return np.sum((h @ v + c) ** 2)


def arguments():
    w, b = np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([0.1, 0.2])
    return [w, b, w.T, -b], np.array([0.5, -1.0])


derivative = grad(network)


# ------------------------------------------------------------------------------------------

def network_grad(params, x):
    """Gradient of network (layers_in_turn.py:8) with respect to params."""
    leaves = params
    w, b = leaves[0], leaves[1]
    h = np.tanh(x @ w + b)
    v, c = leaves[2], leaves[3]
    sum_ = h @ v + c

    # layers_in_turn.py:13  return np.sum((h @ v + c) ** 2)
    c_bar = 2 * sum_
    h_bar = v @ c_bar
    v_bar = np.outer(h, c_bar)
    # layers_in_turn.py:11  h = np.tanh(x @ w + b)
    pre_bar = h_bar * (1 - h ** 2)
    w_bar = np.outer(x, pre_bar)
    return [w_bar, pre_bar, v_bar, c_bar]
