"""Formulas of one or two arrays on arrays that are laid out otherwise, or hardly there.

The value and the cotangents are those of the contiguous array in double precision. Where
the function itself raises, so may its derivative.
"""

import functools
import itertools
import math
import warnings

import numpy as np
import pytest
from scipy import integrate, linalg, special
from srcgrad.formulas import load_all

from srcgrad import grad, hessian, jvp, tape, vjp
from srcgrad.errors import SrcgradError, UnsupportedSyntaxError
from srcgrad.registry import find_formula
from tests.formulas.checking import between, case, definite, normal, written_out

load_all()


def ufuncs(module, count):
    """The ufuncs of a module that have a formula and so many operands, each once."""
    found = {f for f in vars(module).values() if isinstance(f, np.ufunc) and find_formula(f)}
    plain = [f for f in found if f.nin == count and f.signature is None]
    return sorted(plain, key=lambda f: f.__name__)


REDUCTIONS = [
    np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.ptp, np.median, np.nansum,
    np.nanprod, np.nanmean, np.nanvar, np.nanstd, np.nanmax, np.nanmin, np.nanmedian, np.average,
    np.linalg.norm, np.linalg.vector_norm,
]  # fmt: skip
ARRANGING = [
    np.sort, np.cumsum, np.cumprod, np.nancumsum, np.ravel, np.transpose, np.flip, np.copy,
    np.atleast_1d, np.atleast_2d, np.atleast_3d, np.squeeze, np.diff, np.ediff1d, np.unique,
    np.positive, np.nan_to_num, np.sinc, np.i0, np.real, np.asarray, np.diagflat, np.unwrap,
    np.trapezoid, np.fft.fft, np.fft.rfft, np.fft.fftn, np.fft.fftshift, np.tile, np.roll,
    np.clip, np.pad, np.expand_dims, np.repeat, np.reshape, np.take,
]  # fmt: skip
MORE = {
    np.tile: (2,), np.roll: (1,), np.clip: (0.4, 0.6), np.pad: (1,), np.expand_dims: (0,),
    np.repeat: (2,), np.reshape: (-1,), np.take: ([0],),
}  # fmt: skip
PAIRS = [np.where, np.dot, np.inner, np.outer, np.vdot, np.kron, np.append, np.convolve]
MATRICES = [
    np.linalg.inv, np.linalg.det, np.linalg.slogdet, np.linalg.cholesky, np.linalg.eigh,
    np.linalg.eigvalsh, np.linalg.pinv, np.linalg.svdvals, np.linalg.qr, np.trace, np.tril,
    np.triu, np.diagonal, np.diag,
]  # fmt: skip

MASK = np.array([True, False, True])
ONE = [
    *((f, ()) for f in (*ufuncs(np, 1), *ufuncs(special, 1)) if f is not np.arccosh),
    *((f, MORE.get(f, ())) for f in (*REDUCTIONS, *ARRANGING)),
]
TWO = [*(f for f in ufuncs(np, 2) if f not in (np.ldexp, np.float_power)), *PAIRS]
# Of nothing, they have the cotangent of one entry: there is no branch for that in their formulas.
OF_NEIGHBOURS = (np.diff, np.ediff1d, np.trapezoid)
SLACK = {"rtol": 1e-9, "atol": 1e-12}


def of(fn, args, seed):
    """The value of a call and its cotangents; None where the function itself raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            program, given = written_out(case(fn, *args))
        except Exception:  # noqa: BLE001 - whatever the library raises
            return None
        places = tuple(k for k, x in enumerate(given) if np.asarray(x).dtype.kind == "f")
        value, backward = vjp(program, *given, wrt=places)
        several = isinstance(value, tuple)
        seeds = [weights(z, seed) for z in (value if several else (value,))]
        return value, backward(tuple(seeds) if several else seeds[0])


def weights(z, seed):
    """A cotangent for a result, the same for each shape; None for whole numbers."""
    if np.asarray(z).dtype.kind not in "fc":
        return None
    made = np.random.default_rng(seed).normal(size=np.shape(z)).astype(np.asarray(z).real.dtype)
    made = made + 0j if np.iscomplexobj(z) else made
    return made if isinstance(z, np.ndarray) else made[()]


def layouts(x):
    """The same numbers in other places in memory."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]))
    wide[..., ::2] = x
    frozen = x.copy()
    frozen.flags.writeable = False
    return {
        "Fortran": np.asfortranarray(x),
        "every other": wide[..., ::2],
        "backwards": np.ascontiguousarray(x[..., ::-1])[..., ::-1],
        "read-only": frozen,
    }


def same(found, expected, **slack):
    """Compare values and cotangents, and their shapes."""
    for part, wanted in zip(found[1], expected[1], strict=True):
        assert np.shape(part) == np.shape(wanted)
        np.testing.assert_allclose(part, wanted, **slack)
    first = found[0] if isinstance(found[0], tuple) else (found[0],)
    second = expected[0] if isinstance(expected[0], tuple) else (expected[0],)
    for part, wanted in zip(first, second, strict=True):
        np.testing.assert_allclose(part, wanted, **slack)


@pytest.mark.one_of(12)
@pytest.mark.parametrize(("fn", "more"), ONE, ids=lambda p: getattr(p, "__name__", ""))
def test_one_array(fn, more):
    """Layouts, single precision, and arrays with one entry, no axis, or nothing in them."""
    x = between(0.15, 0.85, 3, 4)
    expected = of(fn, (x, *more), 0)
    if expected is None:  # of vectors only
        x = x[0]
        expected = of(fn, (x, *more), 0)
    for other in layouts(x).values():
        same(of(fn, (other, *more), 0), expected, **SLACK)
    small = of(fn, (x.astype(np.float32), *more), 0)
    assert all(type(bar) is float or bar.dtype == np.float32 for bar in small[1])
    same(small, of(fn, (x.astype(np.float32).astype(float), *more), 0), rtol=1e-2, atol=1e-3)
    for shape in ((1,), (1, 1), ()) if fn in OF_NEIGHBOURS else ((1,), (1, 1), (), (0,), (0, 3)):
        y = np.full(shape, 0.3)
        found = of(fn, (y, *more), 0)
        if found is not None:
            assert np.shape(found[1][0]) == shape
            assert np.isfinite(found[1][0]).all() or np.size(y) == 1


OF_NOTHING = [
    *REDUCTIONS, np.cumsum, np.cumprod, np.nancumsum, np.nancumprod, np.sort, np.flip, np.trapezoid,
    np.diff, np.unwrap, np.fft.fft, np.add.reduce, np.multiply.reduce, np.maximum.reduce,
    np.hypot.reduce, np.logaddexp.reduce, special.logsumexp, special.softmax, integrate.simpson,
]  # fmt: skip


def of_nothing(fn):
    """The calls of a function with arrays that have no entries, along all axes, that it takes."""
    for shape in ((0,), (2, 0), (0, 2), (2, 0, 3), (0, 0)):
        count = len(shape)
        axes = [None, *range(-1, count), *((k,) for k in range(count)), tuple(range(count)), ()]
        for axis, more in itertools.product(axes, ({}, {"keepdims": True}, {"ddof": 1})):
            run, x = functools.partial(fn, axis=axis, **more), np.zeros(shape)
            try:
                value = run(x)
            except Exception:  # noqa: BLE001 - whatever the library raises
                continue
            yield run, x, value, {"axis": axis, **more}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fn", OF_NOTHING, ids=lambda fn: getattr(fn, "__self__", fn).__name__)
@pytest.mark.one_of(3)
def test_nothing_to_reduce(fn):
    """The value is NumPy's own, nan for many, and the derivatives have their shapes."""
    cases = 0
    for run, x, value, _ in of_nothing(fn):
        found, backward = tape.vjp(run, x)
        np.testing.assert_array_equal(found, value)
        assert backward(np.ones_like(value)).shape == x.shape
        _, dot = tape.jvp(run, (x,), (x,))
        assert np.shape(dot) == np.shape(value)
        slope = tape.grad(lambda x, run=run: np.sum(np.abs(run(x)) ** 2))
        assert tape.jvp(slope, (x,), (x,))[1].shape == x.shape
        cases += 1
    assert cases


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fn", [np.mean, np.var, np.std], ids=lambda fn: fn.__name__)
def test_nothing_to_reduce_as_text(fn):
    """The same in generated code."""
    for _, x, value, options in list(of_nothing(fn))[::4]:
        found, backward = vjp(lambda x, fn=fn, options=options: fn(x, **options), x)
        np.testing.assert_array_equal(found, value)
        assert backward(1.0 if np.ndim(value) == 0 else np.ones_like(value)).shape == x.shape


@pytest.mark.one_of(6)
@pytest.mark.parametrize("fn", TWO, ids=lambda fn: fn.__name__)
def test_two_arrays(fn):
    """The same for two arrays, and for a number beside an array."""
    first, second = between(0.15, 0.85, 4), between(0.2, 0.9, 4)
    condition = (np.array([True, False, True, False]),) if fn is np.where else ()
    expected = of(fn, (*condition, first, second), 0)
    for name, x in layouts(first).items():
        y = layouts(second)[name]
        same(of(fn, (*condition, x, y), 0), expected, **SLACK)
    singles = [first.astype(np.float32), second.astype(np.float32)]
    small = of(fn, (*condition, *singles), 0)
    assert all(type(bar) is float or bar.dtype == np.float32 for bar in small[1])
    doubles = [x.astype(float) for x in singles]
    same(small, of(fn, (*condition, *doubles), 0), rtol=1e-2, atol=1e-3)
    for shapes in (((1,), (1,)), ((), ()), ((0,), (0,)), ((0,), ()), ((1,), (0,)), ((2, 0), (0,))):
        x, y = np.full(shapes[0], 0.3), np.full(shapes[1], 0.7)
        if fn is np.convolve and x.ndim == 0:
            continue  # for NumPy, these are vectors
        found = of(fn, (*(c[:1] for c in condition), x, y), 0)
        if found is not None:
            assert [np.shape(bar) for bar in found[1]] == list(shapes)


@pytest.mark.parametrize("fn", MATRICES, ids=lambda fn: fn.__name__)
def test_matrices(fn):
    """Layouts, single precision, one entry, and no matrices at all."""
    x = definite(3, 3)
    expected = of(fn, (x,), 0)
    for other in layouts(x).values():
        same(of(fn, (other,), 0), expected, rtol=1e-8, atol=1e-9)
    small = of(fn, (x.astype(np.float32),), 0)
    assert all(type(bar) is float or bar.dtype == np.float32 for bar in small[1])
    same(small, of(fn, (x.astype(np.float32).astype(float),), 0), rtol=3e-2, atol=1e-2)
    for shape in ((1, 1), (0, 2, 2)):
        found = of(fn, (np.full(shape, 2.0),), 0)
        if found is not None:
            assert np.shape(found[1][0]) == shape


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (lambda x: np.logaddexp(x, 0.0), 1e3, 1.0),
        (lambda x: np.logaddexp(x, 0.0), -1e3, 0.0),
        (lambda x: np.logaddexp(x, x), 1e3, 1.0),
        (lambda x: np.logaddexp2(x, 0.0), 2e3, 1.0),
        (lambda x: np.logaddexp(x, -np.inf), 0.5, 1.0),
        (np.log1p, 1e-18, 1.0),
        (np.expm1, 1e-18, 1.0),
        (np.tanh, 400.0, 0.0),
        (np.tanh, -1e300, 0.0),
        (np.arctan, 1e200, 0.0),
        (np.arcsinh, 1e200, 1e-200),
        (np.sinc, 0.0, 0.0),
        (np.sinc, 1e-9, -(np.pi**2) * 1e-9 * 2 / 6),
        (lambda x: np.hypot(x, 1e200), 1e200, 0.5**0.5),
        (lambda x: np.arctan2(x, 1e200), 1e200, 0.5e-200),
        (special.expit, 800.0, 0.0),
        (special.expit, -800.0, 0.0),
        (special.log_expit, 800.0, 0.0),
        (special.log_expit, -800.0, 1.0),
        (special.erf, 40.0, 0.0),
        (special.gammaln, 1e100, np.log(1e100)),
        (special.ndtr, -50.0, 0.0),
        (special.log_ndtr, -50.0, 50.01998),
        (lambda x: special.xlogy(0.0, x), 0.0, 0.0),
        (lambda x: special.xlog1py(0.0, x), -1.0, 0.0),
        (lambda x: special.rel_entr(0.0, x), 0.0, 0.0),
        (lambda x: special.kl_div(0.0, x), 0.0, 1.0),
        (lambda x: special.powm1(0.0, x), 2.0, 0.0),
        (lambda x: np.sum(np.kaiser(1, x)), 2.0, 0.0),
        (lambda x: grad(special.log_ndtr)(x), 40.0, 0.0),
        (lambda x: grad(special.log_ndtr)(x), -40.0, -0.99937733),
        (lambda x: np.std(np.array([x, np.nan, 3.0]), where=MASK), 1.0, -0.5),
        (lambda x: np.var(np.array([x, np.nan, 3.0]), where=MASK), 1.0, -1.0),
        (lambda x: np.mean(np.array([x, np.nan, 3.0]), where=MASK), 1.0, 0.5),
        (lambda x: np.max(np.array([x, np.nan, 3.0]), where=MASK, initial=0.0), 4.0, 1.0),
        (lambda x: np.prod(np.array([x, np.nan, 3.0]), where=MASK), 1.0, 3.0),
        (lambda x: special.logsumexp(np.array([x, -np.inf, 0.0])), 0.0, 0.5),
        (lambda x: special.log_softmax(np.array([x, -np.inf, 0.0]))[0], 0.0, 0.5),
        (lambda x: special.xlogy(x, 0.3), 0.0, np.log(0.3)),
        (lambda x: special.xlogy(0.0, x), 1e-300, 0.0),
        (lambda x: np.linalg.norm(np.array([x, 0.0])), 0.0, 0.0),
        (lambda x: np.linalg.norm(np.array([x, x])), 1e150, 2**0.5),
        (lambda x: special.logsumexp(np.array([x, 0.0])), 1e3, 1.0),
        (lambda x: special.softmax(np.array([x, 0.0]))[0], 1e3, 0.0),
        (lambda x: np.prod(np.array([x, 0.0, 2.0])), 3.0, 0.0),
        (lambda x: np.cumprod(np.array([0.0, x]))[1], 3.0, 0.0),
        (lambda x: np.sum(np.linalg.eigvalsh(np.diag(np.array([x, 2.0])))), 2.0, 1.0),
        (lambda x: np.sum(np.linalg.svdvals(np.diag(np.array([x, 2.0])))), 2.0, 1.0),
    ],
)
def test_large_and_small(f, x, slope):
    """Where a naive formula overflows, divides by zero or cancels."""
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(grad(f)(x), slope, rtol=1e-6, atol=1e-300)
        np.testing.assert_allclose(jvp(f, (x,), (1.0,))[1], slope, rtol=1e-6, atol=1e-300)


def test_repeated_eigenvalues():
    """Their sum has a slope; their vectors have none, which is nan and no wrong number."""
    x = 2 * np.eye(3)
    np.testing.assert_allclose(grad(lambda x: np.sum(np.linalg.eigh(x)[0]))(x), np.eye(3))
    with np.errstate(all="ignore"):
        x_bar = grad(lambda x: np.sum(np.linalg.eigh(x)[1] ** 3))(x)
    assert not np.isfinite(x_bar).all()


SINGULAR = [
    np.zeros((1, 1)), np.zeros((2, 2)), np.zeros((3, 3)), np.ones((3, 3)), np.diag([2.0, 0.0, 3.0]),
    np.stack([np.eye(3), np.ones((3, 3))]), np.arange(9.0).reshape(3, 3),
]  # fmt: skip


@pytest.mark.parametrize("fn", [np.linalg.det, linalg.det])
@pytest.mark.parametrize("x", SINGULAR, ids=lambda x: str(x.shape))
def test_determinant_of_a_singular_matrix(fn, x):
    """It is a polynomial: its slopes are those of a matrix nearby, to second order."""

    def total(x):
        return np.sum(fn(x))

    move, near = normal(*x.shape), 1e-4
    steps = (total(x + near * move) - total(x - near * move)) / (2 * near)
    np.testing.assert_allclose(np.sum(grad(total)(x) * move), steps, atol=1e-7)
    np.testing.assert_allclose(jvp(total, (x,), (move,))[1], steps, atol=1e-7)
    turns = grad(total)(x + near * move) - grad(total)(x - near * move)
    second = jvp(grad(total), (x,), (move,))[1]
    np.testing.assert_allclose(second, turns / (2 * near), atol=1e-6)
    _, backward = vjp(grad(total), x)
    np.testing.assert_allclose(backward(move), second, atol=1e-9)


def test_nothing_at_all():
    """A function of an empty array has an empty gradient."""
    x = np.zeros((0, 3))
    assert grad(lambda x: np.sum(np.tanh(x) @ np.ones(3)))(x).shape == (0, 3)
    with pytest.raises(SrcgradError):
        grad(lambda x: np.sum(x))(np.zeros((0,), dtype=int))
    assert normal(0).shape == (0,)


EMPTY, ONE = np.zeros(0), np.ones(1)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (lambda x: np.sum(np.diff(x) ** 2), (EMPTY,)),
        (lambda x: np.sum(np.diff(x, n=3) ** 2), (np.ones(2),)),
        (lambda x: np.sum(np.diff(x, axis=0, n=2) ** 2), (np.ones((1, 3)),)),
        (lambda x: np.sum(np.ediff1d(x) ** 2), (EMPTY,)),
        (lambda x: np.sum(np.ediff1d(x) ** 2), (ONE,)),
        (lambda x, y: np.sum(np.ediff1d(x, to_end=y) ** 2), (EMPTY, np.ones(2))),
        (lambda x: np.trapezoid(x) ** 2, (EMPTY,)),
        (lambda x, y: np.trapezoid(x, y) ** 2, (EMPTY, EMPTY)),
        (lambda x: np.sum(np.trapezoid(x, axis=0) ** 2), (np.ones((0, 2)),)),
    ],
)
def test_too_few_for_a_difference(f, args):
    """What has no neighbours has no slope, and the cotangents have the shapes."""
    for bar, x in zip(grad(f, tuple(range(len(args))))(*args), args, strict=True):
        assert bar.shape == x.shape
        np.testing.assert_array_equal(bar, 2 * x if len(args) == 2 and x.size else np.zeros_like(x))


def test_truth_values_as_exponents():
    """What is raised to the power of one passes, and of zero is constant."""
    x, some = np.array([2.0, 3.0]), np.array([True, False])
    for f in (lambda x: np.sum(x**some), lambda x: np.sum(np.power(x, x < 2.5))):
        np.testing.assert_array_equal(grad(f)(x), [1.0, 0.0])
        np.testing.assert_array_equal(jvp(f, (x,), (x,))[1], 2.0)


def test_distance_of_arrays():
    """Points are tuples or lists of numbers, as far as their distance is differentiated."""
    with pytest.raises(UnsupportedSyntaxError, match=r"math\.dist (of an array|takes)"):
        grad(lambda x: math.dist(x, [1.0, 2.0]))(np.ones(2))

    def f(a, b):
        return math.dist((a, b), [1.0, 2.0])

    slope = jvp(f, (4.0, 6.0), (1.0, 0.5))[1]
    np.testing.assert_allclose(slope, np.dot(grad(f, (0, 1))(4.0, 6.0), [1.0, 0.5]))


@pytest.mark.parametrize(
    "power",
    [
        lambda p: p[0] ** p[1],
        lambda p: math.pow(p[0], p[1]),
        lambda p: np.sum(np.power(p[:1], p[1:])),
        lambda p: np.float_power(p[0], p[1]),
    ],
)
@pytest.mark.parametrize("place", [(1.5, 0.0), (1.5, 1.0), (2.0, -1.0), (0.7, 0.3)])
def test_second_derivatives_of_powers(power, place):
    """The slope in the base changes with the exponent, also where that is 0."""
    place, h = np.array(place), 1e-5
    gradient = grad(power)
    rows = [(gradient(place + h * e) - gradient(place - h * e)) / (2 * h) for e in np.eye(2)]
    np.testing.assert_allclose(hessian(power)(place), np.array(rows), atol=1e-8)
    for k in range(2):
        again = tape.grad(lambda p: gradient(p)[k])(place)
        np.testing.assert_allclose(again, rows[k], atol=1e-8)


def test_powers_at_zero():
    """No slope is nan where base and exponent are 0; single precision stays."""
    exponents = np.array([0.0, 0.5, 1.0, 2.0])
    found = grad(lambda x: np.sum(x**exponents))(np.array([0.0, 1.0, 0.0, 0.0]))
    np.testing.assert_array_equal(found, [0.0, 0.5, 1.0, 0.0])
    np.testing.assert_array_equal(grad(lambda p: p[0] ** p[1])(np.zeros(2)), [0.0, 0.0])
    counts = np.arange(3, dtype=np.uint8)
    assert grad(lambda x: np.sum(x**counts))(np.ones(3, np.float32)).dtype == np.float32


@pytest.mark.parametrize("knots", [[0.6], [0.2, 0.6, 0.6, 0.9]])
def test_interpolation_at_one_knot_and_at_a_double_one(knots):
    """What lies at such a knot has a slope, in both modes."""
    x, knots = np.array([0.6]), np.array(knots)

    def f(x, values):
        return np.sum(np.interp(x, knots, values))

    slopes = grad(f, wrt=(0, 1))(x, knots**2)
    assert all(np.all(np.isfinite(slope)) for slope in slopes)
    assert np.isclose(np.sum(slopes[1]), 1.0)
    assert np.isfinite(jvp(f, (x, knots**2), (x, knots))[1])
