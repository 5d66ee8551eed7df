"""Numbers and arrays that are None before a loop, or on some ways."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

@program(args=(X,))
def smallest(x):
    best = None
    for v in x:
        w = v * np.sin(3 * v)
        if best is None or w < best:
            best = w
    return best

def first_above(x, bound):
    for v in x:
        if v > bound:
            return v * v
    return None

@program(args=(X, 0.5), label="found")
def result_that_may_be_none(x, bound):
    found = first_above(x, bound)
    if found is None:
        return x[0] * x[1]
    return found * x[0]


@program(args=(X,))
def states_with_names(x):
    state, y = "start", x[0]
    for v in x:
        if state == "start":
            state = "middle"
        elif state == "middle":
            y, state = y * v, "end"
        else:
            y = y + v
    return y

VECTOR = np.array([0.7, 0.2])

@program(args=(VECTOR,))
def array_that_stays_none(x):
    best = None
    for k in range(3):
        if x[0] > 5:
            best = x * k
    return np.sum(x) ** 2 if best is None else np.sum(best)

@program(args=(0.7, 4))
def table_of_none(x, n):
    table = [None, None, None, None, None]
    for k in range(n):
        table[k] = x * k
    total = 0.0
    for k in range(n + 1):
        if table[k] is not None:
            total = total + table[k] ** 2
    return total
