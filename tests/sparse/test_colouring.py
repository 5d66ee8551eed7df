"""Colourings are those that products can be told apart by."""

import numpy as np
import pytest
from scipy import sparse

from srcgrad.sparse.colouring import column_colours, star_colours


def patterns(square):
    """Random matrices of truth values, of all sizes and densities."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, columns = rng.integers(1, 12, size=2)
        yield rng.random((rows, rows if square else columns)) < rng.random()


def test_columns_of_a_colour_share_no_row():
    """And as many colours are used as the numbers say."""
    for matrix in patterns(square=False):
        colours = column_colours(sparse.csc_array(matrix))
        for colour in range(colours.max() + 1):
            assert (matrix[:, colours == colour].sum(axis=1) <= 1).all()
        assert colours.max() + 1 == len(set(colours.tolist()))


def test_each_entry_is_alone_in_its_row_or_its_column():
    """That is what a star colouring is for."""
    for matrix in patterns(square=True):
        matrix = matrix | matrix.T
        colours = star_colours(sparse.csr_array(matrix))
        for i, j in zip(*np.nonzero(matrix), strict=True):
            in_row = matrix[i] & (colours == colours[j])
            in_column = matrix[:, j] & (colours == colours[i])
            assert in_row.sum() == 1 or in_column.sum() == 1


@pytest.mark.parametrize("n", [10, 17])
def test_a_grid(n):
    """Five points a row take few more colours than five, and an arrow two."""
    line = sparse.diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1])
    cross = sparse.kron(line, sparse.eye_array(n)) + sparse.kron(sparse.eye_array(n), line)
    assert column_colours(sparse.csc_array(cross)).max() < 8
    assert star_colours(sparse.csr_array(cross)).max() < 6
