"""The text of a generated function, as it is loaded."""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.load.source_map import Place


@dataclass(frozen=True, eq=False)
class Apart:
    """What is known of a function that some statements of another one have become."""

    # that function, and the numbers of the first and the last line of the statements
    key: tuple[Any, int, int]
    text: str  # its definition
    numbers: tuple[str, ...] = ()  # the parameters that have to be given numbers
    refusal: Any = None  # why they are recorded
    gives: Any = None  # what they give; see ``srcgrad.tape.regions.recorded``


def owner_of(function: Any) -> Any:
    """Return the user's function whose statements a function is, or the function itself."""
    known = getattr(function, "__srcgrad_apart__", None)
    return function if known is None else known.key[0]


@dataclass(eq=False)
class FunctionText:
    """The text of one generated function."""

    name: str  # its name
    text: str  # its source
    source: Any  # the user's function whose globals and cells it runs in
    # what it refers to besides those, by name
    externals: dict[str, Any] = field(default_factory=dict)
    # for each line of its backward part, the forward line that it belongs to
    places: dict[int, Place] = field(default_factory=dict)
    apart: Apart | None = None  # what is known of it where it is statements that are recorded alone


def is_generated(thing: Any) -> bool:
    """Tell whether something is a function that was generated."""
    return isinstance(thing, types.FunctionType) and hasattr(thing, "__srcgrad_generated__")
