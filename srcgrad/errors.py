"""Every error that srcgrad raises, and the one renderer of their messages.

There is one class per cause. A message says what happened, where (file, line,
caret), why, and what to do; its last line names the section of
``docs/errors.md`` that explains the class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True)
class Spot:
    """A place in somebody's source that an error points at.

    Attributes:
        filename: the file, as the function's code object names it.
        function: the name of the function that contains the place.
        lineno: 1-based line number in the file.
        line: the text of that line, without its newline.
        column: 0-based column of the first character to underline.
        width: number of characters to underline, at least 1.
        note: what is wrong at this very place, if the spots differ in that.
    """

    filename: str
    function: str
    lineno: int
    line: str
    column: int
    width: int
    note: str = ""

    def render(self) -> str:
        """Return the lines that show this place, indented by two spaces."""
        stripped = self.line.lstrip()
        shift = len(self.line) - len(stripped)
        start = max(self.column - shift, 0)
        width = max(min(self.width, len(stripped) - start), 1)
        name = self.filename.replace("\\", "/").rsplit("/", 1)[-1]
        lines = [f"  {name}:{self.lineno}, in {self.function}"]
        if stripped.strip():
            lines += [f"    {stripped.rstrip()}", f"    {' ' * start}{'^' * width}"]
        if self.note:
            lines.append(f"    {self.note}")
        return "\n".join(lines)


class SrcgradError(Exception):
    """Base class of all errors of srcgrad.

    Args:
        what: one sentence without a full stop: what went wrong.
        spots: the places in the source that it went wrong at.
        why: the reason, in full sentences.
        fixes: ways out; each completes the words "Fix: ".
        recordable: whether the function may be recorded while it runs instead: the
            error says that no code can be generated, not that there is no derivative.
            None for what the class says.
    """

    slug: ClassVar[str] = "srcgrad-error"
    recordable: bool = False
    callee: Any = None  # the called function that it is about, where that can be recorded alone
    calls: tuple[tuple[Any, int], ...] = ()  # of which it is: by whom, and in which line
    unseen: tuple[Any, ...] = ()  # statements that may be, once it is known what they give
    by_iterations = False  # whether the call may be text where a loop around it is written out
    # of code that earlier iterations may not have reached: the name that nothing was given so far,
    later: str | None = None  # empty where it is an element of a list

    def __init__(
        self,
        what: str,
        *,
        spots: Sequence[Spot] = (),
        why: str = "",
        fixes: Sequence[str] = (),
        recordable: bool | None = None,
    ) -> None:
        self.what = what
        self.spots = tuple(spots)
        self.why = why
        self.fixes = tuple(fixes)
        if recordable is not None:
            self.recordable = recordable
        super().__init__(render(self))

    def at(self, spots: Sequence[Spot]) -> SrcgradError:
        """Return the same error with other places."""
        kept = {"why": self.why, "fixes": self.fixes, "recordable": self.recordable}
        made = type(self)(self.what, spots=spots, **kept)
        made.callee, made.calls, made.unseen = self.callee, self.calls, self.unseen
        made.by_iterations = self.by_iterations
        return made

    def __reduce__(self):
        return _rebuild, (
            type(self), self.what, self.spots, self.why, self.fixes, self.recordable
        )  # fmt: skip


def _rebuild(cls, what, spots, why, fixes, recordable):
    return cls(what, spots=spots, why=why, fixes=fixes, recordable=recordable)


def render(error: SrcgradError) -> str:
    """Return the full text of an error: what, where, why, the ways out, the page."""
    parts = [error.what]
    parts += [spot.render() for spot in error.spots]
    if error.why:
        parts.append(f"  {error.why}")
    if error.fixes:
        head, *rest = error.fixes
        text = f"  Fix: {head}"
        for fix in rest:
            text += f", or {fix}"
        parts.append(text + ".")
    parts.append(f"  See docs/errors.md#{error.slug}")
    return "\n".join(parts)


class SourceNotFoundError(SrcgradError):
    """The source text of a function cannot be read."""

    slug = "source-not-found"
    recordable = True


class UnsupportedSyntaxError(SrcgradError):
    """A construct of Python that srcgrad does not differentiate."""

    slug = "unsupported-syntax"
    recordable = True


class MutationError(SrcgradError):
    """An in-place write whose effect on a derivative cannot be decided."""

    slug = "mutation"
    recordable = True


class OverwrittenError(SrcgradError):
    """A value that a backward function needs was overwritten before it was called."""

    slug = "overwritten"


class MissingFormulaError(SrcgradError):
    """A function without a derivative formula is called with an active argument."""

    slug = "missing-formula"
    recordable = True  # the tape goes through some functions that have no formula

    @classmethod
    def of_option(cls, error: NotImplementedError, **known: Any) -> Self:
        """Return the error for an option that a formula refuses."""
        return cls(str(error), fixes=["use an option that has a formula"], **known)


class MalformedFormulaError(SrcgradError):
    """A derivative formula breaks the rules of its format."""

    slug = "malformed-formula"


class UnresolvedCallError(SrcgradError):
    """It cannot be found out, when code is generated, what a call will call."""

    slug = "unresolved-call"
    recordable = True


class TextError(SrcgradError):
    """A number comes from text that was made from a differentiated value."""

    slug = "text"


class ArgumentError(SrcgradError):
    """``wrt`` or an argument does not fit the function that is differentiated."""

    slug = "argument"


class ForeignArrayError(SrcgradError, TypeError):
    """An array that means something else by the same functions meets a differentiated value."""

    slug = "foreign-array"


class ResultError(SrcgradError, TypeError):
    """The result of the function is not what the transformation asks for.

    Where that shows only when the derivative runs, it raises a plain ``TypeError``.
    """

    slug = "result"


class NotFiniteError(SrcgradError, ArithmeticError):
    """A value is infinite or nan, while what it was made of is not."""

    slug = "not-finite"


class CompileError(SrcgradError):
    """Generated code cannot be compiled by what ``jit=`` names."""

    slug = "compile"


class CheckFailedError(SrcgradError):
    """A derivative disagrees with finite differences."""

    slug = "check-failed"


class InternalError(SrcgradError):
    """srcgrad contradicts itself: a bug in srcgrad."""

    slug = "internal"
    recordable = True


class SaveError(SrcgradError):
    """A derivative cannot be written as a stand-alone module."""

    slug = "save"
