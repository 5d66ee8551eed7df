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


def first_object(x, bs):
    """Take the first that fits."""
    hit = None
    for b in bs:
        if b.t > x:
            hit = b
            break
    return x * 0.0 if hit is None else hit.r**2 * x


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
OF_OBJECTS = [(f, make) for f in (first_object, early_object) for make in (Pair, Held)]
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
