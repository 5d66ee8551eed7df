"""A piece of the user's text that stands in the backward part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Interception:
    """What is done with the cotangent of a value.

    Attributes:
        name: what the text calls the cotangent.
        reads: the names of the function that the text reads, in the order of the operands
            behind the value.
        statements: the libcst statements; of ``on_backward`` the one expression that is
            called with the cotangent.
        copies: whether the text is given a cotangent of its own, which it may write or keep.
        checks: whether what it makes of the cotangent may be of another shape.
        called: whether it is that of ``on_backward``.
        of_view: whether the value is a view of another array.
    """

    name: str
    reads: tuple[str, ...]
    statements: tuple[Any, ...]
    copies: bool
    checks: bool
    called: bool = False
    of_view: bool = False
