"""Lists of varying length as stacks and queues."""

import numpy as np

from tests.programs.table import program

X = (np.array([0.5, -1.2, 0.8]),)


@program(args=X)
def tree_walk_with_a_stack(x):
    stack = [(0, x[0])]
    total = 0.0
    while stack:
        k, v = stack.pop()
        total = total + v * v
        if k < 3:
            stack.append((k + 1, v * x[1]))
            stack.append((k + 2, v * x[2]))
    return total


@program(args=X)
def tree_walk_with_a_queue(x):
    queue = [(0, x[0])]
    total = 0.0
    while queue:
        k, v = queue.pop(0)
        total = total + v * v * (k + 1)
        if k < 3:
            queue.append((k + 1, v * x[1]))
            queue.append((k + 2, v * x[2]))
    return total


@program(args=X)
def put_in_front(x):
    terms = []
    for k in range(len(x)):
        terms.insert(0, x[k] ** 2)
    total = 0.0
    for k in range(len(x)):
        total = total + terms[k] * x[k] * (k + 1)
    return total


@program(args=X)
def tuples_put_in_front(x):
    rows = []
    for k in range(len(x)):
        rows.insert(0, (x[k], x[k] ** 2, k))
    total = 0.0
    while rows:
        a, b, k = rows.pop(0)
        total = total * a + b * (k + 1)
    return total


@program(args=X)
def sliding_window(x):
    window = [x[0], x[1]]
    total = 0.0
    for _ in range(4):
        window.append(window[0] * x[2] + window[-1])
        window.pop(0)
        total = total + window[0] * window[-1]
    return total


@program(args=X)
def queue_of_arrays(x):
    queue = []
    for k in range(3):
        queue.append(x * (k + 1))
    total = 0.0
    for _ in range(3):
        first = queue.pop(0)
        total = total + np.sum(first**2 * x)
    return total
