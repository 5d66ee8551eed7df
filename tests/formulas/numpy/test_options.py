"""Options that are given in unusual ways, and what NumPy names its results."""

import warnings

import numpy as np
import pytest

from srcgrad import check, grad, jvp, tape, vjp
from tests.formulas.checking import definite, normal, positive

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
        (slopes, (normal(4, 5), np.array([0.0, 0.3, 1.0, 1.2]), TIMES)),
        (step_and_times, (normal(4, 5), 0.3, TIMES)),
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
    check(f, *args, wrt=tuple(range(len(args))), order=2)


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
        check(f, normal(*dims), order=2)


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
    for f in (slopes, parts):
        args = (normal(4, 5), np.array([0.0, 0.3, 1.0, 1.2]), TIMES)[: 1 if f is parts else 3]
        np.testing.assert_allclose(tape.grad(f)(*args), grad(f)(*args))
