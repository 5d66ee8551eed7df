"""The options ``where=``, ``dtype=`` and ``mean=``, and what is written in other words."""

import numpy as np
import pytest
from numpy import log as logarithm_of
from scipy import special

from srcgrad import check, grad, jvp, source, tape
from srcgrad.errors import SrcgradError

X = np.array([[0.3, 0.6, 0.9], [0.2, 0.7, 0.4]])
Y = np.array([[0.5, 0.0, 0.8], [0.0, 0.1, 0.9]])


def quotient(x, y):
    """The usual way around a division by zero."""
    z = np.divide(x, y, out=np.zeros_like(x), where=y != 0)
    return np.sum(z * z)


def logarithm(x, y):
    """Writes a part of an array that has other numbers."""
    z = x * x
    np.log(x - 0.5, out=z, where=x > 0.5)
    return np.sum(z * z + y)


def rows(x, y):
    """The same in a loop."""
    total = 0.0
    for k in range(2):
        kept = y[k] > 0.3
        z = np.power(x[k], 3, out=np.ones(3), where=kept)
        total = total + np.sum(z * y[k])
    return total


def returned(x, y):
    """In the statement that returns."""
    return np.sum(np.arccosh(x + 1, np.zeros((2, 3)), where=x > 0.35)) + np.sum(y)


def typed(x, y):
    """Computes in double precision."""
    return np.sum(np.exp(x, dtype=np.float64) * np.add(x, y, dtype=float)) + np.var(x, dtype="d")


def about(x, y):
    """Takes the mean as it is given."""
    m = np.mean(x, axis=1, keepdims=True)
    return np.sum(np.var(x, axis=1, mean=m, ddof=1) + np.std(x, axis=1, mean=m * m + y[:, :1]))


def both_parts(x, y):
    """Writes both results, masked and not."""
    whole, part = np.zeros((2, 3)), np.ones((2, 3))
    a, b = np.modf(3 * x, out=(part, whole), where=y > 0.3)
    q, r = np.divmod(x, 0.25, out=(np.zeros((2, 3)), np.ones((2, 3))))
    return np.sum(part * x) + np.sum(whole * y) + np.sum(a * b) + np.sum(q * y + r * x)


def of_scipy(x, y):
    """The options of SciPy's ufuncs, and of names without a module before them."""
    si, ci = special.sici(x, dtype=float)
    z = logarithm_of(x, out=np.zeros((2, 3)), where=x > 0.35)
    return np.sum(special.expit(x * y, dtype="d") + si * ci + z * y)


def products(x, y):
    """The types that products are computed in."""
    c = np.matmul(x, y.T, dtype=complex)
    d = np.vecdot(x, y, dtype=float, axis=0, keepdims=True)
    return np.sum(c**2).real + np.sum(d**2) + np.sum(np.matmul(x.T, y, dtype="d", order="F") ** 2)


TEXT = [quotient, logarithm, rows, about]
RECORDED = [returned, typed, both_parts, of_scipy, products]


@pytest.mark.parametrize("f", [*TEXT, *RECORDED])
@pytest.mark.one_of(2)
def test_options(f, monkeypatch):
    """The derivatives agree with differences, in all modes, by text or recorded."""
    if f in RECORDED:
        with pytest.raises(SrcgradError):
            grad(f)(X, Y)
        monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    y = np.where(Y == 0, 1.5, Y) if f is quotient else Y
    check(f, X, y, wrt=(0, 1))
    x_bar = grad(f)(X, Y)
    assert np.isfinite(x_bar).all()
    np.testing.assert_allclose(jvp(f, (X, Y), (X, None))[1], np.sum(X * x_bar))


@pytest.mark.parametrize("f", [quotient, logarithm, rows])
def test_tape(f):
    """The tape leaves out the same entries."""
    for k in (0, 1):
        np.testing.assert_allclose(tape.grad(f, k)(X, Y), grad(f, k)(X, Y))


def test_what_is_left_out_has_no_slope():
    """Where the quotient is not computed, its slopes are 0 and not infinite."""
    x_bar, y_bar = grad(quotient, (0, 1))(X, Y)
    assert (x_bar[Y == 0] == 0).all()
    assert (y_bar[Y == 0] == 0).all()


def test_single_precision_stays():
    """The dtype of what is written into stays."""
    small = X.astype(np.float32)
    assert grad(lambda x: quotient(x, Y.astype(np.float32)))(small).dtype == np.float32


def test_mask_is_computed_once():
    """The mask gets a name."""
    text = source(grad(quotient))
    assert "mask = y != 0" in text


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (lambda x: np.sum(np.exp(x, where=x > 0)), "with where="),
        (lambda x: np.sum(np.add(x, 1.0, dtype=int)), "dtype="),
        (lambda x: np.sum(np.modf(x, out=(None, x))[0]), "several arrays as out="),
    ],
)
def test_refused(f, message):
    """What is not defined, or has no derivative, is refused."""
    with pytest.raises(SrcgradError, match=message):
        grad(f)(X)


def test_hfft_does_not_write():
    """NumPy does not write into out= of this one function."""

    def f(x):
        z = np.zeros(4)
        np.fft.hfft(x, out=z)
        return np.sum(z)

    with pytest.raises(SrcgradError, match="out= of hfft"):
        grad(f)(np.ones(3))
