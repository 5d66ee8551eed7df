"""Copies of generators draw what these would have drawn, and leave them as they are."""

import numpy as np
import pytest

from srcgrad import checkpointed, grad
from srcgrad.runtime.generators import same_draws

KINDS = (
    np.random.PCG64, np.random.PCG64DXSM, np.random.SFC64, np.random.Philox, np.random.MT19937,
)  # fmt: skip


def drawn(rng):
    """Draws that leave parts of numbers over, and others."""
    parts = rng.integers(0, 100, 7, dtype=np.uint32), rng.random(3, dtype=np.float32)
    return np.concatenate((*parts, rng.permutation(5), [rng.normal(), rng.standard_gamma(2.0)]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", range(3))
def test_generators(kind, before):
    """Of each kind of NumPy's, also in the middle of a word."""
    rng = np.random.Generator(kind(before))
    rng.integers(0, 9, before, dtype=np.uint32)
    state = repr(rng.bit_generator.state)
    again = drawn(same_draws(rng))
    assert repr(rng.bit_generator.state) == state
    assert np.array_equal(again, drawn(rng))


def test_old_generators():
    """What ``RandomState`` has left over of a pair of normal numbers goes along."""
    rng = np.random.RandomState(3)
    rng.normal()
    assert same_draws(rng).normal() == rng.normal()


class Own(np.random.Generator):
    """A generator of the user's."""

    def normal(self, *args, **options):
        """Draw as usual."""
        return super().normal(*args, **options)


def test_of_a_class_of_its_own():
    """It is copied in the way that its class says."""
    rng = Own(np.random.PCG64(1))
    rng.normal()
    assert same_draws(rng).random() == rng.random()


def noisy(x, steps, rng):
    """A loop that draws."""
    for _ in checkpointed(range(steps), snapshots=3):
        x = np.sin(x) + 0.1 * x * rng.normal(size=x.shape)
    return np.sum(x**2)


def plain(x, steps, rng):
    """The same without ``checkpointed``."""
    for _ in range(steps):
        x = np.sin(x) + 0.1 * x * rng.normal(size=x.shape)
    return np.sum(x**2)


@pytest.mark.parametrize("kind", KINDS)
def test_checkpointed(kind):
    """The gradient is that of the plain loop, and the generator is left alike."""
    x = np.linspace(0.1, 1, 5)
    one, other = np.random.Generator(kind(4)), np.random.Generator(kind(4))
    assert np.array_equal(grad(noisy)(x, 20, one), grad(plain)(x, 20, other))
    assert one.random() == other.random()
