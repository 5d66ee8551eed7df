"""Looking at derivatives that may depend on what is not determined: columns that were added.

Full orthonormal matrices have columns that stand for no column of the matrix they are
of, and these have no derivative. Forward mode gives nan for it, which only tells what
depends on them from the rest when it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.calling.unsettled import holds_nan
from srcgrad.errors import ResultError
from srcgrad.load.texts import FunctionText
from srcgrad.runtime import with_added_columns


def reads_added_columns(functions: Iterable[FunctionText]) -> bool:
    """Tell whether generated functions compute tangents of matrices with added columns."""
    return any(f.externals.get("with_added_columns") is with_added_columns for f in functions)


def require_determined(run: Callable[..., Any]) -> Callable[..., Any]:
    """Return a generated function that refuses a tangent that is nan."""

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        made = run(*args, **options)
        if holds_nan(made[1]):
            raise ResultError(
                f"the tangent that {run.__name__} gives is nan",
                why="It depends on the columns that full matrices add to orthonormal ones, which "
                "have no derivative, or on vectors of singular values that coincide.",
                fixes=["call svd with full_matrices=False", 'call qr with mode="economic"'],
            )
        return made

    return checked
