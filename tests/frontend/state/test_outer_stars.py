"""Tuples, lists and dicts from outside of a function, or arguments of it, with stars in calls."""

import numpy as np
import pytest
from scipy import special

from srcgrad import differentiate, grad, jvp, vjp
from srcgrad.errors import UnsupportedSyntaxError

PAIR = (2.0, 3.0)
OPTIONS = {"a": 1.0, "b": 4.0}


def quadratic(x, a, b):
    return np.sum(a * x * x + b * x**3)


def of_a_tuple(x):
    return quadratic(x, *PAIR)


def of_a_formula(x):
    return np.sum(np.clip(x * x, *PAIR) * special.expit(x))


def of_an_argument(x, args=(1.0, 2.0)):
    return quadratic(x, *args) * quadratic(x, *args)


def around(pair):
    def inner(x):
        return quadratic(x, *pair) / 2

    return inner


ALL = [of_a_formula, of_an_argument]
ALL.append(around(PAIR))


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_derivatives(f):
    """Gradients, tangents and second derivatives agree with differences."""
    x, v = np.array([0.3, 1.5, 1.9]), np.array([0.7, -0.2, 0.4])
    h = 1e-6
    slope = (f(x + h * v) - f(x - h * v)) / (2 * h)
    assert grad(f)(x) @ v == pytest.approx(slope, rel=1e-7)
    assert jvp(f, (x,), (v,))[1] == pytest.approx(slope, rel=1e-7)
    assert vjp(f, x)[1](1.0) @ v == pytest.approx(slope, rel=1e-7)
    bend = (grad(f)(x + h * v) - grad(f)(x - h * v)) / (2 * h)
    np.testing.assert_allclose(grad(lambda x: np.sum(grad(f)(x) * v))(x), bend, rtol=1e-6)


def test_what_they_hold_is_looked_at():
    """Code that was made for other contents is not used."""
    held = [1.0, 2.0]

    def f(x):
        return quadratic(x, *held)

    x = np.ones(2)
    np.testing.assert_allclose(grad(f)(x), 2 * 1.0 + 3 * 2.0)
    held[0] = 5.0
    np.testing.assert_allclose(grad(f)(x), 2 * 5.0 + 3 * 2.0)
    held = (7.0, 1.0)
    np.testing.assert_allclose(grad(f)(x), 2 * 7.0 + 3 * 1.0)
    held = (7.0,)
    with pytest.raises((TypeError, UnsupportedSyntaxError)):
        grad(f)(x)


def test_an_argument_of_another_length():
    """The call is as it is written: Python raises what it raises there."""
    x = np.ones(2)
    np.testing.assert_allclose(grad(of_an_argument)(x, (1.0, 0.0)), 2 * 2.0 * 2)
    with pytest.raises(TypeError):
        grad(of_an_argument)(x, (1.0,))
    with pytest.raises(TypeError):
        grad(of_an_argument)(x, (1.0, 2.0, 3.0))


def test_the_text():
    """The call keeps its stars."""
    assert "quadratic_forward(x, *PAIR)" in differentiate(of_a_tuple).source("vjp")


HELD = [np.array([1.0, 2.0, 3.0])]
HELD_PAIR = (np.array([1.0, 2.0, 3.0]), 2.0)
BY_NAME = {"w": np.array([1.0, 2.0, 3.0])}
POWERS = [2.0]


def wipe(v):
    v[:] = 0.0


def raise_powers():
    POWERS[0] = 7.0


def written_in_its_place(x):
    y = np.multiply(x * x, *HELD)
    HELD[0][:] = 0.0
    return np.sum(2 * y)


def written_by_a_function(x):
    y = np.multiply(x * x, *HELD)
    wipe(*HELD)
    return np.sum(2 * y)


def of_numbers_replaced(x):
    y = np.power(x, *POWERS)
    raise_powers()
    return np.sum(2 * y * np.array([1.0, 2.0, 3.0]))


WRITTEN = [written_in_its_place, written_by_a_function, of_numbers_replaced]


@pytest.mark.parametrize("f", WRITTEN, ids=lambda f: f.__name__)
def test_what_is_written_behind_the_call(f):
    """The derivative is that of the arrays and numbers as they were where the star stands.

    Where the numbers themselves are replaced, the program is recorded.
    """
    recorded = "allow" if f is of_numbers_replaced else "refuse"
    x, v = np.array([0.3, 1.5, 1.9]), np.array([0.7, -0.2, 0.4])
    expected = 4 * x * np.array([1.0, 2.0, 3.0])
    ways = (
        lambda: grad(f, recorded=recorded)(x) @ v,
        lambda: vjp(f, x, recorded=recorded)[1](1.0) @ v,
        lambda: jvp(f, (x,), (v,), recorded=recorded)[1],
    )
    for way in ways:
        for held in (HELD[0], HELD_PAIR[0], BY_NAME["w"]):
            held[:] = [1.0, 2.0, 3.0]
        POWERS[0] = 2.0
        assert way() == pytest.approx(expected @ v, rel=1e-14)


def test_an_option_that_is_given_twice():
    """Python would refuse such a call, too."""

    def f(x):
        return quadratic(x, a=1.0, **OPTIONS)

    with pytest.raises(UnsupportedSyntaxError, match="given twice, 'a'"):
        grad(f)(np.ones(2))


def area(a, b, *more):
    return a * b + sum(more)


def of_any_length(x):
    return area(*x) ** 2


def of_equal_lengths(x, y, together):
    total = np.sum(x + y) if together else 0.0
    return area(*x) ** 2 + total


def test_arrays_of_several_lengths():
    """A star before an array relies on its length; another one gets code of its own."""
    derivative = grad(of_any_length, recorded="refuse")
    for n in (2, 4, 3, 2, 5):
        x = np.arange(1.0, n + 1)
        expected = [2 * area(*x) * d for d in (x[1], x[0], *np.ones(n - 2))]
        np.testing.assert_allclose(derivative(x), expected)


def test_a_length_that_another_array_shares():
    """What one call found of two arrays is tested of both at the next."""
    derivative = grad(of_equal_lengths)
    x, y = np.array([0.5, 2.0, 3.0]), np.ones(3)
    np.testing.assert_allclose(derivative(x, y, True), 8 * np.array([2.0, 0.5, 1.0]) + 1)
    np.testing.assert_allclose(derivative(x, y, False), 8 * np.array([2.0, 0.5, 1.0]))
    longer = np.array([0.5, 2.0, 3.0, 1.0])
    expected = 10 * np.array([2.0, 0.5, 1.0, 1.0])
    np.testing.assert_allclose(grad(of_equal_lengths, recorded="allow")(longer, y, False), expected)


STEPS = [np.sin, np.cos]
PLACES = [("a", 2.0)]


def exchange():
    STEPS.pop()
    STEPS.append(np.exp)


def replace_first():
    STEPS[0] = np.tanh


def changed_before(x):
    exchange()
    return np.sum(STEPS[1](x))


def changed_by_a_write_between(x):
    total = 0.0
    for _ in range(2):
        total = total + np.sum(STEPS[0](x))
        replace_first()
    return total


def changed_while_gone_through(x):
    total = 0.0
    for name, weight in PLACES:
        total = total + weight * np.sum(x ** len(name))
        if len(PLACES) < 3:
            PLACES.append(("bb", 3.0))
    return total


CHANGED = [changed_before, changed_by_a_write_between]
CHANGED.append(changed_while_gone_through)


@pytest.mark.parametrize("f", CHANGED, ids=lambda f: f.__name__)
def test_tables_that_the_function_changes(f):
    """What a list holds goes into the code only where the program leaves it as it is."""
    x, h = np.array([0.3, 0.7]), 1e-6

    def anew(run, *args):
        STEPS[:], PLACES[:] = [np.sin, np.cos], [("a", 2.0)]
        return run(*args)

    slopes = [(anew(f, x + v) - anew(f, x - v)) / (2 * h) for v in h * np.eye(2)]
    found = anew(grad(f, recorded="allow"), x)
    np.testing.assert_allclose(found, slopes, rtol=1e-7)


class Numbered:
    def __init__(self, count):
        self.count = count

    def total(self, x):
        powers = {f"p{k}": x[k] ** (k + 1) for k in range(self.count)}
        return sum(powers.values()) * powers["p0"]


NUMBERED = Numbered(3)
COUNT = 3


def counted_by_an_attribute(x):
    return NUMBERED.total(x)


def counted_by_a_global(x):
    powers = {f"p{k}": x[k] ** (k + 1) for k in range(COUNT)}
    return sum(powers.values()) * powers["p0"]


@pytest.mark.parametrize("f", [counted_by_an_attribute, counted_by_a_global])
def test_numbers_that_count_keys(f, monkeypatch):
    """A number that is in the code is tested at each call."""
    derivative, x, h = grad(f, recorded="refuse"), np.array([0.3, 0.7, 0.4, 1.1]), 1e-6
    for count in (3, 2, 4):
        monkeypatch.setattr(NUMBERED, "count", count)
        monkeypatch.setitem(globals(), "COUNT", count)
        slopes = [(f(x + v) - f(x - v)) / (2 * h) for v in h * np.eye(4)]
        np.testing.assert_allclose(derivative(x), slopes, rtol=1e-7)


NAMES = ["a", "b"]
WEIGHTS = {"q": [1.0, 2.0]}
LEVELS = {"u": 1.0, "v": 2.0}


def named(x):
    held = dict(zip(NAMES, x))
    return sum(v**2 for v in held.values()) * len(held)


def gone_through_by_keys(x):
    total = 0.0
    for name in LEVELS:
        total = total + LEVELS[name] * np.sum(x) ** len(name)
    return total


@pytest.mark.parametrize("f", [named, gone_through_by_keys])
def test_tables_that_are_others_at_the_next_call(f, monkeypatch):
    """What a table holds is tested at each call."""
    derivative, x, h = grad(f), np.array([0.3, 0.7, 0.4]), 1e-6
    for names, weights, levels in (
        (["a", "b"], [1.0, 2.0], {"u": 1.0, "v": 2.0}),
        (["a", "b", "c"], [1.0, 2.0, 5.0], {"u": 1.0, "v": 2.0, "www": 3.0}),
        (["c", "b", "c"], [7.0, 2.0], {"u": 9.0}),
    ):
        NAMES[:], WEIGHTS["q"][:] = names, weights
        LEVELS.clear()
        LEVELS.update(levels)
        slopes = [(f(x + v) - f(x - v)) / (2 * h) for v in h * np.eye(3)]
        np.testing.assert_allclose(derivative(x), slopes, rtol=1e-7)


def first_of_names(x, names):
    return dict(zip(names, x))["a"] ** 2


def test_a_table_that_is_handed_on():
    """The name that it was read under is tested, wherever its elements go into the code."""
    names = ["a", "b"]

    def f(x):
        return first_of_names(x, names)

    derivative, x = grad(f, recorded="refuse"), np.array([0.3, 0.7])
    np.testing.assert_allclose(derivative(x), [0.6, 0.0])
    names = ["b", "a"]
    np.testing.assert_allclose(derivative(x), [0.0, 1.4])
