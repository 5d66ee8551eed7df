"""A formula of the user's own, with an intermediate that its backward part needs."""

import numpy as np

from srcgrad import formula, grad


def logsumexp(x):
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


@formula(logsumexp)
def logsumexp_formula(x):
    top = np.max(x)
    e = np.exp(x - top)
    s = np.sum(e)
    z = top + np.log(s)

    def backward(z_bar):
        return z_bar * e / s

    return z, backward


def cross_entropy(w, features, label):
    scores = features @ w
    return logsumexp(scores) - scores[label]


def arguments():
    rng = np.random.default_rng(4)
    return rng.normal(size=3), rng.normal(size=(4, 3)), 2


derivative = grad(cross_entropy)


# ------------------------------------------------------------------------------------------

def cross_entropy_grad(w, features, label):
    """Gradient of cross_entropy (hidden_output.py:26) with respect to w."""
    scores = features @ w
    logsumexp_scores, e, s = logsumexp_formula_forward(scores)

    # hidden_output.py:28  return logsumexp(scores) - scores[label]
    scores_bar = np.zeros(scores.shape)
    scores_bar[label] = -1.0
    scores_bar += logsumexp_formula_backward(e, s, 1.0)
    # hidden_output.py:27  scores = features @ w
    w_bar = features.T @ scores_bar
    return w_bar


def logsumexp_formula_backward(e, s, z_bar):
    return z_bar * e / s


def logsumexp_formula_forward(x):
    top = np.max(x)
    e = np.exp(x - top)
    s = np.sum(e)
    z = top + np.log(s)
    return z, e, s
