"""Branches: which statement runs depends on values, shapes, and settings."""


import numpy as np

from tests.programs.table import program


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

@program(args=(0.5, 1.5), wrt=(0, 1), label="first")
def different_names_in_each_branch(x, y):
    if x < y:
        small = x
        large = y
    else:
        large = x
        small = y
    return small / large + large**2


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
