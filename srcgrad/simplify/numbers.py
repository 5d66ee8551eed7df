"""What is known of the numbers among the operands of an operation."""

from __future__ import annotations

import operator
from decimal import Decimal
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Const, Value

_READABLE = 12  # characters
_SMALLEST = 1e-75  # the product of four is a number yet


def number(value: Value) -> float | int | None:
    """The number that a value is known to be, if it may be multiplied in any order.

    Products of very large and very small numbers are 0 or infinite in one order, and not
    in another: these stay where the program has them.
    """
    if type(value) is Const and type(value.value) in (int, float):
        return value.value if may_move(value.value) else None
    return None


def may_move(value: float) -> bool:
    """Whether products with a number are neither 0 nor infinite in any usual order."""
    return value == 0 or _SMALLEST < abs(value) < 1 / _SMALLEST


def is_short(value: float) -> bool:
    """Whether a number reads well: the product of 0.1 and 0.05 has twenty characters."""
    return len(repr(value)) < _READABLE


def times(a: float, b: float) -> float:
    """The product of two numbers as they are written: that of 3 and 0.6 is 1.8."""
    exact = float(Decimal(repr(a)) * Decimal(repr(b)))
    return exact if type(a * b) is float and is_short(exact) else a * b


def imaginary(value: Value) -> bool:
    """Whether a value is known to be an imaginary number."""
    return isinstance(value, Const) and type(value.value) is complex and value.value.real == 0


def is_modulus(fn: Any) -> bool:
    """Whether a function gives absolute values."""
    return fn is abs or fn is np.absolute or fn is operator.abs
