"""A closure: a penalised fit to data that the function keeps."""

import numpy as np

from srcgrad import grad


def make_misfit(t, y, penalty):
    decay = np.exp(-t)

    def misfit(p):
        model = p[0] + p[1] * decay
        return np.sum((model - y) ** 2) + penalty * p[1] ** 2

    return misfit


def arguments():
    return (np.array([0.3, 1.2]),)


times = np.linspace(0.0, 2.0, 5)
derivative = grad(make_misfit(times, 1 / (1 + times), 0.1))


# ------------------------------------------------------------------------------------------

from srcgrad.runtime import unbroadcast


def misfit_grad(p):
    """Gradient of misfit (closure.py:11) with respect to p."""
    prod = p[1] * decay
    model = p[0] + prod
    diff = model - y
    pre = diff ** 2

    # closure.py:13  return np.sum((model - y) ** 2) + penalty * p[1] ** 2
    p_bar = np.zeros_like(p)
    p_bar[1] = 2 * penalty * p[1]
    model_bar = unbroadcast(unbroadcast(np.broadcast_to(2.0, shape=pre.shape) *
        diff, diff), model)
    # closure.py:12  model = p[0] + p[1] * decay
    p_item_bar = np.sum(model_bar)
    p_bar[1] += np.sum(unbroadcast(model_bar, prod) * decay)
    p_bar[0] += p_item_bar
    return p_bar
