"""Whether numbers are real or complex, where that is not known for certain."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import Const, Value, Var, is_active, variables
from srcgrad.ir.types import like
from srcgrad.library.libraries import home


def has_unknown(template: Any) -> bool:
    """Whether it is not known of a number, or of one of several, if it is real."""
    if isinstance(template, tuple):
        return any(map(has_unknown, template))
    return template.dtype == "?" and template.is_number


def is_complex(template: Any) -> bool:
    """Whether a number, or one of several, is complex."""
    if isinstance(template, tuple):
        return any(map(is_complex, template))
    return template.dtype == "c"


def may_be_complex(values: tuple[Value, ...], mixed: bool) -> bool:
    """Whether an operand is complex, or not known to be real where that counts as complex."""
    if not mixed:
        return has_complex(values)
    kinds = [type_of(v) for value in values for v in (value, *variables(value))]
    return any(t.dtype == "c" or (t.dtype == "?" and t.is_number) for t in kinds)


def has_complex(values: tuple[Value, ...]) -> bool:
    """Whether an operand, or a part of one, is complex."""
    return any(
        type_of(v).dtype == "c" or any(part.type.dtype == "c" for part in variables(v))
        for v in values
    )


def may_become_complex(fn: Any, args: tuple[Value, ...], made: dict[Any, Any]) -> bool:
    """Whether a power may be complex, as that of a negative number of Python's own."""
    if fn not in (operator.pow, pow) or not any(map(is_active, args)):
        return False
    exponent = args[1].value if isinstance(args[1], Const) else None
    whole = isinstance(exponent, int | float) and exponent == int(exponent)
    known = type_of(args[1]).dtype == "i"
    return not (whole or known) and all(_is_of_python(v, made) for v in args[:2])


def _is_of_python(value: Value, made: dict[Any, Any]) -> bool:
    """Whether a number may be one of Python's, and not of NumPy's."""
    if isinstance(value, Const):
        return True
    if not isinstance(value, Var) or value.type.kind not in ("scalar", "numeric"):
        return False
    equation = made.get(value)
    if equation is None:
        return True
    fn = equation.op.fn
    if fn is operator.getitem or home(fn) == "numpy":
        return False
    operands = equation.args if home(fn) in ("_operator", "builtins") and fn is not float else ()
    return all(_is_of_python(part, made) for part in operands)


def taken_as(template: Any, dtype: str) -> Any:
    """Give numbers of unknown kind one. To count as complex is right for real numbers, too."""
    if isinstance(template, tuple):
        return like(template, [taken_as(part, dtype) for part in template])
    return replace(template, dtype=dtype) if has_unknown(template) else template
