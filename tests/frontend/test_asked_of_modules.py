"""What a module has is known when code is generated, and looked up at each call."""

import types

import numpy as np
import pytest

from srcgrad import grad

settings = types.ModuleType("settings")


def area(x):
    """Integrate by a function whose name depends on NumPy's version."""
    return np.trapezoid(x) if hasattr(np, "trapezoid") else np.trapz(x)  # noqa: NPY201


def area_by_branch(x):
    """Do the same in a statement."""
    if hasattr(np, "no_such_function"):
        return np.no_such_function(x)
    return np.sum(x[1:] + x[:-1]) / 2


def scaled(x):
    """Read what a module may have or not."""
    scale = settings.scale if hasattr(settings, "scale") else 1.0
    return np.sum(x**2) * scale


@pytest.mark.parametrize("fn", [area, area_by_branch])
def test_names_of_versions(fn):
    """What is not there is not read, and the function has text."""
    if not hasattr(np, "trapezoid"):
        pytest.skip("NumPy 2 has the name")
    found = grad(fn, recorded="refuse")(np.array([1.0, 2.0, 4.0]))
    np.testing.assert_array_equal(found, [0.5, 1.0, 0.5])


def test_what_comes_and_goes():
    """A name that appears, changes, goes, or is answered for is seen at the next call."""
    gradient = grad(scaled, recorded="allow")
    x = np.ones(2)
    np.testing.assert_array_equal(gradient(x), [2.0, 2.0])
    settings.scale = 3.0
    np.testing.assert_array_equal(gradient(x), [6.0, 6.0])
    del settings.scale
    np.testing.assert_array_equal(gradient(x), [2.0, 2.0])
    settings.__getattr__ = lambda name: 7.0
    np.testing.assert_array_equal(gradient(x), [14.0, 14.0])
    del settings.__getattr__
