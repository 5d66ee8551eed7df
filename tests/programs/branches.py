"""Branches: which statement runs depends on values, shapes, and settings."""

import math

import numpy as np

from tests.programs.table import program


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


@program(args=(1.5, -0.5), wrt=(0, 1), label="tf")
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


@program(args=(0.5, 2.0), wrt=(0, 1), label="inside")
def conditions_joined(x, y):
    if x > -1 and x < 1:
        z = x * y
    elif x >= 1 or not y > 0:
        z = x - y
    else:
        z = x**2 * y
    return z * z


@program(args=(0.5, 1.5), wrt=(0, 1), label="first")
def different_names_in_each_branch(x, y):
    if x < y:
        small = x
        large = y
    else:
        large = x
        small = y
    return small / large + large**2


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
def condition_on_arrays(x):
    if np.all(x > 0):
        return np.sum(np.log(x))
    elif np.any(x > 0):
        return np.sum(x**3)
    return np.sum(np.exp(x))


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
def branch_that_passes(x):
    y = x**2
    if x < 1:
        pass
    else:
        y = y * x
    return y


@program(args=(0.7, 2), label="2")
def branch_on_integer_arithmetic(x, n):
    if n % 2 == 0:
        y = x ** (n // 2)
        y = y * y
    else:
        y = x * x ** (n - 1)
    if n & 1 and n > 2:
        y = -y
    return y + x


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
