"""Local functions that rebind names of the function around them."""

import numpy as np

from tests.programs.table import program

X = np.array([0.3, 0.7, 1.1])

@program(args=(X,), recorded=True)
def sum_of_squares(x):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for v in x:
        add(v)
    return total * total

@program(args=(X,), recorded=True)
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

@program(args=(X,), recorded=True)
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

@program(args=(X,), recorded=True)
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

@program(args=(X,), recorded=True)
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

@program(args=(X,), recorded=True)
def an_array(x):
    state = x * 1.0

    def step():
        nonlocal state
        state = np.sin(state) * x

    for _ in range(3):
        step()
    return np.sum(state)
