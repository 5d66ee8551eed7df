"""Functions that count their calls, or keep something, under a name of the module."""

import numpy as np
import pytest

from srcgrad import checkpoint, grad, hvp, jvp, value_and_grad, vjp

calls = 0
rate = 1.5
last = None
X = np.array([0.5, 1.2, -0.3])
WAY = np.array([0.3, -0.7, 1.1])


def mean_over_calls(x):
    global calls
    calls += 1
    return np.sum(x**2) / calls


def kept(x):
    global last
    value = np.sum(np.sin(x))
    last = value
    return value**2


def through_a_helper(x):
    return np.sum(counted(x) * counted(2 * x))


def counted(x):
    global calls
    calls += 1
    return x**2


def helper_that_is_seen(x):
    counted(x)
    return np.sum(x**2) * calls


def with_what_is_differentiated(x):
    global rate
    rate = x[0] * 2
    return rate * x[1]


TEXTS = [mean_over_calls, kept, through_a_helper]
RECORDED = [helper_that_is_seen, with_what_is_differentiated]


def begin(state):
    global calls, rate, last
    calls, rate, last = state


def run(state, f, *args):
    """What a function gives, and what is left behind."""
    begin(state)
    return f(*args), (calls, rate, last)


@pytest.mark.parametrize("function", [*TEXTS, *RECORDED], ids=lambda f: f.__name__)
def test_writes_to_names_of_the_module(function, monkeypatch):
    """All modes, called again with other numbers there, of other kinds; each write happens once."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "refuse" if function in TEXTS else "allow")
    gradient, with_value, second = grad(function), value_and_grad(function), hvp(function)
    for state in ((3, 1.5, None), (7, 2.5, 2.0)):
        for x in (X, -X):
            value, left = run(state, function, x)
            ends = [run(state, function, x + h * WAY)[0] for h in (1e-6, -1e-6)]
            slope = (ends[0] - ends[1]) / 2e-6
            found, after = run(state, gradient, x)
            assert after == left
            assert np.dot(found, WAY) == pytest.approx(slope, rel=1e-6)
            (again, found), after = run(state, with_value, x)
            assert (again, after) == (value, left)
            assert np.dot(found, WAY) == pytest.approx(slope, rel=1e-6)
            (again, backward), after = run(state, lambda v: vjp(function, v), x)
            begin((9, 9.5, 9.0))
            assert (again, after) == (value, left)
            assert np.dot(backward(1.0), WAY) == pytest.approx(slope, rel=1e-6)
            assert (calls, rate, last) == (9, 9.5, 9.0)
            (again, tangent), after = run(state, lambda v: jvp(function, (v,), (WAY,)), x)
            assert (again, after) == (value, left)
            assert tangent == pytest.approx(slope, rel=1e-6)
            curved, _ = run(state, second, x, WAY)
            ends = [run(state, gradient, x + h * WAY)[0] for h in (1e-6, -1e-6)]
            assert curved == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("count", [3, 2.5, True])
def test_a_number_of_another_kind(count):
    """What the name holds is looked at before the code runs."""
    gradient = grad(mean_over_calls, recorded="allow")
    for held in (1, count):
        begin((held, 1.5, None))
        assert np.allclose(gradient(X), 2 * X / (held + 1))
        assert calls == held + 1


def test_a_checkpoint_counts_once():
    """A function that counts is not called again for the backward part."""
    begin((0, 1.5, None))
    grad(lambda x: np.sum(checkpoint(counted)(x)), recorded="allow")(X)
    assert calls == 1
