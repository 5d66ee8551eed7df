"""Lists of objects that are not differentiated, whose methods are given what is."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp, source
from tests.finite_differences import gradient

X = np.array([0.5, 1.0, 2.0])


class Joint:
    def __init__(self, place, length):
        self.place = place
        self.length = length

    def reach(self, angle):
        return self.length * np.sin(angle * (1 + self.place))

    def grow(self, v):
        self.length = v


class Arm:
    def __init__(self, joints):
        self.joints = joints

    def tip(self, angles):
        total = 0.0
        for joint, angle in zip(self.joints, angles, strict=False):
            total = total + joint.reach(angle)
        return total


def joints(n):
    return [Joint(k % 3, 1.0 + k) for k in range(n)]


def of_an_arm(x, rows):
    return Arm(rows).tip(x) ** 2


def by_attributes(x, rows):
    total = 0.0
    for row in rows:
        total += x[row.place] ** 2 * row.length
    return total


def by_methods(x, rows):
    total = 0.0
    for row in rows:
        total += row.reach(x[row.place])
    return total


def changed(x, rows):
    total = 0.0
    for row in rows:
        total = total + np.sum(x[row.place] * row.length)
        rows[0].length = 4.0
        rows[1].grow(X)
    return total


def changed_before(x, rows):
    for row in rows:
        row.length += 1.0
    return by_methods(x, rows)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("count", [3, 12])
@pytest.mark.parametrize(
    "function", [of_an_arm, by_attributes, by_methods, changed, changed_before]
)
def test_methods_and_attributes(function, count):
    """They are right, also where the objects change."""
    wanted = gradient(lambda x: function(x, joints(count)), (X,), 0)
    found = grad(function, recorded="allow")(X, joints(count))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)
    _, dot = jvp(function, (X, joints(count)), (np.ones(3), None), recorded="allow")
    np.testing.assert_allclose(dot, np.sum(wanted), rtol=1e-6)


@pytest.mark.parametrize("function", [of_an_arm, by_attributes, by_methods])
def test_they_have_text(function):
    """Loops over many objects are loops, and know what is a number."""
    derivative = grad(function, recorded="refuse")
    derivative(X, joints(12))
    text = source(derivative)
    assert "unbroadcast" not in text
    assert "require_one_object" not in text
    check(function, X, joints(12), order=2)
