"""Whether numbers are real or complex, where that is not known for certain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import Value, variables
from srcgrad.ir.types import like


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


def taken_as(template: Any, dtype: str) -> Any:
    """Give numbers of unknown kind one. To count as complex is right for real numbers, too."""
    if isinstance(template, tuple):
        return like(template, [taken_as(part, dtype) for part in template])
    return replace(template, dtype=dtype) if has_unknown(template) else template
