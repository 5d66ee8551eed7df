"""What a later part needs to know, or needs done before: it is raised, and the work begins anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.frontend.source import Source


class NeedsExpansion(Exception):
    """A value inside of an expression needs a name; the expression must become statements.

    Args:
        source: the function that contains it; None where it may be any.
        node: the expression, or None.
    """

    def __init__(self, source: Source | None = None, node: Any = None) -> None:
        super().__init__()
        self.source, self.node = source, node

    @property
    def key(self) -> Any:
        """What tells the function apart, however often it is read; None for all of them."""
        return None if self.source is None else expansion_key(self.source)


class NeedsParts(Exception):
    """What is made of a list that is not differentiated depends on how many elements it has."""


class NeedsOptions(Exception):
    """What is made of a call depends on a whole number that is an argument, as an axis is."""


def expansion_key(source: Source) -> Any:
    """What tells a function apart from others, however often it is read."""
    return source.function.__code__, source.name, source.line_of(source.tree)
