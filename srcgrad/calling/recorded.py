"""What is known of functions that are recorded while they run, and what is said about it.

Where no code can be generated for a function, the tape records what it does while it
runs. The derivative is right; it takes longer, and there is no text to read.
"""

from __future__ import annotations

import contextlib
import contextvars
import inspect
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from srcgrad.errors import ArgumentError, InternalError, SrcgradError

MODES = ("warn", "allow", "refuse")
MOST = 8  # kinds of arguments without generated code, after which it is no more tried
VARIABLE = "SRCGRAD_RECORDED"

_around: contextvars.ContextVar[str | None] = contextvars.ContextVar("_around", default=None)
_warned: set[Any] = set()
_HERE = str(Path(__file__).parents[1])


class RecordedWarning(UserWarning):
    """No code can be generated for a function, and it is recorded while it runs."""


class PolicyWarning(UserWarning):
    """A policy for memory has no effect: what it names is not kept, or the function is recorded."""


class Misfit(Exception):
    """A recorded call gave something else than the generated code around it was written for.

    ``gives``: the numbers of axes of what it gave, None where no generated code can take it.
    """

    def __init__(self, function: Any, gives: Any) -> None:
        super().__init__(getattr(function, "__name__", "a function"))
        self.function, self.gives = function, gives


@dataclass(frozen=True)
class Recorded:
    """A function that is recorded while it runs.

    Attributes:
        function: its name.
        file: the file of the line that no code can be generated for.
        line: the number of that line.
        reason: what is the matter with it.
    """

    function: str
    file: str
    line: int
    reason: str

    @property
    def place(self) -> str:
        """The file, without its folder, and the line."""
        return f"{self.file.replace(os.sep, '/').rsplit('/', 1)[-1]}:{self.line}"


def checked_mode(mode: str | None) -> str | None:
    """Return what a user gave for ``recorded``.

    Raises:
        ArgumentError: when it is none of the three words.
    """
    if mode is None or mode in MODES:
        return mode
    raise ArgumentError(
        f"recorded={mode!r} is none of 'warn', 'allow' and 'refuse'",
        fixes=["leave it out: then a function that is recorded gives a warning, once"],
    )


def mode_in_force(own: str | None) -> str:
    """Return what holds: what was given, or holds around, or the environment, or a warning."""
    found = own or _around.get() or os.environ.get(VARIABLE)
    return checked_mode(found) or "warn"


@contextlib.contextmanager
def holding(mode: str) -> Iterator[None]:
    """Let derivatives that were given no mode of their own have this one."""
    token = _around.set(mode)
    try:
        yield
    finally:
        _around.reset(token)


def refusal_of(error: Exception, function: Any) -> SrcgradError | None:
    """Return why no code can be generated, without a traceback; None where recording is no help.

    Args:
        error: what was raised while code was generated.
        function: the function that it was generated for.
    """
    if _gives_no_value(innermost(function)):
        return None
    if isinstance(error, SrcgradError):
        return error.at(error.spots) if error.recordable else None
    if isinstance(error, MemoryError | Warning):
        return None
    text = str(error).strip().partition("\n")[0]
    name, code = getattr(function, "__qualname__", "a function"), _code_of(function)
    where = f" ({code.co_filename}:{code.co_firstlineno})" if code is not None else ""
    return InternalError(
        f"the derivative of {name}{where} cannot be generated: "
        f"{type(error).__name__}{': ' if text else ''}{text}",
        why="This is a fault of srcgrad, or of what the function is about: the exception "
        "came up while its text was read, before any of it ran.",
        fixes=["call the function itself: if that raises, too, mend it", "report this as a bug"],
    )


def _code_of(function: Any) -> Any:
    return getattr(function, "__code__", None)


def _gives_no_value(function: Any) -> bool:
    """Whether a call gives a generator or a coroutine, which is none of numbers."""
    return (
        inspect.isgeneratorfunction(function)
        or inspect.iscoroutinefunction(function)
        or inspect.isasyncgenfunction(function)
    )


def region_of(refusal: SrcgradError, function: Any) -> Recorded:
    """Return what ``f.recorded`` lists: a function, the line that is the reason, the reason."""
    plain = innermost(function)
    code = _code_of(plain)
    file, line = (code.co_filename, code.co_firstlineno) if code is not None else ("?", 0)
    reason = " ".join(refusal.what.split())
    if refusal.spots:
        spot = refusal.spots[0]
        file, line = spot.filename, spot.lineno
        reason += f": {spot.note}" if spot.note else ""
    return Recorded(plain.__name__, file, line, reason)


def innermost(function: Any) -> Any:
    """Return the user's function that a derivative, or a derivative of one, is of."""
    inner = getattr(function, "__srcgrad__", None)
    return function if inner is None else innermost(inner.plain)


def announce(mode: str | None, function: Any, refusal: SrcgradError, partly: bool = False) -> None:
    """Warn that a function is recorded, once, or refuse it.

    Args:
        mode: what was given for ``recorded``.
        function: the function.
        refusal: why no code can be generated for it.
        partly: whether there is code for most of its statements.

    Raises:
        SrcgradError: the refusal, where that was asked for.
    """
    mode = mode_in_force(mode)
    if mode == "refuse":
        raise refusal.at(refusal.spots)
    plain = innermost(function)
    key = getattr(plain, "__code__", plain)
    if mode == "warn" and key not in _warned:
        _warned.add(key)
        text = warning_text(refusal, region_of(refusal, function), partly)
        warnings.warn(text, RecordedWarning, stacklevel=outside())


def warning_text(refusal: SrcgradError, region: Recorded, partly: bool = False) -> str:
    """Return what the warning says: what, where, why, what to write, and how to be rid of it."""
    part = "a part of " if partly else ""
    parts = [f"{part}{region.function} is recorded while it runs: {' '.join(refusal.what.split())}"]
    parts += [spot.render() for spot in refusal.spots]
    if not refusal.spots and region.line:
        parts.append(f"  {region.place}, in {region.function}")
    if refusal.why:
        parts.append(f"  {refusal.why}")
    parts.append("  The derivative is right, but slower than generated code, and has no text.")
    if refusal.fixes and not isinstance(refusal, InternalError):
        parts.append(f"  For generated code: {', or '.join(refusal.fixes)}.")
    parts.append('  recorded="allow" leaves this warning out, recorded="refuse" makes it an error.')
    parts.append("  See docs/recorded.md")
    return "\n".join(parts)


def outside() -> int:
    """How many frames above the caller the user's code is."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and _is_own(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


def _is_own(file: str) -> bool:
    return file.startswith((_HERE, "<srcgrad "))
