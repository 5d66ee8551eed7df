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

def misfit_grad(p):
    """Gradient of misfit (closure.py:11) with respect to p."""
    model = p[0] + p[1] * decay
    diff = model - y

    # closure.py:13  return np.sum((model - y) ** 2) + penalty * p[1] ** 2
    p_bar = np.zeros(p.shape)
    model_bar = 2 * diff
    # closure.py:12  model = p[0] + p[1] * decay
    p_bar[1] = 2 * penalty * p[1] + np.dot(model_bar, decay)
    p_bar[0] = model_bar.sum()
    return p_bar
