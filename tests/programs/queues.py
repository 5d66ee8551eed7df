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

