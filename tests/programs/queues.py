"""Lists of varying length as stacks and queues."""

import numpy as np

from tests.programs.table import program

X = (np.array([0.5, -1.2, 0.8]),)

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
def sliding_window(x):
    window = [x[0], x[1]]
    total = 0.0
    for _ in range(4):
        window.append(window[0] * x[2] + window[-1])
        window.pop(0)
        total = total + window[0] * window[-1]
    return total
