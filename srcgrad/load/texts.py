"""The text of a generated function, as it is loaded."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.load.source_map import Place


@dataclass(frozen=True, eq=False)
class Apart:
    """What is known of a function that some statements of another one have become.

    Attributes:
        key: that function, and the numbers of the first and the last line of the statements.
        text: its definition.
        numbers: the parameters that have to be given numbers.
        refusal: why they are recorded.
        gives: what they give; see ``srcgrad.tape.regions.recorded``.
    """

    key: tuple[Any, int, int]
    text: str
    numbers: tuple[str, ...] = ()
    refusal: Any = None
    gives: Any = None


def owner_of(function: Any) -> Any:
    """Return the user's function whose statements a function is, or the function itself."""
    known = getattr(function, "__srcgrad_apart__", None)
    return function if known is None else known.key[0]


@dataclass(eq=False)
class FunctionText:
    """The text of one generated function.

    Attributes:
        name: its name.
        text: its source.
        source: the user's function whose globals and cells it runs in.
        externals: what it refers to besides those, by name.
        places: for each line of its backward part, the forward line that it belongs to.
        apart: what is known of it where it is statements that are recorded alone.
    """

    name: str
    text: str
    source: Any
    externals: dict[str, Any] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
    apart: Apart | None = None


def is_generated(thing: Any) -> bool:
    """Tell whether something is a function that was generated."""
    return isinstance(thing, types.FunctionType) and hasattr(thing, "__srcgrad_generated__")
