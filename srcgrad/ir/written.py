"""What a function has made of the arrays that it was given."""

from __future__ import annotations

from dataclasses import dataclass

from srcgrad.ir.nodes import Value


@dataclass(frozen=True, eq=False)
class Written:
    """An array among the arguments that a function writes into.

    Attributes:
        text: how the function reads it: ``x``, or ``state["pos"]`` for a part of an object.
        position: which of the parameters holds it.
        leaf: which of the leaves of that parameter it is.
        end: what it holds at the end of the function.
    """

    text: str
    position: int
    leaf: int
    end: Value
