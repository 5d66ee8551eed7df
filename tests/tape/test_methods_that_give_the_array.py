"""Methods of arrays that give the array itself, a view of it, or a copy: writes show which."""

import numpy as np
import pytest

from srcgrad import grad, tape
from srcgrad.errors import SrcgradError

X = np.array([0.7, 1.3, 0.4, -0.6])


def _gives_an_array(name):
    try:
        made = getattr(X.copy(), name)()
    except (TypeError, ValueError):
        return False
    return isinstance(made, np.ndarray) and made.dtype == X.dtype and made.size == X.size


METHODS = [
    name
    for name in dir(np.ndarray)
    if callable(getattr(np.ndarray, name))
    and name != "byteswap"
    and not name.startswith("__")
    and _gives_an_array(name)
]


@pytest.mark.parametrize("name", METHODS)
def test_what_a_write_changes(name):
    """A write into what the method gave is seen where NumPy sees it, and the other way round."""

    def into_what_was_given(x):
        v = x * 1.5
        y = getattr(v, name)()
        y[0] = x[1] ** 2
        return np.sum(v**2) + np.sum(y**3)

    def into_the_array(x):
        v = x * 1.5
        y = getattr(v, name)()
        v[0] = x[1] ** 2
        return np.sum(v**2) + np.sum(y**3)

    for f in (into_what_was_given, into_the_array):
        steps = 1e-6 * np.eye(4)
        expected = [(f(X + e) - f(X - e)) / 2e-6 for e in steps]
        for made in (tape.grad(f), grad(f, recorded="allow")):
            try:
                found = made(X.copy())
            except SrcgradError:
                continue
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_the_array_itself_is_among_them():
    """The conjugate of real numbers is the array, and is no copy of it."""
    v = X.copy()
    assert v.conj() is v
    assert {"conj", "conjugate", "copy", "ravel", "view"} <= set(METHODS)


NAMES = sorted(n for n in {*dir(float), *dir(complex)} if not n.startswith("_") and n != "fromhex")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("x", [0.7, np.float64(0.7), 0.7 + 0.2j], ids=["float", "numpy", "complex"])
def test_of_numbers(name, x):
    """Methods of numbers give what Python's give, or are refused."""
    if not callable(getattr(x, name, None)):
        return
    try:
        value, _ = tape.vjp(lambda z: (getattr(z, name)(), z * 2), x)
    except SrcgradError:
        return
    assert value[0] == getattr(x, name)()
