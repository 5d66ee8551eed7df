"""What a backward function is given: cotangents of every kind, which stay the caller's."""

import numpy as np
import pytest

from srcgrad import differentiate, jvp, source, tape, vjp
from tests import finite_differences as fd

X, Y = np.array([0.3, -0.7, 0.5]), np.array([0.6, 0.2, -0.4])
WEIGHTS = np.array([1.0, -2.0, 3.0])
KINDS = {
    "a list": WEIGHTS.tolist(),
    "whole numbers": WEIGHTS.astype(int),
    "single precision": WEIGHTS.astype(np.float32),
    "backwards": WEIGHTS[::-1].copy()[::-1],
    "read-only": np.broadcast_to(WEIGHTS, (1, 3))[0],
}


def given(x, y):
    """The argument itself."""
    return x


def product(x, y):
    """A product."""
    return x * y


def written(x, y):
    """An array that is written into, and its argument with it."""
    x[0] = y[1]
    x *= y
    return x


def carried(x, y):
    """A loop in which each entry depends on the one before."""
    a = x * 1.0
    for i in range(3):
        a[i] = a[i - 1] * y[i]
    return a


@pytest.mark.parametrize("take", [vjp, tape.vjp])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("f", [given, product, written, carried])
def test_kinds_of_cotangents(f, kind, take):
    """Gradients are arrays of their arguments' kind, whatever the cotangent is."""
    bar, before = KINDS[kind], np.array(KINDS[kind])
    x, y = X.copy(), Y.copy()
    gradients = take(f, x, y, wrt=(0, 1))[1](bar)
    wanted = take(f, X.copy(), Y.copy(), wrt=(0, 1))[1](WEIGHTS)
    np.testing.assert_array_equal(bar, before)
    for gradient, expected in zip(gradients, wanted, strict=True):
        assert gradient.dtype == np.float64
        assert gradient.flags.writeable
        np.testing.assert_allclose(gradient, expected)
        assert not any(np.shares_memory(gradient, other) for other in (np.asarray(bar), x, y))


@pytest.mark.parametrize("take", [vjp, tape.vjp])
@pytest.mark.parametrize("bar", [2, np.int64(2), np.array(2), np.float32(2), True])
def test_cotangents_of_numbers(bar, take):
    """The gradient of a number is a number with a point."""
    gradient = take(lambda x: x, 0.5)[1](bar)
    assert isinstance(gradient, float | np.floating)
    assert gradient == float(bar)


def appended(x, y):
    """A list as long as the numbers say."""
    made = []
    for v in x:
        if v > 0:
            made.append(v**2 * y[0])
    return made


def rows(x, y):
    """Lists in a list."""
    return [[v * w for w in y if w > v] for v in x]


def beside_a_number(x, y):
    """A list in a tuple."""
    return x[0] * y[1], [v * y[2] for v in x if v > 0.4]


def filled(x, y):
    """A list that is there before its numbers are."""
    made = [0.0] * (len(x) + 1)
    for k in range(len(x)):
        made[k] = x[k] * y[k]
    return made


def of_mixed_shapes(x, y):
    """A list with arrays and a number in it."""
    made = [0.0] * (len(x) + 1)
    for k in range(len(x)):
        made[k] = x[k] * y
    return made


def _ones(value):
    if isinstance(value, list | tuple):
        return type(value)(map(_ones, value))
    return np.ones_like(value)


def _total(value):
    return sum(float(np.sum(leaf)) for leaf in fd.leaves(value))


@pytest.mark.parametrize("f", [appended, rows, beside_a_number, filled, of_mixed_shapes])
def test_lists_of_some_length(f):
    """Cotangents are lists as the value is, and stay; tangents are; a second call does the same."""
    derivative = differentiate(f, wrt=(0, 1), recorded="allow")
    value, backward = derivative.vjp(X, Y)
    ones = _ones(value)
    expected = [fd.gradient(lambda x, y: _total(f(x, y)), (X, Y), k) for k in (0, 1)]
    for _ in range(2):
        for found, wanted in zip(backward(ones), expected, strict=True):
            assert found == pytest.approx(wanted, abs=1e-7)
    assert str(ones) == str(_ones(value))
    if f not in (rows, of_mixed_shapes):
        assert derivative.recorded == []
    _, dot = jvp(f, (X, Y), (X, None), recorded="allow")
    assert _total(dot) == pytest.approx(expected[0] @ X, abs=1e-7)
    assert str(_ones(dot)) == str(ones)


def kept_by_numbers(x, y):
    """A sum by way of a dict with keys that nobody knows before."""
    found = {}
    for k in range(len(x)):
        found[int(10 * x[k])] = x[k] * y[k]
    return sum(found.values())


@pytest.mark.parametrize(
    ("f", "wanted"), [(product, "def product_backward("), (kept_by_numbers, "# recorded: ")]
)
def test_the_text_behind_a_backward_function(f, wanted):
    """It is that of the function which was called, and not of what calls it."""
    _, backward = vjp(f, X, Y, recorded="allow")
    assert wanted in source(backward)
    assert f.__name__ in source(backward)
