"""Arrays of all shapes, along every axis: empty ones, those of one entry, numbers.

The options of each function are tried together. What NumPy does not take, or what is no
finite number, is left out.
"""

import functools
import itertools
import warnings

import numpy as np
import pytest
from scipy import integrate, ndimage, signal, special
from srcgrad.formulas import load_used

from srcgrad import grad, jvp, tape, vjp
from srcgrad.registry import find_formula
from tests.finite_differences import leaves
from tests.formulas.checking import (
    apply,
    case,
    check_cotangents,
    check_own_tangent,
    check_value,
    normal,
)

load_used()

SHAPES = [(), (3,), (1,), (0,), (4,), (3, 3), (3, 1), (1, 3), (0, 3), (3, 0), (2, 3, 4), (3, 1, 3)]
PLACES = [{"axis": k} for k in (0, 1, 2, -1, -2)]
AXES = [{}, {"axis": None}, *PLACES]
SEVERAL = [*AXES, *({"axis": k} for k in ((0, 1), (-1, 0), (0, 2)))]


def each(options, **choices):
    """Options with every choice of others."""
    ways = itertools.product(*choices.values())
    return [o | dict(zip(choices, way, strict=True)) for way in ways for o in options]


KEPT = each(SEVERAL, keepdims=[False, True])
EDGES = ("constant", "edge", "linear_ramp", "mean", "median", "reflect", "symmetric", "wrap")
BEYOND = ("reflect", "constant", "nearest", "mirror", "wrap")
REDUCTIONS = (np.sum, np.prod, np.max, np.min, np.mean, np.ptp, np.median, special.logsumexp)
NANS = (np.nansum, np.nanprod, np.nanmax, np.nanmin, np.nanmean, np.nanmedian)
SCANS = (np.cumsum, np.cumprod, np.nancumsum, np.nancumprod, np.sort, np.flip, np.squeeze)
AND_OTHERS = (special.softmax, special.log_softmax, np.fft.fftshift, np.unwrap, np.gradient)
SPECTRA = (np.fft.fft, np.fft.ifft, np.fft.rfft, np.fft.hfft, np.fft.ihfft)
PLANES = (np.fft.fft2, np.fft.ifft2, np.fft.rfft2, np.fft.fftn, np.fft.ifftn, np.fft.rfftn)
PAIRS = [{"axis1": a, "axis2": b} for a, b in ((0, 1), (1, 0), (0, 2), (-1, 0))]
WIDTHS = [0, 1, (1, 2), ((1, 0), (0, 2)), 5]
ORDERS = [None, 2, 1, np.inf, -np.inf, 0.5, 3, "fro", "nuc", -1, -2]
NEW = [(-1,), (3, -1), (-1, 1), (1, -1, 3)]
METHODS = ("linear", "lower", "midpoint", "nearest", "hazen", "weibull")
TABLE = [
    *((f, KEPT) for f in (*REDUCTIONS, *NANS)),
    *((f, each(KEPT, initial=[0.5])) for f in (np.sum, np.prod, np.max, np.min)),
    *((f, each(KEPT, ddof=[0, 1])) for f in (np.var, np.std, np.nanvar, np.nanstd)),
    *((f, AXES) for f in (*SCANS, *AND_OTHERS)),
    *((np.cumulative_sum, each(AXES, include_initial=[b])) for b in (False, True)),
    *((np.cumulative_prod, each(AXES, include_initial=[b])) for b in (False, True)),
    (np.diff, each(PLACES, n=[0, 1, 2, 3])),
    *((f, PLACES) for f in (np.trapezoid, integrate.simpson)),
    (np.quantile, each(KEPT, q=[0.3], method=METHODS)),
    (np.roll, each(AXES, shift=[1, -2, 5])),
    (np.repeat, each(AXES, repeats=[0, 1, 3])),
    (np.rot90, each([{"axes": a} for a in ((0, 1), (-1, 0), (1, 2))], k=[-1, 0, 1, 2, 3])),
    (np.tile, [{"reps": r} for r in (0, 1, 2, (2,), (2, 1), (1, 2, 3), (2, 2, 1, 1))]),
    (np.expand_dims, [{"axis": a} for a in (0, 1, -1, (0, 1), (0, -1), (2, 0))]),
    (np.moveaxis, [{"source": 0, "destination": -1}, {"source": (0, 2), "destination": (1, 0)}]),
    (np.swapaxes, PAIRS),
    (np.transpose, [{}, {"axes": (1, 0)}, {"axes": (2, 0, 1)}]),
    *((f, each(PAIRS, offset=[-1, 0, 1, 2])) for f in (np.trace, np.diagonal)),
    *((f, [{"k": k} for k in (-1, 0, 1, 3)]) for f in (np.diag, np.diagflat, np.tril, np.triu)),
    (np.partition, each(AXES, kth=[0, 1, -1])),
    (np.pad, each([{"pad_width": w} for w in WIDTHS], mode=EDGES)),
    (np.pad, each([{"pad_width": w} for w in WIDTHS[1:]], mode=["minimum", "maximum"])),
    (np.pad, each([{"pad_width": w, "mode": "mean"} for w in WIDTHS], stat_length=[1, 2])),
    *((f, each(PLACES, n=[None, 1, 2, 5], norm=[None, "ortho", "forward"])) for f in SPECTRA),
    *((f, each([{}, {"axes": (0, 1)}], norm=[None, "ortho"])) for f in PLANES),
    (np.linalg.norm, each(KEPT, ord=ORDERS)),
    (np.linalg.vector_norm, each(KEPT, ord=[2, 1, np.inf, -np.inf, 0.5, 3])),
    (np.linalg.matrix_norm, each([{}, {"keepdims": True}], ord=ORDERS[2:5] + ORDERS[7:])),
    (np.ravel, [{}, {"order": "F"}]),
    (np.reshape, each([{"shape": s} for s in NEW], order=["C", "F"])),
    (np.resize, [{"new_shape": s} for s in ((5,), (2, 2), 0, (0, 2), (3, 3, 3))]),
    (np.broadcast_to, [{"shape": s} for s in ((3, 3), (2, 3, 3), (3,), (1, 3), (2, 2, 3, 4))]),
    *((f, [{}, {"rowvar": False}]) for f in (np.cov, np.corrcoef)),
    (np.trim_zeros, [{}, {"trim": "f"}, {"trim": "b"}]),
    (np.delete, each(AXES, obj=[0, -1, [0, 2], slice(0, 2)])),
    (np.vander, [{}, {"N": 2}, {"increasing": True}, {"N": 5}]),
    (np.linalg.matrix_power, [{"n": n} for n in (0, 1, 2, 3, 5)]),
    *((f, [{}]) for f in (np.atleast_1d, np.atleast_2d, np.atleast_3d, np.linalg.det)),
    *((f, [{}]) for f in (np.fliplr, np.flipud, np.ediff1d, np.linalg.svdvals)),
    (ndimage.gaussian_filter1d, each(PLACES[:2], sigma=[0.7], order=[0, 1, 2], mode=BEYOND)),
    (ndimage.uniform_filter1d, each(PLACES[:2], size=[1, 2, 3, 5], mode=BEYOND)),
]
NOT_OF_NUMBERS = (np.gradient, np.diff, np.trim_zeros)
NOT_EMPTY = (np.trim_zeros, ndimage.gaussian_filter1d, ndimage.uniform_filter1d, np.pad)


def by_function():
    """The calls of the table by function, in random order."""
    found = {}
    for fn, options in TABLE:
        found.setdefault(fn, []).extend(itertools.product(options, SHAPES))
    rng = np.random.default_rng(0)
    return {fn: [made[k] for k in rng.permutation(len(made))] for fn, made in found.items()}


CALLS = by_function()


def is_taken(c):
    """Whether NumPy takes a call, with numbers as its result."""
    (x,) = c.args
    if np.ndim(x) == 0 and (c.options.get("axis") is not None or c.target in NOT_OF_NUMBERS):
        return False
    if np.size(x) == 0 and c.target in NOT_EMPTY:
        return False
    try:
        z = c.target(x, **c.options)
    except (ValueError, TypeError, IndexError, RuntimeError, np.linalg.LinAlgError):
        return False
    return all(np.all(np.isfinite(leaf)) for leaf in leaves(z))


@pytest.mark.parametrize("fn", CALLS, ids=lambda fn: fn.__name__)
@pytest.mark.one_of(3)
def test_cotangents(fn, request):
    """Each formula takes all that its function takes, and agrees with differences."""
    part = 1 if request.config.getoption("--all") else 7
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = (case(fn, normal(*s), **o) for o, s in CALLS[fn][: 6 + len(CALLS[fn]) // part])
        taken = [c for c in cases if is_taken(c)]
        for c in taken:
            try:
                z, backward = apply(find_formula(fn), c)
                check_value(c, z)
                check_cotangents(c, z, backward)
                check_own_tangent(c)
            except Exception as error:
                raise AssertionError(f"{c} of {c.args[0].dtype}") from error
    assert taken


ALONG = [np.sum, np.prod, np.nanprod, np.nansum, np.max, np.nanmin, np.cumsum, np.cumprod]


@pytest.mark.parametrize("fn", ALONG, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("x", [0.7, np.array(0.7), np.array([0.7]), np.array([0.7, -0.2])])
def test_axes_that_only_the_call_tells(fn, x):
    """A number has no axis, whatever axis it is given; its cotangent is a number, too."""

    def along(x, **how):
        return fn(x, **how)

    for axis in (None, 0, -1):
        f = functools.partial(along, axis=axis)
        slopes = vjp(f, x)[1](np.ones_like(f(x)))
        assert np.shape(slopes) == np.shape(x)
        np.testing.assert_allclose(slopes, tape.vjp(f, x)[1](np.ones_like(f(x))))
        dot, tangent = jvp(f, (x,), (np.ones_like(x),))[1], tape.jvp(f, (x,), (np.ones_like(x),))[1]
        np.testing.assert_allclose(dot, tangent)
        np.testing.assert_allclose(np.sum(dot), np.sum(slopes))


FILTERS = [
    signal.convolve, signal.correlate, signal.fftconvolve, signal.oaconvolve, ndimage.convolve,
    ndimage.correlate,
]  # fmt: skip


@pytest.mark.parametrize("fn", FILTERS, ids=lambda fn: f"{fn.__module__}.{fn.__name__}")
def test_filters_of_numbers(fn):
    """What SciPy takes without an axis is a product."""

    def f(x, y):
        return fn(x, y) ** 2

    for x, y in ((0.7, 0.8), (np.array(0.7), np.array(0.8))):
        for gradient in (grad(f, (0, 1)), tape.grad(f, (0, 1))):
            np.testing.assert_allclose(gradient(x, y), (2 * 0.7 * 0.8**2, 2 * 0.7**2 * 0.8))
        np.testing.assert_allclose(jvp(f, (x, y), (1.0, 0.0))[1], 2 * 0.7 * 0.8**2)
        np.testing.assert_allclose(jvp(grad(f), (x, y), (0.0, 1.0))[1], 4 * 0.7 * 0.8)
