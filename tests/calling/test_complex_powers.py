"""Powers of negative numbers of Python's, which are complex."""

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from srcgrad.errors import ResultError
from tests import finite_differences as fd


def size(s):
    """The absolute value of a power."""
    return abs((s - 5.0) ** 0.5)


def real_part(s):
    """The real part of a power, by a complex number."""
    return ((s - 5.0) ** 0.5 * (1 + 2j)).real


def exponent(s):
    """An exponent that is differentiated, of a negative number."""
    return abs((s - 5.0) ** s) + pow(-1.5, s).imag


@pytest.mark.parametrize("f", [size, real_part, exponent])
def test_derivatives(f):
    """They are those of differences."""
    expected = fd.gradient(f, (0.3,), 0)
    with np.errstate(invalid="ignore"):  # of logarithms that nobody keeps
        slope = grad(f, recorded="allow")(0.3)
        dot = jvp(f, (0.3,), (1.0,), recorded="allow")[1]
    np.testing.assert_allclose(slope, expected, rtol=1e-6)
    np.testing.assert_allclose(dot, expected, rtol=1e-6)


def test_stored_in_an_array():
    """The slope of an element is not stored in a real array without its imaginary part."""

    def f(x):
        return abs(float(x[0] - 5.0) ** 0.3)

    x = np.array([1.0, 2.0])
    expected = fd.gradient(f, (x,), 0)
    np.testing.assert_allclose(grad(f, recorded="allow")(x), expected, rtol=1e-6)
    with pytest.raises(ResultError, match="taken to be real"):
        vjp(f, x)[1](1.0)


def test_backward():
    """A backward function, which cannot begin again, raises an error."""
    with pytest.raises(ResultError, match="taken to be real"):
        vjp(size, 0.3)[1](1.0)


def test_numbers_of_numpy():
    """These have no complex powers, so that there is nothing to look at."""
    x = np.array([0.3, 0.7])
    slope = grad(lambda x: np.sum(x) ** 0.5 + x[0] ** 1.5, recorded="refuse")
    np.testing.assert_allclose(slope(x), [0.5 + 1.5 * 0.3**0.5, 0.5], rtol=1e-12)
