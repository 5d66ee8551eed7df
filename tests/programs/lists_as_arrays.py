"""Lists and tuples of numbers where NumPy takes arrays."""

import numpy as np

from tests.programs.table import program


@program(args=(1.3,))
def largest_of_a_list_in_a_loop(x):
    t = [x, 0.5 * x]
    while max(t) < 4.0:
        t = [max(t) * x, t[0]]
    return t[0] * t[1]

@program(args=(np.array([0.7, 0.2, -0.4]), 4))
def stack_of_constants_that_is_written(x, n):
    rows = []
    for k in range(n):
        rows.append(np.arange(3.0) * k)
    columns = np.stack(rows, axis=-1)
    columns[1] = x[0]
    return np.sum(x * np.sum(columns, axis=-1)) ** 2


