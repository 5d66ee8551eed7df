"""A gradient has its argument's dtype, also where the program starts from sums."""

import numpy as np
import pytest
from scipy import special, stats

from srcgrad import grad, hvp, source, tape, value_and_grad, vjp
from srcgrad.tape.derivatives import hvp as tape_hvp

X = np.linspace(0.5, 2.0, 6, dtype=np.float32).reshape(3, 2)


def loop(x):
    """A sum in a loop."""
    total = 0.0
    for k in range(3):
        total += np.sum(x) * (k + 1)
    return total


def branch(x):
    """A sum in a branch."""
    return np.sum(x) if x[0, 0] > 0 else np.mean(x)


def called(x):
    """A sum in a function that is called."""

    def total(y):
        return np.sum(y)

    return 0.5 * total(x) + total(x[0])


PROGRAMS = [
    lambda x: np.sum(x),
    lambda x: x.sum(),
    lambda x: np.mean(x[:, 0]),
    lambda x: np.mean(np.cumsum(x)),
    lambda x: np.sum(np.repeat(x, 2)),
    lambda x: np.sum(np.sort(x)),
    lambda x: np.sum(x, axis=0)[0],
    lambda x: np.sum(np.tile(x, 2)),
    lambda x: np.mean(np.diff(x)),
    lambda x: np.sum(np.reshape(x, (2, 3))),
    lambda x: np.sum(np.diff(x) - x[:, :1]),
    lambda x: 2.5 * np.sum(x) / x.size,
    loop,
    branch,
    called,
]


TABLE = np.array([1.0, 2.0, 3.0])


def in_a_branch(x):
    """An array of its own in a function that is called in a branch."""

    def weighed(y):
        return y * np.arange(3)

    return np.sum(weighed(x[:, 0])) if x[0, 0] > 0 else 0.0


def in_a_loop(x):
    """An array of its own that a loop goes over."""
    total = 0.0
    for weight, row in zip(np.linspace(0.5, 1.0, 3), x, strict=True):
        total += weight * np.sum(row)
    return total


# What these bring in is of double precision, or whole numbers.
WIDENING = [
    lambda x: np.sum(np.where(x > 0.6, x, [1.0, 2.0])),
    lambda x: np.array([np.where(x[0] > 0.6, x[0], [1.0, 2.0])[0], 1.0], float)[0] ** 2,
    lambda x: np.sum(x[:, 0] * TABLE),
    lambda x: np.sum(x * np.arange(2)),
    lambda x: np.sum(x) * np.float64(2.5),
    lambda x: np.dot([1.0, 2.0, 3.0], x)[0],
    lambda x: np.sum(np.concatenate([[0.5, 0.7], x[:, 0]]) ** 2),
    lambda x: np.sum(np.maximum(x, (0.6, 0.7)) ** 2),
    lambda x: np.sum(np.eye(3) @ x),
    in_a_branch,
    in_a_loop,
]


@pytest.mark.parametrize("f", [*PROGRAMS, *WIDENING])
@pytest.mark.one_of(2)
def test_single_precision(f):
    """Single precision in gives single precision out, with the numbers of double precision."""
    x_bar = grad(f)(X)
    assert x_bar.dtype == np.float32
    np.testing.assert_allclose(x_bar, grad(f)(X.astype(float)), rtol=1e-6)
    assert value_and_grad(f)(X)[1].dtype == np.float32
    assert vjp(f, X)[1](1.0).dtype == np.float32
    assert grad(lambda x: np.sum(grad(f)(x) * x))(X).dtype == np.float32


def widened_while_it_runs(x):
    """A sine of double precision, which is recorded."""
    return np.sum(np.sin(x, dtype=float))


def test_single_precision_of_what_is_recorded():
    """What is recorded has the precision of its argument, too."""
    assert grad(widened_while_it_runs, recorded="allow")(X).dtype == np.float32
    assert vjp(widened_while_it_runs, X, recorded="allow")[1](1.0).dtype == np.float32


def test_mixed_precision_loses_nothing():
    """An array in double precision has a gradient with all its digits beside one in single."""

    def f(x, mask):
        low = mask * np.float32(1)
        return np.mean(np.cumsum(x * low))

    x, mask = np.linspace(0.1, 1.0, 7), np.ones(7, dtype=np.float32)
    expected = np.arange(7, 0, -1) / 7
    np.testing.assert_allclose(grad(f)(x, mask), expected, rtol=1e-15)
    assert grad(f, 1)(x, mask).dtype == np.float32


@pytest.mark.parametrize("which", [0, 1, (0, 1)])
def test_both_of_a_pair_have_their_own(which):
    """Also in ``vjp``, a gradient has its own argument's dtype."""
    args = (X, X.astype(float))
    made = vjp(lambda x, y: np.sum(x * y), *args, wrt=which)[1](1.0)
    wanted = which if isinstance(which, tuple) else (which,)
    for k, bar in zip(wanted, made if isinstance(which, tuple) else (made,), strict=True):
        assert bar.dtype == args[k].dtype


def test_a_number_of_single_precision():
    """A number of NumPy's has a gradient of its own type, beside arrays of double precision."""
    assert type(grad(lambda s, x: np.sum(s * x))(np.float32(2), np.ones(3))) is np.float32
    whole = np.array([1, 2, 3])
    assert grad(lambda x, n: np.sum(x[:, 0] * n))(X, whole).dtype == np.float32


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
def test_a_number_of_pythons(dtype):
    """A number of Python's has one as its gradient, whatever precision it met on the way."""
    held = np.ones(3, dtype)
    for s in (2.0, 2.0 + 1j):
        for f in (lambda s, x: np.sum(np.real(s * x)), lambda s, x: np.sum(np.real(s * held))):
            both = [grad(f)(s, held), vjp(f, s, held)[1](1.0), grad(f, (0, 1))(s, held)[0]]
            assert {type(bar) for bar in both} == {type(s)}
            assert both[0] == 3.0
            in_a_tree = grad(lambda tree, x, f=f: f(tree["a"][0], x))({"a": [s]}, held)
            assert type(in_a_tree["a"][0]) is type(s)


def test_an_array_in_single_precision_on_the_way():
    """Double precision that goes through single precision has gradients of its own dtype."""

    def through(x):
        made = np.ones(3, dtype=np.float32)
        made[...] = x[:, 0] * TABLE
        return np.sum(made * made)

    x = X.astype(float)
    for bar in (grad(through)(x), vjp(through, x)[1](1.0)):
        assert bar.dtype == np.float64
        np.testing.assert_allclose(bar[:, 0], 2 * x[:, 0] * TABLE**2, rtol=1e-6)


def test_a_number_in_double_precision():
    """It is not that of the array which it is multiplied with in place."""

    def scaled(x, s):
        y = np.sin(x)
        y[1:] *= s
        return np.sum(y)

    x_bar, s_bar = vjp(scaled, X, np.float64(1.5), wrt=(0, 1))[1](1.0)
    assert x_bar.dtype == np.float32
    assert s_bar.dtype == np.float64


def test_an_array_of_one():
    """The cotangent of the number that it holds is a number of Python's at first."""
    one = np.array([0.5], np.float32)
    for f in (np.squeeze, lambda x: np.reshape(x, ()), lambda x: x.item(), lambda x: x[0]):
        assert grad(lambda x, f=f: f(x))(one).dtype == np.float32


def test_nothing_is_cast_in_vain():
    """Where all is of one precision, and numbers of Python's, no gradient is cast."""
    gradient = grad(lambda x: 2.0 * np.sum(np.sin(x) * x))
    gradient(X)
    assert "cast" not in source(gradient)


WIDENING = [
    lambda x: np.sum(np.cov(x)),
    lambda x: np.sum(np.corrcoef(x.T)[0]),
    lambda x: np.sum(np.vander(x[:, 0])),
    lambda x: np.sum(np.interp(x[:, 0], x[:, 1], x[:, 0])),
    lambda x: np.sum(np.bincount(np.arange(6) % 4, weights=np.ravel(x)) ** 2),
    lambda x: np.sum(np.diff(x, prepend=0.5) ** 2),
    lambda x: np.sum(np.append(x, 0.5) ** 2),
    lambda x: np.sum(np.tanh(np.cov(x)) * 2),
    lambda x: np.sum(special.kn(2, x)),
    lambda x: np.sum(special.eval_legendre(3, x)),
    lambda x: np.sum(special.polygamma(1, x)),
    lambda x: np.sum(stats.norm.logpdf(x, 0.3, 1.2)),
]


@pytest.mark.parametrize("f", WIDENING)
def test_functions_that_give_double_precision(f):
    """What NumPy and SciPy compute in double precision themselves, the gradient comes back from."""
    assert np.asarray(f(X)).dtype == np.float64
    assert grad(f)(X).dtype == np.float32
    assert vjp(f, X)[1](1.0).dtype == np.float32
    np.testing.assert_allclose(grad(f)(X), grad(f)(X.astype(float)), rtol=1e-4, atol=1e-4)


def test_called_again_in_another_precision():
    """The code for double precision is not that for single precision, whose gradients are cast."""
    made = grad(lambda x: np.sum(x * TABLE))
    for dtype in (float, np.float32, float, np.float16, np.longdouble):
        x = np.ones(3, dtype)
        assert made(x).dtype == dtype
        np.testing.assert_array_equal(made(x), TABLE)


QUAD = np.longdouble
WIDE = np.arange(3, dtype=QUAD)


def _wide(x):
    a = np.zeros(3, QUAD)
    a[:] = x
    return np.sum(a * x)


def _coded(x):
    a = np.empty(3, "g")
    a[:] = x
    return np.sum(a * x)


def _narrow(x):
    a = np.zeros(3, np.float32)
    a[:] = x
    return np.sum(a * x)


OTHER = {
    "number": lambda x: np.sum(x * QUAD(2) * x),
    "array": lambda x: np.sum(WIDE * x),
    "cast": lambda x: np.sum(x.astype(QUAD) * x),
    "asarray": lambda x: np.sum(np.asarray(x, QUAD) * x),
    "sum": lambda x: np.sum(np.sum(x, dtype=QUAD) * x),
    "by_place": lambda x: np.sum(np.array([1, 2, 3], QUAD) * x),
    "by_name": lambda x: np.sum(np.arange(3, dtype="longdouble") * x),
    "of_a_limit": lambda x: np.sum(np.finfo(QUAD).eps * x),
    "of_an_entry": lambda x: QUAD(x[0]) * x[1] + x[2],
    "wide": _wide,
    "coded": _coded,
    "narrow": _narrow,
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("name", OTHER)
@pytest.mark.one_of(2)
def test_gradients_through_other_precisions(name, dtype):
    """A gradient has the dtype of its argument, whatever precisions are met on the way."""
    f, x = OTHER[name], np.array([1.0, 2.0, 3.0], dtype)
    assert grad(f)(x).dtype == dtype
    assert tape.grad(f)(x).dtype == dtype
    assert hvp(f)(x, x).dtype == dtype
    assert tape_hvp(f)(x, x).dtype == dtype
    assert np.allclose(grad(f)(x), tape.grad(f)(x))


def test_numbers_of_pythons_through_other_precisions():
    """The gradient of a number of Python's is one."""
    assert type(grad(lambda x: x * QUAD(2))(1.5)) is float
