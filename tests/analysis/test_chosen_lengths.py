"""The lengths of what ``np.where`` chooses are those of its three operands together."""

import itertools

import numpy as np
import pytest

from srcgrad import grad, source


def plain(c, a, b):
    """Choose one of two arrays."""
    return np.sum(np.sin(np.where(c, a, b)) * 2)


def less_the_largest(c, a, b):
    """Subtract the largest entry of what is chosen."""
    w = np.where(c, a * a, b)
    w = w - w.max()
    return np.sum(w**2)


def chosen_twice(c, a, b):
    """Choose by one condition twice, and turn it around."""
    w = np.where(c, np.exp(a), b * a)
    return np.sum(w * np.where(c, b, 1.0)) + np.sum(w.T)


FUNCTIONS = [plain, less_the_largest, chosen_twice]
SHAPES = [(), (1,), (3,), (2, 1), (2, 3), (1, 3), (1, 1)]


def triples():
    """Yield what three shapes can be broadcast together."""
    for shapes in itertools.product(SHAPES, repeat=3):
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            continue
        yield shapes


@pytest.mark.one_of(16)
@pytest.mark.parametrize("shapes", [*triples()], ids=str)
def test_derivatives(shapes):
    """Derivatives have the shapes of the operands, and are those of differences."""
    rng = np.random.default_rng(0)
    c, a, b = rng.random(shapes[0]) > 0.5, rng.normal(size=shapes[1]), rng.normal(size=shapes[2])
    for f in FUNCTIONS:
        for k, found in enumerate(grad(f, wrt=(1, 2))(c, a, b)):
            assert np.shape(found) == shapes[k + 1]
            for place in np.ndindex(shapes[k + 1]):
                step = np.zeros(shapes[k + 1])
                step[place] = 1e-6
                up, down = ((c, a + s, b) if k == 0 else (c, a, b + s) for s in (step, -step))
                slope = (f(*up) - f(*down)) / 2e-6
                np.testing.assert_allclose(np.asarray(found)[place], slope, rtol=1e-4, atol=1e-6)


def attention(q, k, v, mask):
    """Return the mean square of masked attention."""
    s = np.where(mask, q @ k.T / np.sqrt(q.shape[-1]), -1e9)
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return np.mean((w @ v) ** 2)


def test_masked_attention_has_no_unbroadcast():
    """The lengths of what is chosen are known, and so is that the ties of the largest cancel."""
    rng = np.random.default_rng(0)
    derivative = grad(attention, wrt=(0, 1, 2))
    derivative(*rng.normal(size=(3, 4, 4)), np.tri(4, dtype=bool))
    assert not {"unbroadcast", "broadcast_to", "ties"} & {
        word for line in source(derivative).split("\n") for word in line.replace("(", " ").split()
    }
