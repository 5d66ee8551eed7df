"""What a tape that somebody will read notes of each step, beyond what the walk back needs."""

from __future__ import annotations

import inspect
import linecache
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import srcgrad.formulas

_OWN = str(Path(__file__).parents[2])
_TAPE = str(Path(__file__).parents[1])
_LIBRARIES = (_OWN, str(Path(srcgrad.formulas.__file__).parent), str(Path(np.__file__).parent))


class Here(NamedTuple):
    """The expression of the user's that runs.

    Attributes:
        function: the name of the function that it stands in; empty where there is none.
        filename: its file.
        lineno: its line.
        span: the expression: first line, last line, first column, last column.
        alone: whether it is the expression itself that is computed, not a part of a function
            of a library that it calls.
    """

    function: str
    filename: str
    lineno: int
    span: Any
    alone: bool


def here() -> Here:
    """Return the expression of the user's that runs."""
    frame: Any = inspect.currentframe()
    alone = True
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        alone = alone and frame.f_code.co_filename.startswith(_TAPE)
        frame = frame.f_back
    if frame is None:
        return Here("", "", 0, None, False)
    code = frame.f_code
    spans = list(code.co_positions())
    span = spans[frame.f_lasti // 2] if frame.f_lasti >= 0 else None
    return Here(code.co_name, code.co_filename, frame.f_lineno, span, alone)


def running() -> tuple[Any, int] | None:
    """Return the instruction of the user's that runs, as its code and a position in it."""
    # the first three are functions of the tape; each frame that is looked at costs time
    frame: Any = sys._getframe(3)  # noqa: SLF001 - it has no other name that takes a depth
    while frame is not None:
        code = frame.f_code
        own = _known.get(code.co_filename)
        if own is None:
            own = _known[code.co_filename] = code.co_filename.startswith(_LIBRARIES)
        if not own:
            return code, frame.f_lasti
        frame = frame.f_back
    return None


def line_at(spot: tuple[Any, int] | None) -> str:
    """Return the file, the line and the text of an instruction, for a note; or nothing."""
    if spot is None:
        return ""
    code, position = spot
    lineno = list(code.co_positions())[position // 2][0] or code.co_firstlineno
    text = linecache.getline(code.co_filename, lineno).strip()
    name = code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f", for {name}:{lineno}: {text}" if text else ""


_known: dict[str, bool] = {}  # whether a file is one of a library


class Noted(list[Any]):
    """The steps of a tape, which notes for each where it stands in the program.

    Attributes:
        places: for each step the expression that it belongs to.
        memories: what was in memory when it began to hold what is differentiated.
        constants: the constants that steps wrote into memory.
    """

    def __init__(self) -> None:
        super().__init__()
        self.places: list[Here] = []
        self.memories: dict[Any, Any] = {}
        self.constants: dict[Any, Any] = {}

    def append(self, entry: Any) -> None:
        """Append a step, and note where it stands."""
        super().append(entry)
        self.places.append(here())

    def __delitem__(self, steps: Any) -> None:
        """Drop steps."""
        super().__delitem__(steps)
        del self.places[steps]


__all__ = ["Here", "Noted", "here", "line_at", "running"]
