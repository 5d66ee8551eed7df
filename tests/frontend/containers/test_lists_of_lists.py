"""Lists of lists whose inner lists are read in several places: their cotangents add up by part."""

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from tests.finite_differences import directional

X = np.array([0.5, 0.8])
PLACES = [(0, 1), (1, 0), (0, 0), (0, 1)]


def powers(a, n):
    out = [a]
    for _ in range(n):
        out.append(out[-1] * a)
    return out


def pairs(a, n):
    return [(a * k, np.sin(a)) for k in range(n)]


def total(rows):
    s = 0.0
    for q in rows:
        s = s + q * q
    return s


def by_places(x):
    t = [powers(v, 2) for v in x]
    s = 1.0
    for i, j in PLACES:
        s = s + s * t[i][j]
    return s


def by_rows(x):
    t = []
    for v in x:
        t.append(powers(v, 2))
    s = 0.0
    for row in [(0, 1), (2, 2), (1, 0)]:
        like = 1.0
        for r, k in zip(t, row, strict=True):
            like = like * r[k]
        s += like
    return s


def given_to_calls(x):
    t = [powers(v, 2) for v in x]
    s = 1.0
    for _ in range(2):
        for r in t:
            s = s * total(r) + t[0][1]
    return s


def replaced(x):
    t = [powers(v, 2) for v in x]
    t[0] = powers(x[0] * x[1], 2)
    s = 0.0
    for i, j in PLACES:
        s = s + t[i][j] * t[0][2]
    return s


def of_pairs(x):
    t = [pairs(v, 3) for v in x]
    s = 1.0
    for i, j in PLACES:
        r = t[i]
        s = s + r[j][0] * r[0][1]
    return s


def pairs_read_twice(x):
    rows = [(v, v * v) for v in x]
    s = 1.0
    for _ in range(2):
        for a, b in rows:
            s = s + s * a * b
    return s + rows[0][1]


def extended(row, v):
    row.append(v)


def longer_behind_a_read(x):
    t = [[u * v for v in x] for u in x]
    s = t[1][1]
    t[1].append(x[1])
    return s


def longer_behind_a_loop(x):
    t = [[u * v for v in x] for u in x]
    doubled = [[2 * q for q in p] for p in t]
    t[1].append(x[1])
    return doubled[0][1] * t[1][2]


def made_longer_by_a_call(x):
    t = [[u * v for v in x] for u in x]
    s = t[1][1]
    extended(t[1], x[0])
    return s * t[1][2]


CHANGED = [longer_behind_a_read, longer_behind_a_loop, made_longer_by_a_call]


@pytest.mark.one_of(2)
@pytest.mark.parametrize(
    "f", [by_places, by_rows, given_to_calls, replaced, of_pairs, pairs_read_twice, *CHANGED]
)
def test_all_that_is_read_counts(f):
    """First and second derivatives, in both modes."""
    unit = np.array([1.0, -0.7])
    wanted = directional(f, (X,), {0: unit})[0]
    allow = {"recorded": "allow"}
    np.testing.assert_allclose(grad(f, **allow)(X) @ unit, wanted, rtol=1e-7)
    np.testing.assert_allclose(vjp(f, X, **allow)[1](1.0) @ unit, wanted, rtol=1e-7)
    np.testing.assert_allclose(jvp(f, (X,), (unit,), **allow)[1], wanted, rtol=1e-7)
    slope = grad(f, **allow)
    along = (slope(X + 1e-5 * unit) - slope(X - 1e-5 * unit)) / 2e-5
    _, dot = jvp(lambda z: grad(f, **allow)(z), (X,), (unit,), **allow)
    np.testing.assert_allclose(dot, along, rtol=1e-6)
    second = grad(lambda z: np.sum(unit * grad(f, **allow)(z)), **allow)(X)
    np.testing.assert_allclose(second, along, rtol=1e-6)
