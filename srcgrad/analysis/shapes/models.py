"""Which values have the same shape, where no length has a name.

What a call gives back has lengths without names where they depend on lengths or on values
(``np.diff``, ``np.concatenate``, a mask). What is computed from it element by element
still has its shape; that is noted for the values themselves.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import is_elementwise, type_of
from srcgrad.ir.nodes import INDEX_ADD, INDEX_SET, Const, Equation, Value, Var
from srcgrad.runtime import unbroadcast

_LIKE_THE_FIRST = {np.zeros_like, np.ones_like, np.copy, np.real, np.imag, INDEX_ADD, INDEX_SET}


def note_model(lengths: Lengths, eq: Equation) -> None:
    """Note which other value a result has the shape of, where its type does not tell."""
    target = eq.targets[0]
    shape = target.type.shape
    if len(eq.targets) > 1:
        return
    if target.type.dtype == "b" and not eq.options and is_elementwise(eq.op.fn):
        operands = (lengths.masks.get(a, a) if isinstance(a, Var) else a for a in eq.args)
        lengths.masks[target] = lengths.first((eq.op.fn, *operands), target)
    if isinstance(shape, str):
        return
    if isinstance(shape, tuple) and None not in shape:
        return
    if eq.op.fn is operator.getitem:
        model = _picked(lengths, target, *eq.args)
    else:
        model = _model(lengths, eq.op.fn, eq.args, eq.options)
    if model is not None and model is not target:
        lengths.models[target] = lengths.model(model)


def _picked(lengths: Lengths, target: Var, array: Value, mask: Value) -> Var | None:
    """Return the first value that the same mask picked, of an array with the same other axes."""
    if not isinstance(mask, Var) or mask.type.dtype != "b" or not mask.type.ndim:
        return None
    shape = lengths.resolve(type_of(array).shape)
    rest = shape[mask.type.ndim :] if isinstance(shape, tuple) else (None,)
    if None in rest:
        return None
    return lengths.first((lengths.masks.get(mask, mask), rest), target)


def _model(lengths: Lengths, fn: Any, args: tuple[Value, ...], options: Any) -> Var | None:
    """The argument that a call's result has the shape of."""
    first = args[0] if args and isinstance(args[0], Var) else None
    if fn is np.broadcast_to:
        shape = dict(options).get("shape", args[-1])
        scalar = first is None or first.type.is_scalar
        return shape if scalar and isinstance(shape, Var) else None
    if getattr(fn, "__name__", "") == "shape" and first is not None and not options:
        return first
    if options:
        return None
    if fn is unbroadcast:
        return args[1] if isinstance(args[1], Var) and not args[1].type.is_scalar else None
    if fn in _LIKE_THE_FIRST or (fn is np.full_like and type_of(args[1]).is_scalar):
        return first
    if fn is not np.where and not is_elementwise(fn):
        return None
    if not all(isinstance(a, Var | Const) for a in args):
        return None
    arrays = {lengths.model(a) for a in args if isinstance(a, Var) and not a.type.is_scalar}
    widest = [a for a in arrays if all(fits(lengths, a, other) for other in arrays)]
    return widest[0] if len(widest) == 1 else None


def fits(lengths: Lengths, array: Var, other: Var) -> bool:
    """Tell whether an array is as long, along each axis of another one, or that is of length 1."""
    if array is other:
        return True
    wide, narrow = (lengths.resolve(a.type.shape) for a in (array, other))
    if not isinstance(wide, tuple) or not isinstance(narrow, tuple) or len(narrow) > len(wide):
        return False
    pairs = zip(wide[len(wide) - len(narrow) :], narrow, strict=True)
    return all(n == 1 or (n is not None and m == n) for m, n in pairs)
