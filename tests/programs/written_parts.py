"""Arrays in dicts, objects and lists that augmented assignments write in place; stars of arrays."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=3),))
def views_of_a_part(x):
    d = {"m": np.zeros((2, 3))}
    d["m"][0] += x
    d["m"] += x
    d["m"].T[1] *= 2.0
    return np.sum(d["m"] ** 2)

class Motion:
    """Where something is, and how fast it moves."""

    def __init__(self, x):
        self.x = x * 1.0
        self.v = np.zeros_like(x)

@program(args=lambda rng: (rng.normal(size=3), 0.1), wrt=(0, 1))
def attributes(x, h):
    s = Motion(x)
    total = 0.0
    for _ in range(3):
        s.v -= h * s.x
        s.x += h * s.v
        total += np.sum(s.x**2)
    return total + np.sum(s.v)

def decay(t, a, b):
    return a * np.exp(-b * t)

T, Y = np.linspace(0.0, 1.0, 4), np.array([1.0, 0.8, 0.7, 0.5])

@program(args=lambda rng: (rng.uniform(0.5, 1.5, size=2), T, Y))
def star_of_an_array(theta, t, y):
    return np.sum((decay(t, *theta) - y) ** 2)
