"""Dicts: as arguments, inside, and as results."""

import numpy as np

from tests.programs.table import program


def layer(rng):
    return {"w": rng.normal(size=(3, 2)), "b": rng.normal(size=2)}


WEIGHTS = {"a0": 1.3, "b0": np.array([0.1, 0.2]), "a1": np.array([0.4, -0.6]), "b1": 0.2}


@program(args=lambda rng: (layer(rng),), vector=True)
def result_is_a_dict(p):
    return {"norm": np.sum(p["w"] ** 2), "rest": (p["b"] * 2, p["w"].T), "count": 2.0}


@program(args=lambda rng: (layer(rng),))
def keys_and_values(p):
    total = sum(np.sum(np.sin(v)) for v in p.values())
    for name in p:
        total = total * np.max(p[name])
    for name in p.keys():
        total = total + np.sum(p[name]) ** 3
    return total * len(p)


@program(args=lambda rng: (rng.normal(size=3), 0.4), wrt=(0, 1))
def built_and_written(x, a):
    p = {"x": x * a}
    p["y"] = np.sin(p["x"])
    p["x"] = p["x"] * p["y"]
    p["a"] = a
    p["a"] *= 3.0
    p["a"] += p["y"][0]
    q = p
    q["x"] = q["x"] + p["a"]
    return np.sum(p["x"]) * p["a"] + np.sum(p["y"] ** 2)


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


@program(args=lambda rng: (layer(rng), rng.normal(size=2)), label="there")
@program(args=lambda rng: ({"w": rng.normal(size=(3, 2))}, rng.normal(size=2)), label="not there")
def keys_that_are_asked_for(p, b):
    if "b" in p:
        b = b * p["b"]
    if "c" not in p:
        b = b + 1.0
    return np.sum(np.sin(p["w"] @ b))


@program(args=lambda rng: (layer(rng),))
def merged(p):
    q = {**p, "b": p["b"] ** 2, "c": np.sum(p["b"])}
    r = q | {"w": p["w"] * 2}
    return np.sum(r["w"]) * np.sum(q["b"]) * r["c"] + np.sum(q["w"] ** 2)


def _affine(x, w=1.0, b=0.0):
    return np.sum((x @ w + b) ** 2)


@program(args=lambda rng: (layer(rng), rng.normal(size=3)), wrt=(0, 1))
def as_keywords(p, x):
    return _affine(x, **p) * _affine(x, **{"w": p["w"]})


@program(args=lambda rng: (rng.normal(size=3), 0.3), label="one", wrt=(0, 1))
def in_branches(x, a):
    if x[0] > 0:
        p = {"x": x * a, "k": a}
    else:
        p = {"x": x**2, "k": a * a}
    q = {"x": x}
    if a > 0:
        q["x"] = np.sin(x) * p["k"]
    return np.sum(p["x"] * q["x"])


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


@program(args=lambda rng: (rng.normal(size=3), 0.3), wrt=(0, 1))
def new_dict_in_each_iteration(x, a):
    state = {"x": x, "energy": 0.0}
    for _ in range(3):
        state = {"x": state["x"] - a * np.cos(state["x"]), "energy": np.sum(state["x"] ** 2)}
    return state["energy"] * np.sum(state["x"])


@program(args=lambda rng: (rng.normal(size=3),))
def list_of_dicts(x):
    rows = [{"v": x * k, "k": float(k)} for k in (1.0, 2.0)]
    total = 0.0
    for row in rows:
        total = total + np.sum(np.sin(row["v"])) * row["k"]
    return total * np.sum(rows[1]["v"])


def _normalised(p):
    size = np.sqrt(sum(np.sum(v**2) for v in p.values()))
    return {name: v / size for name, v in p.items()}


@program(args=lambda rng: (layer(rng),))
def called_function_takes_and_gives(p):
    q = _normalised(p)
    return np.sum(q["w"][0] ** 3) * q["b"][0]


@program(args=lambda rng: ({"x": rng.normal(size=3), 2: 0.5, ("a", 1): 1.5},))
def keys_of_other_kinds(p):
    return np.sum(p["x"] ** 2) * p[2] + np.sum(p["x"]) * p["a", 1] ** 2


@program(args=lambda rng: (rng.normal(size=3), {"rate": 0.1, "power": 3, "f": np.sin}))
def settings(x, options):
    return np.sum(options["f"](x) ** options["power"]) * options["rate"]


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


@program(args=(WEIGHTS, np.array([0.3, -0.2])), wrt=(0,))
def keys_of_layers(p, x):
    h = x
    for k in range(2):
        h = np.tanh(h * p[f"a{k}"] + p[f"b{k}"])
    return np.sum(h**2)


@program(args=(0.3, {"a0": 1.3, "a1": 0.7}), wrt=(0, 1))
def keys_that_are_written_in_loops(x, p):
    out = {}
    for k in range(2):
        out[f"h{k}"] = x * p[f"a{k}"]
    s = x
    for k in range(2):
        s = s * 0.5 + out[f"h{k}"] ** 2
    return s


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


TIDES = {"M2": (1.0, 2.0), "S2": (0.5, 3.0), "K1": (0.2, 1.0)}


@program(args=({"M2": 0.3, "K1": 0.7}, 0.5), wrt=(0, 1))
def phases_by_name(phases, t):
    level = 0.0
    for name, (a, w) in TIDES.items():
        level = level + a * np.cos(w * t + phases.get(name, 0.0))
    return level
