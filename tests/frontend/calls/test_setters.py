"""Properties that are set: a call of the setter, whatever it does."""

import numpy as np
import pytest

from srcgrad import grad, jvp, source
from tests import finite_differences as fd

X = np.array([0.3, 0.7, 0.9])


class Counted:
    def __init__(self, level):
        self._level, self.times = level, 0

    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        self._level = value * 2 + self._level
        self.times += 1


class Cubed(Counted):
    @Counted.level.setter
    def level(self, value):
        self._level = value**3


def set_once(x):
    held = Counted(x[0])
    held.level = x[1] * x[0]  # twice as much
    return held.level * held.times + x[2]


def under_another_name(x):
    held = Cubed(x[0])
    other = held
    for v in x:
        held.level = v * other.level
    return other.level


def in_a_list(x):
    several = [Counted(x[0]), Counted(x[1])]
    for one in several:
        one.level = x[2]
    return several[0].level * several[1].level


def in_a_branch(x):
    held = Counted(x[0])
    if x[0] > 0.1:
        held.level = x[1]
    else:
        held.level = x[2]
    return held.level * held.times


@pytest.mark.parametrize("f", [set_once, under_another_name, in_a_list, in_a_branch])
def test_setters(f):
    """Gradients and tangents are text, and those of differences."""
    expected = fd.gradient(f, (X,), 0)
    np.testing.assert_allclose(grad(f, recorded="refuse")(X), expected, rtol=1e-6)
    _, tangent = jvp(f, (X,), (np.ones(3),), recorded="refuse")
    np.testing.assert_allclose(tangent, np.sum(expected), rtol=1e-6)


def test_the_text():
    """The line says what is called."""
    slope = grad(set_once, recorded="refuse")
    slope(X)
    assert "level.fset(held" in source(slope)


def test_another_setter(monkeypatch):
    """What the class has at the call is called."""
    slope = grad(set_once, recorded="allow")
    before = slope(X)
    plain = property(Counted.level.fget, lambda self, value: setattr(self, "_level", value))
    monkeypatch.setattr(Counted, "level", plain)
    expected = fd.gradient(set_once, (X,), 0)
    np.testing.assert_allclose(slope(X), expected, rtol=1e-6)
    assert not np.allclose(before, expected)
