"""Helpers that cannot be lowered, and are called with nothing that is differentiated."""

import numpy as np
import pytest

from srcgrad import grad, source

X = np.array([0.3, 0.5, 0.7])
KEPT = []


def tried(z):
    """Compute, and change nothing."""
    try:
        return np.sin(z)
    finally:
        pass


def same(z):
    """Give the argument itself."""
    try:
        return z
    finally:
        pass


def end_of(z):
    """Give a view of the argument."""
    try:
        return z[1:]
    finally:
        pass


def writes(z):
    """Write into the argument."""
    try:
        z[0] = 5.0
        return z * 1.0
    finally:
        pass


def keeps(z):
    """Keep the argument."""
    try:
        KEPT.append(z)
        return z * 1.0
    finally:
        pass


def written_by_its_other_name(x, z):
    y = same(z)
    y[0] = 2.0
    return np.sum(x * z)


def written_through_a_view(x, z):
    y = end_of(z)
    y += 1.0
    return np.sum(x**2 * z)


def written_by_the_helper(x, z):
    y = writes(z)
    return np.sum(x * z) + np.sum(x * y)


def written_where_it_is_kept(x, z):
    y = keeps(z)
    KEPT[-1][0] = 9.0
    return np.sum(x * z * y)


def longer_by_its_other_name(x, z):
    rows = [z, z * 2]
    r = same(rows)
    r.append(z * 3)
    return np.sum(x * rows[-1]) * len(rows)


def a_dict_by_its_other_name(x, z):
    d = {"a": z}
    same(d)["a"] = z * 2
    return np.sum(x * d["a"])


def written_between_reads(x, z):
    y = same(z)
    w = y + 0
    t = np.sum(x * z)
    y[:] = 0.5
    return t + np.sum(x * z) + np.sum(x * w)


PROGRAMS = [
    *(written_by_its_other_name, written_through_a_view, written_by_the_helper),
    *(written_where_it_is_kept, longer_by_its_other_name, a_dict_by_its_other_name),
    written_between_reads,
]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_writes_are_seen(f):
    """What a helper gives may be what it was given, and is written like that."""
    gradient = grad(f, recorded="allow")
    z, h = X * 2 + 1, 1e-6
    units = np.eye(3) * h
    expected = [(f(X + e, z.copy()) - f(X - e, z.copy())) / (2 * h) for e in units]
    for _ in range(2):
        np.testing.assert_allclose(gradient(X, z.copy()), expected, rtol=1e-6)


def test_one_array_twice():
    """A helper that changes nothing may be given the array that is differentiated."""

    def program(x, z):
        return np.sum(np.cos(x)) + np.sum(tried(z))

    gradient = grad(program)
    np.testing.assert_allclose(gradient(X, X), -np.sin(X))
    assert "require_separate" not in source(gradient)
