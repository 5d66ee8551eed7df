"""Ways out: early return, break, continue, and else on loops."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(-1.5,), label="1")
def several_guard_clauses(x):
    if x < -1:
        return math.exp(x)
    if x < 0:
        return x**2
    y = x * x * x
    if y < 1:
        return y + x
    y = y * x
    return math.log(y)


@program(args=(-0.5,), label="else")
def return_in_both_branches(x):
    y = x * 2
    if y > 0:
        y = y * x
        return y
    else:
        y = y + x**3
        return y * y


@program(args=(0.5, 0.2), wrt=(0, 1))
def code_after_return(x, y):
    return x * y
    x = x * 2
    return x


@program(args=(0.7,))
def else_on_for_without_break(x):
    y = x
    for _ in range(3):
        y = y * x
    else:
        y = math.sin(y)
    return y


@program(args=(2.5,), label="returns")
def return_in_while(x):
    k = 0
    while k < 4:
        x = x * 1.3
        if x > 4:
            return math.log(x) * k
        k += 1
    return x + k


@program(args=(0.7, 30.0), wrt=(0, 1), label="else")
def return_in_else_of_a_loop(x, limit):
    for _ in range(4):
        x = x * 1.7
        if x > limit:
            break
    else:
        return x * limit
    return x / limit


@program(args=(2.0,))
def while_true_with_break(a):
    x = 1.0
    while True:
        step = (x * x - a) / (2 * x)
        x = x - step
        if abs(step) < 1e-9:
            break
    return x


@program(args=(0.3,))
def while_true_with_return(x):
    k = 0
    while True:
        x = x + 0.5 * x * x
        k = k + 1
        if x > 1:
            return x * k


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


@program(args=(1.6,), label="large")
def exits_in_both_branches_of_a_loop(x):
    y = x
    for _ in range(5):
        y = y * y + 0.1
        if y > 1:
            y = y - 0.5
            break
        else:
            y = y + 0.2
            continue
    return y


@program(args=(1, 0.4), wrt=(1,), label="elif")
def exit_in_an_elif(n, x):
    y = x
    for k in range(4):
        if k < n:
            y = y + x
        elif n == 1:
            y = y * 3
            break
        else:
            y = y * x
            if k == 3:
                return y * y
    return y + x


@program(args=lambda rng: (rng.normal(size=(3, 2)), 2), label="returns")
def return_of_an_array_in_a_loop(a, stop):
    total = np.zeros(2)
    for i in range(3):
        total = total + np.sin(a[i])
        if i == stop:
            return np.sum(total**2)
    return np.sum(total)


@program(args=(0.4, True), vector=True, label="early")
@program(args=(0.4, False), vector=True, label="late")
def tuple_returned_early(x, early):
    y = math.sin(x)
    for _ in range(3):
        y = y * x
        if early:
            return y, x
    return y * y, x + y
