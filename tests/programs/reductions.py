"""Reductions: sums, means, extrema, norms, over all axes or some."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def sum_with_kept_dimensions(x):
    share = np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)
    return np.sum(share**2) + np.sum(x, keepdims=True)[0, 0] ** 2


@program(args=lambda rng: (rng.normal(size=(3, 4)),))
def variance_and_deviation(x):
    z = (x - x.mean(axis=0)) / np.std(x, axis=0)
    return np.sum(z**3) + np.var(x) + np.sum(np.var(x, axis=1, ddof=1) ** 2)


@program(args=lambda rng: (rng.normal(size=(3, 4)),))
def extrema(x):
    rows = np.max(x, axis=1)
    return (
        np.sum(rows**2) * np.min(x)
        + np.sum(np.min(x, axis=0, keepdims=True) * x)
        + np.amax(x)
    )


@program(args=lambda rng: (rng.uniform(0.5, 1.5, (2, 3)),))
def product(x):
    return np.prod(x) + np.sum(np.prod(x, axis=1) ** 2)


@program(args=lambda rng: (rng.normal(size=(2, 4)),))
def cumulative_sum(x):
    return np.sum(np.cumsum(x, axis=1) ** 2) + np.sum(np.sin(np.cumsum(x)))


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def builtin_sum_over_rows(x):
    return np.sum(sum(x) ** 2)


@program(args=lambda rng: (rng.normal(size=4),))
def builtin_sum_min_and_max_of_an_array(x):
    return sum(x) ** 2 + max(x) * min(x)


@program(args=lambda rng: (rng.normal(size=(2, 3)), -1), label="-1")
def axis_as_an_argument(x, axis):
    return np.sum(np.sum(np.sin(x), axis=axis) ** 2)


@program(args=lambda rng: (rng.normal(size=5),))
def differences(x):
    return np.sum(np.diff(x) ** 2) + np.sum(np.abs(np.diff(x)))


@program(args=lambda rng: (rng.normal(size=5), rng.normal(size=5)), wrt=(0, 1))
def correlation(x, y):
    a = x - np.mean(x)
    b = y - np.mean(y)
    return np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))


@program(args=lambda rng: (np.array([0.2, -0.4, 0.9]),))
def layer_normalisation(x):
    mean = x.mean()
    deviation = np.sqrt(np.mean((x - mean) ** 2) + 1e-5)
    return np.sum(((x - mean) / deviation) ** 3)
