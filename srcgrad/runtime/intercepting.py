"""Pieces of a program that belong to its backward part: nothing happens where there is none."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np


class _NoBackwardPart(Exception):
    """Leaves the body of a ``with`` statement that has nothing to do."""


class backward_of:  # noqa: N801 - it is read as a phrase
    """Put the body of a ``with`` statement into the backward part of a derivative.

    It runs there where the way back comes through this line: the name behind ``as`` stands for
    the cotangent of the value, the derivative of the result with respect to it, with all that
    the lines below contribute. It has the shape and the element type of the value. What the
    body makes of it by an assignment is what the lines above are given.
    A plain call skips the body, and so does forward mode, which has no way back.

    Args:
        value: an array or number that has a name.

    Example:
        >>> import numpy as np
        >>> from srcgrad import backward_of, grad
        >>> def loss(x):
        ...     h = x * x
        ...     with backward_of(h) as h_bar:
        ...         h_bar = np.clip(h_bar, -1.0, 1.0)
        ...     return np.sum(5.0 * h)
        >>> loss(np.array([1.0, 2.0])), grad(loss)(np.array([1.0, 2.0]))
        (np.float64(25.0), array([2., 4.]))
    """

    __slots__ = ("_before", "_frame")

    def __init__(self, value: Any) -> None:
        del value

    def __enter__(self) -> Any:
        """Skip the body: the next thing that it would do leaves it again."""
        frame = self._frame = sys._getframe(1)  # noqa: SLF001 - no other way to it
        self._before = sys.gettrace(), frame.f_trace, frame.f_trace_opcodes
        frame.f_trace_opcodes = True
        frame.f_trace = _leave
        sys.settrace(_look_away)

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: types.TracebackType | None
    ) -> bool:
        """Let whoever traced the function before do so again."""
        tracing, self._frame.f_trace, self._frame.f_trace_opcodes = self._before
        sys.settrace(tracing)
        del self._frame
        return kind is _NoBackwardPart


def _leave(*event: Any) -> Any:
    raise _NoBackwardPart


def _look_away(*event: Any) -> None:
    """Trace nothing."""


def on_backward(value: Any, fn: Callable[[Any], Any]) -> Any:
    """Call a function with the cotangent of a value, in the backward part of a derivative.

    It is called where the way back comes through this line, with all that the lines below
    contribute; see ``backward_of``. A plain call and forward mode do nothing.

    Args:
        value: an array or number that has a name.
        fn: called with the cotangent, which it may change; what it returns, unless that is
            None, takes the place of the cotangent, and must have its shape.

    Returns:
        The value.

    Example:
        >>> from srcgrad import grad, on_backward
        >>> def loss(x):
        ...     h = x * x
        ...     on_backward(h, lambda h_bar: min(h_bar, 1.0))
        ...     return 5.0 * h
        >>> float(grad(loss)(3.0))
        6.0
    """
    del fn
    return value


def replacement(new: Any, bar: Any) -> Any:
    """Return what takes the place of a cotangent: the cotangent itself for None.

    Args:
        new: an array or number, or None.
        bar: the cotangent.

    Raises:
        ValueError: when it has another shape, or is complex in the place of real numbers.
    """
    if new is None:
        return bar
    if np.shape(new) != np.shape(bar):
        raise ValueError(
            f"a cotangent of shape {np.shape(bar)} was replaced by one of shape {np.shape(new)}"
        )
    if np.iscomplexobj(new) and not np.iscomplexobj(bar):
        raise ValueError("a real cotangent was replaced by a complex one")
    return new


def total_of_one_shape(total: Any, term: Any) -> Any:
    """Return a sum of cotangents of what a line gives a name each time that it runs.

    Args:
        total: the sum so far; the number 0 before the first term.
        term: the next one.

    Raises:
        ValueError: when the shapes differ: there is no such sum.
    """
    if np.shape(total) != np.shape(term) and not (np.ndim(total) == 0 and total == 0.0):
        raise ValueError(
            "what is differentiated with respect to has another shape each time that its line "
            f"runs: {np.shape(term)} and {np.shape(total)}"
        )
    return total + term
