"""SciPy's special functions at extreme arguments, and what is refused of them."""

import numpy as np
import pytest
from scipy import special

from srcgrad import grad, source
from srcgrad.errors import UnsupportedSyntaxError


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (special.expit, 800.0, 0.0),
        (special.expit, -800.0, 0.0),
        (special.log_expit, -800.0, 1.0),
        (special.log_expit, 800.0, 0.0),
        (special.log_ndtr, -1e8, 1e8),
        (special.log_ndtr, 40.0, 0.0),
        (special.exprel, 0.0, 0.5),
        (special.spence, 1.0, -1.0),
        (special.j1, 0.0, 0.5),
        (special.i0e, 0.0, 0.0),
        (special.ellipk, 0.0, np.pi / 8),
        (special.ellipe, 0.0, -np.pi / 8),
        (special.erf, 50.0, 0.0),
        (special.xlog1py, 0.0, np.log1p(0.5)),
    ],
    ids=lambda p: getattr(p, "__name__", str(p)),
)
def test_slope(f, x, slope):
    """The slope is that of the function, without overflow or a gap."""

    def call(x):
        return f(x, 0.5) if f is special.xlog1py else f(x)

    assert float(grad(call)(x)) == pytest.approx(slope, rel=1e-7, abs=1e-300)


def test_logsumexp_of_far_numbers():
    """The slopes are weights, and that of minus infinity is 0."""
    x = np.array([1e3, 1e3, -1e3, -np.inf])
    np.testing.assert_allclose(grad(special.logsumexp)(x), [0.5, 0.5, 0.0, 0.0])
    np.testing.assert_allclose(grad(lambda x: special.log_softmax(x)[0])(x[:3]), [0.5, -0.5, 0.0])


def test_slope_in_an_order():
    """Where a formula knows no slope, an active value is refused, not given slope 0."""
    with pytest.raises(UnsupportedSyntaxError, match=r"an active value as v of .*jv"):
        grad(lambda v: special.jv(v, 1.5))(0.5)
    with pytest.raises(UnsupportedSyntaxError, match=r"an active value as a of .*gammainc"):
        grad(lambda x: special.gammainc(x, x))(0.5)


def test_source_names_the_module():
    """What the backward part calls has the name of its module."""

    def f(x):
        return special.jv(1.5, x)

    assert "special.jv(0.5, x) - special.jv(2.5, x)" in source(grad(f)).replace("1.5 - 1", "0.5")


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3)])
def test_shapes(shape):
    """Arrays without axes, without entries and with a single one keep their shape."""
    x = np.full(shape, 0.5)
    assert np.shape(grad(lambda x: np.sum(special.expit(x)))(x)) == shape
    assert np.shape(grad(lambda x: np.sum(special.betaln(x, 2.0)))(x)) == shape
