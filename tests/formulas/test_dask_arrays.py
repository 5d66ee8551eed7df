"""The derivatives of NumPy's functions on Dask's arrays: lazy, and the same numbers."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import grad, hvp, jvp, value_and_grad
from srcgrad.errors import ArgumentError, SrcgradError
from tests.formulas.strict_cases import Call, cases

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
load("numpy")

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask warns of chunks of these small arrays
CASES = [c for c in cases() if not isinstance(c.target, np.ufunc) or c.target.__name__ in dir(np)]
# Derivatives that ask for numbers on the way
COMPUTES = {
    *("diff", "median", "nanmedian", "nanpercentile", "nanquantile", "pad", "pad_with"),
    *("percentile", "quantile", "repeat", "squeeze", "tile"),
}
REFUSALS = (
    NotImplementedError, TypeError, ValueError, AttributeError, AssertionError, SrcgradError,
)  # fmt: skip


class ComputedError(Exception):
    """Something asked a lazy array for its numbers."""


def refuse(*args, **options):
    """Stand in the place of a scheduler."""
    raise ComputedError


def lazy(x):
    """Return a lazy array with the numbers of another."""
    return da.from_array(x, chunks=-1) if isinstance(x, np.ndarray) else x


def is_lazy_itself(call):
    """Whether the function itself, without a derivative, is one of lazy arrays."""
    try:
        value = call.program(*call.moved(lazy, np.float64))
    except Exception:  # noqa: BLE001 - whatever Dask does not do
        return False
    return isinstance(value, da.Array) and value.shape == np.shape(call.value)


@pytest.mark.one_of(24)
@pytest.mark.parametrize("c", CASES, ids=str)
def test_cotangents(c):
    """They have NumPy's numbers, and nothing is computed before somebody asks, or it is refused."""
    call = Call(c)
    with np.errstate(all="ignore"):
        expected = call.cotangents(lambda x: x, np.float64)
        with dask.config.set(scheduler=refuse):
            if not is_lazy_itself(call):
                return
            try:
                bars = call.cotangents(lazy, np.float64)
            except REFUSALS:
                return
            except ComputedError:
                assert c.target.__name__ in COMPUTES
                return
        for bar, wanted, k in zip(bars, expected, call.wrt, strict=True):
            assert isinstance(bar, da.Array) or not isinstance(call.args[k], np.ndarray)
            np.testing.assert_allclose(np.asarray(bar), wanted, rtol=1e-12, atol=1e-13)


def misfit(w, x, y):
    """A mean over rows."""
    return np.mean((np.tanh(x @ w) - y) ** 2)


def stencil(x):
    """Differences of neighbours, and a branch in each entry."""
    return np.sum(np.exp(x[1:] - x[:-1]) ** 2) + np.sum(np.where(x > 0, x, 0.1 * x))


RNG = np.random.default_rng(0)
W, X, Y = RNG.normal(size=3), RNG.normal(size=(100, 3)), RNG.normal(size=100)


def test_a_gradient_is_lazy_and_has_the_chunks_of_its_argument():
    """Nothing is computed until it is asked for."""
    x, y = da.from_array(X, chunks=(25, 3)), da.from_array(Y, chunks=25)
    with dask.config.set(scheduler=refuse):
        value, (w_bar, x_bar) = value_and_grad(misfit, wrt=("w", "x"))(W, x, y)
        by_chunks = grad(stencil)(y)
    assert isinstance(value, da.Array)
    assert (x_bar.chunks, by_chunks.chunks) == (x.chunks, y.chunks)
    expected = grad(misfit, wrt=("w", "x"))(W, X, Y)
    np.testing.assert_allclose(w_bar.compute(), expected[0], rtol=1e-12)
    np.testing.assert_allclose(x_bar.compute(), expected[1], rtol=1e-12)
    np.testing.assert_allclose(by_chunks.compute(), grad(stencil)(Y), rtol=1e-12)


def test_tangents_and_products_are_lazy():
    """Forward mode and second derivatives too."""
    x, y = da.from_array(X, chunks=(25, 3)), da.from_array(Y, chunks=25)
    with dask.config.set(scheduler=refuse):
        dot = jvp(misfit, (W, x, y), (W, None, None))[1]
        product = hvp(misfit)(W, x, y, W)
    np.testing.assert_allclose(dot, jvp(misfit, (W, X, Y), (W, None, None))[1], rtol=1e-12)
    np.testing.assert_allclose(product, hvp(misfit)(W, X, Y, W), rtol=1e-12)


def test_unknown_lengths_are_refused_by_name():
    """Also where code for known ones is there already."""
    made = grad(lambda x: np.sum(x**2) / x.shape[0])
    y = da.from_array(Y, chunks=25)
    made(y)
    for _ in range(2):
        with pytest.raises(ArgumentError, match="'x' is an array of Dask's with chunks of unknown"):
            made(y[y > 0])
    known = y[y > 0].compute_chunk_sizes()
    np.testing.assert_allclose(made(known).compute(), made(Y[Y > 0]))


def through_a_view(x):
    """Change a part of an array in place, under another name."""
    y = x * 2.0
    part = y[1:]
    part += 1.0
    return np.sum(y**2)


def through_a_row(x):
    """Change rows as they are gone through."""
    y = x.reshape(10, 10) * 2.0
    for row in y:
        row[0] = 0.0
    return np.sum(y**2)


def into_its_own(x):
    """Fill an array that has no other name."""
    out = np.zeros_like(x)
    out[1:-1] = x[2:] - x[:-2]
    return np.sum(out**2)


@pytest.mark.parametrize("f", [through_a_view, through_a_row, np.prod], ids=lambda f: f.__name__)
def test_writes_through_views_are_refused(f):
    """No array of Dask's is a view, so that code that writes through one means something else."""
    program = f if f.__module__ == __name__ else (lambda x: f(x))
    with pytest.raises(ArgumentError, match="a view of another array"):
        grad(program)(da.from_array(Y, chunks=25))


def test_writes_into_an_array_of_ones_own():
    """They mean the same."""
    found = grad(into_its_own)(da.from_array(Y, chunks=25))
    np.testing.assert_allclose(found.compute(), grad(into_its_own)(Y), rtol=1e-12)
