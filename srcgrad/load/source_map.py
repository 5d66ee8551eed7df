"""From lines of generated files to the forward lines they belong to, for tracebacks."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

from srcgrad.errors import NotFiniteError

if TYPE_CHECKING:
    from srcgrad.emit.words.places import Place

_maps: dict[str, dict[int, Place]] = {}


def remember(filename: str, places: dict[int, Place]) -> None:
    """Keep what the lines of a generated file belong to."""
    _maps[filename] = places


def annotate(error: BaseException) -> None:
    """Add a note to an exception for each backward part that it comes through.

    The innermost comes first. Where the forward line is in a backward part itself,
    as in the derivative of a derivative, the line that it belongs to follows.
    An error that names these lines itself needs no notes.
    """
    if isinstance(error, NotFiniteError):
        return
    known = getattr(error, "__notes__", [])
    for place in reversed(_places(error.__traceback__)):
        while place is not None:
            note = place.note()
            if note not in known:
                error.add_note(note)
                known = error.__notes__
            place = place_at(place.filename, place.lineno)


def _places(traceback: types.TracebackType | None) -> list[Place | None]:
    found = []
    while traceback is not None:
        found.append(place_at(traceback.tb_frame.f_code.co_filename, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def place_at(filename: str, lineno: int | None) -> Place | None:
    """What a line of a generated file belongs to; None where that is not known."""
    return _maps.get(filename, {}).get(lineno) if lineno is not None else None
