"""While loops, with conditions on counters and on the values themselves."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.8, 4), label="4")
@program(args=(0.8, 0), label="0")
def counted(x, n):
    y = x
    k = 0
    while k < n:
        y = y * math.cos(x) + k
        k += 1
    return y * y


@program(args=(2.3,), tags=("third",))
def newton_square_root(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


@program(args=(37.0,), label="many")
@program(args=(0.7,), label="none")
def halve_until_small(x):
    y = x * x
    while y > 1.0:
        y = y / 2
    return y + x


@program(args=(0.2, 1.3), wrt=(0, 1))
def active_condition_on_both_sides(x, y):
    while x < y:
        x = x * 1.5
        y = y * 1.1
    return x * y


@program(args=(0.2,))
def two_conditions(x):
    k = 0
    while x < 3.0 and k < 20:
        x = x * x + 0.3
        k = k + 1
    return x * k


@program(args=(0.9,))
def nested_whiles(x):
    i = 0
    while i < 3:
        j = 0
        while j <= i:
            x = math.sin(x) + 0.1 * j
            j += 1
        x = x * 1.1
        i += 1
    return x**2


@program(args=(0.9,))
def while_in_for(x):
    total = 0.0
    for k in range(1, 4):
        y = x * k
        while y > 0.5:
            y = y * 0.6
        total = total + y**2
    return total


@program(args=(0.9,))
def for_in_while(x):
    k = 3
    while k > 0:
        for j in range(k):
            x = x + 0.1 * x * j
        k = k - 1
    return x


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=(3, 3))), wrt=(0, 1))
def carried_array_until_small(x, a):
    while np.sum(x**2) > 0.5:
        x = 0.4 * np.tanh(a @ x)
    return np.sum(x**2 + x)


@program(args=(0.9, 6), label="6")
@program(args=(0.9, 7), label="7")
def integer_bookkeeping(x, n):
    """Square and multiply: the exponent is taken apart bit by bit."""
    result = 1.0
    base = x
    while n:
        if n % 2 == 1:
            result = result * base
        base = base * base
        n = n // 2
    return result


@program(args=(27, 0.3), wrt=(1,))
def collatz_weights(n, x):
    y = x
    steps = 0
    while n != 1 and steps < 12:
        if n % 2 == 0:
            n //= 2
            y = y * 0.9
        else:
            n = 3 * n + 1
            y = y + x**2
        steps += 1
    return y


@program(args=(5.3,), label="runs")
@program(args=(0.3,), label="does not run")
def while_else(x):
    while x > 1:
        x = x / 3
    else:
        x = x * x
    return x + 1


@program(args=(1.7,))
def walrus_in_the_condition(x):
    while (excess := x**2 - 1.5) > 0.1:
        x = x - 0.4 * excess / (2 * x)
    return x**3


@program(args=(0.5, 1.5), wrt=(0, 1))
def arithmetic_geometric_mean(a, b):
    while abs(a - b) > 1e-9:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


@program(args=(0.5,))
def series_until_terms_are_small(x):
    term = 1.0
    total = 1.0
    k = 1
    while abs(term) > 1e-14:
        term = term * x / k
        total += term
        k += 1
    return total


@program(args=(0.5, 3.0), wrt=(0, 1))
def condition_with_a_flag(x, y):
    done = False
    while not done:
        x = x + 0.3 * y
        done = x > 4
    return x * y


@program(args=(0.6, 12.0), wrt=(0, 1))
def name_assigned_only_in_the_body(x, y):
    while y > 1.0:
        factor = math.exp(-x)
        y = y * factor
    return y + factor
