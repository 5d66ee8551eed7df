"""What is known of the numbers among the operands of an operation."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Const, Value


def number(value: Value) -> float | int | None:
    """The number that a value is known to be."""
    if isinstance(value, Const) and type(value.value) in (int, float):
        return value.value
    return None


def imaginary(value: Value) -> bool:
    """Whether a value is known to be an imaginary number."""
    return isinstance(value, Const) and type(value.value) is complex and value.value.real == 0


def is_modulus(fn: Any) -> bool:
    """Whether a function gives absolute values."""
    return fn is abs or fn is np.absolute or fn is operator.abs
