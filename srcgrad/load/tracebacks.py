"""Tracebacks without the calls that srcgrad makes between the user's lines and generated ones."""

from __future__ import annotations

import os
import types
from pathlib import Path

from srcgrad.errors import InternalError

_OWN = str(Path(__file__).parents[1]) + os.sep
WHOLE = "SRCGRAD_TRACEBACK"


def shorten(error: BaseException) -> None:
    """Take the calls of srcgrad's own functions out of the traceback of an error.

    What is left are the lines of the user, of generated code, and of other libraries; so it is
    for whatever shows the error: Python, pytest, IPython, a debugger. Faults of srcgrad keep
    all, and so does everything where ``SRCGRAD_TRACEBACK=full``.
    """
    if os.environ.get(WHOLE) == "full":
        return
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen or isinstance(each, InternalError):
            continue
        seen.add(id(each))
        waiting += [each.__cause__, each.__context__]
        each.__traceback__ = _without_own(each.__traceback__)


def _without_own(traceback: types.TracebackType | None) -> types.TracebackType | None:
    first = traceback
    while first is not None and _is_own(first):
        first = first.tb_next
    if first is None:  # all of it is srcgrad's
        if traceback is not None:
            traceback.tb_next = None
        return traceback
    row = first
    while row is not None:
        behind = row.tb_next
        while behind is not None and _is_own(behind):
            behind = behind.tb_next
        row.tb_next = behind
        row = behind
    return first


def _is_own(row: types.TracebackType) -> bool:
    return row.tb_frame.f_code.co_filename.startswith(_OWN)


class Shortened:
    """A ``with`` statement that shortens the tracebacks of errors that leave it."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Shorten the traceback of an error."""
        if error is not None:
            shorten(error)


shortened = Shortened()
