"""Lists of arrays, made anew in each iteration: gradient descent with momentum."""

import numpy as np

from srcgrad import grad


def tuned(rate, decay, a, b, target, steps):
    weights = [a, b]
    momentum = [np.zeros_like(a), np.zeros_like(b)]
    for _ in range(steps):
        a, b = weights
        r = np.outer(a, b) - target
        slopes = [r @ b, a @ r]
        momentum = [decay * m + (1 - decay) * g for m, g in zip(momentum, slopes)]
        weights = [w - rate * m for w, m in zip(weights, momentum)]
    return np.sum(weights[0] ** 2) + np.sum(weights[1] ** 2)


def arguments():
    target = np.array([[1.0, 0.5, 0.2], [0.3, 0.8, 0.1]])
    return 0.1, 0.9, np.array([0.6, 0.4]), np.array([0.5, 0.3, 0.1]), target, 4


derivative = grad(tuned, wrt=("rate", "decay"))


# ------------------------------------------------------------------------------------------

def tuned_grad(rate, decay, a, b, target, steps):
    """Gradient of tuned (momentum.py:8) with respect to (rate, decay)."""
    weights = [a, b]
    momentum = [np.zeros_like(a), np.zeros_like(b)]
    saved = []
    for _ in range(steps):
        momentum_0 = momentum[0]
        momentum_0_2 = momentum[1]
        a, b = weights
        r = np.outer(a, b) - target
        slopes = [r @ b, a @ r]
        momentum = [decay * momentum[0] + (1 - decay) * slopes[0], decay * momentum[1] + (1 - decay) * slopes[1]]
        saved.append((momentum_0, momentum_0_2, a, b, r, slopes[0], slopes[1], momentum[0], momentum[1]))
        weights = [weights[0] - rate * momentum[0], weights[1] - rate * momentum[1]]

    # momentum.py:17  return np.sum(weights[0] ** 2) + np.sum(weights[1] ** 2)
    b_bar = 2 * weights[1]
    a_bar = 2 * weights[0]
    # momentum.py:11  for _ in range(steps):
    zeros_like_a_bar = np.zeros(momentum[0].shape)
    zeros_like_b_bar = np.zeros(momentum[1].shape)
    rate_bar = 0.0
    decay_bar = 0.0
    for momentum_0, momentum_0_2, a, b, r, prod, prod2, sum_, sum_2 in saved[::-1]:
        # momentum.py:16  weights = [w - rate * m for w, m in zip(weights, momentum)]
        sum_bar = zeros_like_b_bar - rate * b_bar
        rate_bar = rate_bar - np.dot(b_bar, sum_2) - np.dot(a_bar, sum_)
        sum_bar2 = zeros_like_a_bar - rate * a_bar
        # momentum.py:15  momentum = [decay * m + (1 - decay) * g for m, g in zip(momentum,  ...
        prod_bar = (1 - decay) * sum_bar
        zeros_like_b_bar = decay * sum_bar
        decay_bar = decay_bar - np.dot(sum_bar, prod2) + np.dot(sum_bar, momentum_0_2)
        prod_bar2 = (1 - decay) * sum_bar2
        zeros_like_a_bar = decay * sum_bar2
        decay_bar = decay_bar - np.dot(sum_bar2, prod) + np.dot(sum_bar2, momentum_0)
        # momentum.py:14  slopes = [r @ b, a @ r]
        a_bar += r @ prod_bar
        r_bar = np.outer(a, prod_bar) + np.outer(prod_bar2, b)
        b_bar += r.T @ prod_bar2
        # momentum.py:13  r = np.outer(a, b) - target
        a_bar += r_bar @ b
        b_bar += a @ r_bar
    return rate_bar, decay_bar
