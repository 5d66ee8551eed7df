"""Local functions that rebind names of the function around them."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

@program(args=(X,))
def sum_of_squares(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for v in x:
        add(v)
    return total * total

@program(args=(X,))
def with_a_result(x):
    total, count = 0.0, 0

    def add(v, w=1.0):
        nonlocal total, count
        total += v * w
        count += 1
        if v > 0.5:
            return total * v
        return v

    a = add(x[0])
    add(x[1], w=x[0])
    return (a + add(x[2]) * np.sin(add(x[0]))) * total * count

@program(args=(X,), recorded=True)
def recursive(x):
    total = 0.0

    def visit(k):
        nonlocal total
        total = total + x[k] * x[k]
        if k < 2:
            visit(k + 1)
        total = total * x[0]

    visit(0)
    return total

@program(args=(X,))
def one_calls_the_other(x):
    a, b = x[0], x[1]

    def swap():
        nonlocal a, b
        a, b = b * a, a

    def twice():
        swap()
        swap()

    twice()
    if a > 0:
        twice()
    return a * b

@program(args=(X,))
def two_levels(x):
    total = 0.0

    def outer(v):
        def inner(w):
            nonlocal total
            total = total + w * v

        inner(v * v)
        inner(x[0])

    for v in x:
        outer(v)
    return total

@program(args=(X,))
def read_by_another(x):
    total = x[0]

    def add(v):
        nonlocal total
        total = total + v * v

    def scaled():
        return total * x[1]

    add(x[1])
    u = scaled()
    add(u)
    return scaled() * u

@program(args=(X,))
def an_array(x):
    state = x * 1.0

    def step():
        nonlocal state
        state = np.sin(state) * x

    for _ in range(3):
        step()
    return np.sum(state)


LIKE = {"w": np.ones((2, 3)), "rest": [np.ones(3), np.ones(1)]}


@program(args=(np.linspace(-0.5, 0.8, 10), LIKE))
def taken_in_turn(theta, like):
    pos = 0

    def build(tree):
        nonlocal pos
        if isinstance(tree, dict):
            return {key: build(part) for key, part in tree.items()}
        if isinstance(tree, list):
            return [build(part) for part in tree]
        part = theta[pos : pos + tree.size].reshape(tree.shape)
        pos += tree.size
        return part

    p = build(like)
    return np.sum(p["w"] ** 2 * p["rest"][0]) + p["rest"][1][0] * pos


def through_steps(x, callback=None):
    for k in range(3):
        x = np.sin(x)
        if callback is not None:
            callback(k, x)
    return np.sum(x)


@program(args=(X,))
def written_down_by_another(x):
    history, best, last = [], x[0], {"k": 0}

    def look(k, v):
        nonlocal best
        last["k"] += k
        if v[0] < best:
            best = v[0]

    total = through_steps(x, lambda k, v: history.append(np.sum(v)))
    total = total + history[0] * through_steps(2 * x, callback=look)
    return total * sum(history) * best * last["k"]


@program(args=(X,))
def read_around_what_is_written_down(x):
    history = [x[0]]
    first = history[-1] * through_steps(x, lambda k, v: history.append(v[k]))
    return first * through_steps(x, lambda k, v: None) * history[-1] + sum(history)
