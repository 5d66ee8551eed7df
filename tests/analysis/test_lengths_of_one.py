"""A part of an array that has one entry at the call that code is generated for."""

import numpy as np
import pytest

from srcgrad import grad, jvp, source, vjp


def shifted(x, w):
    """Of a vector."""
    return np.sum(x[:-1] * w) + np.sum(x[1:] ** 2 * w)


def columns(x, w):
    """The last columns of a matrix."""
    last = x[:, 2:]
    return np.sum(last * w[:, None] * x[:, :1]) + np.sum(x)


def inner(x, w):
    """The inside of a matrix, written in place."""
    y = x.copy()
    y[1:-1] += w * (x[2:] + x[:-2])
    return np.sum(y**3)


def of_counts(x, w):
    """As many entries as another argument has, and one more."""
    n = w.shape[0]
    return np.sum(x[: n - 1] * w[1:]) + np.sum(np.concatenate((x, w))[n:])


def joined(x, w):
    """What is joined, and then cut."""
    both = np.concatenate((x, x[1:]))
    return np.sum(both[2:] ** 2) * np.sum(w)


CASES = [
    (shifted, [((n,), (n - 1,)) for n in (2, 3, 5, 2)] + [((3,), (1,)), ((2,), (1,))]),
    (columns, [((4, n), (4,)) for n in (3, 4, 2, 3)] + [((1, 3), (1,))]),
    (inner, [((n, 3), (3,)) for n in (3, 4, 2, 3)] + [((3, 1), (1,)), ((3, 3), (1,))]),
    (of_counts, [((5,), (n,)) for n in (2, 3, 1, 2)]),
    (joined, [((n,), (2,)) for n in (2, 3, 1, 2)]),
]


@pytest.mark.parametrize("both", CASES, ids=lambda both: both[0].__name__)
@pytest.mark.parametrize("first", range(4))
@pytest.mark.one_of(3)
def test_other_lengths_have_their_own_code(both, first):
    """Whatever the lengths of the first call were, in all modes, with the same shapes."""
    f, shapes = both
    gradient = grad(f, wrt=(0, 1))
    rng = np.random.default_rng(0)
    for x_shape, w_shape in shapes[first:] + shapes[:first]:
        x, w = rng.normal(size=x_shape), rng.normal(size=w_shape)
        dx, dw = rng.normal(size=x_shape), rng.normal(size=w_shape)
        h = 1e-6
        expected = (f(x + h * dx, w + h * dw) - f(x - h * dx, w - h * dw)) / (2 * h)
        bars = gradient(x, w)
        assert [bar.shape for bar in bars] == [x_shape, w_shape]
        assert np.sum(bars[0] * dx) + np.sum(bars[1] * dw) == pytest.approx(expected, rel=1e-6)
        assert jvp(f, (x, w), (dx, dw))[1] == pytest.approx(expected, rel=1e-6)
        for bar, ours in zip(vjp(f, x, w, wrt=(0, 1))[1](1.0), bars, strict=True):
            np.testing.assert_allclose(bar, ours, rtol=1e-12)


def test_nothing_is_left_open():
    """A part of one column is summed along it, without a question at run time."""
    gradient = grad(columns, wrt=(0, 1))
    gradient(np.ones((4, 3)), np.ones(4))
    assert "unbroadcast" not in source(gradient)
