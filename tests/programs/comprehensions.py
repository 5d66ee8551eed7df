"""Comprehensions and generators over values that are differentiated."""

import numpy as np

from tests.programs.table import program


@program(args=lambda rng: (rng.normal(size=3),))
def over_functions(x):
    return sum(f(x[0] * x[1]) * x[2] for f in (np.sin, np.cos, np.tanh))


@program(args=lambda rng: (rng.normal(size=3),), label="long")
def in_a_branch(x):
    if len(x) > 2:
        y = sum([v**3 for v in x])
    elif sum([v**2 for v in x]) < 100:
        y = x[0] ** 2
    else:
        y = x[0]
    return y

@program(args=lambda rng: (rng.normal(size=4), 0.4), wrt=(0, 1))
def in_a_conditional_expression(x, a):
    y = sum([v * a for v in x]) if a > 0 else a
    return y**2


@program(args=lambda rng: (rng.normal(size=3),))
def array_of_rows(x):
    n = len(x)
    m = np.array([[x[i] * x[j] + i for j in range(n)] for i in range(n)])
    return np.sum(m**2)


@program(args=(np.array([0.7, 1.2, 0.4]),), recorded=True)
@program(args=(np.array([0.5, 1.2, 0.4]),), label="not changed", recorded=True)
def over_a_list_changed_by_a_loop_in_a_branch(x):
    rows = [x * 2.0, x]
    if x[0] > 0.6:
        for k in range(2):
            rows[0] = rows[0] * x[k]
    return sum(row[0] for row in rows) * max(row[1] ** 2 for row in rows)

class Smoother:
    """Remembers what it has seen."""

    def __init__(self, rate):
        self.rate, self.level, self.count = rate, 0.0, 0

    def step(self, v):
        self.level = self.level + self.rate * (v - self.level)
        self.count += 1
        return self.level

@program(args=(np.array([0.5, -0.3, 0.8]),))
def elements_with_effects_on_an_object(x):
    smoother = Smoother(x[0])
    levels = [v * smoother.step(v) for v in x]
    more = np.array([smoother.step(v) - 2.0 * v for v in levels if smoother.count < 5])
    return levels[-1] + np.sum(more**2) * smoother.count + sum(v * smoother.step(1.0) for v in x)

@program(args=lambda rng: (rng.normal(size=(4, 4)), rng.normal(size=4)), wrt=(0, 1))
def neighbours_that_a_comprehension_lists(w, x):
    n = len(x)
    new = np.empty(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        new[i] = sum(w[i, j] * x[j] for j in others)
    rows = [np.arange(3.0) for _ in range(n)]
    return np.sum(new**2) + sum(np.sum(row * x[0]) for row in rows)

@program(args=lambda rng: (rng.normal(size=(5, 2)), np.array([0.4, -0.2])), wrt=(0, 1))
def shuffled_batches(data, theta):
    rng = np.random.default_rng(3)
    for _ in range(2):
        order = rng.permutation(len(data))
        for at in range(0, len(data), 2):
            rows = data[order[at : at + 2]]
            theta = theta - 0.1 * rows.T @ (rows @ theta - 1.0)
    return np.sum(theta**2) + theta[0]
