"""Branches: which statement runs depends on values, shapes, and settings."""

import math

import numpy as np

from tests.programs.table import program


@program(args=(1.5,), label="positive")
@program(args=(-1.5,), label="negative")
def absolute_value(x):
    if x > 0:
        return x
    else:
        return -x


@program(args=(0.4, 1.0), wrt=(0, 1), label="near")
@program(args=(2.4, 1.0), wrt=(0, 1), label="far")
def huber(r, delta):
    if abs(r) <= delta:
        loss = 0.5 * r**2
    else:
        loss = delta * (abs(r) - 0.5 * delta)
    return loss


@program(args=(1.5,), label="taken", tags=("third",))
@program(args=(-1.5,), label="skipped", tags=("third",))
def if_without_else(x):
    y = x**3
    if x > 0:
        y = y * math.sin(x)
    return y * x


@program(args=(0.5,), label="1")
@program(args=(1.5,), label="2")
@program(args=(2.5,), label="3")
@program(args=(3.5,), label="4")
def elif_chain(x):
    if x < 1:
        y = x**2
    elif x < 2:
        y = math.exp(x)
    elif x < 3:
        y = 1 / x
    else:
        y = math.log(x)
    return 2 * y + x


@program(args=(0.5,), label="1")
@program(args=(1.5,), label="2")
@program(args=(2.5,), label="none")
def elif_chain_without_else(x):
    y = x
    if x < 1:
        y = x**2
    elif x < 2:
        y = y * math.exp(x)
    return y * y


@program(args=(1.5, 0.5), wrt=(0, 1), label="tt")
@program(args=(1.5, -0.5), wrt=(0, 1), label="tf")
@program(args=(-1.5, 0.5), wrt=(0, 1), label="ft")
@program(args=(-1.5, -0.5), wrt=(0, 1), label="ff")
def nested_branches(x, y):
    if x > 0:
        z = x * y
        if y > 0:
            z = z * z
        else:
            z = z - y
    else:
        if y > 0:
            z = x + y**2
        else:
            z = x * x
            z = z * y
    return z * x


@program(args=(1.2, True), label="on")
@program(args=(1.2, False), label="off")
def boolean_setting(x, squared):
    y = math.sin(x)
    if squared:
        y = y * y
    return y


@program(args=lambda rng: (rng.normal(size=4), "mean"), label="mean")
@program(args=lambda rng: (rng.normal(size=4), "sum"), label="sum")
@program(args=lambda rng: (rng.normal(size=4), "largest"), label="else")
def string_setting(x, reduction):
    losses = x**2
    if reduction == "mean":
        return np.mean(losses)
    elif reduction == "sum":
        return np.sum(losses)
    else:
        return np.max(losses)


@program(args=(1.2, "cos"), label="member")
@program(args=(1.2, "exp"), label="other")
def membership_of_a_setting(x, name):
    if name in ("sin", "cos"):
        y = math.sin(x) if name == "sin" else math.cos(x)
    else:
        y = math.exp(x)
    return y * x


@program(args=(1.2, 3), label="number")
@program(args=(1.2, 0), label="zero")
def truth_of_a_number(x, n):
    if n:
        x = x**n
    return x * x


@program(args=(1.2, None), label="none")
@program(args=(1.2, 0.4), label="given")
def none_as_a_setting(x, scale):
    if scale is None:
        scale = 2.0
    return math.sin(x * scale)


@program(args=(0.5, 2.0), wrt=(0, 1), label="inside")
@program(args=(1.5, 2.0), wrt=(0, 1), label="right")
@program(args=(-1.5, 2.0), wrt=(0, 1), label="left")
def conditions_joined(x, y):
    if x > -1 and x < 1:
        z = x * y
    elif x >= 1 or not y > 0:
        z = x - y
    else:
        z = x**2 * y
    return z * z


@program(args=(0.5,), label="active")
@program(args=(-0.5,), label="constant")
def constant_in_one_branch(x):
    if x > 0:
        y = x**2
    else:
        y = 4.0
    return y * x


@program(args=lambda rng: (rng.normal(size=3), True), label="array")
@program(args=lambda rng: (rng.normal(size=3), False), label="zero")
def scalar_in_one_branch_and_array_in_the_other(x, penalised):
    if penalised:
        penalty = x**2
    else:
        penalty = 0.0
    return np.sum(np.exp(x) + penalty)


@program(args=(0.5, True), label="defined")
@program(args=(0.5, False), label="undefined")
def name_defined_in_one_branch(x, scaled):
    if scaled:
        factor = math.exp(x)
    y = math.sin(x)
    if scaled:
        y = y * factor
    return y


@program(args=(0.5, 1.5), wrt=(0, 1), label="first")
@program(args=(1.5, 0.5), wrt=(0, 1), label="second")
def different_names_in_each_branch(x, y):
    if x < y:
        small = x
        large = y
    else:
        large = x
        small = y
    return small / large + large**2


@program(args=(0.5,), label="taken")
@program(args=(2.5,), label="skipped")
def condition_overwritten_in_its_branch(x):
    y = x * x
    if y < 1:
        y = y + x
        x = y * 3
    return x * y


@program(args=(0.5,), label="taken")
@program(args=(2.5,), label="skipped")
def condition_with_a_name(x):
    small = x < 1
    x = x * x
    if small:
        x = math.sin(x)
    small = not small
    if small:
        x = x / 3
    return x * 2


@program(args=lambda rng: (np.abs(rng.normal(size=3)),), label="all")
@program(args=lambda rng: (-np.abs(rng.normal(size=3)),), label="none")
@program(args=lambda rng: (np.array([0.5, -0.3, 0.2]),), label="some")
def condition_on_arrays(x):
    if np.all(x > 0):
        return np.sum(np.log(x))
    elif np.any(x > 0):
        return np.sum(x**3)
    return np.sum(np.exp(x))


@program(args=lambda rng: (rng.normal(size=3),), label="vector")
@program(args=lambda rng: (rng.normal(size=(3, 3)),), label="square")
@program(args=lambda rng: (rng.normal(size=(2, 3)),), label="oblong")
def condition_on_shapes(x):
    if x.ndim == 1:
        y = np.outer(x, x)
    elif x.shape[0] == x.shape[1]:
        y = x @ x
    else:
        y = x @ x.T
    return np.sum(y * y)


@program(args=(0.5,), label="pass")
@program(args=(1.5,), label="work")
def branch_that_passes(x):
    y = x**2
    if x < 1:
        pass
    else:
        y = y * x
    return y


@program(args=(0.5, 0.2), wrt=(0, 1), label="inner")
@program(args=(0.5, -0.2), wrt=(0, 1), label="outer")
def branches_in_sequence(x, y):
    if x > 0:
        x = x * y
    if x > 0:
        y = y - x * x
    if y > x:
        x, y = y, x
    return x**2 - y


@program(args=(0.7, 0.0), label="guarded")
@program(args=(0.7, 1.3), wrt=(0, 1), label="divided")
def guarded_division(x, y):
    if y == 0.0:
        ratio = 0.0
    else:
        ratio = x / y
    return ratio**2 + x


@program(args=(0.7, 2), label="2")
@program(args=(0.7, 3), label="3")
def branch_on_integer_arithmetic(x, n):
    if n % 2 == 0:
        y = x ** (n // 2)
        y = y * y
    else:
        y = x * x ** (n - 1)
    if n & 1 and n > 2:
        y = -y
    return y + x


@program(args=(np.array([[0.3, 0.7], [1.1, -0.4]]), 0.5), wrt=(0, 1), label="then")
@program(args=(np.array([[0.3, 0.7], [1.1, -0.4]]), 1.5), wrt=(0, 1), label="else")
def one_view_in_both_arms(y, r):
    w = y * r
    if r > 1.0:
        first, other = y[0], w[:, 1]
        r = r * 2.0
    else:
        other, first = w[:, 1], y[0]
    w[0] = first * r
    return np.sum(first * other)


@program(args=(np.array([0.3, 0.7, 1.1]), 0.5), wrt=(0, 1), label="then")
@program(args=(np.array([0.3, 0.7, 1.1]), 1.5), wrt=(0, 1), label="else")
def stored_by_a_conditional_expression(x, r):
    t = np.zeros(3)
    for k in range(1, 4):
        t[k - 1] = x[0] * r if r > 1.0 else x[k - 1] ** 2
        t[k - 1] = t[k - 1] ** 2
    return np.sum(t)
