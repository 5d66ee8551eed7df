"""For loops over ranges."""

import math

from tests.programs.table import program


@program(args=(0.9, 0.2), wrt=(0, 1))
def sum_of_a_sum(x, y):
    total = 0.0
    for i in range(3):
        inner = y
        for j in range(i + 1):
            inner = inner * x
        total = total + inner
    return total * inner


@program(args=(0.8, 3, 2))
def range_of_expressions(x, n, m):
    y = 0.0
    for k in range(n - m, n * m, m):
        y = y + math.sin(k * x)
    return y
