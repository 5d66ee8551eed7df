"""Options that are given in unusual ways, and what NumPy names its results."""

import warnings

import numpy as np
import pytest

from srcgrad import check, grad, jvp, source, tape, vjp
from srcgrad.errors import SrcgradError
from tests.formulas.checking import definite, normal, positive
from tests.rotation import highest

TIMES = np.array([0.0, 0.5, 0.7, 1.5, 2.5])


def slopes(x, s, t):
    """Coordinates of two axes, in both orders, and at the ends to second order."""
    down, along = np.gradient(x, s, t)
    again = np.gradient(x, t, s, axis=(1, 0), edge_order=2)
    return np.sum(down**2 * along) + np.sum(again[0] * again[1])


def step_and_times(x, h, t):
    """A number for one axis, coordinates for the other."""
    down, along = np.gradient(x, h, t)
    return np.sum(down**2 + down * along**2)


def by_position(x):
    """Arrays to write into that are given by position."""
    o = np.empty(3)
    np.sum(x, 0, None, o)
    p = np.empty((2, 3))
    np.cumsum(x, 1, None, p)
    q = np.std(x, 0, None, np.empty(3), 1)
    return np.sum(o**2) + np.sum(p**3) + np.sum(q) + np.sum(x[0].clip(-1, 1, o) ** 2)


def by_position_in_a_loop(x):
    """The same in a loop, with a method that writes into its argument."""
    o = np.zeros(3)
    total = 0.0
    for k in range(3):
        x[k % 2].dot(x.T @ x, o)
        total = total + np.sum(np.multiply(o, o, o))
    return total


def named(x):
    """Results by their names."""
    r = np.linalg.svd(x)
    sign, logabsdet = np.linalg.slogdet(x)
    u = np.unique_counts(x)
    return (
        np.sum(r.U**4 @ r.S)
        + np.linalg.qr(x).R[0, 0] ** 2
        + np.linalg.slogdet(x).logabsdet * sign
        + logabsdet
        + np.linalg.eigh(x + x.T).eigenvalues[0]
        + np.sum(u.values**2 * u.counts)
    )


def parts(x):
    """The different entries, and where they are."""
    u, _, inverse, counts = np.unique(x, True, True, True)
    rows, first = np.unique(x, return_index=True, axis=0)
    return (
        np.sum(u[np.ravel(inverse)] ** 2 * np.ravel(x))
        + np.sum(u**3 * counts)
        + np.sum(rows[first] ** 2)
    )


def triangles(x):
    """NumPy reads one triangle of a symmetric matrix."""
    a = np.tril(x) @ np.ones((3, 3))
    return (
        np.sum(np.linalg.cholesky(x) ** 3)
        + np.sum(np.linalg.cholesky(np.triu(x), upper=True) ** 3)
        + np.sum(np.linalg.eigvalsh(a) ** 3)
        + np.sum(np.linalg.eigh(x, "U")[1] ** 4)
        + np.linalg.eigvalsh(x, UPLO="u")[0]
        + np.sum(np.linalg.svd(x, hermitian=True)[1] ** 3)
        + np.sum(np.linalg.svd(np.tril(x), hermitian=True, compute_uv=False) ** 3)
        + np.sum(np.linalg.pinv(x, hermitian=True) ** 3)
        + np.sum(np.linalg.pinv(np.tril(x), hermitian=True) ** 2)
    )


def types(x, y):
    """Element types of what is joined, and of sums of products."""
    both = np.concatenate([x, y], dtype=np.float64)
    rows = np.stack([x, x * y], dtype=complex)
    total = np.einsum("i,i->", x, y, dtype=np.float64) + np.sum(np.vstack([x, y], dtype=float))
    return np.sum(both**3) + np.sum(np.abs(rows) ** 2) + total


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (by_position, (normal(2, 3),)),
        (by_position_in_a_loop, (normal(2, 3),)),
        (named, (normal(3, 3),)),
        (parts, (normal(3, 2),)),
        (triangles, (definite(3, 3),)),
        (types, (normal(3), positive(3))),
    ],
    ids=lambda f: getattr(f, "__name__", None),
)
def test_options(f, args):
    """Differences agree, to second order."""
    check(f, *args, wrt=tuple(range(len(args))), order=highest())


@pytest.mark.parametrize("f", [slopes, step_and_times])
def test_several_spacings(f):
    """Slopes along several axes at given coordinates are recorded."""
    args = normal(4, 5), np.array([0.0, 0.3, 1.0, 1.2]) if f is slopes else 0.3, TIMES
    with pytest.raises(SrcgradError, match="several spacings"):
        grad(f)(*args)
    check(f, *args, wrt=(0, 1, 2), order=highest(), recorded="allow")


REDUCED = "max min prod ptp median sum mean var std nanmax nanmin nanprod nanmedian nansum nanvar"


@pytest.mark.parametrize("name", REDUCED.split())
def test_reductions_of_a_number_of_pythons(name):
    """A number is an array without axes."""
    fn = getattr(np, name)
    slope = 0.0 if name in ("ptp", "var", "std", "nanvar") else 1.0
    f = lambda x: fn(x) * 1.0  # noqa: E731
    assert grad(f)(0.7) == slope
    assert jvp(f, (0.7,), (1.0,))[1] == slope


@pytest.mark.parametrize("name", [*REDUCED.split(), "logaddexp.reduce", "linalg.norm", "vecdot"])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.one_of(2)
def test_axes_that_are_arguments(name, axis):
    """Forward mode where the axis is an argument of the function, and another the next time."""
    x = normal(3, 4)
    fn = np.logaddexp.reduce if name.startswith("log") else getattr(np, name.split(".")[-1], None)
    fn = np.linalg.norm if name.startswith("lin") else fn

    def f(x, axis):
        return np.sum((fn(x, x, axis=axis) if name == "vecdot" else fn(x, axis=axis)) ** 2)

    moved = jvp(f, (x, axis), (x, None))[1]
    assert moved == pytest.approx(np.sum(grad(f)(x, axis) * x))
    other = jvp(f, (x, 1 + axis), (x, None))[1]
    assert other == pytest.approx(np.sum(grad(f)(x, 1 + axis) * x))


@pytest.mark.parametrize("dims", [(4, 3), (3,), (2,), (4, 2)])
def test_cross_products_in_the_plane(dims):
    """Vectors of two entries lie in the plane, beside ones of two or three entries."""
    y2, y3 = normal(2), normal(3)
    f = lambda x: np.sum(np.cross(x, y2) ** 2) + np.sum(np.cross(y3, x) ** 3)  # noqa: E731
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        check(f, normal(*dims), order=highest())


@pytest.mark.parametrize("x", [np.float32(2.0), np.array(2.0, np.float32)])
def test_constant_slopes_of_single_precision(x):
    """A slope that is a number in the text has the type of its argument."""
    for f in (lambda x, y: y * 1.0, lambda x, y: x * 2 + y):
        assert grad(f)(x, 1.0).dtype == np.float32
        assert vjp(f, x, 1.0)[1](1.0).dtype == np.float32


def test_double_precision_in_between():
    """What NumPy computes in double precision has a gradient in single precision."""
    x = np.array([0.3, 1.2], np.float32)
    assert grad(lambda x: np.sum(np.float_power(1.2, x) ** 2))(x).dtype == np.float32
    assert grad(lambda x: np.sum(np.linspace(x, 2 * x, 3) ** 2))(x).dtype == np.float32


CHOICES = np.array([[0, 1, 0], [1, 0, 0]])


def chosen(x):
    """Choices that are the rows of an array; numbers beyond them; written into an array."""
    o = np.empty((2, 3))
    np.choose(CHOICES, x, out=o)
    return np.sum(o**3) + np.sum(np.choose([0, 3, -1], x, mode="wrap") ** 2) + np.choose(1, x)[0]


def test_choices_in_an_array():
    """``np.choose`` takes an array for a sequence of its rows."""
    check(chosen, normal(2, 3), order=highest())
    np.testing.assert_allclose(tape.grad(chosen)(normal(2, 3)), grad(chosen)(normal(2, 3)))


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_whole_axes_of_transforms(name):
    """The length -1 is that of the axis."""
    transform = getattr(np.fft, name + "n")

    def f(x):
        whole = transform(x, s=(-1, 3), axes=(1, 0))
        return np.sum(np.abs(whole) ** 2) + np.sum(np.real(transform(x, s=(3, -1), axes=(0, 1))))

    check(
        f, normal(4, 6) if name[0] == "r" else normal(4, 6) + 0.5j * normal(4, 6), order=highest()
    )


@pytest.mark.parametrize(
    "fn",
    [
        *(np.sum, np.prod, np.max, np.ptp, np.nansum, np.nanprod, np.nanmean, np.nanvar),
        *(np.multiply.reduce, np.maximum.reduce, np.logaddexp.reduce, np.hypot.reduce),
    ],
)
def test_axis_of_a_number(fn):
    """NumPy reduces an array without axes along its first or last one."""
    check(lambda x: fn(x, axis=0) * x + fn(x, axis=-1), np.array(0.7), order=highest())


def test_running_products_of_a_number():
    """They are an array of one."""
    check(lambda x: np.cumprod(x, axis=0)[0] * x, np.array(0.7), order=highest())


@pytest.mark.parametrize("fn", [np.median, np.nanmedian, np.quantile, np.nanpercentile])
@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 2)])
def test_quantiles_of_nothing(fn, shape):
    """What is empty has an empty gradient, and its quantile does not move."""
    f = (lambda x: np.sum(fn(x))) if "median" in fn.__name__ else (lambda x: np.sum(fn(x, 0.3)))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        x = np.zeros(shape)
        try:
            f(x)
        except IndexError:  # as np.quantile does
            return
        assert grad(f)(x).shape == shape
        assert jvp(f, (x,), (x,))[1] == 0
        assert jvp(grad(f), (x,), (x,))[1].shape == shape


def test_tangents_have_the_precision_of_results():
    """Where numbers of Python's, or ones of another precision, come in."""
    x, y = np.array([0.3, 0.7], np.float32), np.array([0.5, 0.6])
    for f in (
        lambda x: np.power(0.5, x),
        lambda x: 0.5**x,
        lambda x: np.float_power(x, 2),
        lambda x: np.percentile(x, [30, 40]),
        lambda x: np.choose([0, 1], [x, 0.5]),
        lambda x: np.maximum(x, y),
        lambda x: np.copysign(0.5, x[0]),
    ):
        value, slope = jvp(f, (x,), (np.ones_like(x),))
        assert slope.dtype == value.dtype
        assert grad(lambda x, f=f: np.sum(f(x)))(x).dtype == np.float32
    for f in (np.maximum, np.minimum, np.fmax, np.fmin, lambda x, y: np.clip(x, y, 2)):
        for tangents in ((np.ones_like(x), 1.0), (None, 1.0), (np.ones_like(x), None)):
            assert jvp(f, (x, 0.6), tangents)[1].dtype == np.float32
    pair = jvp(lambda x: (np.exp(x), 0.5**x), (x,), (np.ones_like(x),))[1]
    assert isinstance(pair, tuple)
    assert pair[1].dtype == np.float32


def test_names_of_results_of_constants():
    """The parts of what does not depend on the argument have names, too."""
    q = normal(3, 3)
    f = lambda q, x: np.linalg.slogdet(q).logabsdet * x  # noqa: E731
    assert grad(f, 1)(q, 2.0) == np.linalg.slogdet(q)[1]


def test_wrapped_diagonal():
    """The diagonal of a tall matrix that starts again."""

    def f(x, v):
        y = x**2
        np.fill_diagonal(y, v, wrap=True)
        return np.sum(y**2)

    check(f, normal(6, 2), 0.3, order=highest())


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.cumprod(x, dtype=np.float64),
        lambda x, axis: np.multiply.reduceat(x, [0, 2], axis=axis),
        lambda x, axis: np.maximum.reduceat(x, [0, 2], axis=axis),
        lambda x, axis: np.multiply.reduce(x, axis=axis),
    ],
)
def test_tangents_without_ranks(f):
    """Forward mode can be shown before any call."""
    assert "x_dot" in source(f, "jvp")


def test_lists_without_elements():
    """An empty list has an empty gradient, and nothing of it moves."""

    def f(xs, y):
        total = y**2
        for x in xs:
            total = total + x * y
        return total

    assert jvp(f, ([], 3.0), ([], 1.0))[1] == 6.0
    assert grad(f, wrt=(0, 1))([], 3.0) == ([], 6.0)


def test_on_the_tape():
    """The same formulas without generated code."""
    x = np.array([0.5, 1.5, -0.3])
    mask = np.array([True, False, True])
    loss = lambda x: np.sum(np.copysign(mask, x) * x)  # noqa: E731
    np.testing.assert_array_equal(tape.grad(loss)(x), [1.0, 0.0, -1.0])
    cast = lambda x: np.sum(np.multiply(x, x, dtype=np.float32))  # noqa: E731
    np.testing.assert_allclose(tape.grad(cast)(x), 2 * x, rtol=1e-6)
    x = normal(4, 5)
    np.testing.assert_allclose(tape.grad(parts)(x), grad(parts)(x))
