"""Checking a program with all witnesses, and making it small where one disagrees."""

from __future__ import annotations

import contextlib
import signal
import traceback
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from tests.fuzz.isolated import Isolated, Ways
from tests.fuzz.programs import Program
from tests.fuzz.reducing import reduce
from tests.fuzz.witnesses import Tally, Unsuitable, Witnesses, loaded


class TooSlow(Exception):
    """It takes so long that it may never end."""


class Failure(Exception):
    """Something is wrong with the derivatives of a program.

    Args:
        program: the program.
        cause: what was raised.
    """

    def __init__(self, program: Program, cause: Exception) -> None:
        self.program, self.cause = program, cause
        super().__init__(program, cause)

    def kind(self) -> str:
        """Return what failures of one kind have in common."""
        return f"{type(self.cause).__name__}: {str(self.cause).partition(':')[0][:60]}"

    def __str__(self) -> str:
        return f"{self.program!r}\n{self.where()}\n{type(self.cause).__name__}: {self.cause}"

    def where(self) -> str:
        """Return the innermost places of the traceback."""
        frames = traceback.extract_tb(self.cause.__traceback__)[-3:]
        return "".join(traceback.format_list(frames))

    __repr__ = __str__


def examine(program: Program, tally: Tally) -> None:
    """Check one program, and count what became of it.

    Raises:
        Failure: when something is wrong.
    """
    tally["programs"] += 1
    case = program
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(np.errstate(all="ignore"))
            if isinstance(program, Isolated):
                with contextlib.suppress(Unsuitable):
                    Ways(program, tally).check()
                    tally["examined to the end"] += 1
                return
            f = wide = stack.enter_context(loaded(program))
            if program.narrow:
                wide = stack.enter_context(loaded(program.widened()))
            for args in (program.args, *program.others):
                case = replace(program, args=args, others=())
                with contextlib.suppress(Unsuitable):
                    Witnesses(case, f, tally, wide).check()
                    tally["examined to the end"] += 1
    except Exception as error:  # noqa: BLE001 (whatever it is, it is a finding)
        raise Failure(case, error) from None


def smallest(failure: Failure) -> Failure:
    """Return the failure of the smallest program that fails in the same way."""
    found = [failure]

    def fails(program: Program) -> bool:
        try:
            with limited(10):
                examine(program, Tally())
        except Failure as other:
            if other.kind() == failure.kind():
                found.append(other)
                return True
        return False

    reduce(failure.program, fails)
    return found[-1]


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise TooSlow after some time of this process; a loop may have lost what ends it."""

    def stop(number: int, frame: Any) -> None:
        raise TooSlow

    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
