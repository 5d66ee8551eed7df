"""The tape in the place of generated code that raises what its program does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from srcgrad.calling.recorded import announce, innermost, mode_in_force
from srcgrad.errors import InternalError, SrcgradError
from srcgrad.late import late

if TYPE_CHECKING:
    from srcgrad.calling.transformed import Specialisation, Transform

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
    again. Where the tape raises something, too, the exception is the program's own.

    Args:
        transform: which derivative of which function.
        error: what generated code has raised.
        arguments: those of the call, one per parameter.
        run: how the recorded code is called, by position and name by default.

    Returns:
        What the call gives, in a tuple, and for later calls of its kind the tape is kept; None
        where the exception is to be raised.
    """
    plain = innermost(transform.plain)
    if not isinstance(error, Exception) or isinstance(error, _FINAL) or _is_of_debugger(error):
        return None
    if mode_in_force(transform.mode) == "refuse" or transform.find(arguments).recorded is not None:
        return None
    if not late("may_run_again")(plain, arguments):
        return None
    text = str(error).strip().partition("\n")[0]
    refusal = InternalError(
        f"the code generated for {plain.__name__} raised {type(error).__name__}: {text}",
        why="The function itself does not: this is a fault of srcgrad.",
        fixes=["report this as a bug"],
    )
    special = late("recorded_code")(transform, list(arguments), refusal, always=False)
    try:
        found = _call(transform, special, arguments) if run is None else run(special)
    except Exception:  # noqa: BLE001  # whatever it is, the first one is told
        return None
    announce(transform.mode, plain, refusal)
    transform.keep_recorded(special)
    return (found,)


def _is_of_debugger(error: Exception) -> bool:
    """Whether an exception says that somebody has left the debugger."""
    return type(error).__name__ == "BdbQuit" and type(error).__module__ == "bdb"


def _call(transform: Transform, special: Specialisation, arguments: tuple[Any, ...]) -> Any:
    positional, named = transform.passed(arguments)
    return special.run(*positional, **named)
