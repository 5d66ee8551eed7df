"""Lists, tuples and dicts of parameters that called functions are given, in whole or in part."""

import numpy as np

from srcgrad import vjp
from tests.programs.table import program


def dense(rng, rows=3, columns=3):
    return {"W": rng.normal(size=(rows, columns)), "b": rng.normal(size=columns)}


def denses(rng):
    return [dense(rng) for _ in range(3)]


def points(rng):
    return rng.normal(size=(4, 3))


def layer(x, p):
    return np.tanh(x @ p["W"] + p["b"])


def through(ps, x):
    for p in ps:
        x = layer(x, p)
    return x


def powers(ws, x):
    for w in ws:
        x = np.tanh(x @ w)
    return x


@program(args=lambda rng: ([dense(rng, 3, 5), dense(rng, 5, 2), dense(rng, 2, 4)], points(rng)))
def dicts_of_several_shapes(ps, x):
    return np.sum(through(ps, x) ** 2)


@program(args=lambda rng: (denses(rng), points(rng)))
def each_and_one_again(ps, x):
    for p in ps:
        x = layer(x, p)
    return np.sum(x**2) + np.sum(p["W"] ** 2) + np.sum(ps[0]["b"])


@program(args=lambda rng: (denses(rng), points(rng)))
def from_the_end(ps, x):
    for p in reversed(ps):
        x = layer(x, p)
    return np.sum(x**2) + sum(np.sum(p["W"] ** 2) for p in ps)


@program(args=lambda rng: (denses(rng), points(rng)))
def written_while_they_are_gone_through(ps, x):
    ps = [dict(p) for p in ps]
    for p in ps:
        p["W"] = 2 * p["W"]
        x = layer(x, p)
    return np.sum(x**2) + np.sum(ps[1]["W"])


def remembering(x, p):
    p["seen"] = layer(x, p)
    return p["seen"] + p["b"]


@program(args=lambda rng: (denses(rng), points(rng)))
def written_by_what_is_called(ps, x):
    ps = [dict(p) for p in ps]
    for p in ps:
        x = remembering(x, p)
    return np.sum(x**2) + np.sum(ps[0]["seen"])


@program(
    args=lambda rng: (
        [{"in": denses(rng)[:2], "s": 1.5}, {"in": denses(rng)[:2], "s": 0.5}],
        points(rng),
    )
)
def dicts_with_lists(ps, x):
    for p in ps:
        x = through(p["in"], x) * p["s"]
    return np.sum(x**2)


@program(args=lambda rng: (rng.normal(size=(3, 3)), points(rng)))
def one_array_in_several_places(w, x):
    return np.sum(powers([w, w, 2 * w], x) ** 2)


@program(args=lambda rng: ([tuple(dense(rng).values()) for _ in range(2)], points(rng)))
def pulled_back_to_a_list(ps, x):
    value, backward = vjp(in_turn, ps, x)
    slopes = backward(1.0)
    return value * np.sum(slopes[0][1] ** 2) + np.sum(slopes[1][0])


def in_turn(ps, x):
    for w, b in ps:
        x = np.tanh(x @ w + b)
    return np.sum(x**2)

LIKE = {"a": {"w": np.ones((2, 2)), "b": np.ones(2)}, "c": [np.ones(3), np.ones(1)]}

def unflatten(theta, tree, pos=0):
    if isinstance(tree, dict):
        out = {}
        for k, v in tree.items():
            out[k], pos = unflatten(theta, v, pos)
        return out, pos
    if isinstance(tree, (list, tuple)):
        out = []
        for v in tree:
            u, pos = unflatten(theta, v, pos)
            out.append(u)
        return out, pos
    n = tree.size
    return theta[pos : pos + n].reshape(tree.shape), pos + n

@program(args=(np.linspace(-1.0, 1.0, 10), np.array([0.3, 0.2])), order2=False)
def unflattened_like_a_tree_of_the_module(theta, x):
    p, _ = unflatten(theta, LIKE)
    h = np.tanh(x @ p["a"]["w"] + p["a"]["b"])
    return np.sum(h**2) + np.sum(p["c"][0] ** 2) * p["c"][1][0]


SHAPES = [(2, 2), (2,), (2,)]


def reshaped(theta, shapes):
    parts, at = [], 0
    for shape in shapes:
        size = int(np.prod(shape))
        parts.append(theta[at : at + size].reshape(shape))
        at += size
    return parts


@program(args=(np.linspace(-1.0, 1.0, 8), np.array([0.3, 0.2])))
def reshaped_by_a_table_of_the_module(theta, x):
    w, b, v = reshaped(theta, SHAPES)
    return np.sum(np.tanh(x @ w + b) * v)
