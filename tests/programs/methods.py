"""Methods and attributes of arrays."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def sum_and_mean(x):
    return (
        (x**2).sum()
        + x.sum(axis=0).mean() * x.mean(axis=1)[0]
        + x.sum(axis=1, keepdims=True)[0, 0] ** 2
    )


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def max_and_min(x):
    return x.max() * x.min() + (x.max(axis=0) ** 2).sum() + x.min(axis=1).prod()


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def var_and_std(x):
    return x.var() * x.std() + (x.std(axis=1) ** 3).sum()


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def shape_methods(x):
    a = x.reshape(3, 2) @ x
    b = x.ravel() * x.flatten()
    c = x.transpose() @ x
    return a.sum() + (b**2).sum() + c.trace()


@program(args=lambda rng: (rng.normal(size=5),))
def cumulative_clipped_and_taken(x):
    return (
        (x.cumsum() ** 2).sum()
        + (x.clip(-0.5, 0.5) * x).sum()
        + x.take([0, 0, 3]).prod()
    )


@program(args=lambda rng: (rng.normal(size=(3, 3)),))
def diagonal_and_repeat(a):
    return (a.diagonal() ** 2).sum() + a.trace() ** 2 + (a[0].repeat(2) ** 3).sum()


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def attributes(x):
    scale = x.size / x.shape[0] + x.ndim
    return (x.T @ x).sum() * scale + x.real.sum() ** 2


@program(args=lambda rng: (rng.normal(size=4),))
def element_as_a_number(x):
    return x[2].item() * x.sum() + x.item(1) ** 2


@program(args=lambda rng: (1.3, rng.normal(size=(2, 3))), wrt=(0,))
def element_of_a_constant_as_a_number(x, weights):
    return x**2 * weights.item(1) + x**3 * weights.item(1, 2) + x * weights[:1, :1].item()


@program(args=lambda rng: (rng.normal(size=(4, 3)),))
def methods_in_a_chain(x):
    return np.tanh(x).reshape(2, 6).T.mean(axis=0).sum() * x.T.ravel()[1:5].max()


@program(args=lambda rng: (rng.normal(size=(4, 3)),))
def methods_of_expressions(x):
    return ((x - x.mean(axis=0)) ** 2).mean(axis=0).sum() + (x @ x.T).sum(axis=0).max()


@program(args=lambda rng: (rng.normal(size=4),))
def conversion_of_type(x):
    y = x.astype(float)
    steps = (x > 0).astype(float)
    return (y**2 * (1 + steps)).sum()


@program(args=lambda rng: (rng.normal(size=4),))
def comparisons_by_method(x):
    if (x > 100).any() or not (x < 100).all():
        return x.sum()
    return (x**2).sum() * x[x.argmax()] + x[x.argsort()[0]]
