"""Loops over active values: arrays, zip, enumerate, reversed, tuples, and lists."""

import math

from tests.programs.table import program


@program(args=(0.7, 5))
def over_reversed_range(x, n):
    y = x
    for k in reversed(range(n)):
        y = math.sin(y) + 0.1 * k
    return y

@program(args=(0.7, 1.2, -0.4), wrt=(0, 1, 2))
def over_a_list(x, y, z):
    total = 0.0
    for value in [x * y, 2.0, z]:
        total = total * value + math.exp(value)
    return total

@program(args=lambda rng: (rng.normal(size=3),))
def same_array_in_two_loops(x):
    total = 0.0
    for a in x:
        for b in x:
            total = total + math.sin(a - 2 * b)
    for a in x:
        total = total * (1 + a**2)
    return total

@program(args=lambda rng: (rng.normal(size=4),))
def over_nothing(x):
    total = x[0] ** 2
    later = []
    for v in later:
        total = total * v
    for neighbours in ([1, 2], [], [3]):
        for k in neighbours:
            total = total + x[k] * x[k - 1]
    for k in range(2):
        for v in later:
            total = total + v * x[k]
        later.append(x[k + 1])
    return total
