"""Reductions: sums, means, extrema, norms, over all axes or some."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def sum_over_each_axis(x):
    rows = np.sum(x**2, axis=1)
    columns = np.sum(x, axis=0)
    return np.sum(rows**2) + np.sum(np.sin(columns))


@program(args=lambda rng: (rng.normal(size=(2, 3, 2)),))
def sum_over_several_axes(x):
    a = np.sum(x, axis=(0, 2))
    b = np.sum(x, axis=(-1, 1))
    return np.sum(a**3) + np.sum(b**2)


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def sum_with_kept_dimensions(x):
    share = np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True)
    return np.sum(share**2) + np.sum(x, keepdims=True)[0, 0] ** 2


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def mean_and_centred(x):
    centred = x - np.mean(x, axis=0)
    return np.mean(centred**2 * x) + np.mean(x, axis=1)[0] ** 2


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


@program(args=lambda rng: (np.array([0.5, 0.0, 2.0]),))
def product_with_a_zero(x):
    return np.prod(x) + np.sum(x**2)


@program(args=lambda rng: (rng.normal(size=(2, 4)),))
def cumulative_sum(x):
    return np.sum(np.cumsum(x, axis=1) ** 2) + np.sum(np.sin(np.cumsum(x)))


@program(args=lambda rng: (3 * rng.normal(size=(2, 4)),))
def log_sum_exp(x):
    largest = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - largest), axis=1)) + largest[:, 0])


@program(args=lambda rng: (rng.normal(size=(2, 4)), rng.normal(size=4)), wrt=(0, 1))
def weighted_mean(x, w):
    weights = np.exp(w) / np.sum(np.exp(w))
    return np.sum((x @ weights) ** 2) + np.sum(
        np.sum(x * weights, axis=1, keepdims=True) * x
    )


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def builtin_sum_over_rows(x):
    return np.sum(sum(x) ** 2)


@program(args=lambda rng: (rng.normal(size=4),))
def builtin_sum_min_and_max_of_an_array(x):
    return sum(x) ** 2 + max(x) * min(x)


@program(args=lambda rng: (rng.normal(size=(2, 3)), 0), label="0")
@program(args=lambda rng: (rng.normal(size=(2, 3)), -1), label="-1")
@program(args=lambda rng: (rng.normal(size=(2, 3)), None), label="None")
def axis_as_an_argument(x, axis):
    return np.sum(np.sum(np.sin(x), axis=axis) ** 2)


@program(args=lambda rng: (rng.normal(size=(2, 3)), 0.5), wrt=(0, 1), vector=True)
def reduced_result(x, a):
    return np.sum(a * x, axis=0), np.max(x * a, axis=1)


@program(args=lambda rng: (rng.normal(size=5),))
def differences(x):
    return np.sum(np.diff(x) ** 2) + np.sum(np.abs(np.diff(x)))


@program(args=lambda rng: (rng.normal(size=5),))
def sorted_values(x):
    return np.sum(np.sort(x) * np.arange(5.0)) + np.sum(np.sort(x**2)[:2])


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
