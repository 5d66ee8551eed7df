"""Checks of what only the values can tell."""

from __future__ import annotations

from typing import Any

import numpy as np


def require_scalar(value: Any) -> None:
    """Refuse a value that is not one real number.

    Args:
        value: the result of a function whose gradient is asked for.

    Raises:
        TypeError: when it has more than one element, or is complex. This runs in saved
            modules too, which have no other errors than Python's.
    """
    if np.ndim(value) != 0 or np.iscomplexobj(value):
        kind = f"of the shape {np.shape(value)}" if np.ndim(value) else "complex"
        raise TypeError(
            f"the result is {kind}; a gradient asks for one real number: sum it, index it, "
            "take its real part, or use vjp"
        )


def require_given(value: Any) -> None:
    """Refuse None where a number is returned.

    Args:
        value: the result of a function.

    Raises:
        TypeError: when it is None: what it was before a loop that may give it a value.

    Examples:
        >>> require_given(0.5)
    """
    if value is None:
        raise TypeError("the result is None, which has no derivative")


def require_contiguous(x: Any) -> None:
    """Refuse an array whose reshaped form is a copy, where that is written into.

    Args:
        x: the array that is reshaped.

    Raises:
        ValueError: when its elements do not lie row after row in memory. This runs in
            saved modules too, which have no other errors than Python's.

    Examples:
        >>> require_contiguous(np.zeros((2, 3)))
    """
    if not x.flags.c_contiguous:
        raise ValueError(
            "an array is written through reshape or ravel, which made a copy of it, since it is "
            "not contiguous in memory: write into the array itself, or make it contiguous with "
            "np.ascontiguousarray"
        )


def require_separate(name: str, written: Any, **others: Any) -> None:
    """Refuse an argument that is written and shares memory with another one.

    Args:
        name: the parameter that is written.
        written: its array.
        others: the other arrays that the function reads, by name.

    Raises:
        ValueError: when two of them share memory. This runs in saved modules too, which
            have no other errors than Python's.

    Examples:
        >>> x = np.zeros(3)
        >>> require_separate("x", x, y=x.copy())
    """
    for other, value in others.items():
        parts = value if isinstance(value, tuple | list) else (value,)
        if any(np.may_share_memory(written, part) for part in parts if hasattr(part, "shape")):
            raise ValueError(
                f"{name} is written in place and shares memory with {other}, which the "
                f"derivative was not generated for: pass {other}.copy()"
            )


def require_no_added_columns(a_dot: Any, full: bool) -> Any:
    """Return the tangent of matrices to whose orthonormal columns none were added.

    Args:
        a_dot: the tangent of the matrices that were decomposed.
        full: whether columns were added where the matrices have more rows than columns.

    Raises:
        ValueError: where there are added columns, as they have no derivative.
    """
    if full and a_dot.shape[-2] > a_dot.shape[-1]:
        raise ValueError(
            'the columns of q that mode="full" adds have no derivative; '
            'call scipy.linalg.qr with mode="economic"'
        )
    return a_dot


def require_no_added_vectors(x_dot: Any, full: bool) -> Any:
    """Return the tangent of matrices none of whose singular vectors were added.

    Args:
        x_dot: the tangent of the matrices that were decomposed.
        full: whether vectors were added where the matrices are not square.

    Raises:
        ValueError: where there are added vectors, as they have no derivative.
    """
    if full and x_dot.shape[-2] != x_dot.shape[-1]:
        raise ValueError(
            "the singular vectors that full_matrices=True adds have no derivative; "
            "call np.linalg.svd with full_matrices=False"
        )
    return x_dot
