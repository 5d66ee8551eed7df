"""``np.r_``, ``np.c_`` and ``np.piecewise``."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp, source
from srcgrad.errors import SrcgradError

V = np.array([0.3, -0.4, 1.2, 0.9])
W = np.array([0.7, 0.1, -0.5, 2.0])


def row(v, w):
    """Joins vectors, a number and a range."""
    z = np.r_[v, 1.0, w[0], 0:3, w * v]
    return np.sum(z**3)


def columns(v, w):
    """Joins vectors as columns."""
    z = np.c_[v, 1:5, w * v]
    return np.sum(z @ z.T) + np.sum(np.r_[z, z] ** 2)


def overlapping(v, w):
    """Of two conditions that are true, the later one counts."""
    return np.sum(np.piecewise(v * w, [v > 0, v > 1], [np.cos, lambda t: t**3]))


def one_condition(v, w):
    """One condition, no list."""
    if w[0] > 0:
        v = np.piecewise(v, v > 0.5, [np.exp, -1])
    return np.sum(v * v)


RECORDED = [overlapping, one_condition]


@pytest.mark.parametrize("f", [row, columns, *RECORDED])
def test_pieces(f, monkeypatch):
    """The derivatives agree with differences, by text or recorded, and the value with NumPy's."""
    if f in RECORDED:
        with pytest.raises(SrcgradError):
            grad(f)(V, W)
        monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    check(f, V, W, wrt=(0, 1))
    value, slope = jvp(f, (V, W), (W, V))
    v_bar, w_bar = grad(f, (0, 1))(V, W)
    np.testing.assert_allclose(value, f(V, W))
    np.testing.assert_allclose(slope, np.sum(v_bar * W) + np.sum(w_bar * V))


def test_text():
    """They are written in words that can be differentiated."""
    gradient = grad(row)
    gradient(V, W)
    assert "np.arange(0, 3)" in source(gradient)


@pytest.mark.parametrize(
    "f",
    [
        lambda v: np.sum(np.r_["0,2", v, v]),
        lambda v: np.sum(np.r_[0.0 : v[0] : 3j]),
    ],
)
def test_refused(f):
    """Other forms are refused."""
    with pytest.raises(SrcgradError):
        grad(f)(V)


def test_active_range():
    """A range with an active end is refused in forward mode, too."""
    with pytest.raises(SrcgradError, match="this form of"):
        jvp(lambda v: np.r_[0.0 : v[0] : 3j], (V,), (W,))
