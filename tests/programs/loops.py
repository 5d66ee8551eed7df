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


@program(args=(0.7, 4), label="4")
@program(args=(0.7, 1), label="1")
@program(args=(0.7, 0), label="0")
def number_of_trips_is_an_argument(x, n):
    y = x
    for k in range(n):
        y = math.sin(y) + k * x
    return y * x


@program(args=(0.7,))
def range_with_start_and_step(x):
    total = 0.0
    for k in range(2, 9, 3):
        total = total + x**k / k
    return total


@program(args=(0.7,))
def range_downwards(x):
    y = 0.0
    for k in range(5, 0, -1):
        y = (y + k) * x
    return y


@program(args=lambda rng: (rng.normal(size=5),))
def elements_by_index(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2 * (i + 1)
    return total


@program(args=lambda rng: (rng.normal(size=5),))
def neighbours_by_index(x):
    total = 0.0
    for i in range(1, x.shape[0] - 1):
        total = total + (x[i + 1] - 2 * x[i] + x[i - 1]) ** 2
    return total


@program(args=lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=4)), wrt=(0, 1))
def double_loop_over_a_matrix(a, x):
    n, m = a.shape
    total = 0.0
    for i in range(n):
        row = 0.0
        for j in range(m):
            row = row + a[i, j] * x[j]
        total = total + row**2
    return total


@program(args=lambda rng: (rng.normal(size=4),))
def triangular_loops(x):
    energy = 0.0
    for i in range(4):
        for j in range(i):
            energy = energy + 1.0 / (1.0 + (x[i] - x[j]) ** 2)
    return energy


@program(args=(0.4, 1.2), wrt=(0, 1))
def three_loops_deep(x, y):
    for i in range(2):
        for j in range(3):
            for k in range(2):
                x = math.sin(x + y * (i + j * k))
            y = y * 0.9 + x
    return x * y


@program(args=(0.3, 0.8), wrt=(0, 1))
def two_loops_in_sequence(x, y):
    for _ in range(3):
        x = x + 0.1 * y * x
    for _ in range(2):
        y = y - 0.2 * x * y
    return x * y


@program(args=(0.3, 0.8), wrt=(0, 1))
def two_carried_values(x, y):
    for _ in range(4):
        next_x = x - 0.1 * y
        y = y + 0.1 * x * y
        x = next_x
    return x * x + y


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=(3, 3))), wrt=(0, 1))
def carried_array(x, a):
    for _ in range(3):
        x = np.tanh(a @ x)
    return np.sum(x**2)


@program(args=lambda rng: (rng.normal(size=3), 0.6), wrt=(0, 1), vector=True)
def array_result_of_a_loop(x, a):
    for k in range(3):
        x = a * np.sin(x) + k
    return x


@program(args=(1.1, 0.4), wrt=(0, 1))
def loop_invariant_value(x, y):
    c = math.exp(y)
    total = x
    for _ in range(4):
        total = total * c - y
    return total


@program(args=(1.1,))
def temporaries_in_the_body(x):
    for k in range(3):
        a = x * x
        b = a + k
        a = b * x
        x = math.log(a + 2)
    return x


@program(args=(1.1,))
def loop_without_active_values(x):
    count = 0
    for k in range(5):
        count = count + k
    return x**2 * count


@program(args=(1.1, 0.3), wrt=(0, 1))
def value_overwritten_without_being_read(x, y):
    z = x
    for k in range(4):
        z = y * k * x
    return z * z


@program(args=(0.6,), label="mixed")
def branch_in_a_loop(x):
    y = x
    for k in range(6):
        if k % 2 == 0:
            y = y * x + 1
        else:
            y = math.sin(y)
    return y


@program(args=(2.6, 1.7), wrt=(0, 1), label="both branches")
@program(args=(40.0, 2.0), wrt=(0, 1), label="large step")
def damped_newton(x, a):
    for _ in range(6):
        step = (x * x - a) / (2 * x)
        if abs(step) > 1.0:
            x = x - 0.5 * step  # damp large steps
        else:
            x = x - step
    return x


@program(args=(0.6, True), label="run")
@program(args=(0.6, False), label="not run")
def loop_in_a_branch(x, refine):
    y = x**2
    if refine:
        for _ in range(3):
            y = 0.5 * (y + x / y)
    else:
        y = y + x
    return y


@program(args=lambda rng: (rng.normal(size=6),))
def branch_on_active_values_in_a_loop(x):
    up = 0.0
    down = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            up = up + x[i] ** 2
        else:
            down = down + math.exp(x[i])
    return up * down


@program(args=lambda rng: (rng.normal(size=6),))
def running_maximum(x):
    largest = x[0]
    total = 0.0
    for i in range(1, 6):
        if x[i] > largest:
            largest = x[i]
        total += largest * x[i]
    return total


@program(args=(0.3, 6), label="6")
@program(args=(0.3, 1), label="1")
@program(args=(0.3, 0), label="0")
def name_first_assigned_in_the_loop(x, n):
    total = x
    for k in range(n):
        term = math.cos(k * x)
        total = total + term
    if n > 0:
        total = total * term
    return total


@program(args=(0.3,))
def loop_variable_after_the_loop(x):
    for k in range(4):
        x = x + math.sin(x)
    return x * k


@program(args=(0.3,))
def carried_integer_and_flag(x):
    count = 0
    odd = False
    y = x
    for k in range(5):
        if odd:
            y = y * x + count
            count = count + k
        odd = not odd
    return y + count * x


@program(args=(0.9,))
def fibonacci_of_reals(x):
    a = 1.0
    b = x
    for _ in range(6):
        c = a + b * x
        a = b
        b = c
    return b


@program(args=(0.9, 0.2), wrt=(0, 1))
def sum_of_a_sum(x, y):
    total = 0.0
    for i in range(3):
        inner = y
        for j in range(i + 1):
            inner = inner * x
        total = total + inner
    return total * inner


@program(args=(0.9, 3), label="3")
@program(args=(0.9, 0), label="0")
def inner_loop_with_zero_trips(x, n):
    y = x
    for i in range(3):
        for _ in range(n - 2 * i):
            y = math.sin(y) + x
        y = y * x
    return y


@program(args=(0.9, 0.5), wrt=(0, 1))
def augmented_assignments(x, y):
    for k in range(1, 4):
        x += y
        y *= x
        x -= k * y
        y /= 2.0 + k
        x **= 2
    return x * y


@program(args=lambda rng: (rng.normal(size=4), 0.3), wrt=(0, 1))
def slices_in_a_loop(x, c):
    total = 0.0
    for i in range(3):
        head = x[: i + 1]
        total = total + c * np.sum(head * x[3 - i :])
    return total


@program(args=(0.8, 3, 2))
def range_of_expressions(x, n, m):
    y = 0.0
    for k in range(n - m, n * m, m):
        y = y + math.sin(k * x)
    return y


@program(args=(0.4, 0.6), wrt=(0, 1))
def constant_start_that_becomes_active(x, y):
    a = 0.0
    b = 1.0
    for _ in range(3):
        b = b * a + y
        a = a * x + b
    return a * b


@program(args=(0.4,))
def hundred_steps(x):
    y = x
    for _ in range(100):
        y = y + 0.01 * math.sin(y) * x
    return y


@program(args=(np.array([0.5, -1.2, 0.8]),))
def mode_that_changes(x):
    mode = "first"
    total = 0.0
    for k in range(3):
        if mode == "first":
            total = total + x[0]
            mode = "other"
        else:
            total = total + x[k] ** 2
    return total


@program(args=(np.array([0.5, -1.2, 0.8]),))
def none_before_it_is_assigned(x):
    term = None
    total = 0.0
    for k in range(3):
        term = x[k] * x[0]
        total = total + term**2
    return total
