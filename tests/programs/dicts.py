"""Dicts: as arguments, inside, and as results."""

import numpy as np

from tests.programs.table import program


def layer(rng):
    return {"w": rng.normal(size=(3, 2)), "b": rng.normal(size=2)}


@program(args=lambda rng: (layer(rng),))
def keys_and_values(p):
    total = sum(np.sum(np.sin(v)) for v in p.values())
    for name in p:
        total = total * np.max(p[name])
    for name in p.keys():
        total = total + np.sum(p[name]) ** 3
    return total * len(p)

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


@program(args=lambda rng: (rng.normal(size=3), 0.3), wrt=(0, 1))
def in_loops(x, a):
    state = {"x": x, "v": np.zeros(3)}
    for k in range(4):
        state["v"] = state["v"] - a * np.sin(state["x"]) * k
        state["x"] = state["x"] + 0.5 * state["v"]
    trace = {"total": 0.0}
    for value in state["x"]:
        trace["total"] = trace["total"] + value**2
    return trace["total"] * np.sum(state["v"])

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


@program(args=({"a": np.array([0.3, 0.7]), "b": np.array([0.4]), "c": 0.2},))
def entries_skipped(p):
    total = 0.0
    for key, value in p.items():
        if key == "b":
            continue
        if np.sum(value) > 0.5:
            total = total + 2.0 * np.sum(value)
            continue
        total = total + np.sum(value**2)
    return total * np.sum(p["b"])
