"""Loops over batches: what they give, and their derivatives as text."""

import inspect
from collections import namedtuple

import numpy as np
import pytest

from srcgrad import check, grad, hessian, jacobian, source, value_and_grad, vmap
from srcgrad.errors import ArgumentError
from tests import finite_differences as fd

W = np.array([[0.3, -0.5], [0.7, 0.2], [-0.4, 0.9]])
X = np.linspace(-1.0, 1.0, 8).reshape(4, 2)
Pair = namedtuple("Pair", "value twice")


def layer(w, x):
    """One example."""
    return np.tanh(w @ x)


def energy(w, x):
    """A number for one example."""
    return np.sum(layer(w, x) ** 2)


layers = vmap(layer, in_axes=(None, 0))


def of_the_module(w, xs):
    """A loop that was made outside."""
    return np.sum(layers(w, xs) ** 2)


def made_inside(w, xs):
    """A loop that is made and called at once."""
    return np.sum(vmap(layer, in_axes=(None, 0))(w, xs) ** 2)


def per_example(w, xs):
    """Gradients of a local function, one for each example."""
    return np.sum(vmap(grad(lambda w, x: energy(w, x) * w[0, 0]), (None, 0))(w, xs) ** 2)


def both(w, xs):
    """Values and gradients of a function of the module."""
    values, slopes = vmap(value_and_grad(energy), (None, 0))(w, xs)
    return np.sum(values**2) + np.sum(slopes**2)


def captured(w, xs):
    """A local function that captured what is differentiated, along other axes."""
    return np.sum(vmap(lambda x: layer(w, x) * x[0], 1, out_axes=1)(xs.T)[0] ** 3)


def second(w, xs):
    """Hessians, one for each example."""
    return np.sum(vmap(hessian(energy, 1), (None, 0))(w, xs) ** 2)


def products(w, xs):
    """Two arrays, along the first and along the last axis."""
    return np.sum(vmap(lambda x, y: x @ y * w[0, 0], (0, -1))(xs, xs.T) ** 2)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("f", [of_the_module, made_inside, both, second])
def test_derivatives(f):
    """The derivatives are generated code, and agree with differences."""
    grad(f, (0, 1), recorded="refuse")(W, X)
    check(f, W, X, wrt=(0, 1), order=2, recorded="allow")


def named(w, xs):
    """Named tuples."""
    made = vmap(lambda x: Pair(np.sin(x), 2 * x[0] * w[0, 0]))(xs)
    return np.sum(made.value**2) + np.sum(made.twice**3)


def trees(w, xs):
    """Dicts with tuples and lists in them."""
    made = vmap(lambda x: {"a": np.sin(x), "b": (x[0] * w[0, 0], [x * x])})(xs)
    return np.sum(made["a"] ** 2) + np.sum(made["b"][0] ** 3) + np.sum(made["b"][1][0] ** 3)


def nested(w, xs):
    """A loop in a loop."""
    return np.sum(vmap(vmap(lambda x: np.sin(x * w[0, 0])))(xs) ** 2)


def of_a_library(w, xs):
    """A function of NumPy's."""
    return np.sum(vmap(np.sum)(xs * w[0, 0]) ** 2)


@pytest.mark.parametrize("f", [named, trees, nested, of_a_library, per_example, captured, products])
@pytest.mark.one_of(2)
def test_derivatives_that_may_be_recorded(f):
    """The derivatives agree with differences, as text or recorded."""
    check(f, W, X, wrt=(0, 1), order=1, recorded="allow")


def test_values():
    """The results are those of the function, one by one; what is given by name is for all."""

    def power(x, *, exponent=2):
        return x**exponent

    np.testing.assert_array_equal(layers(W, X), [layer(W, x) for x in X])
    np.testing.assert_array_equal(vmap(power)(X, exponent=3), X**3)
    np.testing.assert_array_equal(vmap(power, 1, out_axes=1)(X), X**2)
    np.testing.assert_array_equal(vmap(np.sin)(X), np.sin(X))
    np.testing.assert_array_equal(vmap(lambda *rows: rows[0] * rows[1])(X, X), X**2)
    assert vmap(lambda x: Pair(x, 2 * x))(X).twice.shape == X.shape
    assert jacobian(layers, 1)(W, X).shape == (4, 3, 4, 2)


def rectified(x, w):
    """Elementwise, through a function of NumPy's and one of its own."""
    return leaky(np.sin(x) * w)


def leaky(x):
    """Elementwise, with a kink."""
    small = 0.1 * x
    return np.where(x > 0, x, small)


ELEMENTWISE = [
    (rectified, (0, None), (X, 2.0)),
    (rectified, (0, None), (X, np.ones(X.shape[1]))),
    (rectified, (0, None), (X, np.ones((2, 1)))),
    (rectified, 0, (X, np.arange(len(X), dtype=float))),
    (grad(rectified), (0, None), (X[:, 0], 2.0)),
    (grad(rectified, ("w", "x")), 0, (X[:, 0], X[:, 1])),
]


@pytest.mark.parametrize(("f", "axes", "args"), ELEMENTWISE)
def test_whole_arrays(f, axes, args):
    """What treats each entry by itself gives for whole arrays what it gives one by one."""
    batched = vmap(f, axes)
    assert "whole arrays are given" in inspect.getsource(batched)
    of_all = axes if isinstance(axes, tuple) else (axes,) * 2
    rows = [[a if n is None else a[k] for a, n in zip(args, of_all)] for k in range(len(X))]
    expected = [f(*row) for row in rows]
    made = batched(*args)
    if isinstance(made, tuple):
        expected = [np.stack(part) for part in zip(*expected)]
    np.testing.assert_allclose(made, expected)
    with pytest.raises(ValueError, match="an axis of length 0"):
        batched(args[0][:0], args[1][:0] if of_all[1] == 0 else args[1])


def test_derivatives_of_whole_arrays():
    """The text for whole arrays is differentiated, where they have the ranks for it."""
    check(lambda x: np.sum(vmap(rectified, (0, None))(x, 2.0) ** 2), X, order=2)
    slopes = vmap(grad(rectified), (0, None))
    check(lambda x: np.sum(slopes(x, 2.0) ** 2), X[:, 0], order=1)


@pytest.mark.parametrize(
    "f",
    [
        lambda x, w: w * 2,
        lambda x, w: np.sum(x) * w,
        lambda x, w: x @ w,
        lambda x, w: x[0] * w,
        lambda x, w: x * X[0],
        lambda x, w: np.add(x, w, out=None),
    ],
)
def test_not_elementwise(f):
    """Sums, products of matrices, entries, what is taken from outside: one by one."""
    assert "whole arrays" not in inspect.getsource(vmap(f, (0, None)))


def _square(a):
    return a * a


def _first(a):
    return a[0] * a


def test_helpers_that_change(monkeypatch):
    """Which way is gone is asked at each call, also inside of what is differentiated."""
    batched = vmap(lambda a: _square(a) + 1)
    slope = grad(lambda x: np.sum(batched(x)))
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(batched(x), x**2 + 1)
    np.testing.assert_allclose(slope(x), 2 * x)
    monkeypatch.setitem(globals(), "_square", _first)
    np.testing.assert_allclose(batched(x), x[:, :1] * x + 1)
    np.testing.assert_allclose(slope(x), fd.gradient(lambda x: np.sum(batched(x)), (x,), 0), 1e-6)


def _weighted(a, w=np.array([1.0, 2.0, 3.0])):
    return a * w


def test_defaults_of_helpers_are_no_examples():
    """Each example meets the whole default."""
    x = np.array([1.0, 2.0, 3.0])
    found = vmap(lambda a: np.sin(_weighted(a)))(x)
    np.testing.assert_allclose(found, np.sin(np.outer(x, [1.0, 2.0, 3.0])))


def test_text():
    """The loop says what it does, and its gradient stands in the gradient of the caller."""
    assert inspect.getsource(layers) == (
        "def layer_batched(w, x):\n"
        '    """Return what layer gives for each place along axis 0 of x."""\n'
        "    rows = [layer(w, x[k]) for k in range(batch_length(x, axes=(0,)))]\n"
        "    require_results(rows[0])\n"
        "    if isinstance(rows[0], (tuple, list, dict)):\n"
        "        return stacked(rows)\n"
        "    return np.stack(rows)\n"
    )
    gradient = grad(of_the_module)
    gradient(W, X)
    assert "w_bar += layer_backward(layer_residuals, layer_value_bar)" in source(gradient)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vmap(layer)(W, X), ValueError, "axes of one length, and these have .3, 4."),
        (lambda: layers(W, X[:0]), ValueError, "an axis of length 0"),
        (lambda: vmap(layer, (None, 3))(W, X), ValueError, "has no axis 3"),
        (lambda: layers(W, [1.0, 2.0]), TypeError, "an argument is a list"),
        (lambda: layers(W, {"x": X}), TypeError, "an argument is a dict"),
        (lambda: vmap(lambda x: "text")(X), TypeError, "not a str"),
        (lambda: vmap(lambda x: None)(X), TypeError, "not a NoneType"),
        (lambda: vmap(layer, (None, None)), ArgumentError, "does not fit"),
        (lambda: vmap(layer, "first"), ArgumentError, "does not fit"),
        (lambda: vmap(layer, (0, 0, 0)), ArgumentError, "does not fit"),
        (lambda: vmap(layer, (None, 0), out_axes=None), ArgumentError, "is no axis"),
    ],
)
def test_errors(call, error, words):
    """What cannot be stacked or split is told, and not guessed."""
    with pytest.raises(error, match=words):
        call()
