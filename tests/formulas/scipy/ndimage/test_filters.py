"""The formulas of SciPy's linear filters."""

import numpy as np
import pytest
from scipy import ndimage
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.errors import MissingFormulaError, UnsupportedSyntaxError
from srcgrad.runtime.scipy.ndimage.images import (
    convolve1d_beyond,
    convolve_beyond,
    correlate1d_beyond,
    correlate_beyond,
    edges_transpose,
    filter_slopes,
    filter_transpose,
    laplace_transpose,
    require_reals,
    uniform_transpose,
)
from tests.formulas.checking import case, formula_test, normal
from tests.rotation import highest, some_of

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
        case(fn, normal(4, 5), normal(n), axes=axes, mode=mode, origin=origin, cval=1.5)
        for fn in (ndimage.convolve, ndimage.correlate)
        for n, axes, mode, origin in ((2, (0,), "mirror", -1), (3, (-1,), "constant", 1))
    ),
    *(
        case(fn, normal(3, 4, 2), normal(2, 3), axes=axes, origin=(0, -1))
        for fn in (ndimage.convolve, ndimage.correlate)
        for axes in ((0, 1), (1, 0), (0, -1))
    ),
    *(
        case(fn, normal(4, 5), normal(3, 2), 1.5, mode=mode)
        for fn in (convolve_beyond, correlate_beyond)
        for mode in ("constant", "mirror")
    ),
    *(
        case(fn, normal(4, 5), normal(n), 1.5, axis=axis, mode=mode, origin=origin)
        for fn in (convolve1d_beyond, correlate1d_beyond)
        for n, axis, mode, origin in ((3, -1, "constant", 0), (2, 0, "mirror", -1))
    ),
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
    case(uniform_transpose, normal(4, 5), 2, mode="nearest"),
    case(require_reals, normal(4, 5)),
    case(edges_transpose, normal(4, 5), axis=0),
    case(edges_transpose, normal(4, 5), middle=1),
    case(laplace_transpose, normal(4, 5), mode="nearest"),
]

test_formula = formula_test(CASES, turns=2)


def test_value_beyond():
    """The value beyond the edges can be differentiated."""

    def smooth(x, w, c):
        a = ndimage.convolve(x, w, mode="constant", cval=c)
        b = ndimage.correlate(x, w, mode="constant", cval=c * c)
        return np.sum(a**2) + np.sum(b**3) + np.sum(ndimage.convolve(x, w, cval=c) ** 2)

    for wrt in some_of(0, 1, 2):
        check(smooth, normal(4, 5), normal(3, 2), 0.7, wrt=wrt, order=highest())


def test_value_beyond_ends():
    """So can that of filters along one axis."""

    def smooth(x, w, c):
        a = ndimage.convolve1d(x, w, mode="constant", cval=c)
        b = ndimage.correlate1d(x, w, 0, mode="constant", cval=c * c)
        bell = ndimage.gaussian_filter1d(x, 0.8, mode="constant", cval=c)
        return np.sum(a**2) + np.sum(b**3) + np.sum(bell**2)

    for wrt in some_of(0, 1, 2):
        check(smooth, normal(4, 5), normal(3), 0.7, wrt=wrt, order=highest())


@pytest.mark.parametrize("filtered", [ndimage.convolve, ndimage.correlate])
def test_whole_numbers(filtered):
    """SciPy rounds what it filters of whole numbers: there is no slope in the weights."""
    x, w = np.arange(5), normal(3)

    def smooth(w):
        return np.sum(filtered(x, w) * 1.0)

    np.testing.assert_array_equal(grad(smooth)(w), np.zeros(3))
    with pytest.raises(TypeError, match="astype"):
        filter_slopes(x, normal(5), w)


def test_refused_options():
    """What has no formula is refused where it is asked for."""
    x = np.ones((4, 5))
    with pytest.raises(UnsupportedSyntaxError, match="option output="):
        grad(lambda x: np.sum(ndimage.sobel(x, output=np.float32)))(x)
    with pytest.raises(MissingFormulaError, match=r"Use scipy\.ndimage\.map_coordinates"):
        grad(lambda x: np.sum(ndimage.zoom(x, 2)))(x)
