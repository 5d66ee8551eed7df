"""What only the user's text holds is not written where it has no meaning."""

from contextlib import contextmanager

import numpy as np
import pytest

from srcgrad import jvp
from srcgrad.errors import UnsupportedSyntaxError


@contextmanager
def scaled(factor):
    """Give a number, as a block that sets something up may do."""
    yield factor


def in_two_blocks(a):
    """Read in a loop what two context managers gave."""
    total = 0.0
    with scaled(1e3) as milli, scaled(2.0) as unit:
        for k in range(3):
            total = total + np.sin(a * k) * milli * unit
    return total


def test_context_managers():
    """What a context manager gives and a loop reads in forward mode is recorded."""
    with pytest.raises(UnsupportedSyntaxError, match="no name where the derivative needs it"):
        jvp(in_two_blocks, (0.3,), (1.0,))
    value, dot = jvp(in_two_blocks, (0.3,), (1.0,), recorded="allow")
    assert value == pytest.approx(2e3 * (np.sin(0.3) + np.sin(0.6)))
    assert dot == pytest.approx(2e3 * (np.cos(0.3) + 2 * np.cos(0.6)))
