"""Looking at derivatives of programs in which some numbers are taken to be real.

What a function without source gives back, say, may be complex, and nothing in the
text tells. Where there is no other complex number in the program, such numbers are
taken to be real. A complex one would make the derivative complex.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.errors import ResultError
from srcgrad.ir.structures import holds_complex


def require_real_results(
    run: Callable[..., Any], kind: str, has_aux: bool = False
) -> Callable[..., Any]:
    """Return a generated function that refuses to give back a complex derivative.

    Args:
        run: the function.
        kind: which derivative it computes: ``grad``, ``value_and_grad``, ``vjp`` for a
            backward function, or ``jvp``.
        has_aux: whether ``grad`` gives something else back beside the gradient.

    Raises:
        ResultError: at the call, when the derivative is complex.
    """

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        try:
            with warnings.catch_warnings():  # of a complex number that is stored among real ones
                warnings.simplefilter("error", np.exceptions.ComplexWarning)
                made = run(*args, **options)
        except np.exceptions.ComplexWarning:
            raise _error(run) from None
        if kind == "grad" and has_aux:
            derivative = made[0]
        else:
            derivative = made[1] if kind in ("value_and_grad", "jvp") else made
        if holds_complex(derivative):
            raise _error(run)
        return made

    return checked


def _error(run: Callable[..., Any]) -> ResultError:
    return ResultError(
        f"the derivative of {run.__name__} is complex, and was taken to be real",
        why="A number that the program reads or computes was not known to be complex "
        "when code was generated.",
        fixes=["make it complex where that can be seen: z = z + 0j", "take its real part"],
    )
