"""The derivatives of NumPy's and SciPy's functions on arrays that NumPy cannot look into.

They run unchanged on a stand-in for CuPy's arrays; with ``pytest --gpu`` they run on
CuPy's own.
"""

import warnings

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad import grad, hvp, jvp, value_and_grad, vjp
from srcgrad.runtime.numpy.initials import border_transpose
from srcgrad.runtime.numpy.quantiles import place_ranked, read_ranked
from srcgrad.runtime.transposes import reduceat_transpose
from tests.formulas.strict_arrays import (
    NotInCupyError,
    StrictArray,
    hidden_double,
    plain,
    strict,
    transfers,
)
from tests.formulas.strict_cases import Call, cases

load("numpy")
load("scipy.special")

# SciPy warns of whole numbers that are given as such
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

CASES = cases()
# Functions that make NumPy arrays of their arguments: CuPy has them under its own name only
MAKE_NUMPY_ARRAYS = {
    np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray,
    np.asarray_chkfinite, np.require, np.full, np.float64, np.longdouble, np.complex128,
    np.clongdouble,
}  # fmt: skip
# Calls with a Python number where the derivative makes a NumPy array of it
NUMBERS_ON_THE_HOST = {
    *(np.polyval, special.gammainc, special.gammaincc),
    *(special.gammaincinv, special.gammainccinv),
}
# Calls whose derivatives need what CuPy does not have, which is an error of CuPy's
BEYOND_CUPY = {
    np.select, reduceat_transpose, border_transpose,
    special.expn, special.i0e, special.i1, special.i1e, special.j1, special.exprel,
    special.ellipk, special.ellipkm1, special.ellipj,
    special.ellipkinc, special.ellipeinc, special.boxcox, special.boxcox1p, special.inv_boxcox,
    special.inv_boxcox1p, special.psi,
}  # fmt: skip
# What CuPy's functions give otherwise than NumPy's: a partition is a sort, numbers stay
# numbers where arrays are broadcast, and singular vectors have other signs
REARRANGING = {np.partition, np.broadcast_arrays, np.linalg.svd}
# Gradients that ask for numbers where the function does not, so that they wait for a GPU
ASKING = {
    **dict.fromkeys(
        (np.median, np.nanmedian, np.quantile, np.percentile, np.nanquantile, np.nanpercentile),
        "which entries a quantile stands between",
    ),
    np.linalg.det: "whether a matrix is singular",
}
# Derivatives that go through double precision, and come back
IN_DOUBLE = {
    **dict.fromkeys(
        (np.median, np.nanmedian, np.quantile, np.percentile, read_ranked, place_ranked),
        "where a quantile stands among many entries has more digits than single precision",
    ),
    np.polyval: "np.vander gives double precision",
}


def host_only(c):
    """Whether a derivative needs NumPy's own arrays."""
    return c.target in NUMBERS_ON_THE_HOST and any(isinstance(x, float) for x in c.args)


def gives_a_number(c):
    """Whether a call gives one real number, so that it has a gradient."""
    if c.target in MAKE_NUMPY_ARRAYS or host_only(c):
        return False
    with np.errstate(all="ignore"):
        value = Call(c).value
    if isinstance(value, tuple | list):
        return False
    return np.shape(value) == () and np.asarray(value).dtype.kind == "f"


@pytest.mark.one_of(24)
@pytest.mark.parametrize("c", CASES, ids=str)
def test_gradient(c):
    """The derivative runs on strict arrays, gives NumPy's numbers, and keeps the precision."""
    call = Call(c)
    if c.target in MAKE_NUMPY_ARRAYS:
        with pytest.raises(TypeError, match="implicit conversion"):
            call.program(*call.moved(strict, np.float64))
        return
    if host_only(c):
        with pytest.raises(TypeError, match=r"a NumPy array meets|implicit conversion"):
            call.cotangents(strict, np.float64)
        return
    try:
        call.program(*call.moved(strict, np.float64))
    except NotInCupyError:
        return  # the call itself is one that CuPy does not have
    if c.target in BEYOND_CUPY:
        with pytest.raises(NotInCupyError):
            call.cotangents(strict, np.float64)
        return
    with np.errstate(all="ignore"):
        expected = call.cotangents(lambda x: x, np.float64)
        for bar, wanted, k in zip(
            call.cotangents(strict, np.float64), expected, call.wrt, strict=True
        ):
            assert isinstance(bar, StrictArray) or not isinstance(call.args[k], np.ndarray)
            np.testing.assert_allclose(plain(bar), wanted, rtol=1e-12, atol=1e-13)
        check_single_precision(c, call)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("c", [c for c in CASES if gives_a_number(c)], ids=str)
def test_gradient_of_a_number(c):
    """The gradient, which starts from the number 1, runs on strict arrays as well.

    It asks for no more numbers than the function itself does.
    """
    call = Call(c)
    made = grad(call.program, wrt=call.wrt)
    with np.errstate(all="ignore"):
        expected = made(*call.moved(lambda x: x, np.float64))
        args = call.moved(strict, np.float64)
        try:
            bars = made(*args)
            transfers()
            call.program(*args)
        except NotInCupyError:
            return
        own = len(transfers())
        made(*args)
    assert len(transfers()) <= own or c.target in ASKING
    for bar, wanted, k in zip(bars, expected, call.wrt, strict=True):
        assert isinstance(bar, StrictArray) or not isinstance(call.args[k], np.ndarray)
        np.testing.assert_allclose(plain(bar), wanted, rtol=1e-12, atol=1e-13)


def check_single_precision(c, call):
    """No function is called whose result has double precision where its arguments have not."""
    hidden_double()
    call.program(*call.moved(strict, np.float32))
    if hidden_double() or "dtype" in c.options:
        return  # by itself, the function does not stay in single precision
    bars = call.cotangents(strict, np.float32)
    of_scipy = isinstance(c.target, np.ufunc) and hasattr(special, c.target.__name__)
    # SciPy's ufuncs give double precision for a Python number beside an array
    assert not hidden_double() or c.target in IN_DOUBLE or of_scipy
    for bar, k in zip(bars, call.wrt, strict=True):
        if isinstance(call.args[k], np.ndarray):
            assert bar.dtype in (np.float32, np.complex64)


@pytest.mark.parametrize("c", CASES, ids=str)
def test_gradient_on_a_gpu(c, cupy):
    """The same with CuPy's arrays, where there is a GPU."""
    call = Call(c)
    try:
        call.program(*call.moved(cupy.asarray, np.float64))
    except (TypeError, NotImplementedError, AttributeError, ValueError) as e:
        pytest.skip(f"CuPy does not have the call itself: {e}")
    if host_only(c) or c.target in REARRANGING:
        return
    if c.target in BEYOND_CUPY:
        with pytest.raises((TypeError, AttributeError)):
            call.cotangents(cupy.asarray, np.float64)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # CuPy warns of what it does on the host
        found = call.cotangents(cupy.asarray, np.float64)
        expected = call.cotangents(lambda x: x, np.float64)
        for bar, wanted, k in zip(found, expected, call.wrt, strict=True):
            assert isinstance(bar, cupy.ndarray) or not isinstance(call.args[k], np.ndarray)
            np.testing.assert_allclose(cupy.asnumpy(bar), wanted, rtol=1e-9, atol=1e-10)


def test_whole_programs():
    """A gradient, a tangent and a gradient of a gradient run on strict arrays."""

    def loss(w, b, x):
        h = np.tanh(x @ w + b)
        return np.mean((h - x[:, :1]) ** 2) + 0.5 * np.sum(w * w)

    rng = np.random.default_rng(0)
    args = rng.normal(size=(3, 2)), rng.normal(size=2), rng.normal(size=(4, 3))
    value, bars = value_and_grad(loss, (0, 1))(*map(strict, args))
    wanted, expected = value_and_grad(loss, (0, 1))(*args)
    np.testing.assert_allclose(plain(value), wanted, rtol=1e-14)
    for bar, one in zip(bars, expected, strict=True):
        np.testing.assert_allclose(plain(bar), one, rtol=1e-13)
    _, dot = jvp(loss, strict(args), (strict(args[0]), None, None))
    np.testing.assert_allclose(plain(dot), jvp(loss, args, (args[0], None, None))[1], rtol=1e-13)

    def squares(w, b, x):
        return np.sum(grad(loss)(w, b, x) ** 2)

    second = grad(squares)(*map(strict, args))
    np.testing.assert_allclose(plain(second), grad(squares)(*args), rtol=1e-12)


def test_nothing_is_copied_from_the_device():
    """Gradients, tangents and Hessian products of a program ask for no number at all.

    The backward function of ``vjp`` asks, for each array that somebody may have written into
    since, whether it still is what it was.
    """

    def loss(w, b, x):
        h = x
        for k in range(3):
            h = np.where(h > 0, h, 0.1 * h) @ w + b * k
        return np.log(np.sum(np.exp(h - np.max(h))))

    rng = np.random.default_rng(1)
    args = strict((rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(4, 3))))
    _, b, x = args
    derivatives = [
        lambda: grad(loss, (0, 1, 2))(*args),
        lambda: value_and_grad(loss)(*args),
        lambda: jvp(loss, args, (args[0], args[1], None)),
        lambda: hvp(loss)(*args, args[0]),
        lambda: grad(lambda w: np.sum(grad(loss)(w, b, x) ** 2))(args[0]),
    ]
    for derivative in derivatives:
        derivative()
        transfers()
        derivative()
        assert transfers() == []
    _, backward = vjp(loss, *args)
    transfers()
    backward(strict(np.ones(())))
    assert set(transfers()) <= {"bool"}


def test_arrays_on_the_wrong_device():
    """An array that lies elsewhere is refused by its library, and the line is named."""

    def loss(w, x):
        h = x @ w
        return np.sum(np.tanh(h) ** 2)

    w, x = np.ones(3), np.ones((4, 3))
    for given in ((strict(w), x), (w, strict(x))):
        for derivative in (grad(loss), lambda *args: jvp(loss, args, (args[0], None))):
            with pytest.raises(TypeError, match="meets a strict one") as caught:
                derivative(*given)
            assert "test_strict_arrays.py" in caught.value.__notes__[0]
            assert caught.value.__notes__[0].endswith("h = x @ w")
    with pytest.raises(TypeError, match="meets a strict one"):
        vjp(lambda w, x: np.tanh(x @ w), strict(w), strict(x))[1](np.ones(4))


def test_the_stand_in_refuses():
    """What CuPy's arrays refuse is refused."""
    x = strict(np.ones(3, dtype=np.float32))
    with pytest.raises(TypeError, match="implicit conversion"):
        np.asarray(x)
    with pytest.raises(TypeError, match="meets a strict one"):
        x + np.ones(3)
    with pytest.raises(TypeError, match="one element"):
        float(x)
    with pytest.raises(NotInCupyError, match="no option"):
        np.sum(x, initial=1.0)
    with pytest.raises(NotInCupyError, match=r"no numpy\.unstack|no logaddexp\.reduce"):
        np.logaddexp.reduce(x)
    assert float(np.sum(x)) == 3.0
    hidden_double()
    x * strict(np.arange(3))
    assert hidden_double() == ["multiply.__call__"]
