"""Ways out: early return, break, continue, and else on loops."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.5, 0.2), wrt=(0, 1))
def code_after_return(x, y):
    return x * y
    x = x * 2
    return x

@program(args=(2.5,), label="returns")
def return_in_while(x):
    k = 0
    while k < 4:
        x = x * 1.3
        if x > 4:
            return math.log(x) * k
        k += 1
    return x + k


@program(args=(0.3, 1.0), wrt=(0, 1), label="first")
def two_breaks_in_one_loop(x, y):
    for k in range(10):
        x = x * 1.4
        if x > y:
            x = x - y
            break
        y = y + 0.1 * x
        if k == 4:
            y = y * x
            break
    return x * y

@program(args=(0.6, 2), label="2")
def break_continue_and_return_in_one_loop(x, n):
    y = x
    for k in range(6):
        if k == 1:
            continue
        y = y * x + 1
        if k == n:
            return math.exp(-y)
        if k == 5:
            y = y**2
            break
        y = y + x
    else:
        y = y * 100
    return y * x

@program(args=lambda rng: (rng.normal(size=(3, 2)), 2), label="returns")
def return_of_an_array_in_a_loop(a, stop):
    total = np.zeros(2)
    for i in range(3):
        total = total + np.sin(a[i])
        if i == stop:
            return np.sum(total**2)
    return np.sum(total)
