"""Ranks of what is not differentiated: random draws, and what iterators of numbers give."""

import itertools
import re

import numpy as np
import pytest

from srcgrad import check, grad, jvp, source, tape
from srcgrad.analysis.shapes import draws
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.ir.nodes import Const, Items
from tests import finite_differences as fd


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


def weighed_by_size(x, size):
    """A sum of products with draws that may be stretched, or may stretch what they meet."""
    rng = np.random.default_rng(3)
    draws = rng.standard_normal(size) + rng.normal(0.0, 1.0, size=size)
    return np.sum(draws * x * rng.uniform(0.5, 1.5, size))


@pytest.mark.parametrize("size", [None, 1, 4, (1,), (4,), (1, 4), (3, 1), ()], ids=repr)
@pytest.mark.parametrize("count", [1, 4])
def test_gradients_have_the_shape_of_what_they_are_of(size, count):
    """Draws of one number are stretched, and arrays of one number are, too."""
    x = np.linspace(0.5, 1.4, count)
    expected = tape.grad(weighed_by_size)(x, size)
    gradient = grad(weighed_by_size, recorded="refuse")
    for _ in range(2):
        np.testing.assert_allclose(gradient(x, size), expected)
        assert gradient(x, size).shape == x.shape
    value, tangent = jvp(weighed_by_size, (x, size), (np.ones(count), None))
    np.testing.assert_allclose(tangent, np.sum(expected))
    assert np.isclose(value, weighed_by_size(x, size))


def drawing_methods():
    """Yield the methods of generators whose results are known, with arguments."""
    arguments = ((), (0.4,), (0.4, 0.5), (0.1, 0.4, 0.9))
    own = {"binomial": (5, 0.4), "hypergeometric": (5, 4, 3), "zipf": (2.5,), "choice": (6,)}
    own |= {"integers": (1, 5), "randint": (1, 5), "negative_binomial": (5, 0.4)}
    for kind in draws.GENERATORS:
        for name, count in draws._PARAMETERS.items():
            if hasattr(kind, name):
                given = own.get(name, arguments[count])
                yield pytest.param(kind, name, given, id=f"{kind.__name__}.{name}")


@pytest.mark.parametrize(("kind", "name", "args"), list(drawing_methods()))
def test_what_is_said_of_draws_is_so(kind, name, args):
    """Rank, lengths and element type are those of what NumPy draws."""
    for size in (None, 1, 3, (2, 1), (1,), np.int64(2)):
        rng = np.random.default_rng(0) if kind is np.random.Generator else kind(0)
        drawn = np.asarray(getattr(rng, name)(*args, size=size))
        parts = tuple(map(Const, size)) if isinstance(size, tuple) else None
        given = {"size": Const(size) if parts is None else Items(parts)}
        told = draws.type_of_draw(Lengths(), name, tuple(map(Const, args)), given)
        if told is None:
            continue
        assert told.dtype == drawn.dtype.kind
        assert told.ndim == drawn.ndim
        assert all(n in (None, m) for n, m in zip(told.shape, drawn.shape, strict=True))


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


def weighted(u, given):
    return np.sum(np.array(given) * u)


def as_numbers(u, given):
    return np.sum(np.asarray(given, dtype=float) @ u)


def behind_the_first(u, given):
    table, s = np.arange(6.0).reshape(2, 3), 0.0
    for k in given[1:]:
        s = s + np.sum(table[:, k] * u)
    return s


@pytest.mark.parametrize(
    ("f", "given"),
    [
        *((weighted, [1.0, 2.0]), (weighted, [(1.0, 2.0), (3.0, 4.0)]), (weighted, (2, 3))),
        *((as_numbers, [[1, 2], [3, 4]]), (behind_the_first, [0, 1, 2, 1])),
    ],
)
def test_arrays_and_parts_of_lists_of_data(f, given):
    """They have the rank of the list, and the kind of its elements."""
    u = np.array([0.5, 1.2])
    gradient = grad(f)
    np.testing.assert_allclose(gradient(u, given), fd.gradient(f, [u, given], 0), rtol=1e-6)
    assert not {"unbroadcast", "mul_backward"} & set(re.findall(r"\w+", source(gradient)))


@pytest.mark.parametrize("options", [{"ndmin": 2}, {"dtype": complex}, {"dtype": int}, {}])
@pytest.mark.parametrize("given", [[1.0, 2.0], [3.0], [[1.0], [2.0]], (True, 2), [np.ones(2)] * 3])
def test_options_of_arrays_of_data(given, options):
    def f(u, given):
        return np.sum(np.abs(np.array(given, **options) * u * (1 + 2j)) ** 2)

    u, gradient = np.array([0.5, 1.2]), grad(f, recorded="allow")
    for _ in range(2):
        np.testing.assert_allclose(gradient(u, given), fd.gradient(f, [u, given], 0), rtol=1e-6)
        gradient(u, [2.0, 1.0])
