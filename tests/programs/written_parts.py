"""Arrays in dicts, objects and lists that augmented assignments write in place; stars of arrays."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=3),), recorded=True)
def views_of_a_part(x):
    d = {"m": np.zeros((2, 3))}
    d["m"][0] += x
    d["m"] += x
    d["m"].T[1] *= 2.0
    return np.sum(d["m"] ** 2)


T, Y = np.linspace(0.0, 1.0, 4), np.array([1.0, 0.8, 0.7, 0.5])

