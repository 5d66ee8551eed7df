"""While loops, with conditions on counters and on the values themselves."""

import math

from tests.programs.table import program


@program(args=(2.3,), tags=("third",))
def newton_square_root(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


@program(args=(0.9,))
def while_in_for(x):
    total = 0.0
    for k in range(1, 4):
        y = x * k
        while y > 0.5:
            y = y * 0.6
        total = total + y**2
    return total


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
