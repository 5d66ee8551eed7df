"""Functions of libraries, which have no text, are differentiated as they are."""

import functools
import math

import numpy as np
import pytest

from srcgrad import grad, hessian, jacfwd, jacrev, jvp, tape, vjp
from srcgrad.errors import ArgumentError, SourceNotFoundError

X = np.array([0.5, 1.5])


@pytest.mark.parametrize(
    ("function", "args", "options"),
    [
        (np.sum, (X,), {"axis": 0}),
        (np.sin, (X,), {"where": True}),
        (np.sin, (X,), {"nothing": True}),
        (np.add.reduce, (X,), {"axis": 0}),
        (functools.partial(np.sum, axis=0), (X,), {"keepdims": True}),
        (max, (X,), {"default": 1.0}),
        (sum, (X,), {"start": 1.0}),
        (pow, (2.0,), {"exp": 3.0}),
        (float, (1.0,), {"x": 1.0}),
    ],
)
@pytest.mark.parametrize("mode", [grad, hessian, jacfwd, jacrev])
def test_other_arguments_than_those_of_the_formula(mode, function, args, options):
    """The error says which arguments there are, and what to write."""
    with pytest.raises(ArgumentError, match="is no call with the arguments"):
        mode(function)(*args, **options)
    with pytest.raises(ArgumentError, match="wrap it: lambda"):
        vjp(function, *args, **options)


def test_fewer_arguments():
    """They are refused as further ones are."""
    with pytest.raises(ArgumentError, match="is no call with the arguments"):
        jvp(max, (X,), (X,))


@pytest.mark.parametrize("function", [np.vectorize(lambda a, k=2.0: a**k), [].append, 3, None])
def test_what_has_no_parameters(function):
    """What tells no parameters is refused in all modes."""
    for run in (vjp, lambda f, x, **options: grad(f)(x, **options)):
        with pytest.raises(SourceNotFoundError):
            run(function, X, key=1)


def test_any_number_of_arguments():
    """A formula with any number of arguments has those of the call."""
    assert grad(math.hypot)(3.0, 4.0) == 0.6
    assert grad(math.hypot, (0, 1))(3.0, 4.0) == (0.6, 0.8)
    assert jvp(math.hypot, (3.0, 4.0), (1.0, 1.0))[1] == pytest.approx(1.4)


def test_arguments_by_name():
    """What is given by name is constant, of the user's functions and on the tape."""

    def f(x, *, power=2):
        return np.sum(x**power)

    assert vjp(f, X, power=3)[1](1.0).tolist() == [0.75, 6.75]
    assert tape.vjp(np.sum, X, axis=0)[1](1.0).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("function", [math.fsum, math.prod, lambda x: math.fsum(x * x) * x[0]])
def test_an_array_in_the_place_of_numbers(function):
    """Functions of Python's that take sequences of numbers take arrays, too."""
    expected = tape.grad(function)(X)
    np.testing.assert_allclose(grad(function, recorded="allow")(X), expected)
    assert type(grad(function, recorded="allow")(X)) is np.ndarray
    with np.errstate(all="ignore"):
        slopes = [(function(X + h) - function(X - h)) / 2e-6 for h in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(expected, slopes, rtol=1e-6)
