"""Derivatives over rows on Dask's schedulers, with workers that cannot import srcgrad."""

import numpy as np
import pytest

import srcgrad
from srcgrad.errors import ArgumentError, SaveError

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
bag = pytest.importorskip("dask.bag")

from srcgrad.dask import hvp, jacobian, value_and_grad  # noqa: E402 - it needs Dask

RNG = np.random.default_rng(0)
X, W = RNG.normal(size=(100, 3)), RNG.normal(size=3)
Y = np.sign(RNG.normal(size=100))
ROWS = {"x": da.from_array(X, chunks=(13, 2)), "y": da.from_array(Y, chunks=13)}


def loss(w, b, x, y):
    return np.mean(np.logaddexp(0.0, -y * (x @ w + b)))


def penalised(w, x, y):
    return np.sum((x @ w - y) ** 2) + np.sum(w**2)


def summed(w, x, y):
    return np.sum((x @ w["slope"] + w["offset"] - y) ** 2)


def residuals(w, x, y):
    return np.tanh(x @ w) - y


@pytest.fixture(autouse=True)
def _in_threads():
    """A scheduler that starts at once, unless a test has a cluster."""
    with dask.config.set(scheduler="threads"):
        yield


def test_value_and_gradient():
    """They are those of all rows at once, to rounding."""
    made = value_and_grad(loss, wrt=("w", "b"), rows=("x", "y"))
    value, (w_bar, b_bar) = made(W, 0.5, **ROWS)
    expected, bars = srcgrad.value_and_grad(loss, wrt=("w", "b"))(W, 0.5, X, Y)
    np.testing.assert_allclose(value, expected, rtol=1e-14)
    np.testing.assert_allclose(w_bar, bars[0], rtol=1e-12)
    np.testing.assert_allclose(b_bar, bars[1], rtol=1e-12)


def test_trees_and_sums():
    """The gradient of a sum has the structure of the parameters."""
    w = {"slope": W, "offset": 0.3}
    value, bar = value_and_grad(summed, rows=("x", "y"), reduce="sum")(w, **ROWS)
    expected, wanted = srcgrad.value_and_grad(summed)(w, X, Y)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    np.testing.assert_allclose(bar["slope"], wanted["slope"], rtol=1e-12)
    np.testing.assert_allclose(bar["offset"], wanted["offset"], rtol=1e-12)


def test_products_and_jacobians():
    """Products with the Hessian are added like gradients, rows of Jacobians joined."""
    product = hvp(loss, rows=("x", "y"))(W, 0.5, W, **ROWS)
    np.testing.assert_allclose(product, srcgrad.hvp(loss)(W, 0.5, X, Y, W), rtol=1e-12)
    matrix = jacobian(residuals, rows=("x", "y"))(W, **ROWS)
    np.testing.assert_allclose(matrix, srcgrad.jacobian(residuals)(W, X, Y), rtol=1e-12)


def test_partitions_of_all_kinds():
    """Without rows, with one row, of unknown length, of another dtype, and rows of a bag."""
    value, bar = srcgrad.value_and_grad(loss)(W, 0.5, X, Y)
    for chunks in ((0, 99, 1, 0), (100,), (1,) * 100):
        rows = {"x": da.from_array(X, chunks=(chunks, 3)), "y": da.from_array(Y, chunks=(chunks,))}
        found = value_and_grad(loss, rows=("x", "y"))(W, 0.5, **rows)
        np.testing.assert_allclose(found[0], value, rtol=1e-13)
        np.testing.assert_allclose(found[1], bar, rtol=1e-12)
    positive = {"x": ROWS["x"].rechunk((13, 3))[ROWS["y"] > 0], "y": ROWS["y"][ROWS["y"] > 0]}
    found = value_and_grad(loss, rows=("x", "y"))(W, 0.5, **positive)
    np.testing.assert_allclose(found[0], loss(W, 0.5, X[Y > 0], Y[Y > 0]), rtol=1e-13)
    single = da.concatenate((ROWS["y"][:50].astype("f4"), ROWS["y"][50:].astype(int)))
    x = ROWS["x"].rechunk((single.chunks[0], 3))
    found = value_and_grad(loss, rows=("x", "y"))(W, 0.5, x=x, y=single)
    np.testing.assert_allclose(found[1], bar, rtol=1e-6)
    rows = bag.from_sequence(list(X), npartitions=4), bag.from_sequence(list(Y), npartitions=4)
    found = value_and_grad(loss, rows=("x", "y"))(W, 0.5, x=rows[0], y=rows[1])
    np.testing.assert_allclose(found[1], bar, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_a_chunk_of_nan_is_seen_in_the_result():
    """It is not left out."""
    broken = da.concatenate((ROWS["y"][:50], ROWS["y"][50:] * np.nan))
    x = ROWS["x"].rechunk((broken.chunks[0], 3))
    value, bar = value_and_grad(loss, rows=("x", "y"))(W, 0.5, x=x, y=broken)
    assert np.isnan(value)
    assert np.isnan(bar).all()


def local_scale():
    """Return a loss that takes something from around it."""
    scale = np.ones(3)
    return lambda w, x: np.mean(x @ (w * scale))


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: value_and_grad(loss, rows="z"), ArgumentError, "no parameter 'z'"),
        (lambda: value_and_grad(loss, rows=()), ArgumentError, "rows names no parameter"),
        (lambda: value_and_grad(loss, rows="x", reduce="max"), ArgumentError, "is not known"),
        (
            lambda: value_and_grad(loss, rows=("x", "y"))(W, 0.5, x=X, y=Y),
            ArgumentError,
            "'x' is a ndarray, and no array or bag of Dask's",
        ),
        (
            lambda: value_and_grad(loss, rows=("x", "y"))(
                W, 0.5, x=ROWS["x"], y=ROWS["y"].rechunk(10)
            ),
            ArgumentError,
            "the partitions of 'x', 'y' are not the same",
        ),
        (
            lambda: value_and_grad(penalised, rows=("x", "y"), reduce="sum")(W, **ROWS),
            ArgumentError,
            "penalised is no sum over rows",
        ),
        (
            lambda: value_and_grad(loss, rows=("x", "y"), reduce="sum")(W, 0.5, **ROWS),
            ArgumentError,
            "loss is no sum over rows",
        ),
        (
            lambda: value_and_grad(loss, rows=("x", "y"))(W, 0.5, x=ROWS["x"][:0], y=ROWS["y"][:0]),
            ArgumentError,
            "there are no rows",
        ),
        (lambda: value_and_grad(local_scale(), rows="x")(W, x=ROWS["x"]), SaveError, "scale"),
    ],
)
def test_refused(ask, error, words):
    """What does not fit is said by name, before anything is sent."""
    with pytest.raises(error, match=words):
        ask()
