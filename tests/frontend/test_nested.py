"""Derivatives inside of functions that are differentiated: exact values, texts, refusals."""

import re

import numpy as np
import pytest

from srcgrad import grad, hessian, jvp, save, source, stop_gradient, tape, value_and_grad, vjp
from srcgrad.errors import (
    ArgumentError,
    MutationError,
    ResultError,
    UnresolvedCallError,
    UnsupportedSyntaxError,
)

X = np.array([0.3, 1.2, -0.7])


def cube(y):
    """A number to the third power."""
    return y**3


def squares(y):
    """The sum of squares."""
    return np.sum(y**2)


def test_perturbations_are_not_confused():
    """The classics of the literature, to the last bit."""
    assert grad(lambda x: x * grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert grad(lambda x: x * grad(lambda y: x * y)(2.0))(3.0) == 6.0
    assert grad(lambda x: grad(lambda y: x * y * y)(x))(3.0) == 12.0
    assert grad(lambda x: jvp(lambda y: x * y, (x,), (x,))[1])(3.0) == 6.0
    assert jvp(lambda x: x * grad(lambda y: x + y)(1.0), (1.0,), (1.0,)) == (1.0, 1.0)


def test_stop_gradient_inside():
    """What an inner derivative stops is stopped in the inner derivative only."""

    def outer(x):
        return grad(lambda y: stop_gradient(y) * y * x)(x)  # x * x

    assert grad(outer)(3.0) == 6.0 - 3.0  # the stopped y is x, which does not move


def test_gradient_of_the_text_that_is_shown():
    """The user's line stands, and calls the generated gradient."""

    def outer(x):
        slope = grad(squares)(x)  # the inner gradient
        return slope @ slope

    gradient = grad(outer)
    np.testing.assert_array_equal(gradient(X), 8 * X)
    text = source(gradient)
    assert "slope, squares_grad_residuals = squares_grad_forward(x)  # the inner gradient" in text
    assert "return y_bar, ()" in text or "return y_bar, (" in text
    assert not re.search(r"\bgrad\(", text.split("# ", 1)[0])


def test_names_for_derivatives_are_dropped():
    """What only named a derivative is not in the text any more."""

    def outer(x):
        slope = grad(cube)
        return slope(x) * x

    gradient = grad(outer)
    assert gradient(2.0) == 36.0
    assert "slope = " not in source(gradient)


def test_saved_modules_need_no_grad(tmp_path):
    """The text of an inner derivative goes with the module."""
    file = tmp_path / "made.py"
    save(_outer, file)
    text = file.read_text()
    assert "srcgrad" not in text.partition('"""')[2].partition('"""')[2].replace("srcgrad.", "")
    space: dict = {}
    exec(compile(text, str(file), "exec"), space)
    assert space["_outer_grad"](2.0) == 36.0


def _outer(x):
    return grad(cube)(x) * x


def test_globals_that_change():
    """A function that stands for another one later is differentiated anew."""
    global _changing
    _changing = cube
    gradient = grad(_uses_changing)
    assert gradient(2.0) == 12.0
    _changing = _fourth
    assert gradient(2.0) == 48.0


def _fourth(y):
    return y**4


_changing = cube


def _uses_changing(x):
    return grad(_changing)(x)


def test_captured_values_stay_live():
    """A captured array is read at each call."""
    scale = np.array([1.0, 2.0, 3.0])

    def outer(x):
        return np.sum(grad(lambda y: np.sum(y**3 * scale))(x))

    gradient = grad(outer)
    np.testing.assert_allclose(gradient(X), 6 * X * scale)
    scale[0] = 10.0
    np.testing.assert_allclose(gradient(X), 6 * X * scale)


def test_gradient_descent_reads_well():
    """An unrolled optimiser: the backward loop calls the backward function of the gradient."""

    def descend(rate, w):
        for _ in range(5):
            w = w - rate * grad(squares)(w)
        return squares(w)

    gradient = grad(descend, wrt=(0, 1))
    rate_bar, w_bar = gradient(0.1, X)
    np.testing.assert_allclose(w_bar, 2 * X * 0.8**10)
    np.testing.assert_allclose(rate_bar, -20 * 0.8**9 * np.sum(X**2))
    text = source(gradient)
    assert "in saved[::-1]:" in text
    assert "squares_grad_backward(" in text


def refused(kind, f, *args):
    """Return the message of the refusal, which names a line of this file."""
    with pytest.raises(kind) as caught:
        grad(f)(*args)
    assert "test_nested.py" in str(caught.value)
    return str(caught.value)


def test_integers_are_refused():
    """At the line of the inner call."""
    text = refused(ArgumentError, lambda x: x * grad(lambda y: x * y * y)(2), 1.3)
    assert "the argument 'y' of lambda_ cannot be differentiated" in text


def test_wrong_wrt_is_refused():
    """For known and for local functions."""
    refused(ArgumentError, lambda x: grad(cube, wrt="z")(x), 1.3)
    refused(ArgumentError, lambda x: grad(lambda y: x * y, wrt=1)(x), 1.3)


def test_arrays_have_no_gradient():
    """An inner function must return a number."""
    assert "1 dimension" in refused(ResultError, lambda x: np.sum(grad(lambda y: x * y)(x)), X)


def test_backward_functions_stay_where_they_are_made():
    """They may be called, and not be handed on."""

    def handed_on(x):
        value, backward = vjp(cube, x)

        def use(b, v):
            return b(v) * v

        return use(backward, value)

    def captured(x):
        value, backward = vjp(cube, x)
        return grad(lambda z: backward(z) * z)(value)

    def chosen(x):
        if x > 0:
            _, backward = vjp(cube, x)
        else:
            _, backward = vjp(np.sin, x)
        return backward(x)

    def collected(x):
        kept = []
        for _ in range(2):
            _, backward = vjp(cube, x)
            kept.append(backward)
        return kept[0](x)

    def returned(x):
        def made(y):
            return vjp(cube, y)

        _, backward = made(x)
        return backward(x)

    def partly(x):
        _, backward = vjp(lambda y: (y, y * y), x)
        return backward((None, x))

    for f in (handed_on, captured, chosen, returned, partly):
        refused(UnsupportedSyntaxError, f, 1.3)
    refused(UnresolvedCallError, collected, 1.3)


def test_tangents_that_do_not_fit():
    """A tangent has as many dimensions as its argument; both stand in tuples."""
    refused(UnsupportedSyntaxError, lambda x: jvp(squares, (x,), (1.0,))[1], X)
    refused(UnsupportedSyntaxError, lambda x: jvp(squares, (x, x), (x,))[1], X)
    with pytest.raises(UnsupportedSyntaxError, match="write jvp"):
        grad(lambda x, p: jvp(cube, p, p)[1] * x)(1.3, np.array([1.0, 2.0]))


def test_several_arguments_of_a_hessian():
    """One at a time."""

    def outer(x):
        return np.sum(hessian(lambda a, b: np.sum(a * b * b), wrt=(0, 1))(x, x)[0][1])

    assert "one argument at a time" in refused(UnsupportedSyntaxError, outer, X)


class Model:
    """An object with a method to differentiate."""

    w = 2.0

    def value(self, x):
        return self.w * x * x


def test_methods_are_refused():
    """With the way out."""
    model = Model()
    text = refused(UnsupportedSyntaxError, lambda x: grad(model.value)(x), 1.3)
    assert "write a function of the arguments that calls the method" in text
    assert grad(lambda x: grad(lambda y: Model.w * y**3)(x))(1.0) == 12.0


def test_endless_nesting_is_refused():
    """A function that differentiates itself has no last level."""
    refused(UnsupportedSyntaxError, _endless, 1.3)


def _endless(x, n=1):
    return x if n == 0 else grad(_endless)(x) * x


def test_arguments_that_are_overwritten():
    """An array that an inner derivative needs may not change afterwards."""

    def outer(x):
        y = x.copy()
        slope = grad(squares)(y)
        y[0] = 7.0
        return np.sum(slope * y)

    try:
        gradient = grad(outer)(X)
    except MutationError:
        return
    np.testing.assert_allclose(gradient, [2 * 7.0, 4 * X[1], 4 * X[2]])


def test_value_and_gradient_of_a_generic_rank():
    """The text can be shown before any call."""

    def outer(x):
        value, slope = value_and_grad(squares)(x)
        return value * np.sum(slope)

    assert "squares_value_and_grad_forward(x)" in source(grad(outer))
    np.testing.assert_allclose(grad(outer)(X), 2 * X * 2 * np.sum(X) + 2 * np.sum(X**2))


def test_tape_agrees():
    """The tape takes inner derivatives on tapes of its own."""

    def outer(x, v):
        dot = jvp(squares, (x,), (v,))[1]
        return dot * np.sum(hessian(lambda y: np.sum(y**3 * x))(v))

    np.testing.assert_allclose(tape.grad(outer)(X, 2 * X), grad(outer)(X, 2 * X))
