"""Generator functions of which all that they give is taken."""

import itertools

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

def squares(x):
    """Squares, one after the other."""
    for v in x:
        yield v * v

def neighbours(x):
    for a, b in itertools.pairwise(x):
        yield a, b


def steps(n):
    for k in range(n):
        yield 0.5 * k


@program(args=(X,))
def a_comprehension_over_pairs_that_are_yielded(x):
    return sum(a * b for a, b in neighbours(x))


@program(args=(X,))
def generators_side_by_side(x):
    return sum(s * w for s, w in zip(squares(x), steps(10), strict=False))

def squares_of(x):
    for v in x:
        yield v * v

@program(args=(np.array([0.5, -1.2, 0.8]),))
def put_into_order(x):
    largest = max(squares_of(x)) * min(squares_of(x)) + max(squares_of(x), key=lambda v: -v)
    return largest + sum(sorted(squares_of(x))[:2]) * sorted(squares_of(x))[-1]

class Samples:
    def __init__(self, rows):
        self.rows = rows

    def pairs(self):
        for k in range(len(self.rows) - 1):
            yield self.rows[k], self.rows[k + 1]

SAMPLES = Samples(np.array([[0.5, 1.2, 0.8], [0.1, -0.4, 0.6], [1.0, 0.3, 0.2]]))

@program(args=(np.array([0.5, 1.2, 0.8]),), recorded=True)
def of_an_object_from_outside(w):
    total = 0.0
    for a, b in SAMPLES.pairs():
        total += (a @ w - b[0]) ** 2
    rows = list(SAMPLES.pairs())
    rows[0] = (w, w)
    return total + sum(a @ b for a, b in rows)
