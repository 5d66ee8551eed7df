"""Counters and histories that nobody in the program reads are text, and are what they should be."""

import numpy as np
import pytest

from srcgrad import grad, jvp
from srcgrad.errors import SrcgradError
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 1.1])
HISTORY = []
READ = []
ALIAS = READ


class Counting:
    """Objects that note what they were asked."""

    def __init__(self):
        self.calls, self.scale, self.last = 0, 2.0, None
        self.history = []

    def counted(self, x):
        self.calls += 1
        return np.sum(x**2)

    def noted(self, x):
        value = np.sum(np.sin(x))
        self.history.append((self.scale, float(value)))
        self.last = float(value)
        return value * self.scale

    def both(self, x):
        return self.counted(x) * self.noted(x) + self.counted(x * 2.0)


class Reading(Counting):
    """Objects that read what they note."""

    def weighted(self, x):
        self.calls += 1
        return np.sum(x) * self.calls


class Setting:
    """Objects with an attribute that code of their own sets."""

    def __init__(self):
        self.held = 0.0

    @property
    def value(self):
        return self.held

    @value.setter
    def value(self, v):
        self.held = v * 2.0

    def set(self, x):
        self.value = 3.0
        return np.sum(x**2)


COUNTING, READING, SETTING = Counting(), Reading(), Setting()


def _noted(x):
    first = COUNTING.noted(x)
    return first * COUNTING.both(x)


def _read(x):
    return READING.weighted(x) * READING.weighted(x * 2.0)


def _read_under_another_name(x):
    READ.append(1.0)
    return np.sum(x) * len(ALIAS)


def _set_by_code(x):
    return SETTING.set(x) * SETTING.held


def _fresh():
    for thing in (COUNTING, READING, SETTING):
        thing.__init__()
    HISTORY.clear()
    READ.clear()


def _state():
    held = [vars(COUNTING), vars(READING), vars(SETTING), HISTORY, READ]
    return repr(held)


def _check(f, recorded):
    def plain(x):
        _fresh()
        return f(x)

    expected, left = fd.gradient(plain, (X,), 0), None
    plain(X)
    left = _state()
    _fresh()
    np.testing.assert_allclose(grad(f, recorded=recorded)(X.copy()), expected, rtol=1e-5)
    assert _state() == left
    _fresh()
    _, tangent = jvp(f, (X.copy(),), (np.ones(3),), recorded=recorded)
    np.testing.assert_allclose(tangent, np.sum(expected), rtol=1e-5)
    assert _state() == left


@pytest.mark.parametrize("f", [_noted, _read_under_another_name])
def test_what_nobody_reads_is_text(f):
    """The statement runs once, where it stands, and the derivative is generated code."""
    _check(f, "refuse")


@pytest.mark.parametrize("f", [_read, _set_by_code])
def test_what_is_read_is_recorded(f):
    """A counter that the value depends on, or that code of the user's sets, is no such thing."""
    _fresh()
    with pytest.raises(SrcgradError):
        grad(f, recorded="refuse")(X.copy())
    _check(f, "allow")
