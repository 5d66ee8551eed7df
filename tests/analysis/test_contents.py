"""Ranks of what is not differentiated: random draws, and what iterators of numbers give."""

import itertools

import numpy as np
import pytest

from srcgrad import check, grad, source


def paths(start, n):
    """Paths driven by draws of a generator that is made inside."""
    rng = np.random.default_rng(3)
    place = np.full(n, start)
    for _ in range(3):
        place = place * np.exp(0.1 * rng.standard_normal(n) + rng.uniform())
    return np.mean(place)


def weighed(x, rng):
    """A product with a matrix of draws, and a whole number."""
    return np.sum(rng.normal(0.0, 1.0, size=(3, x.size)) @ x) * rng.integers(1, 4)


def distances(x):
    """The sum of all distances, by pairs of numbers."""
    total = 0.0
    for i, j in itertools.combinations(range(len(x)), 2):
        total += np.sqrt(np.sum((x[i] - x[j]) ** 2))
    return total


def entries(x):
    """Every entry by its place."""
    total = 0.0
    for i, j in itertools.product(range(x.shape[0]), range(x.shape[1])):
        total += (i - j) * x[i, j] ** 3
    for i, j in np.ndindex(2, 2):
        total += x[i, j] * x[j, i]
    return total


CASES = [
    (paths, (2.0, 4)),
    (weighed, (np.ones(4), np.random.default_rng(2))),
    (distances, (np.arange(12.0).reshape(4, 3) ** 1.5,)),
    (entries, (np.arange(6.0).reshape(2, 3) + 0.5,)),
]


@pytest.mark.parametrize(("fn", "args"), CASES, ids=[fn.__name__ for fn, _ in CASES])
def test_no_axis_is_summed_that_was_not_stretched(fn, args):
    """Ranks are known, so that nothing is written for axes that might be there."""
    gradient = grad(fn, recorded="refuse")
    gradient(*args)
    assert "unbroadcast" not in source(gradient)
    if fn is not weighed:  # which draws anew
        check(fn, *args, recorded="refuse")


class Twos:
    """Something that is called as a generator is."""

    def normal(self, loc, scale, size):
        return 2.0


def test_what_draws_is_known_by_its_class():
    """An object with methods of these names is another program: the guard tests the class."""
    gradient = grad(lambda x, rng: np.sum(rng.normal(0, 1, size=x.shape) * x))
    assert gradient(np.ones(3), np.random.default_rng(0)).shape == (3,)
    assert gradient(np.ones(3), Twos()).tolist() == [2.0, 2.0, 2.0]
    assert gradient(np.ones(3), np.random.RandomState(0)).shape == (3,)


def susceptible(beta, days):
    """Numbers in a named pair, whose sum is one of constants before the first step."""
    state = (99.0, 1.0)
    for _ in range(days):
        new = beta * state[0] * state[1] / sum(state)
        state = (state[0] - new, state[1] + new)
    return state[0]


def test_a_variable_that_becomes_active_keeps_its_rank():
    """An expression of constants is kept as text: that says nothing of one that is active."""
    gradient = grad(susceptible, recorded="refuse")
    check(susceptible, 0.4, 5, recorded="refuse")
    gradient(0.4, 5)
    assert "unbroadcast" not in source(gradient)
