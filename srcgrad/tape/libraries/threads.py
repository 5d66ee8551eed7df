"""Threads that a recorded function starts, or hands work to: what they do is recorded as its own.

The steps of several threads stand on the tape in the order in which they were done. A program
whose result depends on that order has no derivative; in any other, what a thread reads was
written before.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from srcgrad.errors import SrcgradError
from srcgrad.tape.calls import call
from srcgrad.tape.session import Session, state


class Joined:
    """A function that is recorded in whatever thread it is called.

    Attributes:
        session: that of the recording, with a list of tapes of its own.
        fn: the function.
    """

    def __init__(self, session: Session, fn: Any) -> None:
        session.active = True  # from now on an array may be written at any time
        self.session = copy.copy(session)
        self.session.tapes = list(session.tapes)
        self.fn = fn

    def __call__(self, *args: Any, **options: Any) -> Any:
        outer = state.session
        state.session = self.session
        try:
            return call(self.fn, *args, **options)
        except SrcgradError as error:  # whoever waits for the thread may never hear of it
            self.session.tapes[-1].failed = error
            raise
        finally:
            state.session = outer


def _start(session: Session, method: Any, args: Any, options: Any) -> Any:
    """``thread.start()``."""
    thread = method.__self__
    run = Joined(session, thread.run)

    def run_once() -> None:
        del thread.run
        run()

    thread.run = run_once
    return method(*args, **options)


def _hand_over(session: Session, method: Any, args: Any, options: Any) -> Any:
    """``pool.submit(work, ...)``, ``pool.map(work, ...)`` and their kind."""
    given = {k: Joined(session, v) if k in _WORK and v else v for k, v in options.items()}
    first = [Joined(session, args[0])] if args else []
    return method(*first, *args[1:], **given)


_WORK = frozenset(("fn", "func", "callback", "error_callback"))


def at_threads(method: Any) -> Callable[..., Any] | None:
    """Return how a method is called that runs functions in other threads; None for others.

    They are known by name, so that the modules need not be imported.
    """
    fn = method.__func__
    place = getattr(fn, "__module__", ""), getattr(fn, "__qualname__", "")
    if place == ("threading", "Thread.start"):
        return _start
    if fn.__name__ not in _HANDING_OVER:
        return None
    kinds = {(part.__module__, part.__name__) for part in type(method.__self__).__mro__}
    return _hand_over if kinds & _POOLS else None


_POOLS = {
    ("concurrent.futures.thread", "ThreadPoolExecutor"),
    ("multiprocessing.pool", "ThreadPool"),
}
_STARRED = ("starmap", "starmap_async")
_HANDING_OVER = frozenset(
    ["submit", "apply", "apply_async", "imap", "imap_unordered", "map", "map_async", *_STARRED]
)
HANDLERS = {"at_threads": at_threads}
