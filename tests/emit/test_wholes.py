"""Cotangents of lists, tuples and dicts are handed on as such where nothing takes them apart."""

import numpy as np
import pytest

from srcgrad import grad, source, tape, vjp

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3))


def normal(*shape):
    """Random numbers."""
    return RNG.normal(size=shape)


def dense(p, x):
    """A layer whose parameters are a dict."""
    return np.tanh(x @ p["W"] + p["b"])


def pair(p, x):
    """A layer whose parameters are a tuple."""
    W, b = p
    return np.tanh(x @ W + b)


def pairs(ps, x):
    """Layers in a loop."""
    for W, b in ps:
        x = np.tanh(x @ W + b)
    return x


def dicts(ps, x):
    """The same, of dicts."""
    for p in ps:
        x = np.tanh(x @ p["W"] + p["b"])
    return x


def some(p, x):
    """What reads two of three."""
    W, _, u = p
    return x @ W + u


def a_dict():
    """Parameters by name."""
    return {"W": normal(3, 3), "b": normal(3)}


def a_pair():
    """Parameters in order."""
    return normal(3, 3), normal(3)


def returned(ps, x):
    """All that the call gives is the result."""
    return np.sum(pairs(ps, x) ** 2)


def as_an_entry(p, x):
    """It is an entry of the result."""
    return np.sum(pairs(p["layers"], x) @ p["out"])


def with_more(p, x):
    """One entry has another contribution."""
    return np.sum(dense(p, x) ** 2) + np.sum(p["W"] ** 2)


def with_more_of_a_pair(p, x):
    """One element has another contribution."""
    return np.sum(pair(p, x) ** 2) + np.sum(p[0] ** 2)


def appended(ps, x):
    """A list of what calls give."""
    for p in ps:
        x = pair(p, x)
    return np.sum(x)


def appended_dicts(ps, x):
    """The same, of dicts."""
    for p in ps:
        x = dense(p, x)
    return np.sum(x)


def a_loop_over_dicts(ps, x):
    """Each element is made in its structure."""
    return np.sum(dicts(ps, x))


def all_but_the_last(ps, x):
    """Some elements are from a call, one is not."""
    W, b = ps[-1]
    return np.sum(pairs(ps[:-1], x) @ W + b)


def some_places(p, x):
    """A part has no cotangent."""
    return np.sum(some(p, x) ** 2)


def told_of_each(ps, x):
    """A call on one way, and none on the other."""
    for p in ps:
        if np.sum(p["b"]) > 0:
            x = dense(p, x)
        else:
            x = x @ p["W"]
    return np.sum(x)


CASES = [
    (returned, [a_pair(), a_pair()], ["ps_bar = pairs_backward(", "return ps_bar[::-1]"]),
    (as_an_entry, {"layers": [a_pair()], "out": normal(3, 2)}, ['{"layers": layers_bar, "out":']),
    (
        with_more,
        a_dict(),
        ['W_bar = 2 * p["W"] + p_bar["W"]', 'return {"W": W_bar, "b": p_bar["b"]}'],
    ),
    (with_more_of_a_pair, a_pair(), ["p_0_term, p_1_bar = pair_backward("]),
    (appended, [a_pair(), a_pair()], ["p_bar, x_bar = pair_backward(", "ps_bar.append(p_bar)"]),
    (
        appended_dicts,
        [a_dict(), a_dict()],
        ["p_bar, x_bar = dense_backward(", "ps_bar.append(p_bar)"],
    ),
    (a_loop_over_dicts, [a_dict(), a_dict()], ['"b": pre_bar.sum(axis=0)}', "return ps_bar[::-1]"]),
    (
        all_but_the_last,
        [a_pair(), a_pair(), a_pair()],
        ["return [ps_0_bar, ps_1_bar, (W_bar, b_bar)]"],
    ),
    (some_places, (normal(3, 3), normal(3), normal(3)), ["p_0_bar, p_2_bar = some_backward("]),
    (told_of_each, [a_dict(), a_dict()], ["ps_bar.append(", "return ps_bar[::-1]"]),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("f", "params", "lines"), CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_what_is_handed_on(f, params, lines):
    """The text hands them on, and the numbers are those of the tape."""
    derivative = grad(f)
    first, again = derivative(params, X), derivative(params, 2 * X)
    text = " ".join(source(derivative).split())
    assert [line for line in lines if line not in text] == []
    for found, x in ((first, X), (again, 2 * X)):
        expected = tape.grad(f)(params, x)
        assert str(_shapes(found)) == str(_shapes(expected)) == str(_shapes(params))
        for mine, theirs in zip(_leaves(found), _leaves(expected), strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)
    mine = _leaves(first)
    assert not any(np.shares_memory(a, b) for k, a in enumerate(mine) for b in mine[:k])


def test_what_vjp_gives():
    """The text of the backward function gives structures, too."""
    params = {"layers": [a_pair(), a_pair()], "out": normal(3, 2)}
    value, backward = vjp(as_an_entry, params, X)
    assert value == as_an_entry(params, X)
    expected = tape.grad(as_an_entry)(params, X)
    assert str(_shapes(backward(1.0))) == str(_shapes(expected))
    for mine, theirs in zip(_leaves(backward(2.0)), _leaves(expected), strict=True):
        np.testing.assert_allclose(mine, 2 * theirs, atol=1e-12)
    assert 'return {"layers": layers_bar, "out": out_bar}' in source(as_an_entry, "vjp")


def test_what_vjp_gives_for_several():
    """A tuple of what there is for each; a tuple of one where a tuple of one was asked for."""
    for wrt, count in ((("p",), 1), (("p", "x"), 2)):
        _, backward = vjp(with_more_of_a_pair, a_pair(), X, wrt=wrt)
        slopes = backward(1.0)
        assert type(slopes) is tuple
        assert len(slopes) == count
        assert [v.shape for v in slopes[0]] == [(3, 3), (3,)]


def _shapes(tree):
    if isinstance(tree, dict):
        return {key: _shapes(part) for key, part in tree.items()}
    return type(tree)(map(_shapes, tree)) if isinstance(tree, list | tuple) else tree.shape


def _leaves(tree):
    if isinstance(tree, dict):
        tree = list(tree.values())
    return [v for t in tree for v in _leaves(t)] if isinstance(tree, list | tuple) else [tree]
