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

    Returns:
        The backward part.
    """
