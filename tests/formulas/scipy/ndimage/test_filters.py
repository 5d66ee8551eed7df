"""The formulas of SciPy's linear filters."""

import numpy as np
import pytest
from scipy import ndimage
from srcgrad.formulas import load

from srcgrad import grad, source
from srcgrad.errors import MissingFormulaError, UnsupportedSyntaxError
from srcgrad.runtime.images import (
    edges_transpose,
    filter_slopes,
    filter_transpose,
    gaussian_transpose,
    laplace_transpose,
    uniform_transpose,
)
from tests.formulas.checking import case, check_case, normal

load("scipy.ndimage")

MODES = ("reflect", "constant", "nearest", "mirror", "wrap")

CASES = [
    *(
        case(fn, normal(4, 5), normal(3, 2), mode=mode, cval=1.5)
        for fn in (ndimage.convolve, ndimage.correlate)
        for mode in (*MODES, "grid-mirror", "grid-constant", "grid-wrap")
    ),
    *(case(fn, normal(5), normal(3)) for fn in (ndimage.convolve, ndimage.correlate)),
    *(
        case(fn, normal(2, 3), normal(4, 5), origin=(1, -2))
        for fn in (ndimage.convolve, ndimage.correlate)
    ),
    *(
        case(fn, normal(4, 3), normal(n), axis=axis, mode=mode, cval=1.5, origin=origin)
        for fn in (ndimage.convolve1d, ndimage.correlate1d)
        for mode, n, axis, origin in zip(
            MODES, (3, 4, 5, 2, 7), (0, -1, 1, 0, 1), (0, 1, -1, 0, 2), strict=True
        )
    ),
    *(case(fn, normal(6), normal(3)) for fn in (ndimage.convolve1d, ndimage.correlate1d)),
    *(case(ndimage.gaussian_filter, normal(4, 5), 0.8, mode=mode, cval=1.5) for mode in MODES),
    case(ndimage.gaussian_filter, normal(6), 1.5),
    case(ndimage.gaussian_filter, normal(4, 5), (0.8, 0.0), order=(1, 0), mode=("wrap", "mirror")),
    case(ndimage.gaussian_filter, normal(4, 5), 0.8, order=1),
    case(ndimage.gaussian_filter, normal(4, 5), 0.8, truncate=2.0, mode="nearest"),
    case(ndimage.gaussian_filter, normal(4, 5), 0.8, radius=2, axes=0),
    case(ndimage.gaussian_filter, normal(2, 3, 4), 0.8, radius=(2, 1), axes=(0, 2), mode="mirror"),
    *(case(ndimage.gaussian_filter1d, normal(4, 5), 0.8, mode=mode, cval=1.5) for mode in MODES),
    case(ndimage.gaussian_filter1d, normal(4, 5), 0.8, axis=0, order=2, truncate=3.0),
    case(ndimage.gaussian_filter1d, normal(4, 5), 0.8, axis=0, radius=1),
    *(case(ndimage.uniform_filter, normal(4, 5), 3, mode=mode, cval=1.5) for mode in MODES),
    case(ndimage.uniform_filter, normal(4, 5)),
    case(ndimage.uniform_filter, normal(4, 5), (3, 5)),
    case(ndimage.uniform_filter, normal(4, 5), 4, origin=(1, -1), mode=("wrap", "nearest")),
    case(ndimage.uniform_filter, normal(4, 5), 2, axes=1),
    *(case(ndimage.uniform_filter1d, normal(4, 5), 3, mode=mode, cval=1.5) for mode in MODES),
    case(ndimage.uniform_filter1d, normal(4, 5), 4, axis=0, origin=-1),
    *(
        case(fn, normal(4, 5), axis=axis, mode=mode, cval=1.5)
        for fn in (ndimage.sobel, ndimage.prewitt)
        for axis, mode in zip((0, 1, -1, 0, 1), MODES, strict=True)
    ),
    *(case(fn, normal(5)) for fn in (ndimage.sobel, ndimage.prewitt, ndimage.laplace)),
    *(case(ndimage.laplace, normal(4, 5), mode=mode, cval=1.5) for mode in MODES),
    case(filter_transpose, normal(4, 5), normal(3, 2), mode="mirror", origin=(0, -1)),
    case(filter_transpose, normal(4, 5), normal(3, 2), turned=True),
    case(
        filter_slopes, normal(4, 5), normal(4, 5), np.ones((3, 2), int), cval=1.5, mode="constant"
    ),
    case(filter_slopes, normal(4, 5), normal(4, 5), np.ones((3, 2), int), turned=True),
    case(gaussian_transpose, normal(4, 5), 1, order=1, mode="nearest"),
    case(uniform_transpose, normal(4, 5), 2, mode="nearest"),
    case(edges_transpose, normal(4, 5), axis=0),
    case(edges_transpose, normal(4, 5), middle=1),
    case(laplace_transpose, normal(4, 5), mode="nearest"),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


def test_symmetric_filter_is_its_own_transpose():
    """Where it is, the filter itself stands in the backward part."""

    def smooth(x):
        return np.sum(ndimage.gaussian_filter(x, 1.5) ** 2)

    assert "x_bar = ndimage.gaussian_filter(" in source(grad(smooth))


def test_refused_options():
    """What has no formula is refused where it is asked for."""
    x = np.ones((4, 5))
    with pytest.raises(UnsupportedSyntaxError, match="sigma"):
        grad(lambda s: np.sum(ndimage.gaussian_filter(np.ones(4), s)))(1.0)
    with pytest.raises(UnsupportedSyntaxError, match="option output="):
        grad(lambda x: np.sum(ndimage.sobel(x, output=np.float32)))(x)
    with pytest.raises(MissingFormulaError, match="use scipy.ndimage.map_coordinates"):
        grad(lambda x: np.sum(ndimage.zoom(x, 2)))(x)
