"""An augmented assignment whose value changes what it is written into.

Its value is computed once, after what is there is read, and the write goes into what is there
then.
"""

import numpy as np
import pytest

from srcgrad import grad, hvp, jvp
from tests.finite_differences import directional

X = np.array([0.7, 1.4, 2.3])


class Holder:
    def __init__(self, k, n=None):
        self.k, self.n = k, n

    def bump(self):
        self.n = self.n * 2.0
        self.k = self.k * 3.0
        return self.n


def popped_from_the_list(x):
    items = [x[0], x[1], x[2]]
    items[0] *= items.pop()
    return sum(items) * len(items)


def popped_from_an_attribute(x):
    holder = Holder([x[0], x[1]])
    holder.k[0] *= holder.k.pop()
    return holder.k[0] * len(holder.k) + x[2]


def taken_from_the_front(x):
    items = [x[0], x[1], x[2]]
    items[0] += items.pop(0)
    return items[0] * items[1]


PROGRAMS = [popped_from_the_list, popped_from_an_attribute, taken_from_the_front]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_changed_by_their_value(f):
    """First and second derivatives are those of differences."""
    u = np.array([1.0, -0.5, 2.0])
    gradient = grad(f, recorded="allow")
    value, slope = jvp(f, (X,), (u,), recorded="allow")
    assert value == f(X)
    np.testing.assert_allclose(slope, directional(f, (X,), {0: u})[0], rtol=1e-7)
    np.testing.assert_allclose(gradient(X) @ u, slope, rtol=1e-12)
    curved = directional(gradient, (X,), {0: u})[0]
    np.testing.assert_allclose(hvp(f, recorded="allow")(X, u), curved, rtol=1e-6, atol=1e-8)
