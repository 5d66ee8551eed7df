"""Operands that get names of their own before an effect."""

import numpy as np
import pytest

from srcgrad import check, grad, source, value_and_grad
from tests import finite_differences as fd


def bump(y):
    """Write into an array."""
    y += 1.0
    return y[0]


def over_several_lines(x):
    """Its lines belong together by brackets around more than the operand."""
    y = 2 * x
    return (
        y[0] * y[1]
        + y[1]
        - bump(y) * x[0]
    )  # fmt: skip


def test_an_operand_over_several_lines_keeps_its_brackets():
    """It has brackets of its own where it is named."""
    x = np.array([0.5, 1.5])
    slope = value_and_grad(over_several_lines, recorded="refuse")
    slope(x)
    assert "operand = (" in source(slope)
    check(over_several_lines, x)


# fmt: off
def _doubled(y):
    y[0] = 2.0
    return np.sum(y)


def _or(x):
    y = x * 1.0
    return(_doubled(y)or 1.0)


def _if(x):
    y = x * 1.0
    if(_doubled(y))and(y[0] > 1):
        return(np.sum(y**2))
    return(np.sum(y))


def _not(x):
    y = x * 1.0
    return np.sum(y) * (not(_doubled(y))) + np.sum(y)


def _choice(x):
    y = x * 1.0
    return(_doubled(y))if _doubled(y) else 1.0


def _lambda(x):
    y = x * 1.0
    if(lambda: _doubled(y))():
        return(lambda: np.sum(y**2))()if(lambda: y[0])() > 1 else(_doubled(y))
    return(lambda: 1.0)()
# fmt: on


@pytest.mark.parametrize("f", [_or, _if, _not, _choice, _lambda])
def test_words_that_stand_close(f):
    """Operands get names where the words of Python's beside them have no space."""
    x = np.array([0.3, 0.7, -0.4])
    found = fd.gradient(f, (x,), 0)
    np.testing.assert_allclose(grad(f, recorded="refuse")(x), found, atol=1e-8)
