"""Loops over active values: arrays, zip, enumerate, reversed, tuples, and lists."""

import math

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=4),))
def over_a_vector(x):
    total = 0.0
    for value in x:
        total = total * 0.9 + value**2
    return total


@program(args=lambda rng: (rng.normal(size=(3, 2)),))
def over_the_rows_of_a_matrix(a):
    state = np.zeros(2)
    for row in a:
        state = np.tanh(state + row)
    return np.sum(state**2)


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def over_rows_and_then_elements(a):
    total = 1.0
    for row in a:
        for value in row:
            total = total * math.cos(value) + value
    return total


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def over_a_transpose(a):
    total = 0.0
    for column in a.T:
        total = total + np.prod(column) ** 2
    return total


@program(args=lambda rng: (rng.normal(size=4), 0.5), wrt=(0, 1))
def over_a_computed_array(x, a):
    total = a
    for value in np.sin(a * x):
        total = total * value + a
    return total


@program(args=lambda rng: (rng.normal(size=5),))
def over_a_slice(x):
    total = x[0]
    for value in x[1::2]:
        total = total * value - value
    return total


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def over_zip(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total = total + a * b**2
    return total


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=(4, 2))), wrt=(0, 1))
def over_zip_of_different_lengths_and_ranks(x, a):
    total = 0.0
    for value, row in zip(x, a):
        total = total + np.sum(np.sin(value * row))
    return total


@program(args=lambda rng: (rng.normal(size=3), np.array([2, 0, 1])))
def over_zip_with_constants(x, powers):
    total = 0.0
    for value, power, k in zip(x, powers, range(3)):
        total = total + value**power * (k + 1)
    return total


@program(args=lambda rng: (rng.normal(size=4),))
def over_neighbours(x):
    total = 0.0
    for left, right in zip(x[:-1], x[1:]):  # noqa: RUF007 (arrays, not iterators)
        total = total + (right - left) ** 2 * left
    return total


@program(args=lambda rng: (rng.normal(size=4),))
def over_enumerate(x):
    total = 0.0
    for i, value in enumerate(x):
        total = total + value ** (i + 1)
    return total


@program(args=lambda rng: (rng.normal(size=4),))
def over_enumerate_from_one(x):
    total = 1.0
    for i, value in enumerate(x, start=1):
        total = total + math.sin(i * value) * total
    return total


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def over_enumerate_of_zip(x, y):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, y)):
        total = total + (a - i * b) ** 2
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


@program(args=lambda rng: (rng.normal(size=4),))
def over_a_reversing_slice(x):
    total = 0.0
    for value in x[::-1]:
        total = math.tanh(total + value)
    return total


@program(args=(0.7, 1.2, -0.4), wrt=(0, 1, 2))
def over_a_tuple(x, y, z):
    total = 1.0
    for value in (x, y, z, x * y):
        total = total * value + value
    return total


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


@program(args=lambda rng: (rng.normal(size=4),))
def loop_value_read_after_the_loop(x):
    total = 0.0
    for value in x:
        total = total + value**2
    return total * value


@program(args=lambda rng: (rng.normal(size=4),))
def loop_value_overwritten_in_the_body(x):
    total = 0.0
    for value in x:
        value = value * value
        total = total + value * math.exp(-value)
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


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def name_of_the_array_rebound_in_the_loop(x, y):
    """The loop goes on over the array that it started with."""
    total = 0.0
    for value in x:
        x = y * value
        total = total + np.sum(x**2)
    return total


@program(args=lambda rng: (rng.normal(size=(0, 3)), 0.4), wrt=(0, 1))
def over_an_empty_array(a, x):
    for row in a:
        x = x * np.sum(row)
    return x**2


@program(args=lambda rng: (rng.normal(size=4),), vector=True)
def pair_of_running_values(x):
    mean = 0.0
    square = 0.0
    for k, value in enumerate(x):
        mean = mean + (value - mean) / (k + 1)
        square = square + value * mean
    return mean, square


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
