"""Expressions that decide: conditional, boolean, comparison chains, and walrus."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(0.5,), label="1")
def nested_conditional_expressions(x):
    return x**2 if x < 1 else 3 * x if x < 2 else math.log(x)


@program(args=(0.5, 0.8), wrt=(0, 1))
def conditional_expression_inside_others(x, y):
    return 2 * (x if x < y else y) + math.sin(y if y > 1 else x * y) ** 2


@program(args=(0.5,), label="evaluated")
def only_one_side_is_evaluated(x):
    ratio = math.sin(x) / x if x != 0 else 1.0
    return ratio + 2 * x


@program(args=lambda rng: (rng.normal(size=3), 0.2), wrt=(0, 1))
def conditional_expression_of_arrays(x, a):
    y = a * x if x.sum() > 100 else np.tanh(x) * a
    return np.sum(y**2)


@program(args=(0.5, 0.8), wrt=(0, 1))
def conditional_expression_as_an_index(x, y):
    pair = (x * y, x + y)
    return pair[0 if x > y else 1] ** 2


@program(args=(0.5, 0.8), wrt=(0, 1), label="first")
@program(args=(0.0, 0.8), wrt=(1,), label="second")
def or_as_a_default(x, y):
    z = x or y
    return z * y + x * y


@program(args=(0.5, 0.8), wrt=(0, 1))
def and_gives_its_last_value(x, y):
    z = x and y and x * y
    return z**2 + x


@program(args=(0.5, 0.8), wrt=(0, 1), label="inside")
def chained_comparison(x, y):
    if 0 < x < y < 1:
        return y - x * y
    return (x - y) ** 2


@program(args=(0.5, 0.8), wrt=(0, 1))
def chain_with_a_computed_middle(x, y):
    return x * y if 0 <= x * y + 0.1 <= 1 != y else x / y


@program(args=(0.5, 0.8), wrt=(0, 1))
def walrus_inside_arithmetic(x, y):
    return (t := math.sin(x * y)) * t + (s := t + x) * y + s


@program(args=(0.5, 0.8), wrt=(0, 1))
def walrus_in_arguments(x, y):
    angle = math.atan2(a := x + y, b := x * y)
    return angle * a - b


@program(args=(0.5, 0.8), wrt=(0, 1), label="evaluated")
def walrus_behind_an_and(x, y):
    t = y
    if x > 0 and (t := x * y) > 0.1:
        t = t * 2
    return t * x


@program(args=lambda rng: (np.array([0.5, -0.3, 1.2]),))
def comparison_as_a_mask(x):
    return np.sum((x > 0) * x**2 + (x <= 0) * np.exp(x))


@program(args=(0.5, 0.8), wrt=(0, 1))
def comparison_as_a_number(x, y):
    return (x > 0.2) * x**2 + (x > y) * y + int(y > 0.5) * x


@program(args=lambda rng: (np.array([0.5, -0.3, 1.2]),))
def masks_combined_by_bit_operators(x):
    mask = (x > 0) & (x < 1) | ~(x > -1)
    return np.sum(np.where(mask, x**2, np.sin(x)))


@program(args=(0.6, 5))
def integer_operators(x, n):
    shift = (n << 1) >> 2
    bits = (n & 4) | (n ^ 1)
    return x**shift * bits + ~n * x + n // 2 * x + n % 3


@program(args=(0.5, None, "sin"))
def identity_and_membership(x, option, name):
    y = x if option is None else 2 * x
    z = y if name not in ("cos", "tan") else -y
    return z**2 if option is not True else z


@program(args=(0.5, 0.8), wrt=(0, 1))
def precedence_and_parentheses(x, y):
    a = -(x**2)
    b = (-x) ** 2
    c = x - (y - (x - y))
    d = x / (y / (x / y))
    e = 2 ** -((x**y) ** 2)
    return a * b + c * d - e % (3 - x)


@program(args=lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3)), wrt=(0, 1))
def subscripts_in_expressions(a, x):
    return a[0, 1] * x[a.shape[0] - 1] ** 2 / (2 + (a @ x)[1] ** 2) + (a * x)[2, 0]
