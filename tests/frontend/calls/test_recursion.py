"""Recursive functions have one pair, whatever their calls know of what is not differentiated."""

import numpy as np
import pytest

from srcgrad import check, grad, source

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
