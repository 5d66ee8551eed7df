"""Tangents of lists that a loop makes: they have the structure of the value, zeros included."""

import numpy as np
import pytest

from srcgrad import hvp, jvp

X = np.array([1.0, 2.0])


def arrays(x):
    """A list of arrays."""
    return [k * x for k in range(3)]


def tuples(x):
    """A list of tuples."""
    out = []
    for k in range(3):
        out.append((k * x, x**2))
    return out


def with_constants(x):
    """Tuples with a part that does not move."""
    out = []
    for k in range(3):
        out.append((k * x, np.ones(2)))
    return out


def nested(x):
    """Tuples of tuples."""
    out = []
    for k in range(3):
        out.append(((k * x, x), 2 * x))
    return out


def dicts(x):
    """Dicts, one entry of which does not move."""
    out = []
    for k in range(3):
        out.append({"x": k * x, "c": np.ones(2), "y": x**2})
    return out


def flat(tree):
    """The arrays in a tree, each with the way to it."""
    if isinstance(tree, dict):
        return {(key, *way): v for key, t in tree.items() for way, v in flat(t).items()}
    if isinstance(tree, list | tuple):
        kind = type(tree)
        return {(kind, k, *way): v for k, t in enumerate(tree) for way, v in flat(t).items()}
    return {(): tree}


@pytest.mark.parametrize("f", [arrays, tuples, with_constants, nested, dicts])
def test_the_structure_of_the_value(f):
    """Each part has its own tangent."""
    direction, step = np.array([0.5, -1.0]), 1e-6
    for x in (X, 2 * X):
        value, dots = jvp(f, (x,), (direction,), recorded="allow")
        after, before = flat(f(x + step * direction)), flat(f(x - step * direction))
        assert flat(value).keys() == flat(dots).keys() == after.keys()
        for way, dot in flat(dots).items():
            np.testing.assert_allclose(dot, (after[way] - before[way]) / (2 * step), atol=1e-8)


def part_of_tuples(ps, x):
    """A part of each tuple is read."""
    for w, _ in ps:
        x = np.tanh(x @ w)
    return np.sum(x**2)


def part_of_dicts(ps, x):
    """An entry of each dict is read."""
    for p in ps:
        x = np.tanh(x @ p["w"])
    return np.sum(x**2)


@pytest.mark.parametrize("f", [part_of_tuples, part_of_dicts])
def test_products_with_hessians_have_the_structure_of_the_argument(f):
    """Also where a part of each element has no influence."""
    rng = np.random.default_rng(0)
    ps = [(rng.normal(size=(2, 2)), rng.normal(size=2)) for _ in range(2)]
    if f is part_of_dicts:
        ps = [{"w": w, "b": b} for w, b in ps]
    found = flat(hvp(f)(ps, np.ones((3, 2)), ps))
    given = flat(ps)
    assert {way: v.shape for way, v in found.items()} == {w: v.shape for w, v in given.items()}
    assert all(np.any(found[way]) == (v.ndim == 2) for way, v in given.items())
