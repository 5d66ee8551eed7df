"""Ways out: early return, break, continue, and else on loops."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(-0.5,), label="guard")
@program(args=(0.5,), label="rest")
def guard_clause(x):
    if x < 0:
        return x**2
    y = math.sqrt(x)
    return y * x


@program(args=(-1.5,), label="1")
@program(args=(-0.5,), label="2")
@program(args=(0.5,), label="3")
@program(args=(1.5,), label="4")
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


@program(args=(0.5, 0.3), wrt=(0, 1), label="inner")
@program(args=(0.5, -0.3), wrt=(0, 1), label="fall through")
@program(args=(-0.5, 0.3), wrt=(0, 1), label="outer else")
def return_in_nested_branches(x, y):
    z = x * y
    if x > 0:
        z = z + x
        if y > 0:
            return z * z
        z = z - y
    else:
        if y > 0:
            return x / y
    return z * x


@program(args=(0.5,), label="then")
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


@program(args=(0.7,), label="breaks")
@program(args=(0.1,), label="runs out")
def break_in_for(x):
    y = x
    for k in range(5):
        y = y + x
        if y > 2:
            break
        y = y * 1.1
    return y * y


@program(args=(3.0,))
def break_in_the_first_trip(x):
    for _ in range(5):
        x = x * x
        if x > 2:
            break
    return x + 1


@program(args=(0.7,))
def break_before_any_update(x):
    y = math.sin(x)
    for _ in range(3):
        if y > 0:
            break
        y = y * x
    return y


@program(args=(0.7,))
def unconditional_break(x):
    for k in range(1, 4):
        x = x**2 + k
        break
    return x


@program(args=(0.7,))
def continue_in_for(x):
    y = x
    for k in range(6):
        if k % 3 == 1:
            continue
        y = math.sin(y) + k * x
    return y


@program(args=lambda rng: (rng.normal(size=6),))
def continue_after_an_update(x):
    total = 0.0
    weight = 1.0
    for i in range(6):
        weight = weight * math.cos(x[i])
        if x[i] < 0:
            continue
        total = total + weight * x[i]
    return total * weight


@program(args=lambda rng: (np.array([0.3, -0.2, 1.4, 0.6, 0.5]),))
def break_and_continue_together(x):
    total = 1.0
    for i in range(5):
        if x[i] < 0:
            continue
        total = total * (1 + x[i])
        if total > 2.5:
            break
        total = total + x[i] ** 2
    return total


@program(args=(0.7, 3.0), wrt=(0, 1), label="break")
@program(args=(0.7, 30.0), wrt=(0, 1), label="else")
def else_on_for(x, limit):
    y = x
    for _ in range(4):
        y = y * 1.7
        if y > limit:
            y = y - limit
            break
    else:
        y = y * x
    return y * y


@program(args=(0.7,))
def else_on_for_without_break(x):
    y = x
    for _ in range(3):
        y = y * x
    else:
        y = math.sin(y)
    return y


@program(args=(0.7, 3.0), wrt=(0, 1), label="break")
@program(args=(0.2, 30.0), wrt=(0, 1), label="else")
def else_on_while(x, limit):
    k = 0
    while k < 3:
        x = x + 0.9 * x**2 + 0.5
        if x > limit:
            break
        k += 1
    else:
        x = x * limit
    return x


@program(args=(0.7, 2), label="returns")
@program(args=(0.7, 9), label="runs out")
def return_in_for(x, stop):
    y = x
    for k in range(5):
        y = y * x + k
        if k == stop:
            return y**2
    return y


@program(args=(2.5,), label="returns")
@program(args=(0.2,), label="runs out")
def return_in_while(x):
    k = 0
    while k < 4:
        x = x * 1.3
        if x > 4:
            return math.log(x) * k
        k += 1
    return x + k


@program(args=(0.7, 3.0), wrt=(0, 1), label="returns")
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
@program(args=(0.3, 9.0), wrt=(0, 1), label="second")
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


@program(args=(0.6,))
def continue_in_while(x):
    k = 0
    y = 1.0
    while k < 6:
        k += 1
        if k % 2 == 0:
            continue
        y = y * x + k
    return y


@program(args=(0.6, 2), label="2")
@program(args=(0.6, 4), label="4")
@program(args=(0.6, 9), label="9")
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


@program(args=(0.6,), label="small")
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
@program(args=(2, 0.4), wrt=(1,), label="else")
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
@program(args=lambda rng: (rng.normal(size=(3, 2)), 7), label="runs out")
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


@program(args=(0.4,))
def value_read_only_after_break(x):
    last = x
    for k in range(6):
        last = x * k
        x = x * 1.3
        if x > 0.8:
            break
    return last * x


@program(args=(0.4, 0.9), wrt=(0, 1))
def loop_after_a_loop_with_break(x, y):
    for _ in range(4):
        x = x * 1.4
        if x > y:
            break
    for _ in range(4):
        y = y * 1.1 + x
        if y > 3:
            break
    return x * y
