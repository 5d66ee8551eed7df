"""Lists, tuples and dicts of parameters that called functions are given, in whole or in part."""

import numpy as np

from srcgrad import checkpoint, vjp
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


def of_pair(pair, x):
    w, b = pair
    return np.tanh(x @ w + b)


@program(args=lambda rng: (denses(rng), points(rng)), wrt=(0, 1))
def list_of_dicts(ps, x):
    return np.sum(through(ps, x) ** 2)


@program(args=lambda rng: ([dense(rng, 3, 5), dense(rng, 5, 2), dense(rng, 2, 4)], points(rng)))
def dicts_of_several_shapes(ps, x):
    return np.sum(through(ps, x) ** 2)


@program(args=lambda rng: (denses(rng), points(rng)))
def each_and_one_again(ps, x):
    for p in ps:
        x = layer(x, p)
    return np.sum(x**2) + np.sum(p["W"] ** 2) + np.sum(ps[0]["b"])


@program(args=lambda rng: (denses(rng), points(rng)))
def one_dict_in_several_places(ps, x):
    first, second, _ = ps
    return np.sum(through([first, first, second, first], x))


@program(args=lambda rng: (denses(rng), points(rng)))
def from_the_end(ps, x):
    for p in reversed(ps):
        x = layer(x, p)
    return np.sum(x**2) + sum(np.sum(p["W"] ** 2) for p in ps)


@program(args=lambda rng: (denses(rng), points(rng)))
def with_a_penalty(ps, x):
    total = 0.0
    for p in ps:
        total += np.sum(p["W"] ** 2)
    return np.sum(through(ps, x) ** 2) + total


@program(args=lambda rng: (denses(rng), points(rng)))
def entries_that_nothing_reads(ps, x):
    for p in ps:
        x = np.tanh(x @ p["W"])
    return np.sum(x**2)


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


@program(args=lambda rng: (denses(rng), points(rng)))
def written_afterwards(ps, x):
    ps = [dict(p) for p in ps]
    for p in ps:
        x = layer(x, p)
    ps[0]["W"] = 3 * x
    return np.sum(x**2) + np.sum(ps[0]["W"] ** 2)


@program(args=lambda rng: (denses(rng), points(rng)))
def written_under_another_name(ps, x):
    ps = [dict(p) for p in ps]
    other = ps[1]
    for p in ps:
        x = layer(x, p)
        other["W"] = other["W"] * 0.5
    return np.sum(x**2)


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


def some_of(params, x):
    return np.tanh(x @ params["a"]) @ params["b"][0]


@program(
    args=lambda rng: (
        {"a": rng.normal(size=(3, 2)), "b": [rng.normal(size=(2, 2)), rng.normal(size=2)]}
        | {"c": (rng.normal(size=3), 1.0)},
        points(rng),
    )
)
def parts_that_take_no_part(params, x):
    return np.sum(some_of(params, x) ** 2)


def corners(ps, x):
    (a, _), (_, d) = ps
    return x @ a + d


@program(
    args=lambda rng: (
        [
            (rng.normal(size=(3, 3)), rng.normal(size=3)),
            (rng.normal(size=3), rng.normal(size=3)),
        ],
        points(rng),
    )
)
def places_that_take_no_part(ps, x):
    return np.sum(corners(ps, x) ** 2)


@program(args=lambda rng: (rng.normal(size=(3, 3)), points(rng)))
def one_array_in_several_places(w, x):
    return np.sum(powers([w, w, 2 * w], x) ** 2)


def with_none(p, x):
    w, b = p["l"]
    x = x @ w if b is None else x @ w + b
    return np.tanh(x) * p["s"][0] + p["s"][2]


@program(args=lambda rng: ({"q": {"l": (rng.normal(size=(3, 3)), None), "s": [1.5, None, 2.0]}},))
def none_in_places(p):
    return np.sum(with_none(p["q"], np.ones((2, 3))) ** 2)


def stepped(state, x):
    c = np.tanh(state["c"] + x * state["h"])
    return {"h": state["h"] * 0.9 + c, "c": c}


@program(args=lambda rng: ({"h": rng.normal(size=3), "c": rng.normal(size=3)}, points(rng)))
def states(state, xs):
    for x in xs:
        state = stepped(state, x)
    return np.sum(state["h"] ** 2) + np.sum(state["c"])


def passed(p):
    return p["a"], p["b"]


@program(args=lambda rng: ({"a": rng.normal(size=3), "b": rng.normal(size=3)}, np.ones(3)))
def cotangents_that_are_arguments(p, x):
    a, b = passed(p)
    return np.sum(a * x) + np.sum(b * x)


def added(p):
    return p["a"] + p["b"]


@program(args=lambda rng: ({"a": rng.normal(size=3), "b": rng.normal(size=3)},))
def one_cotangent_for_two(p):
    return np.sum(added(p) ** 2)


def absolute(p):
    return np.sum(np.abs(p[0])) + np.sum(p[1])


@program(args=lambda rng: ([rng.normal(size=(3, 3)), rng.normal(size=3)], points(rng)))
def slopes_that_are_constant(p, x):
    return np.sum(of_pair(p, x) ** 2) + absolute(p) + np.sum(p[1] * absolute(p))


@program(args=lambda rng: ((rng.normal(size=(3, 3)), rng.normal(size=3)), points(rng)))
def called_again(pair, x):
    return np.sum(checkpoint(of_pair)(pair, x) ** 2)


def linear(pair, x):
    w, b = pair
    return x @ w if np.sum(x) > 0 else x @ w + b


@program(args=lambda rng: ((rng.normal(size=(3, 3)), rng.normal(size=3)), points(rng)))
def read_on_one_way_only(pair, x):
    return np.sum(linear(pair, x) ** 2) + np.sum(linear(pair, -x) ** 2)


def misfit(p, x):
    return np.sum(layer(x, p) ** 2)


@program(args=lambda rng: (dense(rng), points(rng)))
def pulled_back_to_a_dict(p, x):
    value, backward = vjp(misfit, p, x)
    return value * np.sum(backward(1.0)["b"] ** 2)


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
