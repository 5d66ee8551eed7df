"""Several targets: tuples, nested tuples, chains, and swaps."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.4, 0.9), wrt=(0, 1))
def swap(x, y):
    x, y = y, x
    return x**2 * y


@program(args=(0.4, 0.9), wrt=(0, 1))
def simultaneous_update(x, y):
    x, y = x + y, x * y
    x, y = y - x, x / y
    return x * y


@program(args=(0.4, 0.9, 1.3), wrt=(0, 1, 2))
def rotation_of_three(x, y, z):
    x, y, z = y, z, x
    z, y, x = x * y, y * z, z * x
    return x + 2 * y + 3 * z


@program(args=(0.4, 0.9, 1.3), wrt=(0, 1, 2))
def nested_targets(x, y, z):
    (a, b), c = (x * y, y * z), z * x
    a, (b, (c, d)) = a + b, (b - c, (c * a, b))
    return a * b + c * d


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def shape_into_lengths(a):
    n, m = a.shape
    return np.sum(a**2) / (n * m) + n * np.sum(a[:, m - 1])


@program(args=(0.4, 0.9), wrt=(0, 1))
def state_tuple_in_a_loop(x, v):
    state = (x, v)
    for _ in range(4):
        position, velocity = state
        state = (position + 0.1 * velocity, velocity - 0.1 * math.sin(position))
    return state[0] ** 2 + state[1]


@program(args=(0.4, True), label="pair")
@program(args=(0.4, False), label="other pair")
def tuple_from_a_branch(x, flag):
    if flag:
        pair = (x**2, math.sin(x))
    else:
        pair = (math.cos(x), 2.0)
    a, b = pair
    return a * b + a


@program(args=(0.4, 0.9), wrt=(0, 1))
def constants_among_the_elements(x, y):
    a, n, b, text = x * y, 3, 2.0, "label"
    c = a**n + b
    return c * len(text) + y
