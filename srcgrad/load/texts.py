"""The text of a generated function, as it is loaded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcgrad.emit.words.places import Place


@dataclass(eq=False)
class FunctionText:
    """The text of one generated function.

    Attributes:
        name: its name.
        text: its source.
        source: the user's function whose globals and cells it runs in.
        externals: what it refers to besides those, by name.
        places: for each line of its backward part, the forward line that it belongs to.
    """

    name: str
    text: str
    source: Any
    externals: dict[str, Any] = field(default_factory=dict)
    places: dict[int, Place] = field(default_factory=dict)
