"""Called functions whose defaults are arrays: text, unless the program writes into arrays."""

import numpy as np
import pytest

from srcgrad import grad, jvp, source, vjp
from srcgrad.errors import OverwrittenError, UnsupportedSyntaxError
from tests import finite_differences as fd

X, TARGET = np.array([0.3, -0.7, 0.5]), np.array([0.6, 0.2, -0.4])


class Line:
    """A model whose methods have defaults."""

    def __init__(self, slope):
        self.slope = slope

    def at(self, x, shift=np.array([0.5, 1.0, 2.0])):
        """Return the line at some places."""
        return x * self.slope + shift

    def loss(self, x, target=TARGET):
        """Return the distance to what is wanted."""
        return np.sum((self.at(x) - target) ** 2)


LINE = Line(0.5)


def weighted(x, w=TARGET, order=np.array([1, 2, 0]), *, scale=np.ones((2, 3))):
    """A sum with weights."""
    return np.sum((x * w)[order] * scale)


def left(x):
    """All defaults are left as they are, or some of them."""
    return weighted(x) + weighted(x, x) * weighted(x, scale=np.array([x, x]))


def method(x):
    """A method of an object from outside."""
    return LINE.loss(x) * LINE.loss(x, target=LINE.at(x, shift=x))


def stepped(x):
    """A loop around the call."""
    for _ in range(3):
        x = np.tanh(LINE.at(x))
    return np.sum(x)


@pytest.mark.parametrize("f", [left, method, stepped])
def test_text(f):
    """There is text, and its derivatives are right in every mode."""
    wanted = fd.gradient(f, (X,), 0)
    gradient = grad(f, recorded="refuse")
    np.testing.assert_allclose(gradient(X), wanted, rtol=1e-6, atol=1e-9)
    assert "recorded" not in source(gradient)
    np.testing.assert_allclose(vjp(f, X, recorded="refuse")[1](1.0), wanted, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(jvp(f, (X,), (X,), recorded="refuse")[1], wanted @ X, rtol=1e-6)
    second = vjp(gradient, X)[1](X)
    np.testing.assert_allclose(second, fd.gradient(lambda x: gradient(x) @ X, (X,), 0), rtol=1e-5)


def test_a_program_that_writes():
    """It may write into the default under another name, and is recorded."""
    held = TARGET.copy()

    def shifted(x, w=held):
        return np.sum(x * w)

    def program(x):
        first = shifted(x)
        held[0] = 3.0
        return first + shifted(x) ** 2

    with pytest.raises(UnsupportedSyntaxError, match="default"):
        grad(program, recorded="refuse")(X)
    got = grad(program, recorded="allow")(X)
    after = np.array([3.0, 0.2, -0.4])
    np.testing.assert_allclose(got, TARGET + 2 * (X @ after) * after)


def test_the_default_is_a_fact():
    """Another default is seen at the next call, a write into it before the backward part."""

    def shifted(x, w=TARGET):
        return np.sum(x * w)

    def program(x):
        return shifted(x) ** 2

    gradient = grad(program)
    for default in (TARGET, 2.0, np.ones((2, 3)), [1.0, 2.0, 3.0], X.copy()):
        shifted.__defaults__ = (default,)
        np.testing.assert_allclose(gradient(X), fd.gradient(program, (X,), 0), rtol=1e-6)
    _, backward = vjp(program, X)
    shifted.__defaults__[0][:] = 0.0
    with pytest.raises(OverwrittenError):
        backward(1.0)
