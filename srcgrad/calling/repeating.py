"""Functions and steps of loops that keep little for their backward part, and run again there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import TypeVar

from srcgrad.calling.protocols import P, R

T = TypeVar("T")


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Let a function that is called inside of a differentiated one run again there.

    Reverse mode keeps what each statement needs to go back. Of a call of
    ``checkpoint(f)`` it keeps the arguments only: the backward part calls ``f`` once
    more. That takes the time of one more forward run, and the memory of one call at a
    time (A. Griewank and A. Walther, Evaluating Derivatives, 2008, chapter 12).

    Args:
        f: a Python function or lambda. It must give the same result each time. It may
            draw random numbers from generators of NumPy, and write into arrays among its
            arguments: the second run is given copies of both, as they were before the
            first. One that prints, or changes objects, is refused when a derivative is
            generated.

    Returns:
        A function that does what ``f`` does.

    Example:
        >>> import numpy as np
        >>> from srcgrad import checkpoint, grad
        >>> def block(h, w):
        ...     for _ in range(3):
        ...         h = np.tanh(w @ h)
        ...     return h
        >>> def loss(w, h):
        ...     for _ in range(10):
        ...         h = checkpoint(block)(h, w)
        ...     return np.sum(h ** 2)
        >>> grad(loss)(np.eye(2), np.array([0.5, 0.1])).shape
        (2, 2)
    """

    @functools.wraps(f)
    def repeated(*args: P.args, **options: P.kwargs) -> R:
        return f(*args, **options)

    vars(repeated).update(__srcgrad_primal__=f, __srcgrad_again__=True)
    return repeated


def checkpointed(
    iterable: Iterable[T], snapshots: int | None = None, on_disk: int = 0
) -> Iterable[T]:
    """Let a loop keep few of its states for the way back, and compute the others again.

    Reverse mode keeps what each step of a loop needs to go back, so that its memory grows with
    the number of steps. Of ``for t in checkpointed(range(n)):`` it keeps the variables that a
    step hands on to the next, before a few of the steps; from there the steps between run
    again. Which ones is decided by the schedules of the package ``checkpoint-schedules``
    (``pip install srcgrad[checkpoint]``), with which the fewest steps run again that can:
    with ``s`` snapshots, ``(s + 1) * (s + 2) / 2`` steps run twice more at most (A. Griewank
    and A. Walther, Algorithm 799: revolve, ACM Transactions on Mathematical Software 26,
    2000). Forward mode needs no states, and the second derivative keeps all of them.

    Args:
        iterable: what the loop goes through: where it is differentiated, a ``range``.
        snapshots: how many states to keep in memory at a time: a number, a parameter of the
            function or a global name. Without it, the least number with which no step runs
            more than twice again, about ``sqrt(2 * n)``.
        on_disk: how many states to keep in temporary files besides.

    Returns:
        The iterable, as it is.

    Raises:
        SrcgradError: when the loop is differentiated, under ``recorded="refuse"``, if a step
            does more than to give variables new values, to write into arrays that the loop
            hands on, and to draw from generators of NumPy: if it prints, changes objects, or
            leaves the loop by ``return``.
        ModuleNotFoundError: when the loop is differentiated, if the package is not installed.

    Example:
        >>> import numpy as np
        >>> from srcgrad import checkpointed, grad
        >>> def swing(x, n):
        ...     v = 0.0
        ...     for _ in checkpointed(range(n), snapshots=3):
        ...         v = v - 0.1 * np.sin(x)
        ...         x = x + 0.1 * v
        ...     return x
        >>> round(float(grad(swing)(1.0, 20)), 4)
        -0.1239
    """
    return iterable
