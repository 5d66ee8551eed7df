"""Stars in calls and displays, before arrays, shapes and lists."""

import numpy as np

from tests.programs.table import program


def area(width, height=1.0, *more):
    return width * height + sum(more)


@program(args=(np.array([[0.3, 0.7], [0.4, 0.2]]),))
def shape_in_a_display(x):
    y = np.zeros((*x.shape, 2)) + x[..., None]
    noise = np.random.RandomState(0).randn(*x.shape)
    return np.sum(y**3) + np.sum(noise * x**2)

@program(args=(np.array([0.3, 0.7]),))
def rows_of_a_matrix(x):
    m = np.outer(x, x)
    return area(*m)[0] + np.sum(m)

@program(args=(np.array([0.3, 0.7, 0.4]),))
def list_in_a_display(x):
    rows = [v * v for v in x]
    longer = [0.5, *rows, x[0]]
    rows[0] = 2.0
    return longer[0] * longer[1] * longer[-1] + rows[0] * rows[1]

@program(args=(np.array([0.3, 0.7]), [1.0, 2.0]))
def list_of_unknown_length(x, weights):
    def product(a, b):
        return a * b

    names = [*str.split("a b"), "c"]
    return product(*weights) * np.sum(x**2) * len(names)

class Scale:
    def __init__(self, k):
        self.k = k

    def times(self, a, b):
        return self.k * a * b

@program(args=(np.array([0.3, 0.7]), ((1.0, 2.0), (3.0, 0.5))))
def tuples_for_a_method(x, pairs):
    scale = Scale(np.sum(x**2))
    total = 0.0
    for pair in pairs:
        total = total + scale.times(*pair)
    return total

@program(args=(np.array([0.3, 0.7, 0.4]),), recorded=True)
def list_in_a_junction(x):
    rows = [x[k:] * x[0] for k in range(2)]
    return np.sum(np.concatenate((x[:1], *rows)) ** 3)
