"""Loops that change what they go through, or let its name stand for something else."""

import numpy as np

from tests.programs.table import program

vector = program(args=lambda rng: (rng.normal(size=3),))

def entries(x):
    rows = []
    for k in range(3):
        rows.append(x[k])
    return rows

def weighed(rows):
    return rows[0] + rows[1] * 2 - rows[2] * rows[1]

@vector
def replaced_under_another_name(x):
    rows = entries(x)
    mine = rows
    s = 0.0
    for i, r in enumerate(rows):
        mine[2] = r * x[1]
        s = s + i * r**2
    return weighed(rows) + s


@program(args=lambda rng: (rng.normal(size=3),), recorded2=True)
def comprehension_in_each_step(x):
    layers = [x, 2 * x]
    for k in range(2):
        layers.append(x * k)
    k = 0
    while k < 2:
        layers = [np.tanh(layer) * layers[0] for layer in layers]
        layers[0] = layers[0] * layers[1]
        k += 1
    return np.sum(layers[0] + layers[3]) + np.sum(layers[1] * layers[2])


@vector
def one_of_two_parts_that_is_renewed_and_the_other_written(x):
    y = x * 2
    p = {"y": y}
    s = 0.0
    for _ in range(3):
        p["y"] = p["y"] * x
        s = s + np.sum(p["y"] * y)
        y[0] = 3.0
    return np.sum(p["y"]) + s + np.sum(y)

@vector
def rows_of_a_matrix_that_the_loop_writes(x):
    y = np.outer(x, x)
    for i, r in enumerate(y):
        if i < 2:
            y[i + 1] = r * r
    for r, q in zip(y, y[::-1], strict=True):
        q += r * 0.1
    return np.sum(y * x)

class Pair:
    """Two numbers that are gone through."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        return iter((self.a, self.b))


class Yielding:
    """Two numbers, read when they are asked for."""

    def __init__(self, a, b):
        self.a, self.b = a, b

    def __iter__(self):
        yield self.a
        yield self.b

def product(a, b=1.0):
    return a * b


@vector
def arguments(x):
    half = x / 2
    return product(*(c * c for c in Pair(x[0], x[1]))) + product(*[c * c for c in half[:2]])

@program(args=lambda rng: (rng.normal(size=3),), recorded=True)
def changed_between_two_elements(x):
    pair, total = Yielding(x[0], x[1]), 0.0
    for v in pair:
        total += v * v
        pair.b = x[2] * 3
    return total

@program(args=lambda rng: (rng.normal(size=3),), recorded=True)
def changed_by_a_call_between(x):
    def swap(pair, v):
        pair.b = v * x[2]

    pair, total = Yielding(x[0], x[1]), 0.0
    for k, v in enumerate(pair):
        swap(pair, v + k)
        total += v * v
    return total + pair.b

@program(args=lambda rng: (rng.normal(size=3),), recorded=True)
def taken_twice(x):
    values = Pair(x[0], x[1]).__iter__()
    first = sum(values)
    return first * first + sum(values)
