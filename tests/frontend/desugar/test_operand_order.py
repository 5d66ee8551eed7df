"""Operands that get names of their own before an effect."""

import numpy as np

from srcgrad import check, source, value_and_grad


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
