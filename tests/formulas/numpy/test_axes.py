"""The pure functions of axes and shapes."""

import numpy as np
import pytest
from srcgrad.formulas.numpy.arrays import axes


def test_inverse_permutation():
    """A permutation and its inverse undo each other, negative axes included."""
    assert axes.inverse_permutation((1, 2, 0)) == (2, 0, 1)
    assert axes.inverse_permutation((-1, 0, 1)) == (1, 2, 0)


@pytest.mark.parametrize(
    ("axis", "rank", "expected"), [(0, 3, -3), (2, 3, -1), (-1, 3, -1), (-3, 3, -3)]
)
def test_from_the_end(axis, rank, expected):
    """An axis counted from the end is negative."""
    assert axes.from_the_end(axis, rank) == expected


def test_interleaved():
    """Lengths alternate; the shorter shape has ones in front."""
    assert axes.interleaved((2, 3), (4, 5)) == (2, 4, 3, 5)
    assert axes.interleaved((3,), (4, 5)) == (1, 4, 3, 5)


@pytest.mark.parametrize("width", [2, (2, 2), (0, 2), ((1, 2),), ((1, 2), (0, 3))])
def test_unpadded(width):
    """The index finds what was padded."""
    x = np.arange(6).reshape(2, 3)
    padded = np.pad(x, width)
    np.testing.assert_array_equal(padded[axes.unpadded(width, 2)], x)


@pytest.mark.parametrize(
    ("dtype", "expected"), [(float, True), (np.float32, True), (int, False), ("i8", False)]
)
def test_is_inexact(dtype, expected):
    """Real numbers are inexact, whole numbers are not."""
    assert axes.is_inexact(dtype) is expected


def test_negated():
    """A shift, or each of several, goes the other way."""
    assert axes.negated(2) == -2
    assert axes.negated((1, -2)) == (-1, 2)
