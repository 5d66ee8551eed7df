"""Messages between ranks, where mpi4py is used: who does not use it does not load it."""

from __future__ import annotations

import functools
import sys
from importlib import import_module
from typing import Any

from srcgrad.formulas import load
from srcgrad.tape.session import Session


@functools.cache
def _messages() -> Any:
    load("mpi4py.MPI")
    return import_module("srcgrad.tape.libraries.messages")


def communicates(fn: Any) -> bool:
    """Tell whether a function sends or receives."""
    return "mpi4py.MPI" in sys.modules and _messages().communicates(fn)


def communicate(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a function that sends or receives."""
    return _messages().communicate(session, fn, args, options)


def flush() -> None:
    """Wait until what backward parts have sent is received."""
    _messages().flush()


HANDLERS = {"communicates": communicates, "communicate": communicate, "flush": flush}
