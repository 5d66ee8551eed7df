"""The formulas of SciPy's Gaussian filters."""

import numpy as np
import pytest
from scipy import ndimage
from srcgrad.formulas import load

from srcgrad import check, grad, source
from srcgrad.runtime.scipy.ndimage.gaussians import (
    gaussian1d_beyond,
    gaussian_beyond,
    gaussian_slopes,
    gaussian_transpose,
)
from srcgrad.testing import check_orders
from tests.formulas.checking import case, formula_test, normal
from tests.rotation import highest, some_of

load("scipy.ndimage")

MODES = ("reflect", "constant", "nearest", "mirror", "wrap")
ALL_MODES = (*MODES, "grid-mirror", "grid-constant", "grid-wrap")
WIDTHS = np.array([0.8, 0.6])

CASES = [
    *(case(ndimage.gaussian_filter, normal(4, 5), 0.8, mode=mode, cval=1.5) for mode in ALL_MODES),
    case(ndimage.gaussian_filter, normal(6), 1.5),
    case(ndimage.gaussian_filter, normal(4, 5), WIDTHS, order=(1, 0), mode=("wrap", "mirror")),
    case(ndimage.gaussian_filter, normal(4, 5), WIDTHS, order=(1, 2), mode="constant", cval=1.5),
    *(case(ndimage.gaussian_filter, normal(4, 5), 0.8, order=order) for order in (1, 2, 3)),
    case(ndimage.gaussian_filter, normal(4, 5), 0.8, truncate=2.0, mode="nearest"),
    case(ndimage.gaussian_filter, normal(4, 5), 0.8, radius=2, axes=0),
    case(ndimage.gaussian_filter, normal(2, 3, 4), 0.8, radius=(2, 1), axes=(0, 2), mode="mirror"),
    case(ndimage.gaussian_filter, normal(2, 3, 4), WIDTHS, axes=(-1, 0), mode=("wrap", "nearest")),
    *(case(ndimage.gaussian_filter1d, normal(4, 5), 0.8, mode=mode, cval=1.5) for mode in MODES),
    case(ndimage.gaussian_filter1d, normal(4, 5), 0.8, axis=0, order=highest(), truncate=3.0),
    case(ndimage.gaussian_filter1d, normal(4, 5), 0.8, axis=0, radius=1),
    case(gaussian_beyond, normal(4, 5), 0.8, 1.5, mode="constant"),
    case(gaussian_beyond, normal(4, 5), WIDTHS, 1.5, mode=("constant", "wrap"), order=1),
    *(case(gaussian1d_beyond, normal(4, 5), 0.8, 1.5, mode=m, axis=0, order=1) for m in MODES[:2]),
    case(gaussian_slopes, normal(3, 4), 0.8, 1.5, mode="constant", order=1),
    case(gaussian_slopes, normal(3, 4), WIDTHS, times=2, axes=(1, 0)),
    case(gaussian_transpose, normal(4, 5), 1.0, order=1, mode="nearest"),
    case(gaussian_transpose, normal(2, 4, 5), WIDTHS, mode="mirror", times=1),
]

test_formula = formula_test(CASES, turns=3)


@pytest.mark.parametrize("sigma", [0.8, WIDTHS], ids=["number", "vector"])
def test_orders(sigma):
    """Second derivatives agree in all modes."""
    assert check_orders(ndimage.gaussian_filter, normal(4, 5), sigma, mode="nearest") == 2


def test_width():
    """The width and the value beyond the edges can be differentiated, also in a tuple."""

    def smooth(x, s, c):
        a = ndimage.gaussian_filter(x, (s, 2 * s), mode="constant", cval=c)
        return np.sum(a**2) + np.sum(ndimage.gaussian_filter(x, s * s, mode="wrap") ** 3)

    for wrt in some_of(0, 1, 2):
        check(smooth, normal(4, 5), 0.7, 0.3, wrt=wrt, order=highest())


def test_symmetric_filter_is_its_own_transpose():
    """Where it is, the filter itself stands in the backward part."""

    def smooth(x):
        return np.sum(ndimage.gaussian_filter(x, 1.5) ** 2)

    assert "x_bar = ndimage.gaussian_filter(" in source(grad(smooth))
