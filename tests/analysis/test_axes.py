"""Lengths that differ from element to element: axes of one element that are as long."""

import itertools
import random

import numpy as np
import pytest

from srcgrad import grad, source
from tests.in_memory import execute

PARTS = [
    "h = np.tanh(h @ W + b)",
    "h = np.tanh(h @ W) * b + h.sum(axis=1, keepdims=True)",
    "h = (h @ W + b) / (1 + np.max(np.abs(h), axis=1, keepdims=True))",
    "s = s + np.sum(W * b)",
    "s = s + np.sum((W - W.mean(axis=0)) ** 2 * (b + 2))",
    "s = s + np.sum((W.T + b[:, None]) ** 2)",
    "s = s + np.sum(np.outer(b, b) * np.exp(-b[:, None] ** 2))",
    "t = b * 2 if k % 2 else np.sin(b) + W.sum(axis=0); s = s + np.sum(t * W)",
    "s = s if prev is None else s + np.sum(prev[:, None] * b) + prev.mean() * np.sum(W + b)",
    "s = s + np.sum(prev) * np.mean(b) if prev is not None else s",
    "prev = b * W.sum(axis=0)",
    "prev = b",
    "s = s + sum(np.sum(b[:, None] * c * np.sin(c)) for V, c in params)",
    "s = s + sum(np.sum((V - c) ** 2) * np.sum(W + b) for V, c in params)",
    "rows.append(b * 2 + W.sum(axis=0))",
    "u = helper(W, b); s = s + np.sum(u * (W + b))",
    "m = W - W.max(axis=1, keepdims=True); s = s + np.sum(np.log(np.exp(m).sum(axis=1)) ** 2)",
    "c = np.concatenate([b, b]) * 2; s = s + np.sum(c * np.concatenate([W[0], W[0]]))",
    "z = b.copy(); z[:1] = 2 * b[:1] * W[0, :1]; s = s + np.sum(z * W)",
    "s = s + np.sum(W[:, None, :] * b * W[None])",
    "s = s + np.sum((b + first) * first) * np.sum(W * (b + first))",
    "h = dense(h, (W, b))",
    "s = s + np.sum(helper(W, b)) + np.sum(helper(W[:, :1], b)) * 0.1",
    "s = s + np.sum(helper(W.T, W[:, 0]) ** 2) + np.sum(helper(W, b) ** 2)",
    "q = W.reshape(W.shape[0], 1, len(b)).T; s = s + np.sum(q * b[:, None, None] + q)",
    "p, q = np.split(np.concatenate([W, 2 * W], axis=1), 2, axis=1); s = s + np.sum(p * q + b)",
    "s = s + np.sum((W[None] @ W.T) ** 2 * b.sum()) + np.sum(np.swapaxes(W, 0, 1) * b[:, None])",
    "s = s + np.sum(scaled(W, b.sum())[1] * b)",
    "s = s + np.sum(np.diff(b) * b[1:]) + np.sum(b[:-1] * W[:, 1:]) + np.sum(b[::2] * W[0, ::2])",
    "t = b[1:] * 2; t = t[:-1] + b[2:]; s = s + np.sum(t * W[:, 1:-1] * b[1:-1])",
]
HEAD = """
import numpy as np


def helper(W, b):
    return np.sqrt(1 + W**2) * b


def dense(h, layer):
    W, b = layer
    return np.tanh(h @ W + b)


def scaled(W, c):
    total = W.sum(axis=0)
    return total * c, c * total / (1 + total**2)


def f(params, h):
    s, prev, rows, first = 0.0, None, [], params[0][1][:1]
    for k, (W, b) in enumerate(params):
"""
TAIL = """
    return s + np.sum(h**2) + sum(np.sum(r) ** 2 for r in rows)
"""


def written(seed):
    """A program whose loop goes through elements of several lengths, at random."""
    rng = random.Random(seed)
    body = "".join(f"        {part}\n" for part in rng.choices(PARTS, k=rng.randint(2, 5)))
    return HEAD + body + TAIL


def network(rng, widths, alone=()):
    """Weights between layers of some widths; of the places in ``alone``, one number for a layer."""
    pairs = enumerate(itertools.pairwise(widths))
    return [
        (rng.normal(size=(m, n)), rng.normal(size=1 if k in alone else n)) for k, (m, n) in pairs
    ]


def slope(f, params, h, direction):
    """The derivative along a direction, by differences of the fourth order."""

    def at(t):
        moved = [
            tuple(a + t * d for a, d in zip(*row, strict=True))
            for row in zip(params, direction, strict=True)
        ]
        return f(moved, h)

    e = 1e-5
    return (8 * (at(e) - at(-e)) - (at(2 * e) - at(-2 * e))) / (12 * e)


def compiled(code, seed):
    """Return the function of a program, which ``inspect`` finds."""
    name = f"<program {seed}>"
    namespace = execute(code, name)
    return namespace["f"]


def check(f, seed):
    """Compare gradients of one program in several sizes with differences."""
    rng = np.random.default_rng(seed)
    g = grad(f, recorded="allow")
    for widths, alone in [
        ((2, 3, 4, 2), ()),
        ((2, 3, 1, 2), ()),
        ((2, 3, 4, 2), (1,)),
        ((2, 2), ()),
        ((3, 1, 5), (0, 1)),
    ]:
        params, h = network(rng, widths, alone), rng.normal(size=(3, widths[0]))
        direction = network(rng, widths, alone)
        try:
            expected = slope(f, params, h, direction)
        except ValueError:  # the shapes do not fit
            continue
        found = g(params, h)
        pairs = zip(found, params, direction, strict=True)
        assert all(a.shape == b.shape for x, y, _ in pairs for a, b in zip(x, y, strict=True))
        total = sum(
            np.sum(a * d)
            for x, y in zip(found, direction, strict=True)
            for a, d in zip(x, y, strict=True)
        )
        np.testing.assert_allclose(total, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.one_of(5)
@pytest.mark.parametrize("seed", range(50))
def test_gradients_are_right_whatever_the_elements_lengths_are(seed):
    """Programs at random, with elements of equal and of different lengths, and of length 1."""
    check(compiled(written(seed), seed), seed)


def test_a_network_needs_no_helper():
    """In each layer the bias is as long as the weights are wide, and nothing else is asked."""
    code = HEAD + "        h = np.maximum(h @ W + b, 0) if k else np.tanh(h @ W + b)\n" + TAIL
    f, rng = compiled(code, "network"), np.random.default_rng(0)
    check(f, 3)
    g = grad(f, recorded="refuse")
    g(network(rng, (2, 3, 4, 2)), rng.normal(size=(3, 2)))
    text = source(g)
    assert "broadcast" not in text
    assert ".copy()" not in text


def normed(x, g, b):
    """Columns of the mean 0 and the deviation 1, scaled."""
    return g * (x - x.mean(0)) / (x.std(0) + 1e-3) + b


def with_helpers(params, x):
    """Layers that are called, on arrays whose lengths are others in each iteration."""
    acts = [x]
    for W, b in params:
        x = np.tanh(normed(x @ W, b + 2, b))
        acts.append(x * b)
    return np.mean((x - 1) ** 2) + np.sum(acts[-1] ** 2)


def softmax(x):
    """Shares of each row."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(params, x, heads=2):
    """Attention of several heads, and what is behind it."""
    for W, b in params:
        batch, steps, width = x.shape
        q, k, v = np.split(x @ W + b, 3, axis=-1)
        q, k, v = (
            part.reshape(batch, steps, heads, width // heads).transpose(0, 2, 1, 3)
            for part in (q, k, v)
        )
        shares = softmax(q @ k.transpose(0, 1, 3, 2) / np.sqrt(width // heads))
        x = x + (shares @ v).transpose(0, 2, 1, 3).reshape(batch, steps, width)
    return np.sum(x**2)


@pytest.mark.parametrize(
    ("f", "sizes", "shape"),
    [(with_helpers, (2, 3, 4), (5, 2)), (attention, (4, 12), (2, 3, 4))],
    ids=["helpers", "attention"],
)
def test_calls_need_no_helper(f, sizes, shape):
    """What is as long as each other is known in called functions, and of what they give."""
    rng = np.random.default_rng(0)
    params, x = network(rng, sizes), rng.normal(size=shape)
    direction = network(rng, sizes)
    slope_of_f = grad(f, recorded="refuse")
    found = slope_of_f(params, x)
    rows = zip(found, direction, strict=True)
    total = sum(np.sum(a * d) for row in rows for a, d in zip(*row, strict=True))
    np.testing.assert_allclose(total, slope(f, params, x, direction), rtol=1e-7)
    assert "unbroadcast" not in source(slope_of_f)
