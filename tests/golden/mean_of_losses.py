"""Losses that are appended to a list, and their mean."""

import numpy as np

from srcgrad import grad


def loss(w, xs, ys):
    losses = []
    for x, y in zip(xs, ys):
        r = np.tanh(x @ w) - y
        losses.append(r @ r)
    return np.mean(losses)


def arguments():
    rng = np.random.default_rng(3)
    return rng.normal(size=2), rng.normal(size=(4, 3, 2)), rng.normal(size=(4, 3))


derivative = grad(loss)


# ------------------------------------------------------------------------------------------

def loss_grad(w, xs, ys):
    """Gradient of loss (mean_of_losses.py:8) with respect to w."""
    losses = []
    saved = []
    for x, y in zip(xs, ys):
        tanh = np.tanh(x @ w)
        r = tanh - y
        saved.append((x, tanh, r))
        losses.append(r @ r)
    array_losses = np.array(losses)

    # mean_of_losses.py:13  return np.mean(losses)
    losses_bar = list(np.full_like(array_losses, 1.0 / max(array_losses.size, 1)))
    # mean_of_losses.py:10  for x, y in zip(xs, ys):
    w_bar = np.zeros(w.shape)
    for x, tanh, r in saved[::-1]:
        # mean_of_losses.py:12  losses.append(r @ r)
        prod_bar = losses_bar.pop()
        r_bar = 2 * prod_bar * r
        # mean_of_losses.py:11  r = np.tanh(x @ w) - y
        w_bar += x.T @ (r_bar * (1 - tanh ** 2))
    return w_bar
