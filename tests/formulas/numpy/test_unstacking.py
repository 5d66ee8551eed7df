"""Taking an array apart: its parts are a list whose length is not known."""

import numpy as np
import pytest

from srcgrad import check, grad
from tests.rotation import highest

pytestmark = pytest.mark.skipif(not hasattr(np, "unstack"), reason="NumPy 2.0 has no np.unstack")
X = np.random.default_rng(3).normal(size=(3, 2))


def unpacked(x):
    """Names for the parts."""
    a, b, c = np.unstack(x)
    return np.sum(a * b**2) + np.sum(c * a)


def walked(x):
    """A loop over the parts along the second axis."""
    parts = np.unstack(x, axis=1)
    total = 0.0
    for part in parts:
        total = total + np.sum(part**3) * part[0]
    return total + np.sum(parts[0] * parts[1])


def last(x):
    """Parts along the last axis."""
    return np.prod(np.unstack(x, axis=-1)[1])


@pytest.mark.parametrize("f", [unpacked, walked, last])
def test_unstack(f):
    """The derivative agrees with differences, to second order."""
    check(f, X, order=highest())


def test_unstack_of_other_arrays():
    """An array that nothing active is in is taken apart as it is."""
    x_bar = grad(lambda x: sum(part @ x for part in np.unstack(X)))(np.ones(2))
    np.testing.assert_allclose(x_bar, X.sum(axis=0))
