"""The functions of reverse mode that call each other, declared for the modules below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from srcgrad.declared import declared

if TYPE_CHECKING:
    from srcgrad.ir.nodes import Function, Value
    from srcgrad.transform.reverse import Reversed
    from srcgrad.transformation.context import Context


@declared
def reverse(
    context: Context, function: Function, pattern: tuple[bool, ...], seeds: tuple[Value, ...]
) -> Reversed:  # pyright: ignore[reportReturnType]
    """Generate the backward part of a function.

    Args:
        context: the transformation.
        function: the lowered function.
        pattern: for each leaf of its result, whether it has a cotangent.
        seeds: the cotangents of those that have one.

    Returns:
        The backward part.
    """
