"""Several targets: tuples, nested tuples, chains, and swaps."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.4, True), label="pair")
def tuple_from_a_branch(x, flag):
    if flag:
        pair = (x**2, math.sin(x))
    else:
        pair = (math.cos(x), 2.0)
    a, b = pair
    return a * b + a

@program(args=(np.array([0.7, 1.2, -0.4]),))
def rest_of_a_growing_list(x):
    rows = []
    for k in range(4):
        rows.append(x[k % 3] * (k + 1))
    *most, last = rows
    first, *rows = rows
    rows.append(first * x[0])
    a, b, *_ = rows
    return most[0] * most[1] * last + a * b + rows[-1] + len(most) * first

@program(args=(np.array([0.7, 1.2, -0.4]),))
def element_of_a_display(x):
    k = int(x[0] > 0.5)
    return (x[0] * x[1], x[2] ** 2)[k] + np.sum([x, x**2][-k] * x)
