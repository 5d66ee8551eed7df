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


@program(args=(np.array([0.3, 0.7, 0.4]),), recorded=True)
def list_in_a_junction(x):
    rows = [x[k:] * x[0] for k in range(2)]
    return np.sum(np.concatenate((x[:1], *rows)) ** 3)
