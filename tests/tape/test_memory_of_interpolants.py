"""Objects of SciPy's that are made of arrays, and these are written to afterwards."""

import numpy as np
import pytest
from scipy import interpolate, spatial

from srcgrad import tape
from tests import finite_differences as fd

SITES = np.array([[0, 0], [1, 0], [0, 1], [1, 1.1], [0.5, 0.2], [0.3, 0.8]])
HEIGHTS = np.array([1, 2, 3, 5.0, 2, 1.5])
SPOTS = np.array([[0.15, 0.21], [0.3, 0.12], [0.35, 0.35]])
TICKS = np.linspace(0.0, 2.0, 6)
LINES = (np.arange(4.0), np.arange(5.0))
MAKERS = {
    "linear": (interpolate.LinearNDInterpolator, lambda made: made(SPOTS)),
    "nearest": (interpolate.NearestNDInterpolator, lambda made: made(SPOTS)),
    "radial": (interpolate.RBFInterpolator, lambda made: made(SPOTS)),
    "tree": (lambda sites, _: spatial.KDTree(sites), lambda made: made.query(SPOTS, k=2)[0]),
    "hull": (lambda sites, _: spatial.ConvexHull(sites), lambda made: made.volume + made.points),
    "fitpack": (
        lambda _, heights: interpolate.splrep(TICKS, heights),
        lambda made: interpolate.splev(0.5, made),
    ),
    "smooth": (
        lambda _, heights: interpolate.make_smoothing_spline(TICKS, heights, lam=0.1),
        lambda made: made(0.5),
    ),
}


def check(f):
    """Compare value and gradient with those of the program."""
    x = np.array([0.9, 1.2])
    value, back = tape.vjp(f, x)
    np.testing.assert_allclose(value, f(x), rtol=1e-12)
    np.testing.assert_allclose(back(1.0), fd.gradient(f, (x,), 0), rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("written", ["sites", "heights"])
def test_written_behind(name, written):
    """What is read later, and what was copied, is as SciPy has it."""
    make, read = MAKERS[name]

    def f(x):
        sites, heights = SITES * x[0], HEIGHTS * x[1]
        made = make(sites, heights)
        if written == "sites":
            sites[0] = sites[0] + 0.05 * x[0]
        else:
            heights[:] = 7.0 * x[0]
        return np.sum(read(made) ** 2)

    check(f)


def test_written_between_two_calls():
    """Where points are is looked up at the first call."""

    def f(x):
        sites = SITES * x[0]
        made = interpolate.LinearNDInterpolator(sites, HEIGHTS * x[1])
        first = np.sum(made(SPOTS))
        sites[1] = sites[1] * 1.3
        return first * np.sum(made(SPOTS))

    check(f)


def test_grid_of_splines():
    """Values on a grid are copied; the splines are those of the values before."""

    def f(x):
        values = np.arange(20.0).reshape(4, 5) ** 1.2 * x[0]
        made = interpolate.RegularGridInterpolator(LINES, values, method="cubic")
        values[:] = 3.0 * x[1]
        return np.sum(made(np.array([[0.5, 0.7]])) ** 2)

    check(f)
