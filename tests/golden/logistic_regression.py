"""Logistic regression with a penalty: the value together with the gradient."""

import numpy as np

from srcgrad import value_and_grad


def loss(w, b, X, y, penalty):
    margins = y * (X @ w + b)
    # log(1 + exp(-margin)) without overflow
    data = np.mean(np.logaddexp(0.0, -margins))
    return data + penalty * np.sum(w ** 2)


def arguments():
    rng = np.random.default_rng(2)
    return rng.normal(size=3), 0.1, rng.normal(size=(8, 3)), rng.choice([-1.0, 1.0], 8), 0.01


derivative = value_and_grad(loss, wrt=("w", "b"))


# ------------------------------------------------------------------------------------------

def loss_value_and_grad(w, b, X, y, penalty):
    """Value and gradient of loss (logistic_regression.py:8) with respect to (w, b)."""
    margins = y * (X @ w + b)
    # log(1 + exp(-margin)) without overflow
    data = np.mean(np.logaddexp(0.0, -margins))
    value = data + penalty * np.sum(w ** 2)

    # logistic_regression.py:12  return data + penalty * np.sum(w ** 2)
    w_bar = 2 * penalty * w
    # logistic_regression.py:11  data = np.mean(np.logaddexp(0.0, -margins))
    margins_bar = -np.exp(-np.logaddexp(0, margins)) / y.size
    # logistic_regression.py:9  margins = y * (X @ w + b)
    sum_bar = margins_bar * y
    b_bar = sum_bar.sum()
    w_bar += X.T @ sum_bar
    return value, (w_bar, b_bar)
