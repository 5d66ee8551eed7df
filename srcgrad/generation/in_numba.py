"""What generated code calls, in words that Numba knows, for any jit of Numba's.

Numba compiles a function anew for each kind of arguments, so that ranks are known here.
It compares the parameters of the functions below by their annotations, too: they have none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.experimental import structref
from numba.extending import overload

from srcgrad.runtime.broadcasting import as_floats, cast_like, is_boolean, unbroadcast
from srcgrad.runtime.matrices import solve_triangular
from srcgrad.runtime.requirements import require_scalar

_KNOWN = frozenset(
    {as_floats, cast_like, is_boolean, require_scalar, solve_triangular, unbroadcast}
)


def known_to_numba() -> frozenset[Any]:
    """Return the functions that Numba compiles by what stands here, and not by their text."""
    return _KNOWN


@overload(unbroadcast)
def _unbroadcast(x_bar, x):
    if not isinstance(x_bar, types.Array):
        return (lambda x_bar, x: x_bar) if not isinstance(x, types.Array) else None
    if not isinstance(x, types.Array) or x.ndim == 0:
        return lambda x_bar, x: x_bar.sum()
    lead = x_bar.ndim - x.ndim
    if lead < 0:
        return None
    index = [f"i{k}" for k in range(x_bar.ndim)]
    place = [f"i{k} if x.shape[{k - lead}] > 1 else 0" for k in range(lead, x_bar.ndim)]
    lines = ["def summed(x_bar, x):", "    out = np.zeros(x.shape, x_bar.dtype)"]
    for k, name in enumerate(index):
        lines.append(f"{'    ' * (k + 1)}for {name} in range(x_bar.shape[{k}]):")
    inside = "    " * (x_bar.ndim + 1)
    lines += [f"{inside}out[{', '.join(place)}] += x_bar[{', '.join(index)}]", "    return out"]
    space: dict[str, Any] = {"np": np}
    exec("\n".join(lines), space)
    return space["summed"]


@overload(cast_like)
def _cast_like(z_bar, x):
    of_array = isinstance(z_bar, types.Array)
    kind, own = (z_bar.dtype if of_array else z_bar), getattr(x, "dtype", x)
    if isinstance(kind, types.Complex) and not isinstance(own, types.Complex):
        return lambda z_bar, x: cast_like(z_bar.real, x)
    if not of_array or not isinstance(x, types.Array) or kind == own:
        return lambda z_bar, x: z_bar
    return lambda z_bar, x: z_bar.astype(x.dtype)


@overload(as_floats)
def _as_floats(x):
    if not isinstance(getattr(x, "dtype", x), types.Integer | types.Boolean):
        return lambda x: x
    if isinstance(x, types.Array):
        return lambda x: x.astype(np.float64)
    return lambda x: x + 0.0


@overload(is_boolean)
def _is_boolean(x):
    answer = isinstance(getattr(x, "dtype", x), types.Boolean)
    return lambda x: answer


@overload(require_scalar)
def _require_scalar(value):
    if isinstance(value, types.Float | types.Integer):
        return lambda value: None

    def refuse(value):
        raise TypeError("the result is no real number: sum it, index it, or use vjp")

    return refuse


@overload(solve_triangular)
def _solve_triangular(a, b, lower=False):
    return lambda a, b, lower=False: np.linalg.solve(a, b)


@structref.register
class _Residuals(types.StructRef):
    """What a forward function hands to its backward function, as Numba holds it."""

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Residuals(structref.StructRefProxy):
    """The same for Python, which does not look inside: lists stay as Numba holds them."""


structref.define_boxing(_Residuals, Residuals)


def packed(residuals):
    """Return residuals as one object; this runs compiled only."""
    raise NotImplementedError


def unpacked(residuals):
    """Return what was packed; this runs compiled only."""
    raise NotImplementedError


@overload(packed)
def _packed(residuals):
    kind = _Residuals([("held", residuals)])

    def pack(residuals):
        made = structref.new(kind)  # pyright: ignore[reportCallIssue]
        made.held = residuals
        return made

    return pack


@overload(unpacked)
def _unpacked(residuals):
    return lambda residuals: residuals.held


def numba_pair(forward: Any, backward: Any) -> tuple[Any, Any]:
    """Return functions like those of a pair, whose residuals are packed."""

    def forward_packed(*args):
        value, residuals = forward(*args)
        return value, packed(residuals)

    def backward_unpacked(residuals, *bars):
        return backward(unpacked(residuals), *bars)

    return forward_packed, backward_unpacked
