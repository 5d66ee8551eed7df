"""For loops over ranges."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(1.1,), tags=("third",))
def power_by_multiplication(x):
    result = 1.0
    for _ in range(5):
        result = result * x
    return result

@program(args=lambda rng: (rng.normal(size=3), 0.6), wrt=(0, 1), vector=True)
def array_result_of_a_loop(x, a):
    for k in range(3):
        x = a * np.sin(x) + k
    return x

@program(args=(0.9, 0.2), wrt=(0, 1))
def sum_of_a_sum(x, y):
    total = 0.0
    for i in range(3):
        inner = y
        for j in range(i + 1):
            inner = inner * x
        total = total + inner
    return total * inner

@program(args=(0.9, 0.5), wrt=(0, 1))
def augmented_assignments(x, y):
    for k in range(1, 4):
        x += y
        y *= x
        x -= k * y
        y /= 2.0 + k
        x **= 2
    return x * y

@program(args=(0.8, 3, 2))
def range_of_expressions(x, n, m):
    y = 0.0
    for k in range(n - m, n * m, m):
        y = y + math.sin(k * x)
    return y
