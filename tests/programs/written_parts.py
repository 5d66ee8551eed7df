"""Arrays in dicts, objects and lists that augmented assignments write in place; stars of arrays."""

import numpy as np

from tests.programs.table import program


def parameters(rng):
    return {"w": rng.normal(size=3), "b": rng.normal(size=1)}


@program(args=lambda rng: (parameters(rng),))
def steps_of_a_copy(p):
    q = {k: v.copy() for k, v in p.items()}
    for _ in range(3):
        q["w"] -= 0.1 * np.sin(q["w"])
        q["b"] *= np.sum(q["w"])
    return np.sum(q["w"]) * np.sum(q["b"])


@program(args=lambda rng: (parameters(rng), 0.1))
def each_of_a_copy(p, rate):
    q = {k: v.copy() for k, v in p.items()}
    q["w"][0] *= 2.0
    for k in q:
        q[k] -= rate * p[k] ** 2
    return sum(np.sum(v**2) for v in q.values())


@program(args=lambda rng: (rng.normal(size=3),))
def rows_of_a_list(x):
    rows = [x.copy(), np.ones(3)]
    rows[0] += rows[1]
    rows[1] *= rows[0]
    rows[1] -= x
    return np.sum(rows[0] ** 2 * rows[1])


@program(args=lambda rng: (rng.normal(size=3),))
def one_array_under_two_keys(x):
    v = x * 1.0
    d = {"v": v, "w": v}
    d["v"] += 1.0
    return np.sum(d["w"] ** 3) + np.sum(v)


@program(args=lambda rng: (rng.normal(size=3),))
def views_of_a_part(x):
    d = {"m": np.zeros((2, 3))}
    d["m"][0] += x
    d["m"] += x
    d["m"].T[1] *= 2.0
    return np.sum(d["m"] ** 2)


@program(args=lambda rng: (rng.normal(size=3), 1), label="written")
def written_or_replaced(x, flag):
    d = {"m": x.copy()}
    if flag > 0:
        d["m"] *= 2.0
    else:
        d["m"] = d["m"] + x
    d["m"] += x**2
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


@program(args=lambda rng: (rng.uniform(0.5, 1.5, size=2), T, Y))
def star_of_an_array_in_a_loop(theta, t, y):
    total = 0.0
    for k in range(len(t)):
        total += (decay(t[k], *theta) - y[k]) ** 2
    return total


@program(args=lambda rng: (rng.uniform(0.5, 1.5, size=(2, 3)),))
def star_of_rows(rows):
    def product(first, second):
        return np.sum(first * second)

    return product(*rows) + product(*rows[::-1]) ** 2


@program(args=lambda rng: (rng.uniform(0.5, 1.5, size=2),))
def star_of_what_is_computed(theta):
    scaled = lambda offset, a, b: offset + a * b**2
    return scaled(1.0, *np.exp(theta)) * scaled(2.0, *(theta * 2))
