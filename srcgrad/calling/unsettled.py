"""Looking at derivatives that may be nan because an infinite slope meets what nothing reads.

The slope of a value that nothing reads is 0. Generated code tells what is read where that
reads well, which is for the entries of an array in one block. A number that ``max`` leaves
out, and what another function or block leaves out, has the cotangent 0 there, and 0 times
an infinite slope is nan. The tape tells the two apart, so that it is asked where such a
derivative is nan.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.late import late

_REAL = (float, np.floating, complex, np.complexfloating)
_KINDS = {
    "grad": None,
    "value_and_grad": 1,
    "jvp": 1,
    "tangent": None,
    "tangents": None,
    "units": None,
}


class Unsettled(Exception):
    """A derivative holds a nan of which generated code cannot tell whether it is read.

    Attributes:
        made: what the generated code gave.
    """

    def __init__(self, made: Any) -> None:
        super().__init__("a derivative is nan")
        self.made = made


def settled(run: Callable[..., Any], kind: str, has_aux: bool = False) -> Callable[..., Any]:
    """Return a generated function that raises ``Unsettled`` where a derivative is nan.

    Args:
        run: the function; for ``vjp``, the backward function.
        kind: which derivative it gives.
        has_aux: whether the function that is differentiated gives something besides its value.
    """
    place = 0 if kind == "grad" and has_aux else _KINDS.get(kind)

    @functools.wraps(run)
    def checked(*args: Any, **options: Any) -> Any:
        made = run(*args, **options)
        if holds_nan(made if place is None else made[place]):
            raise Unsettled(made)
        return made

    return checked


def holds_nan(value: Any) -> bool:
    """Tell whether there is a nan in a tree.

    Args:
        value: numbers and arrays, in trees of any kind.

    Example:
        >>> import numpy as np
        >>> holds_nan([1.0, np.ones(2)]), holds_nan((1.0, {"b": np.array([0.0, np.nan])}))
        (False, True)
    """
    cls = type(value)
    if cls is np.float64 or cls is float:
        return bool(value != value)
    if cls is np.ndarray:
        if value.dtype.kind not in "fc" or not value.size:
            return False
        total = np.vdot(value, value)  # nan, if one of them is
        return bool(total != total) and bool(np.isnan(value).any())
    if cls is tuple or cls is list:
        return any(map(holds_nan, value))
    if isinstance(value, _REAL):
        return value != value
    return any(holds_nan(leaf) for leaf in late("leaves_of")(value) if leaf is not value)
