"""Several targets: tuples, nested tuples, chains, and swaps."""

import math

from tests.programs.table import program


@program(args=(0.4, 0.9), wrt=(0, 1))
def state_tuple_in_a_loop(x, v):
    state = (x, v)
    for _ in range(4):
        position, velocity = state
        state = (position + 0.1 * velocity, velocity - 0.1 * math.sin(position))
    return state[0] ** 2 + state[1]

@program(args=(0.4, True), label="pair")
def tuple_from_a_branch(x, flag):
    if flag:
        pair = (x**2, math.sin(x))
    else:
        pair = (math.cos(x), 2.0)
    a, b = pair
    return a * b + a
