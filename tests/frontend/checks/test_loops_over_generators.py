"""What a loop may write into while a generator function, or an object, is gone through."""

import numpy as np
import pytest

from srcgrad import check, grad
from srcgrad.errors import UnsupportedSyntaxError

X = np.array([0.3, 0.7, 1.1])


class Held:
    """Gives elements of what it holds, one after the other."""

    def __init__(self, rows):
        self.rows = rows

    def pairs(self):
        for i in range(len(self.rows) - 1):
            yield i, self.rows[i + 1]

    def __iter__(self):
        for i in range(len(self.rows) - 1):
            yield i, self.rows[i + 1]


def own(x):
    a, b, c = np.zeros(3), [0.0] * 3, [0.0, 0.0, 0.0]
    total = 0.0
    for k, w in Held([0.0, 0.5, 1.5]).pairs():
        a[k] = w * x[k]
        b[k] += x[k] ** 2
        c[2 - k] += b[k] * w
    for k, w in Held(np.arange(3.0)):
        a[k] += w * x[k]
        total = total + a[k] * c[k]
    return a @ x + sum(b) * len(c) + sum(v * v for v in c) + total


def of_a_generator(x):
    rows = [0.0] * 3
    total = 0.0
    for i, row in Held(rows).pairs():
        rows[i + 1] += x[i]
        total = total + row * x[2]
    return total


def of_an_object(x):
    rows = np.zeros(3)
    total = 0.0
    for i, row in Held(rows):
        rows[i + 1] += x[i]
        total = total + row * x[2]
    return total


def under_another_name(x):
    rows = [0.0] * 3
    same = rows
    total = 0.0
    for i, row in Held(same).pairs():
        rows[i + 1] += x[i]
        total = total + row * x[2]
    return total


def in_an_element(x):
    first = np.ones(2)
    rows = [first, first * 2]
    total = 0.0
    for _, row in Held([first, first, 3.0]).pairs():
        rows[0] += x[0]
        total = total + np.sum(row * x[2])
    return total


def read_by_a_lambda(x):
    rows = [0.0] * 3
    held = Held([lambda: rows[1], lambda: rows[2], lambda: rows[2]])
    total = 0.0
    for i, row in held.pairs():
        rows[i + 1] += x[i]
        total = total + row() * x[2]
    return total


def test_what_stays_in_the_function():
    """Arrays and lists that nobody else has may be written into."""
    check(own, X, order=2, recorded="refuse")


@pytest.mark.parametrize(
    "f", [of_a_generator, of_an_object, under_another_name, in_an_element, read_by_a_lambda]
)
def test_what_may_be_seen(f):
    """What the generator function may read is not written while it runs."""
    with pytest.raises(UnsupportedSyntaxError):
        grad(f, recorded="refuse")(X)
    check(f, X, recorded="allow")
