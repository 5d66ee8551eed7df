"""What puts values into order, and parts of lists of varying length."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])


@program(args=(X,))
def in_place(x):
    t = [v * np.cos(3 * v) for v in x]
    same = t
    t.sort()
    return same[0] * t[1] + t[2] ** 3


@program(args=(X,))
def starred(x):
    a, *rest = x
    *first, last = x * 2
    b, *middle, c = x * x
    return a * sum(rest) * sum(first) * last + b * middle[0] * c
