"""The tape in the place of generated code that raises what its program does not."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import srcgrad.runtime
from srcgrad.calling.recorded import announce, innermost, mode_in_force
from srcgrad.calling.unsettled import Unsettled, holds_nan
from srcgrad.effects import draws
from srcgrad.errors import (
    ArgumentError,
    InternalError,
    MissingFormulaError,
    NotFiniteError,
    ResultError,
    SrcgradError,
)
from srcgrad.late import late
from srcgrad.runtime.requirements import require_one_object, require_separate

if TYPE_CHECKING:
    from srcgrad.calling.reuse.specialisation import Specialisation
    from srcgrad.calling.transformed import Transform

# these are about srcgrad's own rules, the machine, or what the user asked to be raised
_FINAL = (SrcgradError, Warning, MemoryError, RecursionError)


def otherwise(
    transform: Transform,
    error: BaseException,
    arguments: tuple[Any, ...],
    run: Callable[[Specialisation], Any] | None = None,
) -> tuple[Any] | None:
    """Run on the tape what generated code has raised an exception for.

    That is done for programs only that change nothing which was there before, and may be run
    again, and where code finds out that arguments share memory, before it does anything. Where
    the tape raises something, too, the exception is the program's own.

    Returns:
        What the call gives, in a tuple, and for later calls of its kind the tape is kept; None
        where the exception is to be raised.
    """
    plain = innermost(transform.plain)
    if isinstance(error, Unsettled):
        return _settled(transform, error, arguments, run)
    final = isinstance(error, _FINAL) and not isinstance(error, ResultError)
    if not isinstance(error, Exception) or final or _is_of_debugger(error):
        return None
    if isinstance(error, NotImplementedError) and _is_own(error):  # how an option is refused
        raise MissingFormulaError.of_option(error) from None
    entered = _is_at_entry(error)
    refusal = error if isinstance(error, ResultError) else _fault(plain, error)
    if entered:
        refusal = ArgumentError(str(error))
    known = transform.find(arguments)
    recorded = known.recorded is not None  # by now: code that is held longer may fail once more
    if mode_in_force(transform.mode) == "refuse" or (recorded and run is None):
        if entered:
            raise refusal from None
        return None
    if not entered and not late("may_run_again")(plain, arguments):
        return None
    make = late("recorded_code")
    special = known if recorded else make(transform, list(arguments), refusal, always=False)
    try:
        found = _call(transform, special, arguments) if run is None else run(special)
    except Exception:  # noqa: BLE001  # whatever it is, the first one is told
        if entered:
            raise refusal from None
        return None
    if recorded:
        return (found,)
    announce(transform.mode, plain, refusal)
    if not entered:
        transform.keep_recorded(special)
    return (found,)


def _settled(
    transform: Transform,
    error: Unsettled,
    arguments: tuple[Any, ...],
    run: Callable[[Specialisation], Any] | None,
) -> tuple[Any] | None:
    """Ask the tape for a derivative that is nan in generated code.

    Returns:
        What it gives, in a tuple; where it cannot be asked, what the generated code gave, and
        None where something is still to be done with that.
    """
    given = None if run is not None else (error.made,)
    if mode_in_force(transform.mode) == "refuse":
        return given
    if transform.differs is None:
        transform.differs = runs_differ(transform)
    if transform.differs(arguments, {}):
        return given
    plain = innermost(transform.plain)
    refusal = NotFiniteError(
        f"a slope of {plain.__name__} is infinite, or none, where nothing may read the value",
        why="Generated code cannot tell whether something reads it, which the tape can. "
        "Where it is finite, the generated code runs.",
        fixes=["compute with another number there: np.sqrt(np.where(x > 0, x, 1.0))"],
    )
    try:
        special = transform.beside
        if special is None:
            special = late("recorded_code")(transform, list(arguments), refusal, always=True)
            special = transform.beside = replace(special, run=inspect.unwrap(special.run))
        found = _call(transform, special, arguments) if run is None else run(special)
    except Exception:  # noqa: BLE001  # whatever it is, the generated code has given something
        return given
    if not holds_nan(found):
        announce(transform.mode, plain, refusal)
    return (found,)


def runs_differ(transform: Transform) -> Callable[[Any, Any], bool]:
    """Return what tells whether one run of a function may give another result than the next.

    Then it is run once.
    """
    known: list[Any] = []  # what it depends on that the runs of plain arguments are the same

    def of_call(args: Any, options: Any) -> bool:
        given = (*args, *options.values())
        plain = all(isinstance(each, _PLAIN) for each in given)
        if plain and known and known[0].hold():
            return False
        late("load_used")()  # formulas say what functions of libraries do
        found = late("repeatable")(innermost(transform.plain), given)
        if plain and found is not None:
            known[:] = [found]
        return found is None or any(map(draws, given))

    return of_call


_PLAIN = (np.ndarray, np.generic, int, float, complex, str, type(None))


def _is_own(error: BaseException) -> bool:
    """Whether srcgrad has raised an exception, and not the program."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_code.co_filename.startswith(_HOME)


def _is_at_entry(error: BaseException) -> bool:
    """Whether generated code has found arguments that it is not for, before anything else."""
    codes = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    checks = (require_separate.__code__, require_one_object.__code__)
    generated = [c for c in codes if not c.co_filename.startswith((_HOME, "<srcgrad"))]
    return codes[-1] in checks and len(generated) == 1


_HOME = str(Path(srcgrad.runtime.__file__).parent.parent)


def _fault(plain: Callable[..., Any], error: Exception) -> SrcgradError:
    if isinstance(error, ZeroDivisionError):
        return NotFiniteError(
            f"a slope of {plain.__name__} is infinite, or none, at numbers of Python's",
            why="Python's numbers cannot be divided by zero, and those of NumPy's can.",
            fixes=["compute with NumPy's functions and numbers: np.sqrt(x), np.float64(x)"],
        )
    text = str(error).strip().partition("\n")[0]
    return InternalError(
        f"the code generated for {plain.__name__} raised {type(error).__name__}: {text}",
        why="The function itself does not: this is a fault of srcgrad.",
        fixes=["report this as a bug"],
    )


def _is_of_debugger(error: Exception) -> bool:
    """Whether an exception says that somebody has left the debugger."""
    return type(error).__name__ == "BdbQuit" and type(error).__module__ == "bdb"


def _call(transform: Transform, special: Specialisation, arguments: tuple[Any, ...]) -> Any:
    positional, named = transform.passed(arguments)
    return special.run(*positional, **named)
