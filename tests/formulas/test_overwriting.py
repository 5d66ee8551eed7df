"""Copies of arrays in which some entries are others, and the writes that stand behind them."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, tape
from srcgrad.runtime import overwriting
from srcgrad.runtime.numpy import padding, variances
from tests.formulas.checking import case, formula_test, normal
from tests.rotation import highest

load("numpy")

ROWS = np.array([[0, 2], [3, 3], [1, 0]])
MASK = normal(3, 4) > 0
SOURCES = np.array([[0, -1, 2], [2, 1, -1]])

CASES = [
    case(overwriting.with_put, normal(3, 4), [0, -1, 5], normal(3)),
    case(overwriting.with_put, normal(3, 4), [1, 1, 14], normal(2), mode="wrap"),
    case(overwriting.with_put, normal(4), [0, 9], 0.5, mode="clip"),
    case(overwriting.with_put_along, normal(3, 4), ROWS, normal(3, 2), axis=1),
    case(overwriting.with_put_along, normal(3, 4), ROWS[:, :1], 0.7, axis=-1),
    case(overwriting.with_put_along, normal(3, 4), ROWS[:, 0], normal(3), axis=None),
    case(overwriting.with_placed, normal(3, 4), MASK, normal(2)),
    case(overwriting.with_masked, normal(3, 4), MASK, normal(3, 4)),
    case(overwriting.with_masked, normal(3, 4), MASK, normal(5)),
    case(overwriting.add_entries, normal(2, 3), SOURCES, normal(3)),
    case(overwriting.read_entries, normal(3), SOURCES),
    case(padding.odd_padding_transpose, normal(7), normal(4), (2, 1), mode="reflect"),
    case(padding.odd_padding_transpose, normal(6, 5), normal(4, 3), 1, mode="symmetric"),
    case(padding.pad_with_medians, normal(3, 4), normal(3, 4), 2),
    case(padding.pad_with_medians_transpose, normal(7, 8), normal(3, 4), 2, stat_length=2),
    *(
        case(fn, normal(3, 4), normal(3, 1), axis=1, **options)
        for fn in (variances.variance_about, variances.deviation_about)
        for options in ({}, {"ddof": 1}, {"keepdims": True}, {"correction": 0.5})
    ),
    case(variances.variance_about, normal(3, 4), normal(1, 1)),
    case(variances.deviation_about, normal(3, 4), normal(1, 4), axis=0, where=normal(3, 4) > -1),
]

test_formula = formula_test(CASES)


def put_along(x, v):
    """Write along an axis, twice."""
    z = x * x
    np.put_along_axis(z, ROWS, v[:3, None] * z[0, 0], axis=1)
    np.put_along_axis(z, ROWS[:1, :1], v[3], axis=0)
    return np.sum(z**3)


def put(x, v):
    """Write into places of the flattened array, by function and by method."""
    z = x.copy()
    np.put(z, [0, 5], v)
    z.put([1, 1], v[2:4])
    return np.sum(z**2) + z[0, 1]


def place(x, v):
    """Write where a mask is true, over and over."""
    z = x * 2
    np.place(z, MASK, v)
    return np.sum(z * z * x)


def putmask(x, v):
    """Write entries at the same places."""
    z = x * 2
    np.putmask(z, MASK, v)
    return np.sum(z * z * x)


def copyto(x, v):
    """Write where a mask is true, from an array."""
    z = x * 2
    np.copyto(z, v[:4], where=MASK)
    return np.sum(z * z * x)


WRITES = [put_along, put, place, putmask, copyto]


@pytest.mark.parametrize("f", WRITES)
def test_writes(f):
    """A write in a program has the derivatives of what it leaves behind."""
    x, v = normal(3, 4), normal(5)
    check(f, x, v, wrt=(0, 1), order=highest())
    expected = grad(f, (0, 1))(x, v)
    for found in (tape.grad(f, (0, 1))(x, v), grad(f, (0, 1))(np.asfortranarray(x), v)):
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12)
    slope = jvp(f, (x, v), (x + 1, v * v))[1]
    pairs = zip(expected, (x + 1, v * v), strict=True)
    np.testing.assert_allclose(slope, sum(np.sum(a * b) for a, b in pairs))
