"""The formulas of SciPy's interpolation of images."""

import numpy as np
import pytest
from scipy import ndimage
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.runtime.scipy.ndimage.samples import sample_slopes, samples_beyond, samples_transpose
from srcgrad.testing import check_orders
from tests.formulas.checking import between, case, formula_test, normal
from tests.rotation import highest, some_of

load("scipy.ndimage")

MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-constant", "grid-wrap")
ALL_MODES = (*MODES, "grid-mirror")
FAR = between(-9.0, 9.0, 2, 7)

CASES = [
    *(
        case(ndimage.map_coordinates, normal(3, 4), FAR, order=order, mode=mode, cval=1.5)
        for order in range(6)
        for mode in MODES
    ),
    *(
        case(ndimage.map_coordinates, normal(3, 4), FAR, order=order, mode=mode, prefilter=False)
        for order, mode in zip((2, 3, 4, 5, 3, 3, 2), MODES, strict=True)
    ),
    case(ndimage.map_coordinates, normal(4), between(0.0, 3.0, 1, 5)),
    case(ndimage.map_coordinates, normal(4), between(0.0, 3.0, 1, 5), order=1),
    case(ndimage.map_coordinates, normal(4), between(0.0, 3.0, 1, 2, 3), order=1),
    case(ndimage.map_coordinates, normal(3, 3, 3), between(0.0, 2.0, 3, 4), order=1),
    case(ndimage.map_coordinates, normal(3, 3, 3), between(0.0, 2.0, 3, 4), mode="mirror"),
    case(ndimage.map_coordinates, normal(40), between(-3.0, 42.0, 1, 9), order=5, mode="mirror"),
    case(ndimage.map_coordinates, normal(40), between(-3.0, 42.0, 1, 9), mode="reflect"),
    *(
        case(samples_beyond, normal(3, 4), FAR, 1.5, order=order, mode=mode)
        for order, mode in ((1, "constant"), (3, "grid-constant"), (3, "nearest"))
    ),
    case(sample_slopes, normal(3, 4), FAR, mode="reflect"),
    case(sample_slopes, normal(3, 4), FAR, 1.5, order=4, mode="grid-constant", times=2),
    case(samples_transpose, normal(7), normal(3, 4), FAR, mode="wrap"),
    case(samples_transpose, normal(2, 7), normal(3, 4), FAR, order=highest(), times=1),
]

test_formula = formula_test(CASES, turns=2)


@pytest.mark.parametrize("mode", ALL_MODES)
@pytest.mark.one_of(2)
def test_orders(mode):
    """Second derivatives agree in all modes."""
    assert check_orders(ndimage.map_coordinates, normal(3, 4), FAR, mode=mode, cval=1.5) == 2


@pytest.mark.parametrize("shape", [(1,), (2,), (5,), (14,), (40,), (4, 3), (1, 4)], ids=str)
@pytest.mark.parametrize("mode", ALL_MODES)
@pytest.mark.parametrize("order", range(6))
def test_samples(order, mode, shape):
    """What is read, and with which weights, is as in SciPy, at the edges of cells too."""
    rng = np.random.default_rng(0)
    x, points, z_bar = normal(*shape), between(-19.0, 49.0, len(shape), 60), rng.normal(size=60)
    points[:, ::3] = np.round(points[:, ::3])
    for prefilter in (True, False):
        options = {"order": order, "mode": mode, "prefilter": prefilter}
        found = sample_slopes(x, points, 1.5, times=0, **options)
        expected = ndimage.map_coordinates(x, points, cval=1.5, **options)
        np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)
        turned = np.sum(samples_transpose(z_bar, x, points, **options) * x)
        expected = np.sum(z_bar * ndimage.map_coordinates(x, points, **options))
        np.testing.assert_allclose(turned, expected, rtol=1e-10, atol=1e-10)


def test_value_beyond():
    """The value beyond the edges can be differentiated."""

    def read(x, points, c):
        a = ndimage.map_coordinates(x, points, cval=c)
        return np.sum(a**2) + np.sum(ndimage.map_coordinates(x, points, order=1, cval=2 * c) ** 3)

    for wrt in some_of(0, 1, 2):
        check(read, normal(3, 4), FAR, 0.7, wrt=wrt, order=highest())


def test_whole_numbers():
    """What SciPy reads of whole numbers is rounded: there is no slope in the coordinates."""
    x = np.arange(12).reshape(3, 4)
    with pytest.raises(TypeError, match="astype"):
        grad(lambda p: np.sum(ndimage.map_coordinates(x, p)))(FAR)
