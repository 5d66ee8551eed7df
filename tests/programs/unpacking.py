"""Several targets: tuples, nested tuples, chains, and swaps."""

import math

from tests.programs.table import program


@program(args=(0.4, True), label="pair")
def tuple_from_a_branch(x, flag):
    if flag:
        pair = (x**2, math.sin(x))
    else:
        pair = (math.cos(x), 2.0)
    a, b = pair
    return a * b + a
