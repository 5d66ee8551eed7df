"""Loops over active values: arrays, zip, enumerate, reversed, tuples, and lists."""

import math

from tests.programs.table import program


@program(args=(0.7, 1.2, -0.4), wrt=(0, 1, 2))
def over_a_list(x, y, z):
    total = 0.0
    for value in [x * y, 2.0, z]:
        total = total * value + math.exp(value)
    return total
