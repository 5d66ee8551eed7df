"""From lines of generated files to the forward lines they belong to, for tracebacks."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from srcgrad.load.texts import FunctionText


@dataclass(frozen=True)
class Place:
    """The forward line that a line of a backward part belongs to."""

    function: str  # the name of the forward function
    filename: str  # its file
    lineno: int | None  # the line in that file; None where a line belongs to no single one
    text: str  # the text of the line


_maps: dict[str, dict[int, Place]] = {}
_texts: dict[str, list[tuple[int, weakref.ref[FunctionText]]]] = {}


def remember(
    filename: str, places: dict[int, Place], texts: Iterable[tuple[int, FunctionText]] = ()
) -> None:
    """Keep what the lines of a generated file belong to.

    Args:
        filename: the file.
        places: for each line of a backward part, the forward line that it belongs to.
        texts: the functions in the file, each with the number of its first line.
    """
    _maps[filename] = places
    _texts[filename] = [(first, weakref.ref(text)) for first, text in texts]


def place_at(filename: str, lineno: int | None) -> Place | None:
    """What a line of a generated file belongs to; None where that is not known."""
    return _maps.get(filename, {}).get(lineno) if lineno is not None else None


def text_at(filename: str, lineno: int) -> tuple[FunctionText | None, int]:
    """The generated function that a line is in, and its first line; None where there is none."""
    for first, held in reversed(_texts.get(filename, [])):
        text = held()
        if text is not None and first <= lineno:
            return text, first
    return None, 0
