"""What ``np.where`` chooses: both sides in one choice, and no guard where it is chosen anyway."""

import numpy as np
import pytest

from srcgrad import check, grad, source

X = np.array([0.3, -0.7, 1.1, 0.0])
W = np.array([0.5, 0.2, -0.4, 1.5])


def text_of(f, *args, wrt=0):
    """The text of a gradient."""
    return source(f, args=args, wrt=wrt).rpartition("    # ")[2]


def test_both_sides_are_one_choice():
    """``np.where(c, x, 0) + np.where(c, 0, y)`` is ``np.where(c, x, y)``."""

    def f(x):
        return np.sum(np.where(x > 0.2, x**2, 0.5 * x))

    assert "x_bar = np.where(cond, 2 * x, 0.5)\n" in text_of(f, X)
    check(f, X, order=2)
    single = grad(f)(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, np.where(X > 0.2, 2 * X, 0.5), rtol=1e-6)


def test_what_is_read_on_both_sides_is_read():
    """No regular numbers stand in for entries of an array that all are read."""

    def f(w, x):
        h = np.tanh(x * w)
        e = np.exp(-(h**2)) * np.sin(h) + 1
        return np.sum(np.where(e > 1.1, e**2, 0.5 * e))

    assert "isfinite" not in text_of(f, W, X)
    check(f, W, X, wrt=(0, 1), order=2)


@pytest.mark.filterwarnings("error")
def test_guards_stay_where_one_side_is_read():
    """Entries that nothing reads give no nan, and no warning that the function does not give."""

    def root(x):
        return np.sum(np.where(x > 0, np.sqrt(np.abs(x)), 0.0))

    def ratio(x, w):
        return np.sum(np.where(x != 0, w / np.where(x == 0, 1.0, x), x))

    found = grad(root)(X)
    np.testing.assert_allclose(found[[0, 2]], 0.5 / np.sqrt(X[[0, 2]]))
    assert found[1] == found[3] == 0
    check(ratio, X, W, wrt=1)

    def other_condition(x, w):
        r = np.sqrt(np.abs(x))
        return np.sum(np.where(x > 0, r, 0.0) * w) + np.sum(np.where(w > 0, 0.0, r))

    bar = grad(other_condition)(X, W)
    assert np.all(np.isfinite(bar))
    assert bar[3] == 0


def test_choices_in_loops_whose_arrays_differ():
    """What an iteration leaves has a cotangent of its shape: layers of any width, one choice."""

    def leaky(ws, x):
        h = x
        for w in ws:
            z = h @ w
            h = np.where(z > 0, z, 0.1 * z)
        return np.sum(h**2)

    rng = np.random.default_rng(3)
    ws = [rng.normal(size=shape) for shape in ((4, 3), (3, 5), (5, 2))]
    x = rng.normal(size=(6, 4))
    assert "z_bar = np.where(cond, h_bar, 0.1 * h_bar)\n" in source(leaky, args=(ws, x))
    check(leaky, ws, x, wrt=(0, 1))
    check(leaky, ws, x[0], wrt=(0, 1))
    check(leaky, ws[:1], x, wrt=(0, 1))
    check(leaky, [], x, wrt=1)
