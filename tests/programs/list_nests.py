"""Lists that loops inside of other loops go through, and what is kept of branches."""

import numpy as np

from tests.programs.table import program


@program(args=(0.3, 2))
def list_in_a_loop_with_a_counter(x, n):
    items = [np.sin(x * (i + 1)) for i in range(n)]
    s, k = 0.0, 0
    while k < 3:
        k += 1
        if k > 1:
            for w in items:
                s = s + w * x * k
    return s

def powers(x, n):
    """Keeps a list."""
    y = x
    for _ in range(n):
        y = np.sin(y) * x
    return y

def in_a_branch(x, k):
    """Calls it in an arm."""
    y = powers(x, k) if k > 1 else 0.5 * x
    return y * y

def in_an_arm(x, k):
    """Calls it in an arm of an ``if`` statement."""
    if k > 1:
        y = powers(x, k)
    else:
        y = 0.5 * x
    return y * y

@program(args=(0.3, 1), label="none is made")
def calls_that_keep_lists_in_branches(x, k):
    """What the call keeps is a tuple of a list, also where it is not made."""
    y = x
    if k > 2:
        y = in_an_arm(x, 3)
    for j in range(2):
        if j == k:
            y = y + in_an_arm(x * y, j)
    return y * x * in_a_branch(x, k)

@program(args=(np.array([0.5, 0.1, 0.3]),))
def value_without_a_use(x):
    """It is called ``_``, also in the gradient, whose own derivative needs its shape."""
    joined = np.sum(np.vstack((x, np.ones(3))), axis=0)
    made = np.ones(3)
    made[:] = np.interp(joined, [0.0, 1.0, 2.0], x)
    return np.sum(made * made)

@program(args=(np.array([1.5, 0.4]),))
def underscore_that_is_read(x):
    _, y = x * x
    for _ in range(2):
        y = y * x[0]
    _ = y * y
    return y * _

@program(args=(0.3, 2))
def rows_of_numbers(x, n):
    """A list of lists, in loops in loops."""
    rows = []
    for i in range(n):
        row = []
        for j in range(n):
            row.append(np.sin(x * (i + j + 1)))
        rows.append(row)
    s = 0.0
    for row in rows:
        for v in row:
            s = s + v * v * x
    return s

@program(args=(0.7, 3))
def nested_tuples_read_by_two_loops(x, n):
    items = []
    for i in range(n):
        items.append((np.sin(x * i), (x * i + 1, x)))
    total = 0.0
    for k in range(n):
        if k % 2 == 0:
            for a, (b, c) in items:
                if a > 5:
                    break
                total = total + a * b * c * (k + 1)
    for a, (b, c) in items[1:]:
        total = total * a + b
    return total
