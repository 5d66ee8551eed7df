"""What stands for functions of SciPy's gives what they give, with all their options."""

from itertools import product

import numpy as np
import pytest
from scipy import interpolate, linalg, signal, stats

from srcgrad import tape, vjp

pytestmark = pytest.mark.filterwarnings("ignore")

RNG = np.random.default_rng(1)
X = np.sort(RNG.uniform(0, 2, 9))
Y = np.sin(3 * X)
BOTH = np.stack([Y, 2 * Y])
Q = np.array([-0.5, 0.3, 0.9, 1.55, 2.6])
A, B, B2 = RNG.normal(size=(7, 3)), RNG.normal(size=7), RNG.normal(size=(7, 2))
Z, WIDE, IMAGE = RNG.normal(size=40), RNG.normal(size=(4, 10)), RNG.normal(size=(6, 7))
DATA, DATA2, WEIGHTS = RNG.normal(size=6), RNG.normal(size=(2, 6)), RNG.uniform(size=6)
CUBE, PLACES = RNG.normal(size=(3, 4, 5)), RNG.uniform(0, 2, (4, 3))
TICKS = np.arange(3.0), np.arange(4.0)[::-1], np.arange(5.0)


def fitted(ext, k):
    """Splines of FITPACK through all values."""

    def made(y):
        return interpolate.InterpolatedUnivariateSpline(X, y, k=k, ext=ext)

    def f(y):
        found = [made(y)(Q), made(y)(0.7), made(y)(Q[1:].reshape(2, 2)), made(y)(Q, 1)]
        found += [made(y).derivative()(Q), made(y).antiderivative()(Q), made(y).derivatives(0.7)]
        found += [made(y).integral(-0.3, 2.5), made(y).integral(1.3, 0.5), made(y).get_coeffs()]
        return [*found, interpolate.UnivariateSpline(X, y, k=k, s=0, ext=ext)(Q)]

    return f, Y


def pieces(cls, beyond):
    """Polynomials in pieces, their derivatives and integrals."""

    def f(y):
        curve = cls(X, y)
        found = [curve(Q, extrapolate=beyond), curve.derivative(2)(Q, extrapolate=beyond)]
        found += [curve.antiderivative(2)(Q, extrapolate=beyond)]
        found += [curve.integrate(a, b, extrapolate=beyond) for a, b in ((-0.3, 2.5), (1.8, 0.5))]
        rows = cls(X, np.stack([y, 2 * y]), axis=1)
        return [*found, rows(Q, extrapolate=beyond), rows.integrate(0.2, 1.0, extrapolate=beyond)]

    return f, Y


def basis(k, beyond):
    """The integral of a spline in B-form."""
    return lambda y: interpolate.make_interp_spline(X, y, k=k).integrate(-0.3, 2.5, beyond), Y


def lines(kind, options):
    """Interpolation between values."""
    return lambda y: interpolate.interp1d(X, y, kind=kind, **options)(Q), Y


def grids(method, options):
    """Interpolation on a grid."""

    def f(v):
        made = interpolate.RegularGridInterpolator(TICKS, v, method=method, **options)
        points = PLACES if options.get("bounds_error", True) else PLACES - 0.5
        plane = interpolate.RegularGridInterpolator(TICKS[:2], v[:, :, 0], method=method, **options)
        parts = points[:, 0], points[:, 1]
        return [made(points), plane(points[:, :2]), plane(parts)]

    return f, CUBE


def stable(n, seed):
    """A matrix of which no power grows."""
    return np.random.default_rng(seed).normal(size=(n, n)) * 0.3 / np.sqrt(n)


def control(n):
    """Equations of Lyapunov and Riccati."""
    q, b, r = np.eye(n) + 0.1 * np.ones((n, n)), np.ones((n, 2)) * [1.0, 0.3], np.eye(2) * 1.5
    b[0, 1] = 2.0

    def f(a):
        found = [linalg.solve_discrete_lyapunov(a, q, m) for m in (None, "direct", "bilinear")]
        return [
            *found,
            linalg.solve_discrete_are(a, b, q, r),
            linalg.solve_continuous_are(a, b, q, r),
        ]

    return f, stable(n, n)


def densities(bandwidth, weights):
    """Densities by kernels, far from the data as well."""
    far = np.array([0.1, 9.0, -60.0])

    def f(d):
        one = stats.gaussian_kde(d, bandwidth, weights)
        two = stats.gaussian_kde(DATA2 * d[0], bandwidth, weights)
        return [one(far), one.logpdf(far), one.pdf([0.1, 0.5]), two(DATA2[:, :3]), two(DATA2[:, 0])]

    return f, DATA


def peaks(options):
    """What is told of peaks."""
    return lambda z: list(signal.find_peaks(z, **options)[1].values()), Z


OPTIONS = ({}, {"bounds_error": False}, {"fill_value": "extrapolate"})
KINDS = ("linear", "nearest", "nearest-up", "zero", "slinear", "quadratic", "cubic", "previous")
CASES = {
    **{f"fitted {e} {k}": fitted(e, k) for e, k in product((0, 1, 3, "const"), (1, 2, 3, 4, 5))},
    **{
        f"{cls.__name__} {beyond}": pieces(cls, beyond)
        for cls in (
            interpolate.CubicSpline,
            interpolate.PchipInterpolator,
            interpolate.Akima1DInterpolator,
        )
        for beyond in (None, False, True, "periodic")
    },
    **{f"basis {k} {e}": basis(k, e) for k in (1, 3) for e in (None, False, "periodic")},
    **{f"line {kind} {o}": lines(kind, o) for kind in KINDS for o in OPTIONS[1:]},
    **{
        f"grid {method} {o}": grids(method, o)
        for method in ("linear", "nearest")
        for o in ({}, {"bounds_error": False, "fill_value": 0.5})
    },
    **{f"control {n}": control(n) for n in (2, 9, 10)},
    **{
        f"density {b} {w is None}": densities(b, w)
        for b in (None, "silverman", 0.5)
        for w in (None, WEIGHTS)
    },
    **{
        f"peaks {o}": peaks(o)
        for o in (
            {"height": (0, 1)},
            {"threshold": 0.1},
            {"prominence": 0.2, "wlen": 7},
            {"plateau_size": 1, "height": 0},
        )
    },
    "lstsq": (lambda a: [linalg.lstsq(a, B), linalg.lstsq(a, B2, cond=0.3)], A),
    "lstsq of rank two": (
        lambda a: linalg.lstsq(np.stack([a[:, 0], a[:, 0], a[:, 1]], 1), B)[0],
        A,
    ),
    "toeplitz": (
        lambda c: [
            linalg.solve_toeplitz(c, np.ones(3)),
            linalg.solve_toeplitz((c, B[:3]), np.eye(3)),
        ],
        np.array([5.0, 1.0, 0.5]),
    ),
    "medians": (lambda z: [signal.medfilt(z), signal.medfilt(z, (1, 3))], IMAGE),
    "rates": (
        lambda z: [signal.upfirdn([0.5, 1.0, 0.25], z, u, d, 0) for u, d in ((2, 3), (1, 5))],
        WIDE,
    ),
    "filters": (lambda h: [signal.upfirdn(h, Z, u, d) for u, d in ((1, 1), (3, 2))], B[:5]),
}


def leaves(value):
    """Return the arrays of a result."""
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in leaves(part)]
    return [np.asarray(value)]


def outcome(run):
    """Return what is given, or the error."""
    try:
        return leaves(run())
    except ValueError as error:
        return error


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.one_of(16)) for n in CASES])
def test_values(name):
    """In text and recorded: the same values, of the same shapes, or the same kind of error."""
    f, x = CASES[name]
    expected = outcome(lambda: f(x))
    for run in (lambda: tape.vjp(f, x), lambda: vjp(f, x, recorded="allow")):
        found = outcome(lambda run=run: run()[0])
        assert type(found) is type(expected)
        for one, other in zip(found, expected, strict=True) if type(found) is list else ():
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10)
