"""What generated code calls, in words that Numba knows, for any jit of Numba's.

Numba compiles a function anew for each kind of arguments, so that ranks are known here.
It compares the parameters of the functions below by their annotations, too: they have none.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
from numba import types
from numba.experimental import structref
from numba.extending import overload

from srcgrad.errors import ArgumentError
from srcgrad.generation.loops_in_numba import clash, defined, nested
from srcgrad.runtime.broadcasting import as_floats, cast_like, is_boolean, unbroadcast
from srcgrad.runtime.lists import split_like
from srcgrad.runtime.matrices import solve_triangular
from srcgrad.runtime.requirements import require_scalar, require_separate
from srcgrad.runtime.structures import zeros_in

_WRITTEN_OTHERWISE = (require_separate,)  # of which calls are; see ``words_for_numba``
_KNOWN = frozenset(
    {
        *(as_floats, cast_like, is_boolean, require_scalar, solve_triangular, split_like),
        *(unbroadcast, zeros_in, *_WRITTEN_OTHERWISE),
    }
)


def known_to_numba() -> frozenset[Any]:
    """Return the functions that Numba compiles by what stands here, and not by their text."""
    return _KNOWN


def words_for_numba() -> dict[str, Any]:
    """Return what is called in the place of what Numba has no words for."""
    return {"added_at": added_at, "separate": separate}


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
    return defined(lines, np=np)


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


@overload(zeros_in)
def _zeros_in(values):
    entry = getattr(values, "dtype", None)
    if isinstance(entry, types.Float | types.Complex):
        zero = 0.0 if isinstance(entry, types.Float) else 0j
        return lambda values: [zero for _ in values]
    if isinstance(entry, types.Array) and isinstance(entry.dtype, types.Float | types.Complex):
        return lambda values: [np.zeros_like(value) for value in values]
    return None


@overload(split_like, prefer_literal=True)
def _split_like(z_bar, arrays, axis=0):
    axis = getattr(axis, "literal_value", getattr(axis, "value", axis))
    if not isinstance(axis, int) or not isinstance(arrays, types.BaseTuple):
        return None
    axis %= z_bar.ndim
    given: Any = arrays
    before, pieces = ":, " * axis, []
    lines = ["def split(z_bar, arrays, axis=0):", "    start0 = 0"]
    for k, array in enumerate(given):
        full = isinstance(array, types.Array) and array.ndim == z_bar.ndim
        if not full and (isinstance(array, types.Array) or z_bar.ndim > 1):
            return None
        length = f"arrays[{k}].shape[{axis}]" if full else "1"
        lines.append(f"    start{k + 1} = start{k} + {length}")
        place = f"start{k}:start{k + 1}" if full else f"start{k}"
        pieces.append(f"z_bar[{before}{place}]")
    lines.append(f"    return ({', '.join(pieces)},)")
    return defined(lines)


def added_at(array, index, values):
    """Do what ``np.add.at`` does, with one array of places; this runs compiled only."""
    raise NotImplementedError


@overload(added_at)
def _added_at(array, index, values):
    if not isinstance(index, types.Array) or not isinstance(index.dtype, types.Integer):
        return None
    rank, place = index.ndim, ", ".join(f"i{k}" for k in range(index.ndim))
    lines, entry = [f"n{k} = index.shape[{k}]" for k in range(rank)], "values"
    if isinstance(values, types.Array):
        own = "index.shape + array.shape[1:]" if array.ndim > 1 else "index.shape"
        lines.append(f"spread = np.broadcast_to(values, {own})")
        entry = f"spread[{place}]"
    lines += nested(rank, [], f"array[index[{place}]] += {entry}")
    lines = ["def add(array, index, values):", *(f"    {line}" for line in lines)]
    return defined(lines, np=np)


def separate(name, names, written, *others):
    """Do what ``require_separate`` does, with the names apart; this runs compiled only."""
    raise NotImplementedError


@overload(separate, prefer_literal=True)
def _separate(name, names, written, *others):
    if not isinstance(name, types.StringLiteral) or not isinstance(names, types.StringLiteral):
        return None
    of = others
    if len(others) == 1 and isinstance(others[0], types.StarArgTuple | types.StarArgUniTuple):
        of = tuple(others[0])
    whole = re.split(r"[.\[]", name.literal_value)[0]
    lines = ["def separate(name, names, written, *others):"]
    for k, (other, kind) in enumerate(zip(names.literal_value.split(), of, strict=True)):
        found = [f"clash(written, {array}, False)" for array in _arrays_in(kind, f"others[{k}]")]
        if len(found) > (other == whole):
            array = isinstance(kind, types.Array)
            way_out = f"{other}.copy()" if array else "a copy of one of them"
            told = (
                f"{name.literal_value} is written in place and shares memory with {other}, which "
                f"the derivative was not generated for: pass {way_out}"
            )
            lines.append(f"    if {' + '.join(found)} > {int(other == whole)}:")
            lines.append(f"        raise ArgumentError({told!r})")
    return defined([*lines, "    return None"], clash=clash, ArgumentError=ArgumentError)


def _arrays_in(kind: Any, way: str) -> list[str]:
    """The arrays in an argument of some type, as they are read."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        ways = (_arrays_in(part, f"{way}[{k}]") for k, part in enumerate(parts))
        return list(itertools.chain.from_iterable(ways))
    return [way] if isinstance(kind, types.Array) else []


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
