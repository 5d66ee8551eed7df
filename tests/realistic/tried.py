"""Helpers that try: what they take, give and read changes."""

import numpy as np

from tests.realistic.table import program


def bent(x, n=2):
    try:
        return np.sin(x) * n
    except ValueError:
        return x

@program(lambda rng: (np.array([0.3, 0.5, 0.2]), 2.0), changes=(lambda args: (args[0], -1.0),))
def in_arms(x, c):
    y = bent(x) if c > 0 else bent(x, n=3) * x
    z = np.sum(y) and np.sum(bent(y))
    return z * (bent(x[0]) if x[0] < 1 else 0.0) + np.sum([bent(v) for v in x])


@program(
    lambda rng: ({"w": np.array([0.3, 0.4]), "b": 0.5, "n": 2.0},),
    changes=(
        lambda args: ({"b": 0.5, "w": np.array([0.3, 0.4, 0.1]), "n": 1.0},),
        lambda args: ({**args[0], "extra": 1.0},),
    ),
)
def all_parameters(p):
    return np.sum(lay(p, p["w"])) * p["n"]

def lay(p, x):
    try:
        return p["w"] * x + p["b"] + sum((v if np.ndim(v) == 0 else 0.0 for v in p.values()))
    except KeyError:
        return x
