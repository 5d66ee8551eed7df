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


def place_above(x, bound):
    for k, v in enumerate(x):
        if v > bound:
            return k, v * v
    return None


def squared_above(x, bound):
    found = place_above(x, bound)
    if found is not None:
        k, square = found
        return k, square * x, x[k]


@program(args=(X, 0.5), label="found")
@program(args=(X, 2.0), label="not found")
def tuple_or_none(x, bound):
    found = place_above(x, bound)
    if not found:
        return x[0] * x[1]
    k, square = found
    return square * x[k - 1]


@program(args=(X, 0.5), label="found")
@program(args=(X, 2.0), label="not found")
def tuple_through_two_functions(x, bound):
    total = x[0] * x[2]
    for shift in (0.0, 0.3, 5.0):
        found = squared_above(x, bound + shift)
        if found is None:
            break
        k, squares, v = found
        total = total + np.sum(squares) * v * (k + 1)
    return total


def either(x, bound):
    return place_above(x, bound), 2 * x[0]


@program(args=(X, 0.5))
def tuple_beside_a_number(x, bound):
    found, double = either(x, bound)
    best = found if found is not None else (0, double)
    return best[1] * double if best is not None else double


class Step:
    def __init__(self, size, point):
        self.size, self.point = size, point


def search(f, x, direction):
    size = 1.0
    for _ in range(6):
        if f(x + size * direction) < f(x):
            return Step(size, x + size * direction)
        size = size / 2


@program(args=(0.5 * X,))
def object_or_none(x):
    def f(y):
        return np.sum(y**4)

    for _ in range(3):
        step = search(f, x, -(x**3))
        if step is None:
            break
        x = step.point * (1 + step.size)
    return f(x)
