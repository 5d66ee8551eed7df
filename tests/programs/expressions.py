"""Expressions that decide: conditional, boolean, comparison chains, and walrus."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=3), 0.2), wrt=(0, 1))
def conditional_expression_of_arrays(x, a):
    y = a * x if x.sum() > 100 else np.tanh(x) * a
    return np.sum(y**2)


@program(args=(0.5, 0.8), wrt=(0, 1), label="evaluated")
def walrus_behind_an_and(x, y):
    t = y
    if x > 0 and (t := x * y) > 0.1:
        t = t * 2
    return t * x
