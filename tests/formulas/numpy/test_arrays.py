"""Calls of NumPy that are others, by what they are given."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.errors import UnsupportedSyntaxError
from tests.formulas.checking import normal
from tests.rotation import highest

load("numpy")

AT = np.array([0.0, 0.5, 0.7, 1.5])


def blocks(x, y):
    """A matrix of blocks."""
    z = np.block([[x, x @ y], [np.ones((1, 2)), y[:1]]])
    return np.sum(z**3 * np.arange(z.size).reshape(z.shape))


def row_of_blocks(x, y):
    """A row of blocks, and blocks in a list of one."""
    return np.sum(np.block([x, y, x]) ** 3) + np.sum(np.block([[x], [y]]) ** 2 * 3.0)


def slopes(x, y):
    """Slopes at given coordinates, along one axis."""
    first = np.gradient(np.ravel(x @ y), AT)
    return np.sum(first**2) + np.sum(np.gradient(x, AT[:2], axis=1) ** 3)


def labels(x, y):
    """Einstein sums with lists of labels."""
    z = np.einsum(x, [0, 1], y, [1, 2], [0, 2]) + np.einsum(x, [0, 1], [1, 0])
    return np.sum(z**2) + np.sum(np.einsum(x, [..., 1], y[0], [1]) ** 3)


def kept(x, y):
    """Rows that a mask keeps, sorted columns, and different entries in whatever order."""
    rows = x.compress(np.array([True, False]), axis=0)
    z = x * y
    z.sort(axis=0)
    return np.sum(rows**3) + np.sum(z**2 * y[:1]) + np.sum(np.unique_values(x * y) ** 3)


@pytest.mark.parametrize("f", [blocks, row_of_blocks, slopes, kept])
def test_derivatives(f):
    """They agree with differences."""
    for wrt in (0, 1):
        check(f, normal(2, 2), normal(2, 2) + 1, wrt=wrt, order=highest())


def test_recorded():
    """Lists of labels are recorded; letters are text."""
    with pytest.raises(UnsupportedSyntaxError, match="an active value as subscripts"):
        grad(labels)(normal(2, 2), normal(2, 2))
    for wrt in (0, 1):
        check(labels, normal(2, 2), normal(2, 2) + 1, wrt=wrt, order=2, recorded="allow")


def test_refused():
    """Blocks that do not fit raise what NumPy raises, and arrays of unknown parts are told."""
    with pytest.raises(ValueError, match="must match exactly"):
        grad(lambda x: np.sum(np.block([[x, 1.0]])))(normal(2, 2))
    with pytest.raises(UnsupportedSyntaxError, match=r"np\.hstack of an array"):
        grad(lambda x: np.sum(np.hstack(x)))(normal(2, 2))
