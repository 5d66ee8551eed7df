"""The functions of reverse mode that call each other, declared for the modules below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from srcgrad.declared import Declared

if TYPE_CHECKING:
    from srcgrad.ir.nodes import Function, Value
    from srcgrad.transform.reverse import Reversed
    from srcgrad.transformation.context import Context

reverse: Declared[[Context, Function, tuple[bool, ...], tuple[Value, ...]], Reversed] = Declared(
    "reverse"
)
