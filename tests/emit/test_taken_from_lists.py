"""Gradients that are taken out of lists: copies only where two of them might share memory."""

import itertools

import numpy as np
import pytest

from srcgrad import grad, hvp, source, vjp
from srcgrad.errors import ArgumentError
from tests.finite_differences import gradient

RNG = np.random.default_rng(0)
WS = [RNG.normal(size=(2, 2)) for _ in range(3)]
VS = [RNG.normal(size=(2, 2)) for _ in range(3)]


def layers(ws, vs):
    """Layers, each with arrays of its own."""
    h = np.ones((2, 2))
    for w, v in zip(ws, vs, strict=True):
        h = np.tanh(h @ w + v)
    return np.sum(h)


def sums(ws, vs):
    """Every gradient is one and the same."""
    h = np.ones((2, 2))
    for w, v in zip(ws, vs, strict=True):
        h = h + w + v
    return np.sum(h**2)


def scaled_sums(ws, vs):
    """Two gradients of an iteration are one."""
    h = 1.0
    for w, v in zip(ws, vs, strict=True):
        h = h + np.sum(np.sin(2 * (w + v)))
    return h


def views(ws, vs):
    """One of two is a view of the other."""
    h = 0.0
    for w, v in zip(ws, vs, strict=True):
        h = h + np.sum((w + v.T) ** 2)
    return h


def whole(ws, vs):
    """All at once, and one by one."""
    return np.sum(np.stack(ws) ** 2 * np.stack(vs)) + sum(np.sum(w * v) for w, v in zip(ws, vs))


def rows(ws, vs):
    """Some are read more often than others."""
    h = np.zeros((2, 2))
    for k in range(3):
        h = h + ws[k] * vs[0] + ws[0]
    return np.sum(h * h)


def branches(ws, vs):
    """On some ways they are one."""
    h = np.ones((2, 2))
    for w, v in zip(ws, vs, strict=True):
        h = h + w if np.sum(w) > 0 else h * v + w
    return np.sum(h**2)


def kept(ws, vs):
    """A list that holds an array twice."""
    hs = []
    for w, v in zip(ws, vs, strict=True):
        hs.append(w * 2 + v)
    hs.append(hs[0])
    return np.sum(hs[0] * hs[-1]) + np.sum(hs[1]) + np.sum(hs[2])


PROGRAMS = [layers, sums, scaled_sums, views, whole, rows, branches, kept]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_no_two_gradients_share_memory(f):
    """Nor does one with an argument; and they are right."""
    for found in (
        grad(f, wrt=(0, 1), recorded="allow")(WS, VS),
        vjp(f, WS, VS, wrt=(0, 1), recorded="allow")[1](1.0),
    ):
        leaves = [*found[0], *found[1]]
        pairs = itertools.combinations([*leaves, *WS, *VS], 2)
        assert not any(np.shares_memory(a, b) for a, b in pairs)
        for place in (0, 1):
            wanted = gradient(f, (WS, VS), place)
            for own, number in zip(wanted, found[place], strict=True):
                np.testing.assert_allclose(number, own, rtol=1e-6, atol=1e-8)


def test_arrays_of_their_own_are_not_copied():
    """Each layer's gradient is an array that was made for it."""
    derivative = grad(layers, wrt=(0, 1))
    derivative(WS, VS)
    assert ".copy()" not in source(derivative)


def pairs(params):
    """A list of tuples, some parts of which have no derivative."""
    made = []
    for k, (w, v) in enumerate(params):
        made.append((w * v, k, w.sum()))
    return made


def test_a_list_of_gradients_is_returned_as_it_is():
    """It is not taken apart, however many elements it has; nor for a second derivative."""
    derivative = grad(layers, wrt=(0, 1))
    derivative(WS, VS)
    assert "pop()" not in source(derivative)
    pairs_of = [(w, v[0]) for w, v in zip(WS, VS, strict=True)]

    def network(params):
        h = np.ones((2, 2))
        for w, v in params:
            h = np.tanh(h @ w + v)
        return np.sum(h)

    slope = grad(network, recorded="refuse")
    slope(pairs_of)
    assert "return params_bar" in source(slope)
    assert "pop()" not in source(slope)
    step = [tuple(RNG.normal(size=a.shape) for a in row) for row in pairs_of]

    def moved(t):
        rows = zip(pairs_of, step, strict=True)
        return [tuple(a + t * d for a, d in zip(*row, strict=True)) for row in rows]

    found = hvp(network, recorded="refuse")(pairs_of, step)
    for one, above, below in zip(found, slope(moved(1e-5)), slope(moved(-1e-5)), strict=True):
        for a, b, c in zip(one, above, below, strict=True):
            np.testing.assert_allclose(a, (b - c) / 2e-5, rtol=1e-6, atol=1e-8)


def test_cotangents_of_lists_of_tuples():
    """Each element has a tuple of cotangents, or None, for its parts."""
    params = list(zip(WS, VS, strict=True))
    value, backward = vjp(pairs, params, recorded="refuse")
    bars = [(np.full((2, 2), k + 1.0), None, 0.5) for k in range(len(value))]
    for k, (w_bar, v_bar) in enumerate(backward(bars)):
        np.testing.assert_allclose(w_bar, (k + 1) * VS[k] + 0.5)
        np.testing.assert_allclose(v_bar, (k + 1) * WS[k])
    (w_bar, v_bar), *_ = backward([None, *bars[1:]])
    assert not np.any(w_bar)
    assert not np.any(v_bar)
    with pytest.raises(ArgumentError, match="an element of the list has 3 parts"):
        backward([(1.0, 2.0), *bars[1:]])
