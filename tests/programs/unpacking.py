"""Several targets: tuples, nested tuples, chains, and swaps."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.4, 0.9), wrt=(0, 1))
def tuple_assignment(x, y):
    a, b = x * y, x + y
    return a / b


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


@program(args=(0.4, 0.9), wrt=(0, 1))
def list_targets(x, y):
    [a, b] = [x - y, x * y]
    [c, (d, e)] = a, [b, a * b]
    return c + d**2 * e


@program(args=(0.4, 0.9), wrt=(0, 1))
def chained_assignment(x, y):
    a = b = c = x * y
    a = a * x
    b = b + a
    return a * b * c


@program(args=(0.4, 0.9), wrt=(0, 1))
def chain_of_a_tuple_and_its_parts(x, y):
    (a, b) = pair = (x * y, x - y)
    c, d = pair
    return a * c + b * d * c


@program(args=lambda rng: (rng.normal(size=3),))
def vector_into_scalars(v):
    x, y, z = v
    return x * y - z**2 * math.exp(x)


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def matrix_into_rows(a):
    first, second = a
    return np.dot(first, second) + np.sum(first**3)


@program(args=lambda rng: (rng.normal(size=(2, 2)),))
def matrix_into_elements(m):
    (a, b), (c, d) = m
    return a * d - b * c**2


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def shape_into_lengths(a):
    n, m = a.shape
    return np.sum(a**2) / (n * m) + n * np.sum(a[:, m - 1])


@program(args=lambda rng: (rng.normal(size=(2, 3)),))
def computed_array_into_rows(a):
    up, down = np.tanh(a) * 2
    return np.sum(up / (2 + down))


@program(args=(0.4, 0.9), wrt=(0, 1))
def tuple_with_a_name(x, y):
    point = (x * y, x + y)
    return point[0] ** 2 / point[1] + point[-1]


@program(args=(0.4, 0.9), wrt=(0, 1))
def nested_tuple_with_a_name(x, y):
    state = (x, (y, x * y))
    inner = state[1]
    return state[0] * inner[0] + state[1][1] ** 2


@program(args=(0.4, 0.9), wrt=(0, 1))
def tuple_that_is_unpacked_twice(x, y):
    pair = x * y, math.sin(x)
    a, b = pair
    x, y = pair
    return a * y + b * x


@program(args=(0.4, 0.9), wrt=(0, 1))
def unread_target(x, y):
    a, _, b = x * y, math.exp(x), y**2
    return a * b


@program(args=(0.4, 0.9), wrt=(0, 1))
def same_target_twice(x, y):
    a, a = x * y, x + y
    return a * a * x


@program(args=(0.4, 0.9), wrt=(0, 1))
def fibonacci_by_tuple(x, y):
    for _ in range(5):
        x, y = y, x * y + x
    return x + y


@program(args=(0.4, 0.9, 1.3), wrt=(0, 1, 2))
def rotation_in_a_loop(x, y, z):
    for _ in range(4):
        x, y, z = y, z, math.sin(x) + 0.1 * z
    return x * y * z


@program(args=(0.4, 0.9), wrt=(0, 1))
def state_tuple_in_a_loop(x, v):
    state = (x, v)
    for _ in range(4):
        position, velocity = state
        state = (position + 0.1 * velocity, velocity - 0.1 * math.sin(position))
    return state[0] ** 2 + state[1]


@program(args=(0.4, 0.9), wrt=(0, 1), label="swapped")
@program(args=(1.4, 0.9), wrt=(0, 1), label="kept")
def swap_in_a_branch(x, y):
    if x < y:
        x, y = y, x
    return x - y * x


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


@program(args=(0.4, 0.9), wrt=(0, 1), vector=True)
def tuples_built_in_pieces(x, y):
    first = (x * y, x)
    second = (y, first)
    return second, x**2


@program(args=lambda rng: (rng.normal(size=4),))
def slices_and_elements(v):
    head, middle, last = v[0], v[1:3], v[-1]
    return head * np.sum(middle**2) - last**3
