"""Helpers that try: what they take, give and read changes."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.realistic.table import program

RNG = np.random.default_rng(3)


def bent(x, n=2):
    try:
        return np.sin(x) * n
    except ValueError:
        return x


def both(x, y):
    try:
        return (x * y, np.sum(x))
    except ValueError:
        return (x, 0.0)


M = RNG.normal(size=(2, 3))


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]),),
    changes=(
        lambda args: globals().update(M=RNG.normal(size=(4, 3))),
        lambda args: globals().update(M=RNG.normal(size=(3,))),
        lambda args: globals().update(M=1.0),
    ),
)
def broadcast(x):
    return np.sum(bent(x + M) ** 2)


@program(lambda rng: (np.array([0.3, 0.5, 0.2]),))
def outer_products(x):
    a, b = both(x[:, None], x * 2)
    c, _ = both(a, b)
    return np.sum(c) * b + np.sum(a[0])


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]), 3),
    changes=(
        lambda args: (args[0], 0),
        lambda args: (args[0], 1),
        lambda args: (np.float64(0.4) * np.ones(1), 2),
    ),
)
def kept_in_a_list(x, n):
    h = [x]
    for k in range(n):
        h.append(bent(h[-1], n=k + 1))
    return np.sum(h[-1] * h[0]) + sum((np.sum(v) for v in h))


class S(NamedTuple):
    a: np.ndarray
    b: float


def step(s, k):
    try:
        return S(s.a * s.b + k, np.sum(s.a))
    except ValueError:
        return s


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]), 3),
    changes=(lambda args: (args[0], 0), lambda args: (args[0], 1)),
)
def named_steps(x, n):
    s = S(x * 1.0, x[0])
    for k in range(n):
        t = step(s, k)
        s = S(t.a, s.b * 0.5) if k % 2 else t
    return np.sum(s.a**2) * s.b


@dataclass
class P:
    w: np.ndarray
    c: dict

    def out(self, x):
        try:
            return self.w @ x * self.c["k"]
        except ValueError:
            return x


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]), np.eye(3)),
    changes=(lambda args: (args[0], np.ones((2, 3))),),
)
def method_of_a_record(x, W):
    p = P(W * x, {"k": x[1]})
    q = P(W, {"k": 2.0})
    return np.sum(p.out(x)) * np.sum(q.out(p.out(x)) if W.shape[0] == 3 else 1.0)


@program(lambda rng: (np.array([0.3, 0.5, 0.2]), 2.0), changes=(lambda args: (args[0], -1.0),))
def in_arms(x, c):
    y = bent(x) if c > 0 else bent(x, n=3) * x
    z = np.sum(y) and np.sum(bent(y))
    return z * (bent(x[0]) if x[0] < 1 else 0.0) + np.sum([bent(v) for v in x])


def mean_or_none(x):
    try:
        return None if np.sum(x) < 0 else np.mean(x)
    except ValueError:
        return None


@program(lambda rng: (np.array([0.3, 0.5, 0.2]),), changes=(lambda args: (-args[0],),))
def mean_or_squares(x):
    m = mean_or_none(x)
    if m is None:
        return np.sum(x**2)
    return m**2 + np.sum(x)


def stats(x):
    try:
        return {"mean": np.mean(x), "n": len(x), "big": bool(np.max(x) > 0.4)}
    except ValueError:
        return {}


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]),),
    changes=(lambda args: (args[0] * 0.5,), lambda args: (np.array([0.1, 0.2]),)),
)
def by_description(x):
    s = stats(x)
    if s["big"]:
        return s["mean"] * s["n"] ** 2
    return s["mean"] ** 2 / s["n"] + stats(x * 3)["mean"]


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]), np.array([1, 2, 3])),
    changes=(lambda args: (args[0], np.array([1.0, 2, 3])), lambda args: (args[0], [1, 2, 3])),
)
def whole_numbers(x, n):
    a, b = both(n, x) if len(x) == 3 else (x, 1.0)
    return np.sum(a) + b


def halves(x):
    try:
        return (x[: len(x) // 2] * 1.0, x[len(x) // 2 :] * 1.0)
    except ValueError:
        return (x, x)


@program(
    lambda rng: (rng.normal(size=8),),
    changes=(lambda args: (RNG.normal(size=2),), lambda args: (RNG.normal(size=5),)),
)
def halved(x):
    if len(x) == 1:
        return x[0] ** 2
    a, b = halves(x)
    return halved(a) * np.cos(halved(b))


def table(x):
    try:
        return {("a", k): x[k] ** 2 for k in range(3)}
    except IndexError:
        return {}


@program(lambda rng: (rng.normal(size=3),))
def tuple_keys(x):
    t = table(x)
    return t["a", 0] * t["a", 1] + sum(t.values())


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
