"""Names that are assigned more than once: what backward reads must be the old value."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.7,), tags=("third",))
def one_name_for_everything(x):
    x = x * x
    x = math.sin(x)
    x = x * x * x
    x = math.exp(x)
    return x


@program(args=(0.7, 1.2), wrt=(0, 1))
def parameters_overwritten(x, y):
    x = x * y
    y = x / y
    x = math.log(x) * y
    y = y * x + x
    return x * y


@program(args=(0.7, 1.2), wrt=(0, 1))
def parameter_overwritten_by_a_constant(x, y):
    z = x * y
    x = 2.0
    return z * x + y


@program(args=(0.7, 1.2), wrt=(0, 1))
def intermediate_overwritten_by_a_constant(x, y):
    t = x * y
    s = t * t
    t = 3.0
    s = s * t
    t = math.sin(s)
    return t + s


@program(args=(0.7, 1.2), wrt=(0, 1))
def copies_of_names(x, y):
    a = x
    b = a
    x = y
    a = a * x
    y = b
    return a * b + x * y


@program(args=(0.7, 1.2), wrt=(0, 1))
def every_augmented_operator(x, y):
    z = x
    z += y
    z *= x
    z -= y * z
    z /= x + y
    z **= 2
    z %= 5.0
    n = 7
    n //= 2
    z *= n
    return z + x


@program(args=(0.7,))
def augmented_by_itself(x):
    x += x
    x *= x
    x -= x * x
    return x * math.exp(x)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def augmented_local_array(x, y):
    s = np.zeros(3)
    s += x
    s *= 2.0
    s += x * y
    return np.sum(s**2)


@program(args=lambda rng: (rng.normal(size=3), rng.normal(size=3)), wrt=(0, 1))
def augmented_local_array_between_reads(x, y):
    s = x * y
    a = np.sin(s)
    s += x
    b = s * a
    s *= y
    return np.sum(b * s)


@program(args=lambda rng: (rng.normal(size=(4, 3)),))
def array_accumulated_in_a_loop(x):
    total = np.zeros(3)
    for k in range(4):
        total += np.sin(x[k]) * (k + 1)
    return np.sum(total**2)


@program(args=lambda rng: (rng.normal(size=3), 0.4), wrt=(0, 1))
def array_scaled_in_a_loop(x, decay):
    y = x * 1.0
    for _ in range(3):
        y *= decay
        y += x
    return np.sum(y**3)


@program(args=lambda rng: (0.4, rng.normal(size=3)), wrt=(0, 1))
def scalar_that_becomes_an_array(x, y):
    z = x
    z = z * 2
    z = z + y
    z = np.sum(z * x)
    return z**2


@program(args=(0.7, 1.2), wrt=(0, 1))
def swaps_in_a_loop(a, b):
    for k in range(3):
        a, b = b, a
        a = a * b + k
    return a - b


@program(args=(0.7, 1.2), wrt=(0, 1))
def swaps_by_a_third_name(a, b):
    for _ in range(3):
        t = a
        a = b * 1.1
        b = t * a
    return a * b + t


@program(args=(0.7,))
def loop_variable_overwritten(x):
    for k in range(4):
        k = k * x
        x = x + 0.1 * math.sin(k)
    return x * k


@program(args=(0.7,))
def loop_variable_reused_after_the_loop(x):
    for k in range(3):
        x = x * 1.2 + k
    k = x * x
    for j in range(2):
        k = k + j * x
    return k


@program(args=(0.7,))
def same_loop_variable_in_nested_loops(x):
    total = 0.0
    for k in range(3):
        total = total + k * x
        for k in range(2):
            total = total + math.sin((k + 1) * x)
        total = total * (k + x)
    return total


@program(args=(0.7,))
def same_temporary_in_two_loops(x):
    for k in range(2):
        t = x * (k + 1)
        x = t * t
    for k in range(2):
        t = math.sin(x)
        x = x + t * t
    return x * t


@program(args=(0.7, 1.2), wrt=(0, 1))
def inner_loop_overwrites_outer_values(x, y):
    for i in range(2):
        s = x
        for j in range(3):
            s = s * y
            y = y + 0.1 * s
        x = x * s
    return x + y


@program(args=(0.7, 3), label="3")
@program(args=(0.7, 0), label="0")
def value_kept_when_there_are_no_trips(x, n):
    y = x**2
    last = x
    for k in range(n):
        last = y
        y = y * x
    return y * last


@program(args=(0.7, 1.2), wrt=(0, 1), label="first")
@program(args=(1.7, 1.2), wrt=(0, 1), label="second")
def overwritten_in_both_branches(x, y):
    z = x * y
    if x < y:
        z = z * z
        x = z + y
    else:
        y = z * y
        z = y - x
    return x * y * z


@program(args=(0.7,))
def overwritten_in_a_branch_in_a_loop(x):
    y = x
    for k in range(5):
        t = y * x
        if k % 2:
            t = t * t
            y = t + x
        else:
            y = math.cos(t)
        x = x * 1.1
    return x * y * t


@program(args=(0.7,))
def old_values_from_two_trips_ago(x):
    older = x
    old = x * x
    for _ in range(4):
        new = old * older + 0.1
        older = old
        old = new
    return old


@program(args=(0.7,))
def first_trip_is_different(x):
    previous = 0.0
    total = 0.0
    for k in range(4):
        if k > 0:
            total = total + (x - previous) ** 2
        previous = x
        x = math.sin(x) * 1.2
    return total


@program(args=(0.7, 1.2), wrt=(0, 1))
def inactive_then_active_then_inactive(x, y):
    a = 1.0
    b = a * 2
    a = x * b
    c = a * y
    a = 5.0
    b = a * c
    return b * a + c


@program(args=(0.7,))
def rebuilt_at_the_start_of_each_trip(x):
    result = 1.0
    for k in range(1, 4):
        y = 0.0
        y = y + x * k
        y = y * y
        result = result * y
    return result


@program(args=lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)), wrt=(0, 1))
def arrays_overwritten_in_a_loop(a, x):
    for _ in range(3):
        x = a @ x
        a = a * 0.5 + np.outer(x, x)
        x = x / (1 + np.sum(x**2))
    return np.sum(a) + np.sum(x**2)


@program(args=(0.7, 2.4), wrt=(0, 1))
def overwritten_in_a_while(x, y):
    while y > 1:
        t = x
        x = y * 0.4
        y = t + x * x
    return x * y * t


@program(args=(0.7, 1.2), wrt=(0, 1), vector=True)
def results_overwritten_before_they_are_returned(x, y):
    a = x * y
    b = a * a
    a = math.sin(a)
    return a, b, a


@program(args=(0.37, 2), label="2")
@program(args=(0.37, 0), label="0")
def read_again_after_a_loop(x, n):
    y = x
    for _ in range(n):
        y = y * y
    return y * x


@program(args=(0.77, 3))
def read_again_after_an_exit(x, n):
    y = x
    for _ in range(n):
        y = y * y
        if y > 0.5:
            break
    return y * x


@program(args=(0.37,))
def loop_that_ends_at_once(x):
    y = x
    for _ in range(3):
        y = y * 0.5 + x * x
        break
    for _ in range(2):
        y += x * x
        return y * x
    return y
