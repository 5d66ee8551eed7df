"""What is said of programs that are refused: the right line, the right reason, a way out."""

import numpy as np
import pytest
from scipy import stats

from srcgrad import grad, stop_gradient
from srcgrad.errors import (
    ArgumentError,
    MissingFormulaError,
    MutationError,
    SrcgradError,
    UnresolvedCallError,
)


class Total:
    """A running total, which sets its attributes itself."""

    def __init__(self):
        self.value = 0.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)

    def add(self, v):
        """Add a number."""
        self.value = self.value + v


def kept_in_an_object(x):
    """Return what an object kept, times another number."""
    total = Total()
    total.add(x[0])
    return total.value * x[1]


def noted_in_an_object(x):
    """Return the sum of the squares."""
    total = Total()
    total.add(stop_gradient(x[0]))
    return np.sum(x**2)


def without_a_formula(s):
    """Return the log-density."""
    return stats.anglit.logpdf(s, scale=2.5)


def behind_a_semicolon(x):
    """Return a sum over one array under several names."""
    history = []
    v = x.copy()
    for _ in range(3):
        v *= 1.1; history.append(v)  # noqa: E702 # fmt: skip
    return sum(np.sum(h**2) for h in history)


def one_list_of_two_names(x):
    """Return a sum over a list of two names."""
    t = [x[0], x[1]]
    u = t
    for _ in range(2):
        t[0] = t[0] * u[1]
        u, t = t, u
    return t[0] + u[0]


def twice_the_first(x):
    """Return a multiple of the first."""
    return x[0] * 2.0


X = np.array([1.0, 3.0, 2.0])


def message(f, *args):
    """The error of a gradient."""
    with pytest.raises(SrcgradError) as caught:
        grad(f)(*args)
    return caught.value, str(caught.value)


def test_what_an_object_keeps():
    """A gradient of zero would be wrong, so that no such way out is offered."""
    error, text = message(kept_in_an_object, X)
    assert isinstance(error, UnresolvedCallError)
    assert "the method .add does with an active argument" in text
    assert "may keep the argument and give it back later" in text
    assert "nondifferentiable" not in text
    assert "keep the values in variables or lists" in text


def test_what_an_object_may_note():
    """The way out that is offered for what no result depends on."""
    np.testing.assert_allclose(grad(noted_in_an_object)(X), 2 * X)


def test_a_method_of_scipy_without_a_formula():
    """The user's line is shown, not SciPy's own text."""
    error, text = message(without_a_formula, 1.0)
    assert isinstance(error, MissingFormulaError)
    assert text.startswith("no formula for scipy.stats.anglit.logpdf\n")
    assert "return stats.anglit.logpdf(s, scale=2.5)" in text


def test_the_spot_of_a_statement_behind_others():
    """It is the statement's own, not the function's first line."""
    error, text = message(behind_a_semicolon, X)
    assert isinstance(error, MutationError)
    assert "\n    v *= 1.1; history.append(v)" in text
    assert "\n    ^^^^^^^^\n" in text


def test_lists_are_not_called_arrays():
    """What is said of a list that is changed."""
    error, text = message(one_list_of_two_names, X)
    assert isinstance(error, MutationError)
    assert "array" not in text


@pytest.mark.parametrize(
    ("argument", "words"),
    [
        (np.array([1.0, 2.0], dtype=object), "'x' is an array of dtype object"),
        (np.array(["a", "b"]), "'x' is an array of dtype <U1"),
        ("text", "'x' is a str"),
    ],
)
def test_arguments_that_are_no_numbers(argument, words):
    """An array is called an array, and its dtype is said."""
    error, text = message(twice_the_first, argument)
    assert isinstance(error, ArgumentError)
    assert words in text
    assert "pass an array" in text
