"""The formulas of SciPy's interpolation of images."""

import numpy as np
import pytest
from scipy import ndimage
from srcgrad.formulas import load

from srcgrad import grad
from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.images import sample_places, sample_weights
from tests.formulas.checking import between, case, check_case, normal

load("scipy.ndimage")

MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-constant", "grid-wrap")
FAR = between(-9.0, 9.0, 2, 7)

CASES = [
    *(
        case(ndimage.map_coordinates, normal(3, 4), FAR, order=order, mode=mode, cval=1.5)
        for order in (0, 1)
        for mode in MODES
    ),
    case(ndimage.map_coordinates, normal(4), between(0.0, 3.0, 1, 5), order=1),
    case(ndimage.map_coordinates, normal(4), between(0.0, 3.0, 1, 2, 3), order=1),
    case(ndimage.map_coordinates, normal(3, 3, 3), between(0.0, 2.0, 3, 4), order=1),
    case(sample_weights, between(0.0, 2.0, 2, 3), (3, 3)),
    case(sample_weights, between(0.0, 2.0, 2, 3), (3, 3), times=1),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


@pytest.mark.parametrize("shape", [(5,), (4, 3), (1, 4)])
@pytest.mark.parametrize("mode", [*MODES, "grid-mirror"])
@pytest.mark.parametrize("order", [0, 1])
def test_corners(order, mode, shape):
    """The corners and their weights are those that SciPy reads, at the edges of cells too."""
    x, points = normal(*shape), between(-9.0, 9.0, len(shape), 60)
    points[:, ::3] = np.round(points[:, ::3])
    values = np.append(x.reshape(-1), 1.5)[sample_places(points, shape, mode, order)]
    found = np.sum(values * sample_weights(points, shape, mode), axis=0) if order else values[0]
    expected = ndimage.map_coordinates(x, points, order=order, mode=mode, cval=1.5)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_order():
    """Splines are refused, the default too."""
    with pytest.raises(MissingFormulaError, match="order=3; use order=1"):
        grad(lambda x: np.sum(ndimage.map_coordinates(x, FAR)))(normal(3, 4))
