"""Calls that look at the frame they stand in: it is given to them as without a tape."""

from __future__ import annotations

import builtins
import inspect
import os
import sys
import types
from pathlib import Path
from typing import Any

import srcgrad.formulas
import srcgrad.tape.rewriting as rewriting
from srcgrad.program.syntax_trees import FUTURE
from srcgrad.tape.calls import AT_FRAMES, SPECIAL, unknown
from srcgrad.tape.errors import require_no_text
from srcgrad.tape.session import Session

_OWN = (
    str(Path(__file__).parents[2]) + os.sep,
    str(Path(srcgrad.formulas.__file__).parent) + os.sep,
    "<srcgrad ",
)
_SNAPSHOTS = sys.version_info >= (3, 13)  # whether the names of a function are a copy of them


def _is_own(frame: types.FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OWN)


def frame_at(depth: int = 0) -> types.FrameType:
    """Return the frame of a function of the user's.

    Args:
        depth: how many frames above the innermost one it is.

    Raises:
        ValueError: when there are not so many.
    """
    frame = inspect.currentframe()
    while frame is not None:
        if not _is_own(frame):
            if depth <= 0:
                return frame
            depth -= 1
        frame = frame.f_back
    raise ValueError("call stack is not deep enough")


def frame_before(frame: types.FrameType) -> types.FrameType | None:
    """Return the frame that a frame was called from, as without a tape."""
    found = frame.f_back
    while found is not None and _is_own(found):
        found = found.f_back
    return found


def _names_in(frame: types.FrameType) -> Any:
    """Return the local names in a frame, as ``locals()`` gives them there."""
    found = frame.f_locals
    if _SNAPSHOTS and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        return dict(found)
    return found


def _locals(session: Session | None, fn: Any, args: Any, options: Any) -> Any:
    if args or options:  # vars(x), dir(x), or what raises an error
        return fn(*args, **options) if session is None else unknown(session, fn, args, options)
    found = _names_in(frame_at())
    return sorted(found) if fn is dir else found


def _globals(session: Session | None, fn: Any, args: Any, options: Any) -> Any:
    return fn(*args, **options) if args or options else frame_at().f_globals


def _frame(session: Session | None, fn: Any, args: Any, options: Any) -> Any:
    return frame_at(*args, **options)


def _stack(session: Session | None, fn: Any, args: Any, options: Any) -> Any:
    found = inspect.getouterframes(frame_at(), *args, **options)
    return [part for part in found if not _is_own(part.frame)]


def _executed(session: Session | None, fn: Any, args: Any, options: Any) -> Any:
    """Call ``eval`` or ``exec`` with rewritten code."""
    if not args:
        return fn(*args, **options)
    spaces = {**dict(zip(("globals", "locals"), args[1:], strict=False)), **options}
    around = spaces.pop("globals", None)
    inside = spaces.pop("locals", None)
    frame = frame_at()
    if around is None:
        around = frame.f_globals
        inside = _names_in(frame) if inside is None else inside
    made = code_of(session, args[0], fn.__name__, frame.f_code.co_flags & FUTURE)
    return fn(made, around, around if inside is None else inside, *args[3:], **spaces)


def code_of(session: Session | None, text: Any, how: str, flags: int = 0) -> Any:
    """Return the code of what is executed or evaluated, rewritten where something is recorded.

    Args:
        session: what is recorded.
        text: text, or code.
        how: ``exec`` or ``eval``.
        flags: those of compilation where it is executed.

    Raises:
        SourceNotFoundError: when an instruction of code is not known.
        TextError: when the text was made from what is differentiated.
    """
    if isinstance(text, types.CodeType) and session is not None:
        made = rewriting.rewritten_code(text, {}, text.co_qualname)
        if made is None:
            raise rewriting.unreadable(text.co_name)
        return made
    if not isinstance(text, str | bytes | bytearray):
        return text
    text = bytes(text) if isinstance(text, bytearray) else text
    if how == "eval":  # which skips these, and no other spaces
        text = text.lstrip(b" \t") if isinstance(text, bytes) else text.lstrip(" \t")
    if session is None:
        return compile(text, "<string>", how, flags, dont_inherit=True)
    require_no_text(session, text)
    return rewriting.code_of_text(text, how, flags)


def _compiled(session: Session | None, fn: Any, args: Any, options: Any) -> Any:
    """Call ``compile``, which looks at the frame for what is imported from the future."""
    given = {**dict(zip(("flags", "dont_inherit"), args[3:], strict=False)), **options}
    if given.pop("dont_inherit", False):
        return fn(*args, **options)
    flags = given.pop("flags", 0) | frame_at().f_code.co_flags & FUTURE
    return fn(*args[:3], flags, True, *args[5:], **given)


AT_FRAMES |= dict.fromkeys((builtins.eval, builtins.exec), _executed)
AT_FRAMES |= dict.fromkeys((locals, vars, dir), _locals)
AT_FRAMES |= {globals: _globals, inspect.stack: _stack, inspect.currentframe: _frame}
AT_FRAMES |= {compile: _compiled, sys._getframe: _frame}  # noqa: SLF001 - programs call it
SPECIAL |= AT_FRAMES
HANDLERS = {"frame_at": frame_at, "frame_before": frame_before}
