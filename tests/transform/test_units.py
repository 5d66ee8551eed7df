"""Jacobians of loops that read one entry of an argument in each iteration."""

import numpy as np
import pytest

from srcgrad import jacfwd, jacrev, source

RNG = np.random.default_rng(0)
A, V = RNG.normal(size=(3, 3)), RNG.normal(size=3)


def turning(x, a, v):
    """A matrix and a vector that are handed on, and rows that are filled."""
    m, u = np.eye(3), np.zeros(3)
    out = np.zeros((x.shape[0], 3))
    for k in range(x.shape[0]):
        m = m @ (a + np.sin(x[k]) * np.outer(v, v))
        u = u + m @ v
        out[k] = m @ u + u
    return out


def numbers(x, a, v):
    """Numbers, and what is added to one direction."""
    s, row = 1.0, np.zeros(x.shape[0])
    for k in range(x.shape[0]):
        s = s * x[k] + x[k]
        row[k] = s
        row[k] += x[k] ** 2
    return row * s


def entries(x, a, v):
    """What depends on one entry is written, over what was there, and added."""
    out = np.zeros((x.shape[0], 3))
    u = v.copy()
    for k in range(1, x.shape[0]):
        u = u - x[k] * v
        out[k - 1] = u
        out[:, 1] = x[k]
        out[k] += x[k] * v
        out[k, 0] = 2 * x[k]
    return out + u


def opposite(x, a, v):
    """Signs, and views that one direction is added to."""
    m, u = a, v
    for k in range(x.shape[0]):
        m = m.T + x[k] * a
        u = x[k] * v - u
    return np.concatenate((m.ravel(), u))


def kept_apart(x, a, v):
    """What is handed on as another one's, and read again as it was."""
    u, w, out = v, 2 * v, np.zeros((x.shape[0], 3))
    for k in range(x.shape[0]):
        before = out[k]
        out[k] = u * x[k]
        u, w = w, u + x[k] * before + x[k]
    return out + u - w


def others(x, a, v):
    """Loops that read other entries, go backwards, or branch."""
    u, w = v, v
    for k in range(1, x.shape[0]):
        u = u * x[k - 1] + x[k]
    for k in range(x.shape[0] - 1, -1, -1):
        w = w * x[k]
    for k in range(x.shape[0]):
        if x[k] > 0:
            u = u + x[k] * w
    for k in range(x.shape[0]):
        for j in range(2):
            u = u + np.cos(x[k]) * w * j
    return u


def from_outside(x, a, v):
    """What depends on all entries comes in."""
    u = np.sum(x**2) * v
    for k in range(x.shape[0]):
        u = u + x[k] * u
    return u


def few_steps(x, a, v):
    """Directions that never begin."""
    u, out = np.zeros(3), np.zeros((x.shape[0], 3))
    for k in range(x.shape[0] - 2):
        u = u * x[k] + x[k] * v
        out[k] = u
    return out


SEVERAL = [turning, numbers, entries, opposite]
ALL = [*SEVERAL, kept_apart, others, from_outside, few_steps]


@pytest.mark.parametrize("f", ALL)
def test_columns_are_those_of_reverse_mode(f):
    """For several lengths, called twice."""
    columns, rows = jacfwd(f), jacrev(f)
    for n in (4, 2, 5, 4):
        x = RNG.normal(size=n)
        made = columns(x, A, V)
        assert made.shape == (*f(x, A, V).shape, n)
        np.testing.assert_allclose(made, rows(x, A, V), rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(made, columns(x, A, V))


@pytest.mark.parametrize("f", [*SEVERAL, few_steps])
def test_directions_begin_one_after_the_other(f):
    """The lines of the loop are about those that have begun."""
    columns = jacfwd(f)
    columns(RNG.normal(size=4), A, V)
    assert "[:stop" in source(columns)


def test_too_many_directions_for_one_sweep(monkeypatch):
    """Some of the units at a time are taken along by other code."""
    import srcgrad.calling.columns.directions as directions

    monkeypatch.setattr(directions, "_TOGETHER", 18)
    x = RNG.normal(size=5)
    columns = jacfwd(turning)
    for _ in range(2):
        made = columns(x, A, V)
        np.testing.assert_allclose(made, jacrev(turning)(x, A, V), rtol=1e-10)
