"""Derivatives of SciPy's equations with banded matrices."""

from __future__ import annotations

import numpy as np
from scipy import linalg

from srcgrad.registry import formula
from srcgrad.runtime.scipy.banded import banded_outer, banded_product, banded_transpose


@formula(linalg.solve_banded, of_complex=True, sequences="l_and_u", shaped_like=2)
def solve_banded(l_and_u, ab, b, *, check_finite=True):
    """z = the solution of a z = b, a banded matrix in diagonal ordered form.

    What ab holds outside of the matrix has slope 0.
    """
    z = linalg.solve_banded(l_and_u, ab, b, check_finite=check_finite)

    def backward(z_bar):
        lower, upper = l_and_u
        turned = banded_transpose(ab, lower, upper)
        b_bar = linalg.solve_banded((upper, lower), turned, z_bar)
        return None, -banded_outer(b_bar, z, lower, upper), b_bar

    return z, backward


@formula(linalg.solveh_banded, shaped_like=1)
def solveh_banded(ab, b, *, lower=False, check_finite=True):
    """z = the solution of a z = b, a symmetric matrix of which half of the diagonals are given.

    What ab holds outside of the matrix has slope 0. A diagonal beside the main one stands for
    two of the matrix.
    """
    z = linalg.solveh_banded(ab, b, lower=lower, check_finite=check_finite)

    def backward(z_bar):
        b_bar = linalg.solveh_banded(ab, z_bar, lower=lower)
        beside = ab.shape[0] - 1
        rows = np.arange(beside + 1)[:, None]
        if lower:
            both = banded_outer(b_bar, z, beside, 0) + banded_outer(z, b_bar, beside, 0)
            ab_bar = -np.where(rows == 0, both / 2, both)
        else:
            both = banded_outer(b_bar, z, 0, beside) + banded_outer(z, b_bar, 0, beside)
            ab_bar = -np.where(rows == beside, both / 2, both)
        return ab_bar, b_bar

    return z, backward


@formula(banded_transpose, linear="ab", of_complex=True)
def banded_transpose_(ab, lower, upper):
    """z = the form of the transposed matrix."""
    z = banded_transpose(ab, lower, upper)
    return z, lambda z_bar: (banded_transpose(z_bar, upper, lower), None, None)


@formula(banded_outer, linear="x y", of_complex=True)
def banded_outer_(x, y, lower, upper):
    """z = the diagonals of x y^T."""
    z = banded_outer(x, y, lower, upper)

    def backward(z_bar):
        x_bar = banded_product(z_bar, y, lower, upper)
        y_bar = banded_product(banded_transpose(z_bar, lower, upper), x, upper, lower)
        return x_bar, y_bar, None, None

    return z, backward


@formula(banded_product, linear="ab x", of_complex=True)
def banded_product_(ab, x, lower, upper):
    """z = the product of the matrix with x."""
    z = banded_product(ab, x, lower, upper)

    def backward(z_bar):
        ab_bar = banded_outer(z_bar, x, lower, upper)
        x_bar = banded_product(banded_transpose(ab, lower, upper), z_bar, upper, lower)
        return ab_bar, x_bar, None, None

    return z, backward
