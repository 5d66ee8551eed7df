"""Derivatives of local functions that are handed over in every way, and called elsewhere."""

import functools

import numpy as np
import pytest

from srcgrad import check, checkpoint, grad, hessian, value_and_grad

KINDS = {
    "grad": grad,
    "value_and_grad": lambda h: lambda x: value_and_grad(h)(x)[1],
    "grad_of_grad": lambda h: grad(lambda x: np.sum(grad(h)(x) ** 2)),
    "hessian": hessian,
    "checkpoint": checkpoint,
    "itself": lambda h: h,
}


def through(g):
    """Return a function that calls another one."""

    def inner(x):
        return g(x)

    return inner


def with_stars(g):
    """Return a function that calls another one with whatever it is given."""

    def inner(*args, **options):
        return g(*args, **options)

    return inner


def in_a_list(g):
    """Hand it over in a list, and back."""
    return [g][0]


def from_a_tuple(g):
    """Hand over two, and call one."""

    def pair(g):
        return g, through(g)

    return pair(g)[1]


WAYS = {
    "itself": lambda g: g,
    "through": through,
    "twice": lambda g: through(through(g)),
    "with_stars": with_stars,
    "in_a_list": in_a_list,
    "from_a_tuple": from_a_tuple,
}


@pytest.mark.one_of(12)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
def test_handed_over(way, kind):
    """What is called is the derivative that was meant, not the function it is of."""
    hand, of = WAYS[way], KINDS[kind]

    def loss(x, w, s):
        g = hand(of(lambda t: np.sum(np.sin(t * w) ** 2)))
        return np.sum(g(x) ** 2) * s**2

    args = np.array([0.3, -0.8]), np.array([1.2, 0.5]), 2.0
    for wrt in (0, 1, 2):
        check(loss, *args, wrt=wrt, order=1, recorded="allow")


def test_views_that_move():
    """A captured array that is written between two calls does not change which one is meant."""

    def loss(x, w):
        y = x.copy()
        g = grad(lambda t: np.sum(np.sin(t * y) ** 2))
        first = g(w)
        y[0] = 2.0 * x[1]
        return np.sum(first * g(w))

    check(loss, np.array([0.3, -0.8]), np.array([1.2, 0.5]), wrt=(0, 1), recorded="allow")


def test_partial():
    """A derivative of a partial that was handed over."""

    def loss(x, w):
        g = through(grad(functools.partial(lambda w, t: np.sum(np.sin(t * w) ** 2), w)))
        return np.sum(g(x) ** 2)

    check(loss, np.array([0.3, -0.8]), np.array([1.2, 0.5]), wrt=0, order=1, recorded="allow")
