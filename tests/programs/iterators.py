"""Functions of functools and itertools, map and filter, over values that are differentiated."""

import bisect
import functools
import itertools
import operator
from functools import reduce

import numpy as np

from tests.programs.table import program

X = (np.array([0.5, -1.2, 0.8]),)


@program(args=X)
def partial_of_a_local_function(x):
    def line(slope, offset):
        return slope * x[0] + offset

    f = functools.partial(line, x[1])
    return f(x[2]) ** 2

@program(args=X)
def reduced(x):
    return reduce(lambda a, b: a * b, [x[0], x[1], x[2]])


@program(args=X)
def mapped_over_two(x):
    total = sum(map(operator.mul, x, x))
    for a, b in zip(map(np.sin, x), x):
        total += a * b
    return total


@program(args=X)
def filtered(x):
    total = sum(filter(lambda t: t > 0, x))
    for t in filter(lambda t: t < 0, [x[0], x[1]]):
        total += t * t
    return total


@program(args=X)
def pairs_of_one_range(x):
    total = 0.0
    for k in itertools.product(range(3), repeat=2):
        total += x[k[0]] * k[1] + np.outer(x, x)[k] ** 2
    for i, j, n in itertools.product(range(2), repeat=3):
        total += x[i] * x[j + 1] * (n + 1)
    return total

@program(args=X)
def reduced_generator(x):
    rest = functools.reduce(operator.add, (np.sin(v) for v in x), 1.5)
    return functools.reduce(operator.mul, (v * v for v in x)) + rest


@program(args=X, recorded=True)
def as_numbers(x):
    numbers = (x * 2).tolist()
    place = bisect.bisect_left(np.cumsum(x * x).tolist(), 0.5)
    return sum(v**3 for v in x.tolist()) + numbers[1] * numbers[2] + x[place] + x[0].tolist()


@program(args=X)
def rows_as_tuples(x):
    rows = [tuple(row) for row in np.outer(x, x)]
    return rows[0][1] * rows[2][0] + len(rows[0]) * x[0]

@program(args=X)
def taken_one_by_one(x):
    it = iter(x)
    s = next(it)
    if s > 0:
        s = s * next(it)
    for v in it:
        if v > 1.0:
            break
        s = s * 0.5 + v**2
    for v in it:
        s = s + v**3
    return s

@program(args=X)
def taken_until_there_is_none(x):
    it = iter(x)
    s = 1.0
    while True:
        a = next(it, None)
        if a is None:
            break
        s = s * a + next(it, 0.5)
    return s

@program(args=({"a": np.array([0.3, 0.7]), "b": np.array([0.2])},))
def items_of_a_dict_in_turn(p):
    it = iter(p.items())
    k, v = next(it)
    s = np.sum(v**2)
    for k, v in it:
        s = s + np.sum(v**3) * len(k)
    return s * next(iter(p.values()))[0]

@program(args=(*X, 0.9), wrt=(0, 1))
def first_that_is_larger(x, c):
    best = next((a * b for a, b in zip(x, x[::-1]) if a * b > c), c)
    return best**2 + x[0] * c
