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


def by_order(f, x, order):
    """Return a derivative of some order at a number."""
    for _ in range(order):
        f = grad(f)
    return float(f(x))


# function, place, and its first and second derivative there (None: not finite)
DEGENERATE = {
    "rgamma at a pole": (lambda x: special.rgamma(x), -2.0, 2.0, -3.691137350635794),
    "rgamma at 0": (lambda x: special.rgamma(x), 0.0, 1.0, 2 * np.euler_gamma),
    "rgamma of -30": (lambda x: special.rgamma(x), -30.0, 2.6525285981219103e32, None),
    "poch at a pole": (lambda x: special.poch(x, 0.5), 0.0, 1.7724538509055159, None),
    "poch at poles of both": (lambda x: special.poch(x, 2.0), -3.0, -5.0, 2.0),
    "poch of a large number": (lambda x: special.poch(x, 0.5), 1e18, 5e-10, None),
    "binom at a pole": (lambda k: special.binom(4.5, k), -2.0, -1 / 35.75, None),
    "binom of a large number": (lambda n: special.binom(n, 2.0), 1e10, 1e10, 1.0),
    "comb outside": (lambda k: special.comb(4.0, k), -3.0, 0.0, 0.0),
    "factorial below 0": (lambda x: special.factorial(x), -3.0, 0.0, 0.0),
    "betaln of a large number": (lambda x: special.betaln(x, 0.7), 1e17, -7e-18, None),
    "berp at 0": (lambda x: special.berp(x), 0.0, 0.0, 0.0),
    "beip at 0": (lambda x: special.beip(x), 0.0, 0.5, 0.0),
    "it2struve0 at 0": (lambda x: special.it2struve0(x), 0.0, -2 / np.pi, 0.0),
    "spherical_jn at 0": (
        lambda x: special.spherical_jn(1, x, derivative=True), 0.0, 0.0, -1 / 5
    ),
    "spherical_in at 0": (
        lambda x: special.spherical_in(0, x, derivative=True), 0.0, 1 / 3, 0.0
    ),
    "eval_jacobi of degree 0": (lambda x: special.eval_jacobi(0, 1.5, 0.5, x), 0.3, 0.0, 0.0),
    "eval_sh_jacobi of degree 0": (lambda x: special.eval_sh_jacobi(0, 2, 1, x), 0.3, 0.0, 0.0),
    "gammainc at 0": (lambda x: special.gammainc(2.0, x), 0.0, 0.0, 1.0),
    "pdtr at 0": (lambda x: special.pdtr(1, x), 0.0, 0.0, -1.0),
    "erfcx far out": (
        lambda x: special.erfcx(x), 1e8, -5.641895835477562e-17, 1.1283791670955125e-24
    ),
    "dawsn far out": (lambda x: special.dawsn(x), 1e8, -5e-17, 1e-24),
    "wofz far out": (
        lambda x: np.imag(special.wofz(x)), 1e8, -5.641895835477562e-17, 1.1283791670955125e-24
    ),
    "voigt_profile far out": (
        lambda x: special.voigt_profile(x, 0.7, 0.5), 1e8, -3.183098861837907e-25, None
    ),
    "fresnel far out": (lambda x: special.fresnel(x)[1], 1e8, 1.0, 0.0),
    "log_ndtr far out": (lambda x: special.log_ndtr(x), -1e8, 1e8, -1.0),
    "diric at 0": (lambda x: special.diric(x, 3), 0.0, 0.0, -2 / 3),
    "diric at 2 pi": (lambda x: special.diric(x, 4), 2 * np.pi, 0.0, 5 / 4),
    "spence at 1": (lambda x: special.spence(x), 1.0, -1.0, 0.5),
    "shichi at 0": (lambda x: special.shichi(x)[0], 0.0, 1.0, 0.0),
    "sici at 0": (lambda x: special.sici(x)[0], 0.0, 1.0, 0.0),
    "it2j0y0 near 0": (lambda x: special.it2j0y0(x)[0], 1e-9, 2.5e-10, 0.25),
    "it2i0k0 near 0": (lambda x: special.it2i0k0(x)[0], 1e-9, 2.5e-10, 0.25),
    "iti0k0 at -1": (lambda x: special.iti0k0(x)[0], -1.0, special.i0(1.0), -special.i1(1.0)),
    "airy far out": (lambda x: special.airy(x)[0], 800.0, 0.0, 0.0),
    "airye below 0": (
        lambda x: special.airye(x)[2], -1.0, special.airy(-1.0)[3], -special.airy(-1.0)[2]
    ),
    "ellipj at m = 0": (
        lambda m: special.ellipj(0.8, m)[0], 0.0,
        -0.25 * (0.8 - np.sin(0.8) * np.cos(0.8)) * np.cos(0.8), None
    ),
    "ellipj at m = 1": (
        lambda m: special.ellipj(0.8, m)[0], 1.0,
        -0.25 * (np.sinh(0.8) * np.cosh(0.8) - 0.8) / np.cosh(0.8) ** 2, None
    ),
    "ellipj near m = 1": (
        lambda m: special.ellipj(0.01, m)[0], 1 - 1e-8, -1.66653334142803e-07, None
    ),
    "ellipkinc at m = 1": (
        lambda m: special.ellipkinc(0.5, m), 1.0,
        (np.sin(0.5) / np.cos(0.5) ** 2 - np.arctanh(np.sin(0.5))) / 4, None
    ),
    "ellipkinc at m = 0": (
        lambda m: special.ellipkinc(2.0, m), 0.0, 0.5 * (1.0 - np.sin(4.0) / 4),
        0.75 * (0.75 - np.sin(4.0) / 4 + np.sin(8.0) / 32),
    ),
    "tklmbda at lmbda = 0": (
        lambda v: special.tklmbda(0.5, v), 0.0,
        -0.5 * special.expit(0.5) * special.expit(-0.5)
        * (np.log(special.expit(0.5)) ** 2 - np.log(special.expit(-0.5)) ** 2), None
    ),
    "tklmbda outside": (lambda x: special.tklmbda(x, 0.7), 9.0, 0.0, 0.0),
    "expit of 800": (lambda x: special.expit(x), 800.0, 0.0, 0.0),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("what", DEGENERATE)
@pytest.mark.one_of(2)
def test_degenerate(what):
    """Derivatives are right at poles, at 0, and where a difference would lose all digits."""
    f, x, slope, curvature = DEGENERATE[what]
    assert by_order(f, x, 1) == pytest.approx(slope, rel=1e-7, abs=1e-14 * abs(slope))
    if curvature is not None:
        assert by_order(f, x, 2) == pytest.approx(curvature, rel=1e-6, abs=1e-12 * (x == 0))


def test_logsumexp_of_far_numbers():
    """The slopes are weights, and that of minus infinity is 0."""
    x = np.array([1e3, 1e3, -1e3, -np.inf])
    np.testing.assert_allclose(grad(special.logsumexp)(x), [0.5, 0.5, 0.0, 0.0])
    np.testing.assert_allclose(grad(lambda x: special.log_softmax(x)[0])(x[:3]), [0.5, -0.5, 0.0])


def test_slope_in_an_order():
    """Where a formula knows no slope, an active value is refused, not given slope 0."""
    with pytest.raises(UnsupportedSyntaxError, match=r"an active value as v of .*jv"):
        grad(lambda v: special.jv(v, 1.5))(0.5)
    with pytest.raises(UnsupportedSyntaxError, match=r"an active value as a of .*betainc"):
        grad(lambda x: special.betainc(x, x, x))(0.5)


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
