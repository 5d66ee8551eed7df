"""Recursive functions have one pair, whatever their calls know of what is not differentiated."""

import numpy as np
import pytest

from srcgrad import check, grad, source, vjp
from tests import finite_differences as fd

LEAVES = {"A": np.array([0.9, 0.1]), "B": np.array([0.2, 0.8]), "C": np.array([0.5, 0.5])}
TREE = (("A", "B", 0.1, 0.2), ("C", ("B", "A", 0.3, 0.1), 0.2, 0.2), 0.1, 0.3)


def pruned(tree, rate, leaves):
    """The likelihood below an edge of a tree, whose leaves stand in a dict."""
    if isinstance(tree, str):
        return leaves[tree]
    left, right, one, other = tree

    def along(t):
        stay = 0.5 + 0.5 * np.exp(-2.0 * rate * t)
        return np.array([[stay, 1.0 - stay], [1.0 - stay, stay]])

    return (along(one) @ pruned(left, rate, leaves)) * (along(other) @ pruned(right, rate, leaves))


def likelihood(rate, tree, leaves):
    """A sum at the root."""
    return np.log(np.sum(pruned(tree, rate, leaves)))


def nested(x, shape):
    """A list in lists that is gone through to its end."""
    if not isinstance(shape, list):
        return np.sin(shape * x)
    total = 0.0
    for part in shape:
        total = total + nested(x, part) * np.cos(x)
    return total


SHAPE = [1.0, [2.0, [3.0, 0.5]], [0.1]]
CASES = [
    (likelihood, (0.7, TREE, LEAVES)),
    (lambda x, shape: nested(x, shape), (0.4, SHAPE)),
]


@pytest.mark.parametrize(("f", "args"), CASES, ids=["tuples", "lists"])
def test_a_recursive_function_has_one_pair(f, args):
    """What its calls know of constants makes no pairs of their own; all modes are right."""
    slope = grad(f, recorded="allow")
    slope(*args)
    assert "_forward_2" not in source(slope)
    check(f, *args, order=2, recorded="allow")


def test_gradients_of_recursions_come_with_their_values():
    """A recursive function that gives one number hands its gradient on, and keeps nothing."""

    def minor(a):
        if a.shape[0] == 1:
            return a[0, 0]
        total = 0.0
        for j in range(a.shape[0]):
            rest = np.concatenate((a[1:, :j], a[1:, j + 1 :]), axis=1)
            total = total + (-1) ** j * a[0, j] * minor(rest)
        return total

    gradient = grad(lambda a, s: minor(a * s) ** 2, (0, 1), recorded="refuse")
    a = np.random.default_rng(0).normal(size=(4, 4))
    by_hand = 2 * np.linalg.det(a) ** 2
    for p, q in zip(gradient(a, 1.5), (by_hand * np.linalg.inv(a).T, by_hand * 4), strict=True):
        np.testing.assert_allclose(p, q * 1.5 ** (8 if p.ndim else 7))
    assert "minor_value_and_grad(rest)" in source(gradient)
    value, backward = vjp(lambda a: 3 * minor(a), a)
    np.testing.assert_allclose(backward(2.0), 6 * np.linalg.det(a) * np.linalg.inv(a).T)
    np.testing.assert_allclose(value, 3 * np.linalg.det(a))


def repeated(m, p, q):
    """Calls itself with a number that a loop around it may be given as well."""
    if m <= 0:
        return p
    p = repeated(m - 1, np.sign(p) * 0.5, q * 2)
    return p


def test_pairs_beside_gradients_of_a_recursive_function():
    """One call keeps what its backward function needs, another one its gradient."""

    def f(x, r):
        for _ in x:
            r = repeated(0, r, x)
        return np.sum(repeated(1, r, x)) + r

    x = np.array([0.5, 0.7])
    for found in (
        grad(f, wrt=(0, 1), recorded="refuse")(x, 0.3),
        vjp(f, x, 0.3, wrt=(0, 1), recorded="refuse")[1](1.0),
    ):
        for place in (0, 1):
            wanted = fd.gradient(f, [x, 0.3], place)
            np.testing.assert_allclose(found[place], wanted, rtol=1e-6, atol=1e-9)
