"""Products with one matrix that are added up are one product."""

import numpy as np

from srcgrad import check, grad, source


def both_ways(x, a, b):
    """A matrix is multiplied from the right by two others."""
    return np.sum((x @ a) ** 2) + np.sum((x @ b) ** 3)


def chained(x, a):
    """What is added up is the product of the same left factor."""
    y = x @ a
    return np.sum(y * (x @ a.T)) + np.sum(y)


def test_products_are_right():
    """With differences to second order, also where a matrix has one row."""
    rng = np.random.default_rng(0)
    for n in (3, 1):
        x, a, b = rng.normal(size=(n, 4)), rng.normal(size=(4, 4)), rng.normal(size=(4, 4))
        check(both_ways, x, a, b, wrt=(0, 1, 2), order=2)
        check(chained, x, a, wrt=(0, 1), order=2)


def test_a_factor_is_multiplied_once():
    """``x.T @ p + x.T @ q`` is ``x.T @ (p + q)``."""
    rng = np.random.default_rng(0)

    def f(x, a):
        y = x @ a
        return np.sum(np.sin(y)) + np.sum((x @ a) * np.cos(y))

    gradient = grad(f, wrt=1)
    gradient(rng.normal(size=(3, 4)), rng.normal(size=(4, 5)))
    assert source(gradient).partition("    # ")[2].count("x.T @") == 1
