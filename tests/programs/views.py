"""Writes through views: what a slice, a transpose or a reshape of an array is given, it gets."""

import numpy as np

from tests.programs.table import program


def vector(rng):
    return (rng.normal(size=4),)

def matrix(rng):
    return (rng.normal(size=(3, 3)) + 3.0 * np.eye(3),)


@program(args=matrix, recorded2=True)
def rows_in_a_loop_over_the_array(a):
    b = a * 1.0
    for row in b:
        row *= row[0]
        row[1] = np.sin(row[2])
    return np.sum(b**2)


@program(args=matrix, recorded=True)
def flipped_and_swapped(a):
    b = a * 1.0
    np.flip(b)[0] *= a[0]
    np.swapaxes(b, 0, 1)[1:] += 0.5 * a[:2]
    np.moveaxis(b, 0, 1)[0] = a[2]
    return np.sum(b**3)


@program(args=vector)
def array_of_a_view_without_a_name(x):
    v = (x * 2.0)[1:]
    w = v[:2]
    for k in range(2):
        v[k] *= w[k] + x[k]
    return np.sum(w**2) + np.sum(v)

def deviations(x):
    made = np.tanh(np.outer(x, x)).ravel()
    made -= made.mean()
    return made

@program(args=vector, recorded2=True)
def brought_into_shape_where_it_is_made(x):
    directions = np.stack([x, x * x + 1.0, np.ones_like(x)], axis=-1).reshape(-1, 3)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    grown = np.exp(0.3 * x).reshape(2, 2)
    grown *= 3 * x[0]  # what the slope of exp reads was something else
    grown[0] += grown[1]
    turned = np.sin(np.outer(x, x)).T
    first = turned[0]
    turned[1] = turned[1] * x
    turned[0, 1] *= 2.0
    other = deviations(x)
    other[0] = 1.0
    total = np.sum(directions[:, 0] * x) + np.sum(grown**2)
    return total + first[1] * np.sum(turned**2) + other @ other
