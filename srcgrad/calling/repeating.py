"""Functions that keep nothing for their backward part, and run again there."""

from __future__ import annotations

import functools
from collections.abc import Callable

from srcgrad.calling.protocols import P, R


def checkpoint(f: Callable[P, R]) -> Callable[P, R]:
    """Let a function that is called inside of a differentiated one run again there.

    Reverse mode keeps what each statement needs to go back. Of a call of
    ``checkpoint(f)`` it keeps the arguments only: the backward part calls ``f`` once
    more. That takes the time of one more forward run, and the memory of one call at a
    time (A. Griewank and A. Walther, Evaluating Derivatives, 2008, chapter 12).

    Args:
        f: a Python function or lambda. It must give the same result each time: one
            that draws random numbers, prints, or writes into its arguments is
            refused when a derivative is generated.

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
