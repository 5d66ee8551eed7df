"""Loops over active values: arrays, zip, enumerate, reversed, tuples, and lists."""

import math

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=5),))
def over_a_slice(x):
    total = x[0]
    for value in x[1::2]:
        total = total * value - value
    return total


@program(args=lambda rng: (rng.normal(size=4), 0.7), wrt=(0, 1))
def over_reversed(coefficients, x):
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


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


@program(args=(0.7, 1.2), wrt=(0, 1))
def over_a_named_tuple_of_pairs(x, y):
    pairs = ((x, 2.0), (x * y, y), (0.5, x))
    total = 0.0
    for a, b in pairs:
        total = total + a * b**2
    return total


@program(args=(0.7, 1.2), wrt=(0, 1))
def over_nested_targets(x, y):
    total = 0.0
    for k, (a, (b, c)) in enumerate([(x, (y, 1.0)), (y, (x * y, 2.0))]):
        total = total + a * b**c + k * a
    return total


@program(
    args=lambda rng: (
        rng.normal(size=(2, 3)),
        rng.normal(size=(3, 2)),
        rng.normal(size=2),
    ),
    wrt=(0, 1, 2),
)
def over_arrays_of_different_shapes(w1, w2, x):
    h = x
    for w in (w1, w2):
        h = np.tanh(h @ w)
    return np.sum(h**2)


@program(args=lambda rng: (rng.normal(size=4),))
def over_constants(x):
    total = 0.0
    for k in (0, 2, 3):
        total = total + x[k] ** 2
    for name, weight in [("first", 0.5), ("second", 2.0)]:
        total = total + weight * x[len(name) - 5]
    return total


@program(args=lambda rng: (np.array([0.5, 0.8, -0.3, 0.4]),))
def with_break_and_else(x):
    total = 1.0
    for value in x:
        if value < 0:
            break
        total = total * (1 + value)
    else:
        total = 0.0
    return total * value


@program(args=lambda rng: (np.array([0.5, -0.3, 0.8, 0.4]), 0.3), wrt=(0, 1))
def with_continue_and_return(x, y):
    for i, value in enumerate(x):
        if value < 0:
            continue
        y = y + value * y
        if y > 0.7:
            return y * (i + 1)
    return y * 100


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
