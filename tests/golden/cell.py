"""A recurrent cell whose weights the function takes apart, and a list that begins with a state."""

import numpy as np

from srcgrad import grad


def misfit(weights, xs, h, data):
    W, U, b = weights
    out = [h]
    for x in xs:
        h = np.tanh(W @ x + U @ h + b)
        out.append(h)
    return np.mean((np.array(out)[:, 0] - data) ** 2)


def arguments():
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(3, 2)), rng.normal(size=(3, 3)), rng.normal(size=3)
    return weights, rng.normal(size=(4, 2)), np.zeros(3), rng.normal(size=5)


derivative = grad(misfit)


# ------------------------------------------------------------------------------------------

def misfit_grad(weights, xs, h, data):
    """Gradient of misfit (cell.py:8) with respect to weights."""
    W, U, b = weights
    out = [h]
    saved = []
    for x in xs:
        h_0 = h
        h = np.tanh(W @ x + U @ h + b)
        saved.append((h_0, x, h))
        out.append(h)
    array_out = np.array(out)
    diff = array_out[:, 0] - data
    power = diff ** 2

    # cell.py:14  return np.mean((np.array(out)[:, 0] - data) ** 2)
    array_out_bar = np.zeros(array_out.shape)
    array_out_bar[:, 0] = 2 * diff / power.size
    out_bar = list(array_out_bar)
    # cell.py:11  for x in xs:
    h_bar = np.zeros(h.shape)
    b_bar = np.zeros(b.shape)
    U_bar = np.zeros(U.shape)
    W_bar = np.zeros(W.shape)
    for h_0, x, h in saved[::-1]:
        # cell.py:13  out.append(h)
        h_term = out_bar.pop()
        h_bar += h_term
        # cell.py:12  h = np.tanh(W @ x + U @ h + b)
        pre_bar = h_bar * (1 - h ** 2)
        b_bar += pre_bar
        h_bar = U.T @ pre_bar
        U_bar += np.outer(pre_bar, h_0)
        W_bar += np.outer(pre_bar, x)
    return (W_bar, U_bar, b_bar)
