"""Refusing what would lose a derivative on a tape."""

from __future__ import annotations

from typing import Any

from srcgrad.errors import ArgumentError, TextError
from srcgrad.tape.session import Session

_MOST = 10_000  # texts that are remembered


def note_text(session: Session, text: str) -> None:
    """Remember what a value that is differentiated looks like as text."""
    if len(session.texts) < _MOST:
        session.texts.add(text)


def require_no_text(session: Session, text: Any) -> None:
    """Refuse text that was made from a value that is differentiated, where it becomes a number."""
    if not session.texts or not isinstance(text, str | bytes):
        return
    words = text.decode(errors="replace") if isinstance(text, bytes) else text
    if any(part in words or (words and words in part) for part in session.texts):
        raise text_error()


def text_error() -> TextError:
    """Return the error for a number made from text that a differentiated value was made to."""
    return TextError(
        "a number is made from text that was made from a value that is differentiated",
        why="Text has no derivative, and the number would count as a constant.",
        fixes=["keep the number beside its text", "make the text of y = stop_gradient(x)"],
    )


class Lost(ArgumentError):
    """A value that is differentiated goes where its derivative would be lost."""


def lost(what: str) -> Lost:
    """Return the error for a value that goes where its derivative would be lost.

    Args:
        what: what happens to it.
    """
    return Lost(
        f"a value that is differentiated is {what} where its derivative would be lost",
        fixes=["use NumPy's functions", "wrap it in stop_gradient if it is meant as a constant"],
    )
