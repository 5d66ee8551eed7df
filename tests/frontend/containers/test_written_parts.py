"""Arrays inside of arguments, in dicts, objects and tuples, that the function writes into."""

import copy
from typing import NamedTuple

import numpy as np
import pytest

from srcgrad import check, grad, jvp, source, tape, vjp
from srcgrad.errors import ArgumentError, MutationError

pytestmark = pytest.mark.filterwarnings("error")

X = np.array([0.3, -0.4, 0.8])
Y = np.array([1.1, 0.2, -0.5])


def moved(x, state):
    for k in range(3):
        state["pos"] += 0.1 * x
        state["vel"][k] = np.sum(state["pos"] ** 2)
    return np.sum(state["vel"] ** 2)


def kick(state, h):
    state["vel"][...] = state["vel"] - h * state["pos"] ** 3
    state["pos"] += h * state["vel"]


class Ring:
    def __init__(self, count):
        self.buffer = np.zeros(count)
        self.head = 0

    def push(self, value):
        self.buffer[self.head % len(self.buffer)] = value
        self.head += 1

    @property
    def mean(self):
        return np.mean(self.buffer)


def a_ring_buffer(x):
    ring, total = Ring(2), 0.0
    for k in range(len(x)):
        ring.push(x[k] ** 2)
        total += ring.mean * x[k]
    return total


class Adam:
    def __init__(self, params, rate):
        self.params, self.rate, self.t = params, rate, 0
        self.m = [np.zeros_like(p) for p in params]
        self.v = [np.zeros_like(p) for p in params]

    def step(self, grads):
        self.t += 1
        for k, g in enumerate(grads):
            self.m[k][...] = 0.9 * self.m[k] + 0.1 * g
            self.v[k][...] = 0.99 * self.v[k] + 0.01 * g**2
            self.params[k] -= self.rate * self.m[k] / (np.sqrt(self.v[k]) + 0.1)


def an_optimiser_in_place(x, rate):
    w, b = x.copy(), x[:2].copy()
    adam = Adam([w, b], rate)
    for _ in range(3):
        adam.step([2.0 * w + 1.0, np.cos(b)])
    return np.sum(w**2) + np.sum(b**3)


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


def swap_in(pair, x):
    pair.first[0], pair.second[1] = x[1], x[0] ** 2
    return np.sum(pair.first * pair.second)


def layers(x):
    weights = [x * 2.0, x**2]
    for w in range(len(weights)):
        for j in range(2):
            weights[w][j] *= x[w] * weights[w][2]
    return np.sum(weights[0] * weights[1])


def a_list_of_pairs(x):
    w, m = x * 1.0, np.zeros_like(x)
    for p, q in [(w, m)]:
        q += 0.1 * p
        p -= x[0] * q
    return np.sum(w**2)


def nested(x, tree):
    tree["a"]["w"][0] = x[0]
    tree["b"][1][...] *= x[1]
    return np.sum(tree["a"]["w"] * x) + np.sum(tree["b"][0] * tree["b"][1])


def a_list_that_grows(params):
    params.append(params[0] * 2.0)
    return np.sum(params[-1] * params[1])


def elements_written_in_a_loop(params, rate):
    for p in params:
        p -= rate * p**2
    return np.sum(params[0] * params[1])


def layers_that_change(net, x):
    for layer in net:
        x = np.tanh(layer["w"] @ x)
        layer["w"] = layer["w"] * 0.9
    return np.sum(x) + np.sum(net[0]["w"])


def state():
    return {"pos": Y * 1.0, "vel": X * 0.7}


PROGRAMS = [
    (a_ring_buffer, (X,)),
    (an_optimiser_in_place, (X, 0.1)),
    (swap_in, (Pair(Y * 1.0, X * 0.7), X)),
    (layers, (X,)),
    (a_list_of_pairs, (X,)),
    (nested, (X, {"a": {"w": Y * 1.0}, "b": (X * 0.7, Y * 1.3)})),
]
NAMES = [fn.__name__ for fn, _ in PROGRAMS]


@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=NAMES)
@pytest.mark.one_of(3)
def test_derivatives(fn, args):
    """Reverse and forward mode, and their mixture, agree with differences."""
    check(fn, *copy.deepcopy(args))
    for k in range(len(args)):
        check(fn, *copy.deepcopy(args), wrt=k, order=2)


@pytest.mark.parametrize(("fn", "args"), PROGRAMS, ids=NAMES)
def test_what_the_caller_sees(fn, args):
    """The arguments are left behind as the function itself leaves them."""
    given, own = copy.deepcopy(args), copy.deepcopy(args)
    value = fn(*own)
    got, _ = vjp(fn, *given, wrt=tuple(range(len(args))))
    assert got == value
    assert arrays(given) == arrays(own)
    given, dots = copy.deepcopy(args), copy.deepcopy(args)
    jvp(fn, given, dots)
    assert arrays(given) == arrays(own)
    assert arrays(dots) == arrays(args)  # tangents are the caller's, too


def arrays(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {k: arrays(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [arrays(v) for v in value]
    return arrays(vars(value)) if hasattr(value, "__dict__") else value


LISTS = [
    (a_list_that_grows, ([X * 1.0, Y * 1.0],)),
    (elements_written_in_a_loop, ([X * 1.0, Y * 1.0], 0.1)),
    (layers_that_change, ([{"w": np.outer(X, Y)}, {"w": np.outer(Y, X)}], X)),
]


@pytest.mark.parametrize(("fn", "args"), LISTS, ids=[fn.__name__ for fn, _ in LISTS])
def test_lists_of_the_caller(fn, args):
    """Lists that are differentiated are changed as the function changes them."""
    check(fn, *copy.deepcopy(args), wrt=0, order=2)
    check(fn, *copy.deepcopy(args), wrt=tuple(range(len(args))))
    given, own = copy.deepcopy(args), copy.deepcopy(args)
    grad(fn)(*given)
    fn(*own)
    assert arrays(given) == arrays(own)


OF_X = [(f, args) for f, args in PROGRAMS if args[0] is X and len(args) == 1]
OF_X = [(f, args) for f, args in OF_X if f is not a_ring_buffer]  # np.zeros holds no records


@pytest.mark.parametrize(("fn", "args"), OF_X, ids=[fn.__name__ for fn, _ in OF_X])
def test_the_tape_agrees(fn, args):
    """The other engine gives the same gradient with respect to the array."""
    np.testing.assert_allclose(grad(fn)(*args), tape.grad(fn)(*args), rtol=1e-12)


def constant_rows(x):
    rows = [np.ones(3), np.full(3, 2.0)]
    y = rows[0] * x
    for row in rows:
        row *= 3.0
    return np.sum(y) * np.sum(rows[1] * x)


def constant_rows_by_index(x):
    rows = [np.ones(3), np.full(3, 2.0)]
    y = rows[0] * x
    for k in range(2):
        rows[k][0] = 7.0
    return np.sum(y) * np.sum(rows[1] * x)


def constant_arrays_in_pairs(x):
    a, b = np.ones(3), np.full(3, 2.0)
    y = a * x
    for row, scale in zip((a, b), (2.0, 3.0)):
        row *= scale
    return np.sum(y) * np.sum(b * x)


def constant_arrays_in_a_tuple(x):
    a, b = np.ones(3), np.full(3, 2.0)
    y = a * x
    for row in (a, b):
        row[1] = 5.0
    return np.sum(y) * np.sum(b * x)


@pytest.mark.parametrize(
    "fn",
    [constant_rows, constant_rows_by_index, constant_arrays_in_pairs, constant_arrays_in_a_tuple],
)
def test_arrays_without_derivative_that_a_loop_writes(fn):
    """What a loop writes under the name of one element is written to one of all of them."""
    check(fn, X, order=2, recorded="allow")


def same_array_twice(x, pair):
    pair[0][1] = x[0]
    return np.sum(pair[0] * pair[1])


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (same_array_twice, lambda: (X, [a := Y * 1.0, a])),
        (same_array_twice, lambda: (a := X * 1.0, [a, Y])),
        (moved, lambda: (X, {"pos": (a := np.zeros(4))[:3], "vel": a[1:]})),
        (moved, lambda: (a := X * 1.0, {"pos": a, "vel": Y * 1.0})),
    ],
    ids=["twice", "also an argument", "overlapping", "also x"],
)
def test_shared_memory_is_an_error(fn, args):
    """An array that is written under one name and read under another one is never guessed at."""
    with pytest.raises(ArgumentError, match="written in place and shares memory with"):
        grad(fn, (0, 1))(*args())


def replaces_a_part(x, p, q):
    p["w"] = p["w"] * x
    return np.sum(p["w"] * q["w"] * x)


def test_an_object_that_is_written_is_there_once():
    """A dict whose parts are replaced, and that is another argument too, is an error."""
    p, q = {"w": Y}, {"w": Y * 2.0}
    check(replaces_a_part, X, dict(p), dict(q))
    with pytest.raises(ArgumentError, match="p is written and also found in q"):
        grad(replaces_a_part)(X, p, p)
    assert p["w"] is Y


def read_in_an_object(x, state):
    x[0] = state["pos"][1]
    return np.sum(x * state["pos"])


def test_an_object_that_holds_a_written_argument():
    """What is looked for in objects is found in them."""
    assert grad(read_in_an_object)(X.copy(), state()).shape == (3,)
    x = X.copy()
    with pytest.raises(ArgumentError, match="x is written in place and shares memory with state"):
        grad(read_in_an_object)(x, {"pos": x, "vel": Y})


def a_procedure_with_one_array_twice(x):
    y = x * 1.0
    kick({"pos": y, "vel": y}, 0.5)
    return np.sum(y)


def test_one_array_twice_in_an_object_that_is_made():
    """Where it can be told when code is generated, it is refused at the call."""
    with pytest.raises(MutationError, match="given twice"):
        grad(a_procedure_with_one_array_twice)(X)


def test_the_text_is_as_by_hand():
    """The part of the object is written where it stands; its cotangent has its name."""
    derivative = grad(moved, (0, 1))
    derivative(X, state())
    text = source(derivative)
    assert 'return x_bar, {"pos": pos_bar, "vel": vel_bar}' in text
    assert "x_bar += 0.1 * pos_bar" in text
    assert 'require_separate(\'state["pos"]\', state["pos"], x=x, state=state)' in text
