"""While loops, with conditions on counters and on the values themselves."""

import numpy as np

from tests.programs.table import program


@program(args=(0.9,))
def while_in_for(x):
    total = 0.0
    for k in range(1, 4):
        y = x * k
        while y > 0.5:
            y = y * 0.6
        total = total + y**2
    return total

@program(args=(1.7,))
def walrus_in_the_condition(x):
    while (excess := x**2 - 1.5) > 0.1:
        x = x - 0.4 * excess / (2 * x)
    return x**3

@program(args=(np.array([0.5, 0.3]),))
def entries_of_a_dict_between_loops_that_are_counted(x):
    stock = {"a": 1.0, "b": 1.0}
    for _ in range(2):
        for start, end, rate in (("a", "b", x[0]), ("b", "a", x[1]), ("b", "a", x[1])):
            moved = rate * stock[start]
            left = 1
            while left > 0:
                stock[start] -= moved
                left -= 1
            stock[end] += moved
    return stock["a"] * stock["b"]
