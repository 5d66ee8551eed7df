"""Tables of a module: lists and dicts of tuples, functions and names, and stars before them."""

import enum

import numpy as np

from tests.programs.table import program

ROWS = [("sin", [0.5, 2.0]), ("cos", [1.5, 1.0])]


@program(args=(np.array([0.3, 0.7]),))
def rows_with_lists(x):
    total = 0.0
    for name, (scale, power) in ROWS:
        total = total + scale * np.sum(getattr(np, name)(x) ** power)
    return total

NAMES = ["a", "b", "c"]
NESTED = {"w": {"in": 2.0, "out": 0.5}, "b": {"in": 1.0, "out": 3.0}}

@program(args=(np.array([0.3, 0.7, 0.4]),))
def dict_of_names_and_an_array(x):
    d = dict(zip(NAMES, x), scale=2.0)
    e = {name: v**2 for name, v in zip(NAMES, x) if name != "b"}
    return d["a"] * d["b"] * d["scale"] + np.exp(e["c"]) * e["a"]

@program(args=(np.array([0.3, 0.7, 0.4]), ("p", "q", "r")))
def dict_of_given_names(x, names):
    d = dict(zip(names, x**2))
    return sum(d.values()) * d["q"]


@program(args=(np.array([0.3, 0.7, 0.4]),))
def dict_filled_by_names(x):
    d = {}
    for name, v in zip(NAMES, x):
        d[name] = v**2
    total = 0.0
    for name in sorted(d):
        total = total + len(name) * d[name] ** 2
    return total


def flattened(tree):
    if isinstance(tree, dict):
        return np.concatenate([flattened(tree[k]) for k in sorted(tree)])
    if isinstance(tree, list):
        return np.concatenate([flattened(part) for part in tree])
    return np.ravel(tree)

@program(args=({"w": [np.array([0.3, 0.7]), np.array([[0.2]])], "b": np.array([0.5])},))
def tree_as_a_vector(tree):
    v = flattened(tree)
    return np.sum(v**2 * np.arange(1.0, 5.0))

@program(args=(np.array([0.3, 0.7]),))
def nested_table(x):
    total = 0.0
    for name in NESTED:
        layer = NESTED[name]
        total = total + layer["in"] * np.sum(x) ** layer["out"]
    return total


@program(args=(np.array([0.3, 0.7, 0.4]),), recorded=True)
def dict_of_a_list_of_names(x):
    keys = [f"w{k}" for k in range(3)]
    more = ["v%d" % k for k in range(2)]
    d = {}
    for k, key in enumerate(keys):
        d[key] = x[k] ** 2
    for k, key in enumerate(more):
        d[key] = x[k] ** 3
    return sum(d[key] ** 2 for key in keys) + d["v1"] * len(d)

def halves(p):
    return p[:2], p[2:]

@program(args=(np.array([0.3, 0.7, 0.4, 1.1]),))
def halves_side_by_side(x):
    total = 0.0
    for k, (a, b) in enumerate(zip(*halves(x * x))):
        total = total + (k + 1) * a * b
    rows = [x[:2], x[1:3]]
    return total + sum(a * b for a, b in zip(*rows))

SETTINGS = {"k": 2.0, "n": 3}

@program(args=(np.array([0.3, 0.7]),))
def dict_over_defaults(x):
    d = {**SETTINGS, "k": x[0], "z": x[1]}
    return d["k"] ** d["n"] * d["z"]

TIDES = {"M2": (1.0, 2.0), "S2": (0.5, 3.0), "K1": (0.2, 1.0)}

@program(args=({"M2": 0.3, "K1": 0.7}, 0.5), wrt=(0, 1))
def sum_over_a_table(phases, t):
    return sum(a * np.cos(w * t + phases.get(name, 0.0)) for name, (a, w) in TIDES.items())

class Payoff(enum.Enum):
    """What is paid."""

    CALL = 1
    PUT = 2

PAYOFFS = {Payoff.CALL: lambda s: np.maximum(s - 1.0, 0.0), Payoff.PUT: lambda s: 1.2 - s}
SHARES = {Payoff.CALL: 0.5, Payoff.PUT: 1.5}
EXCHANGE = {("a", "b"): 0.4, ("b", "a"): 0.3, ("b", "c"): 0.1}

@program(args=(np.array([0.5, 1.7]), Payoff.PUT))
def by_members_of_an_enum(s, kind):
    total = np.sum(PAYOFFS[kind](s)) * SHARES[Payoff.CALL]
    for each in (Payoff.CALL, Payoff.PUT):
        total += np.sum(PAYOFFS[each](s * s) * SHARES[each])
    return total + sum(np.prod(PAYOFFS[each](s)) for each in Payoff)

@program(args=(np.array([0.5, 1.7]),))
def by_pairs_of_names(x):
    stock = dict.fromkeys(("a", "b", "c"), 1.0)
    rate = dict(zip(("a", "b", "c"), (x[0], x[1], 0.1)))
    for _ in range(3):
        for (start, end), share in EXCHANGE.items():
            moved = share * rate[start] * stock[start]
            stock[start] -= moved
            stock[end] += moved
    return max(stock.values()) + min([stock["a"], rate["b"], x[0]]) * EXCHANGE["b", "c"]
