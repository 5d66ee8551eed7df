"""What puts values into order, and parts of lists of varying length."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

@program(args=(X,), order2=False)
def tuples_by_a_key(x):
    t = sorted([(x[1], x[0]), (x[0] * x[2], x[2]), (x[2], x[1])], key=lambda p: p[1])
    return t[0][0] * t[1][0] + t[2][0] * t[0][1]

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


@program(args=(X,))
def read_in_two_loops(x):
    items = [x[0], x[1] * x[0], x[2]]
    total = 0.0
    for k in (2, 0, 1, 2):
        total = total * x[0] + items[k] * items[k]
    for i in range(3):
        for j in range(i):
            total = total + items[i] * items[j]
    a, b, c = items
    return total * a * b * c * max(items)
