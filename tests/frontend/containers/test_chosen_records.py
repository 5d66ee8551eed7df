"""Records, as dicts, named tuples and dataclasses, that are chosen while a function runs."""

from collections import namedtuple
from dataclasses import dataclass

import numpy as np
import pytest

import srcgrad

Pair = namedtuple("Pair", ["r", "t"])


@dataclass
class Held:
    """Two numbers."""

    r: float
    t: float


def first_dict(x, bs):
    """Take the first that fits."""
    hit = None
    for b in bs:
        if b["t"] > x:
            hit = b
            break
    return x * 0.0 if hit is None else hit["r"] ** 2 * x


def early_dict(x, bs):
    """Return out of the loop."""
    for b in bs:
        if b["t"] > x:
            return b["r"] * x
    return x**2


def early_object(x, bs):
    """Return out of the loop."""
    for b in bs:
        if b.t > x:
            return b.r * x
    return x**2


def as_dict(r, t):
    """Make a dict."""
    return {"r": r, "t": t}


OF_DICTS = [(f, as_dict) for f in (first_dict,)]
OF_OBJECTS = [(f, make) for f in (early_object,) for make in (Pair, Held)]
NUMBERS = np.array([1.5, 2.0, 3.0, 1.0, 2.5, 4.0])


def records(make, numbers):
    """Make three records."""
    return [make(*pair) for pair in np.reshape(numbers, (3, 2)).tolist()]


def numbers_of(bars):
    """Return the numbers in three records; None is zero."""
    pairs = [
        bar if isinstance(bar, tuple) else (bar["r"], bar["t"]) if isinstance(bar, dict)
        else (0.0, 0.0) if bar is None else (bar.r, bar.t)
        for bar in bars
    ]  # fmt: skip
    return [0.0 if part is None else part for pair in pairs for part in pair]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("x", [0.5, 2.5, 9.0])
@pytest.mark.parametrize(("f", "make"), OF_DICTS + OF_OBJECTS)
def test_a_chosen_record(f, make, x, monkeypatch):
    """All modes, and the second order, give the derivative by the numbers of the chosen one."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")

    def value(z):
        return f(z[0], records(make, z[1:]))

    z, h = np.array([x, *NUMBERS]), 1e-6
    wanted = [(value(z + h * unit) - value(z - h * unit)) / (2 * h) for unit in np.eye(7)]
    bs = records(make, NUMBERS)
    x_bar, bars = srcgrad.grad(f, wrt=(0, 1))(x, bs)
    np.testing.assert_allclose([x_bar, *numbers_of(bars)], wanted, atol=1e-6)
    _, backward = srcgrad.vjp(f, x, bs, wrt=(0, 1))
    x_bar, bars = backward(1.0)
    np.testing.assert_allclose([x_bar, *numbers_of(bars)], wanted, atol=1e-6)
    moved = srcgrad.jvp(f, (x, bs), (1.0, records(make, np.ones(6))))[1]
    np.testing.assert_allclose(moved, np.sum(wanted), atol=1e-5)
    second = srcgrad.grad(srcgrad.grad(f))(x, bs)
    none_fits = f in (early_dict, early_object) and x == 9.0  # then it is a square
    np.testing.assert_allclose(second, 2.0 if none_fits else 0.0, atol=1e-12)


def pair_in_a_tuple(x):
    """A part of a tuple is None, or a pair."""
    t = (x[0], None)
    if x[1] > 0:
        t = (x[0], (x[1], x[2]))
    return t[0] if t[1] is None else t[1][0] * t[1][1]


def part_of_a_dict(x):
    """The same of a dict."""
    d = {"a": x[0], "b": None}
    if x[1] > 0:
        d = {"a": x[0], "b": (x[1], x[2])}
    return d["a"] if d["b"] is None else d["b"][0] * d["b"][1]


def captured_where_it_may_be_none(x):
    """A local function reads an object or None."""
    h = None
    if x[0] > 0:
        h = Pair(x[0], x[1])

    def scaled(t):
        return t if h is None else h.t * t

    return scaled(x[2])


def of_an_earlier_iteration(x):
    """What is None in one iteration and an object in another is read in a third one."""
    total = 0.0
    for v in x:
        if v > 2:
            hit = None
        elif v > 0.1:
            hit = Pair(v, v**2)
        if v < 0.6:
            total += hit.t if hit is not None else v
        total += v
    return total


MAY_BE_NONE = [
    *(pair_in_a_tuple, part_of_a_dict),
    captured_where_it_may_be_none,
    of_an_earlier_iteration,
]


@pytest.mark.parametrize("function", MAY_BE_NONE, ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [[0.5, 1.2, -0.3], [0.4, -1.2, 2.3]])
def test_what_may_be_none(function, x):
    """The gradient is that of the program, in text or recorded."""
    x, way, h = np.array(x), np.array([0.3, -0.7, 1.1]), 1e-6
    slope = (function(x + h * way) - function(x - h * way)) / (2 * h)
    found = srcgrad.grad(function, recorded="allow")(x)
    assert np.dot(found, way) == pytest.approx(slope, rel=1e-6)
    _, tangent = srcgrad.jvp(function, (x,), (way,), recorded="allow")
    assert tangent == pytest.approx(slope, rel=1e-6)


def left_by_the_iteration_before(x):
    """A name that an arm gives what another one holds, which may be None, is read behind it."""
    total, kept = 0.0, None
    for k, v in enumerate(x):
        if k % 2 == 0:
            kept = (v, v**2)
            hit = kept
        total = total * 0.7 + np.tanh(hit[1] + hit[0] - np.sin(v))
        hit = kept
    return total


@pytest.mark.parametrize("x", [[0.5, 1.2, -0.3, 2.2], [0.4, -1.2]])
def test_what_is_left_by_the_iteration_before(x):
    """It is handed from one iteration to the next."""
    x, h = np.array(x), 1e-6
    way = np.cos(np.arange(len(x)))
    f = left_by_the_iteration_before
    slope = (f(x + h * way) - f(x - h * way)) / (2 * h)
    assert np.dot(srcgrad.grad(f, recorded="allow")(x), way) == pytest.approx(slope, rel=1e-6)
