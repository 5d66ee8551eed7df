"""Calls of the user's own functions: arguments, results, and recursion."""

import math

from tests.programs.table import program


def square(x):
    return x * x

def weighted(x, weight=2.0, *, offset=0.0):
    return weight * math.sin(x) + offset


def polar(x, y):
    radius = math.sqrt(x * x + y * y)
    return radius, math.atan2(y, x)

def nested_parts(x):
    s = math.sin(x)
    return s, (x * s, (x, 2.0))

def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)

def is_even_step(x, n):
    if n == 0:
        return x
    return is_odd_step(math.sin(x) + 0.1 * n, n - 1)

def is_odd_step(x, n):
    if n == 0:
        return x * x
    return is_even_step(x * 1.2, n - 1)


@program(args=(0.7, 1.2), wrt=(0, 1))
def helper_of_different_arguments(x, y):
    return square(x) + square(y) * square(x + y)


@program(args=(0.7,))
def nested_tuple_result(x):
    s, (t, (u, n)) = nested_parts(x)
    return s * t + u**n

@program(args=(0.7, 3), label="3")
def recursion(x, n):
    return power(x, n) + x

@program(args=(0.7,))
def helper_in_a_loop(x):
    y = x
    for k in range(4):
        y = weighted(y, k) + square(x)
    return y


@program(args=(0.7,), vector=True)
def tuple_results_passed_on(x):
    return polar(x, x * x), nested_parts(x)
