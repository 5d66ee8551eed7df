"""A Gaussian mixture, fitted by the gradient of its log-likelihood.

The mixture has one diagonal Gaussian per species of iris and never sees the
species; it finds them. Data: the 150 irises that come with scikit-learn.
"""

import math
from itertools import permutations

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_iris

from srcgrad import differentiate


def log_sum_exp(a, axis):
    """Return log(sum(exp(a))) along an axis, without overflow."""
    top = np.max(a, axis=axis, keepdims=True)
    total = np.sum(np.exp(a - top), axis=axis)
    return np.squeeze(top, axis=axis) + np.log(total)


def log_joint(logits, means, log_scales, x):
    """Return log p(point, component), one row per point of x (n, d).

    Args:
        logits: (k,), the components' weights before they are normalised.
        means: (k, d), the components' centres.
        log_scales: (k, d), the logarithms of their standard deviations.
        x: (n, d), the points.
    """
    z = (x[:, None, :] - means) * np.exp(-log_scales)
    log_density = -0.5 * np.sum(z**2, axis=2) - np.sum(log_scales, axis=1)
    log_weights = logits - log_sum_exp(logits, axis=0)
    return log_weights + log_density - 0.5 * x.shape[1] * math.log(2 * math.pi)


@differentiate(wrt=("logits", "means", "log_scales"))
def loss(logits, means, log_scales, x):
    """Return minus the mean log-likelihood of the points x (n, d)."""
    return -np.mean(log_sum_exp(log_joint(logits, means, log_scales, x), axis=1))


def fit(x, components, iterations, rng):
    """Return (logits, means, log_scales) of a mixture fitted to points x (n, d)."""
    k, d = components, x.shape[1]

    def unflatten(vector):
        return vector[:k], vector[k : k + k * d].reshape(k, d), vector[-k * d :].reshape(k, d)

    def objective(vector):
        value, gradient = loss.value_and_grad(*unflatten(vector), x)
        return value, np.concatenate([g.ravel() for g in gradient])

    centres = x[rng.choice(len(x), size=k, replace=False)]
    start = np.concatenate([np.zeros(k), centres.ravel(), np.zeros(k * d)])
    result = minimize(
        objective, start, method="L-BFGS-B", jac=True, options={"maxiter": iterations}
    )
    return unflatten(result.x)


def agreement(groups, species):
    """Return the share of points grouped as in ``species``, up to their numbering."""
    return max(
        float(np.mean(np.array(order)[groups] == species)) for order in permutations(range(3))
    )


def main(restarts=5, iterations=200):
    """Fit the mixture from several starts and return the figures of the best.

    Args:
        restarts: the number of random starts.
        iterations: the most steps that the optimiser takes from each.

    Returns:
        A dict with the mean log-likelihood and the agreement with the species.
    """
    x, species = load_iris(return_X_y=True)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    rng = np.random.default_rng(0)
    fits = [fit(x, 3, iterations, rng) for _ in range(restarts)]
    best = min(fits, key=lambda parameters: loss(*parameters, x))
    likelihood = -float(loss(*best, x))
    share = agreement(np.argmax(log_joint(*best, x), axis=1), species)
    print(f"mean log-likelihood {likelihood:.4f}, the best of {restarts} starts")
    print(f"{share:.1%} of {len(x)} irises are grouped by species")
    return {"log_likelihood": likelihood, "agreement": share}


if __name__ == "__main__":
    main()
