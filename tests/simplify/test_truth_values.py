"""Truth values as factors, and the arithmetic of what is compared to get them."""

import random

import numpy as np
import pytest

from srcgrad import formula, grad, hvp, jvp, source
from tests.in_memory import execute


def masked(x, k):
    """A plain mask."""
    return np.sum(x * (k == 0))


def minus_one_times(x, k):
    """A factor of minus one."""
    return np.sum(-1.0 * x * (np.floor(k) == 0))


def minus(x, k):
    """A minus sign."""
    return np.sum(-(x * (k > 1)))


@pytest.mark.parametrize(
    ("f", "bar"), [(masked, [1, 0, 0]), (minus_one_times, [-1, 0, 0]), (minus, [0, 0, -1])]
)
def test_mask(f, bar):
    """The gradient has the dtype of the argument."""
    found = grad(f)(np.ones(3), np.arange(3.0))
    np.testing.assert_array_equal(found, bar)
    assert found.dtype == np.float64


def excess(y, v):
    """Heterogeneity of studies, none below zero: what is read of the weights is one truth value."""
    w = 1 / v
    q = np.sum(w * (y - np.average(y, weights=w)) ** 2)
    c = w.sum() - (w**2).sum() / w.sum()
    return max(0.0, (q - (len(y) - 1)) / c)


def test_one_truth_value_for_an_array():
    """It is spread as a truth value, asked for once, and not as a number of the array's dtype."""
    y, v = np.array([0.2, 0.9, -0.3, 0.5, 1.1]), np.array([0.04, 0.06, 0.05, 0.1, 0.08])
    made = grad(excess, wrt=(0, 1))
    found = made(y, v)
    h = 1e-6
    for k, bar in enumerate(found):
        for j, e in enumerate(h * np.eye(5)):
            ends = [excess(y + s * e * (k == 0), v + s * e * (k == 1)) for s in (1, -1)]
            np.testing.assert_allclose(bar[j], (ends[0] - ends[1]) / (2 * h), rtol=1e-4)
    assert "broadcast_to" not in source(made)
    assert "full_like" not in source(made)


TERMS = ("x", "y", "1.03", "0.7", "(-x)", "x**2", "np.sin(y)", "2.0")


def arithmetic(draw, depth=3):
    """A random expression of two arrays and numbers."""
    if depth == 0:
        return draw.choice(TERMS)
    sides = arithmetic(draw, depth - draw.randint(1, depth)), arithmetic(draw, depth - 1)
    return f"({{}} {draw.choice('+-***/')} {{}})".format(*draw.sample(sides, 2))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_compared_is_computed_as_it_is_written(seed):
    """A formula that asks which operand the result equals finds it, in every mode."""
    draw = random.Random(seed)
    first, second = arithmetic(draw), arithmetic(draw)
    text = f"""
def larger(x, y):
    return np.maximum({first}, {second})


@formula(larger)
def larger_(x, y):
    z = larger(x, y)

    def backward(z_bar):
        equal = (z == {first}) | (z == {second})
        return z_bar * equal * {draw.choice(("y", "1.03 * x", "1.0"))}, z_bar * equal

    return z, backward


def total(x, y):
    return np.sum(larger(x, y))
"""
    name = f"larger_{seed}.py"
    space = execute(text, name, {"np": np, "formula": formula})
    x, y = np.random.default_rng(seed).uniform(0.5, 2.0, (2, 40))
    assert np.all(grad(space["total"], 1)(x, y) == 1.0)
    assert jvp(space["total"], (x, y), (None, np.ones(40)))[1] == 40.0
    assert not hvp(space["total"], 1)(x, y, np.ones(40)).any()
