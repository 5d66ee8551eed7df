"""What may be complex is taken to be complex, and may be no number at all all the same."""

import numpy as np
import pytest

from srcgrad import grad, jvp


class Delay:
    """A part of a sequence that is no number."""

    def __init__(self, tau):
        self.tau = tau


def events():
    """Return a sequence of objects and numbers."""
    return [Delay(0.2), 1, Delay(0.5)]


def echoes(t):
    """Branch on the class of what a sequence holds, with complex numbers in one arm."""
    found = []
    m = 0.1
    for event in events():
        if isinstance(event, Delay):
            m = m * np.exp(-event.tau / t)
        else:
            found.append(m + 1j * m)
    return sum(found).real


def entries(t):
    """Read entries of an array that may be complex, and is real."""
    m = np.array([0.1, 0.2])
    y = 0.0
    for event in events()[::2]:
        m = m * t * event.tau
        y = y + m[0] + 1j * m[1]
    return y.imag + y.real


@pytest.mark.parametrize("fn", [echoes, entries])
def test_what_may_be_a_number(fn):
    """Its class is asked while the function runs, and its cotangent holds complex numbers."""
    h = 1e-6
    slope = (fn(1.2 + h) - fn(1.2 - h)) / (2 * h)
    for _ in range(2):
        np.testing.assert_allclose(grad(fn, recorded="allow")(1.2), slope, rtol=1e-6)
        dot = jvp(fn, (1.2,), (1.0,), recorded="allow")[1]
        np.testing.assert_allclose(dot, slope, rtol=1e-6)
