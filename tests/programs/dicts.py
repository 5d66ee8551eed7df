"""Dicts: as arguments, inside, and as results."""

import numpy as np

from tests.programs.table import program


def layer(rng):
    return {"w": rng.normal(size=(3, 2)), "b": rng.normal(size=2)}


@program(args=lambda rng: (layer(rng), 0.4), wrt=(0, 1))
def methods(p, a):
    p = dict(p)
    p.update(b=p["b"] * a, extra=a**2)
    p.update({"w": np.cos(p["w"])})
    q = p.copy()
    q["b"] = q["b"] ** 2
    old = q.pop("extra")
    other = q.pop("missing", a)
    third = q.setdefault("third", a * 3.0)
    again = q.setdefault("third", a)
    return (
        np.sum(p["b"]) * np.sum(q["b"])
        + np.sum(q.get("w")) * old * other
        + third * again
        + q.get("none", a) * len(q)
    )

@program(args=lambda rng: (layer(rng),))
def merged(p):
    q = {**p, "b": p["b"] ** 2, "c": np.sum(p["b"])}
    r = q | {"w": p["w"] * 2}
    return np.sum(r["w"]) * np.sum(q["b"]) * r["c"] + np.sum(q["w"] ** 2)


@program(args=lambda rng: ({"x": rng.normal(size=3), 2: 0.5, ("a", 1): 1.5},))
def keys_of_other_kinds(p):
    return np.sum(p["x"] ** 2) * p[2] + np.sum(p["x"]) * p["a", 1] ** 2

@program(args=(0.7, 1.5), wrt=(0,), label="made")
def dict_made_in_one_arm(x, c):
    if c > 3.0:
        return x
    y = x
    if c > 1.0:
        d = {"a": 2.0 * x, "b": x * x}
        d["a"] += np.sin(x)
        q = d.pop("b")
        y = d["a"] * q * q
    return y * x

@program(args=(0.7, 1.5), wrt=(0, 1))
def begun_with_numbers_under_keys_in_turn(x, c):
    sums, counts = {}, {}
    for name in ("a", "b"):
        sums[name] = 0.0
        counts.setdefault(name, 1.0)
    for name in ("a", "b"):
        sums[name] += x * c
        counts[name] = counts[name] * x
    return sums["a"] * sum(counts.values()) + sums["b"] ** 2
