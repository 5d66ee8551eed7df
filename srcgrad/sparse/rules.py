"""How the entries of a result depend on those of the arguments, by the kind of the function.

A function works element by element, or moves entries about, or reduces or mixes them along
axes, or multiplies matrices. Of what is none of these, each entry counts as one of all.
"""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from srcgrad import registry
from srcgrad.formulas.numpy.arrays import methods
from srcgrad.runtime import unbroadcast
from srcgrad.sparse.sets import Sets
from srcgrad.tape.recording import Call, mapped

Operands = list[Any]  # for each argument an array of sets, or None for a constant; or a tree


def spread(sets: Sets, entry: Call, operands: Operands) -> Any:
    """Return the sets of a result, an array or a tree of arrays; None where nothing is known."""
    fn = entry.plan.fn
    if registry.is_elementwise(entry.plan.rule) or fn in _ELEMENTWISE or _is_scalar(fn):
        return _elementwise(sets, entry, operands)
    rule = _RULES.get(fn)
    return None if rule is None else rule(sets, entry, operands)


def value_of(entry: Call) -> Any:
    """Return the result of a call again."""
    every = tuple((position, 0) for position in range(len(entry.held)))
    return entry.plan.run(entry.held, entry.options, every, False)[0]


def _is_scalar(fn: Any) -> bool:
    """Tell whether a function takes numbers of Python's alone, and gives one."""
    return getattr(fn, "__module__", None) == "math" and fn not in (math.hypot, math.dist)


def _elementwise(sets: Sets, entry: Call, operands: Operands) -> Any:
    """Each entry depends on those at its place."""
    shapes = [np.shape(held) for held in entry.held if held is not None]
    shape = np.broadcast_shapes(*shapes)
    found = np.zeros((), np.int64)
    for own in operands:
        if own is not None:
            found = sets.union(found, own)
    found = np.broadcast_to(found, shape)
    return found if isinstance(entry.index, int) else mapped_results(entry, found)


def mapped_results(entry: Call, found: np.ndarray) -> Any:
    """Return the same sets for each of several results of one shape."""
    if any(leaf is not None and leaf[1] != found.shape for leaf in entry.index):
        return None
    return [found for _ in entry.index]


def _moved(*data: int) -> Callable[..., Any]:
    """Return the rule of functions that move entries about.

    The function itself tells, once it is given the numbers of the places: twice, with other
    numbers, so that one that computes with them is found out.
    """

    def rule(sets: Sets, entry: Call, operands: Operands) -> Any:
        positions = data or range(len(entry.held))
        known = [np.zeros(1, np.int64)]

        def places(held: Any, own: Any) -> Any:
            if isinstance(held, tuple | list):
                own = own if own is not None else [None] * len(held)
                return type(held)([places(*pair) for pair in zip(held, own, strict=True)])
            shape = np.shape(held)
            own = np.zeros(shape, np.int64) if own is None else own
            start = sum(map(len, known))
            known.append(own.ravel())
            return np.arange(start, start + own.size).reshape(shape)[()]

        held = list(entry.held)
        for position in positions:
            if position < len(held) and held[position] is not None:
                held[position] = places(held[position], operands[position])
        ids = np.concatenate(known)
        # neither an order nor a mean goes with these numbers
        other = -(7 * np.arange(len(ids)) ** 2 + 13 * np.arange(len(ids)))
        first = _run(entry, held)
        again = list(held)
        for position in positions:
            if position < len(held):
                again[position] = mapped(
                    lambda part: other[part] if isinstance(part, _NUMBERS) else part, held[position]
                )
        made = []
        for here, there in zip(_listed(first), _listed(_run(entry, again)), strict=True):
            numbers = np.asarray(here).astype(np.int64)
            inside = (numbers >= 0) & (numbers < len(ids))
            if not inside.all() or not np.array_equal(other[numbers], there):
                return None
            made.append(ids[numbers])
        return made[0] if isinstance(entry.index, int) else made

    return rule


_NUMBERS = (np.ndarray, np.integer)


def _run(entry: Call, held: Any) -> Any:
    """Call a function with other numbers; constants that it puts in depend on nothing."""
    every = tuple((position, 0) for position in range(len(held)))
    options = {k: 0 if k == "constant_values" else v for k, v in entry.options.items()}
    return entry.plan.run(held, options, every, False)[0]


def _listed(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple | list) else [found]


def _option(entry: Call, name: str, default: Any) -> Any:
    """Return an argument of a call, by position or by name."""
    if name in entry.options:
        return entry.options[name]
    names = list(entry.plan.names)
    if name in names and names.index(name) < len(entry.held):
        return entry.held[names.index(name)]
    return default


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    chosen = axis if isinstance(axis, tuple | list) else (axis,)
    return tuple(int(k) % rank for k in chosen)


def reduced(sets: Sets, own: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    """Return the unions along some axes, which stay with length 1."""
    kept = tuple(1 if k in axes else length for k, length in enumerate(own.shape))
    groups = np.broadcast_to(np.arange(math.prod(kept)).reshape(kept), own.shape)
    return sets.unions(groups.ravel(), own.ravel(), math.prod(kept)).reshape(kept)


def _lines(default: Any) -> Callable[..., Any]:
    """Return the rule of functions that reduce or mix entries along axes."""

    def rule(sets: Sets, entry: Call, operands: Operands) -> Any:
        if not isinstance(entry.index, int):
            return None
        shape = np.shape(value_of(entry))
        axis = _option(entry, "axis", default)
        found: Any = None
        shapes = (np.shape(held) for held in entry.held if isinstance(held, np.ndarray))
        longest = max(shapes, default=())
        axes = _axes(axis, len(longest))
        for held, own in zip(entry.held, operands, strict=True):
            if own is None:
                continue
            if isinstance(held, tuple | list) or np.shape(held) != longest:
                return None
            lines = reduced(sets, own, axes)
            found = lines if found is None else sets.union(found, lines)
        rest = tuple(length for k, length in enumerate(found.shape) if k not in axes)
        if shape == rest:
            return found.reshape(shape)
        if len(shape) == len(found.shape) and _broadcasts(found.shape, shape):
            return np.broadcast_to(found, shape)
        return np.broadcast_to(found.reshape(()), shape) if found.size == 1 else None

    return rule


def _broadcasts(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return all(a in (1, b) for a, b in zip(given, wanted, strict=True))


def _unbroadcast(sets: Sets, entry: Call, operands: Operands) -> Any:
    """What was broadcast is summed."""
    own, shape = operands[0], np.shape(entry.held[1])
    if own is None:  # of the other argument only the shape counts
        return np.zeros(shape, np.int64)
    extra = own.ndim - len(shape)
    axes = tuple(k for k in range(own.ndim) if k < extra or shape[k - extra] != own.shape[k])
    return reduced(sets, own, axes).reshape(shape)


def _matmul(sets: Sets, entry: Call, operands: Operands) -> Any:
    """Each entry depends on a row of one matrix and on a column of the other.

    Of a constant matrix only the entries that are not zero count.
    """
    ranks = [np.ndim(held) for held in entry.held]
    if 0 in ranks:
        return _elementwise(sets, entry, operands)
    if entry.plan.fn is np.dot and max(ranks) > 2 and ranks[1] != 1:
        return None
    shape = np.shape(value_of(entry))
    found = np.zeros((), np.int64)
    for side, (other, own) in enumerate(zip(entry.held[::-1], operands, strict=True)):
        if own is None:
            continue
        made = _times_constant(sets, own, other, side) if operands[1 - side] is None else None
        if made is None:
            axis = own.ndim - 1 if side == 0 or own.ndim == 1 else own.ndim - 2
            made = reduced(sets, own, (axis,))
            if ranks[1 - side] == 1:
                made = made.reshape(shape)  # no axis of the vector is left
            elif own.ndim == 1:
                made = made.reshape(())
        found = sets.union(found, np.broadcast_to(made, shape))
    return found.reshape(shape)


def _times_constant(sets: Sets, own: Any, other: Any, side: int) -> Any:
    """Return the sets of a product with a constant; None where it has no zeros to speak of."""
    if own.ndim > 2 or np.ndim(other) > 2:
        return None
    rows: Any = sparse.coo_array(np.atleast_2d(other) if isinstance(other, np.ndarray) else other)
    rows.eliminate_zeros()
    if 2 * rows.nnz > math.prod(rows.shape):
        return None
    rows = rows.T if side == 0 and np.ndim(other) == 2 else rows  # by what is contracted
    right = own.reshape(len(own), -1) if side == 1 else np.atleast_2d(own).T
    result, inner = rows.coords
    width = right.shape[1]
    groups = (result[:, None] * width + np.arange(width)).ravel()
    made = sets.unions(groups, right[inner].ravel(), rows.shape[0] * width)
    made = made.reshape(rows.shape[0], width)
    made = made if side == 1 else made.T
    left, right = (own, other) if side == 0 else (other, own)
    kept = [k for k, part in enumerate((left, right)) if np.ndim(part) > 1]
    return made.reshape(tuple(made.shape[k] for k in kept))


def _outer(sets: Sets, entry: Call, operands: Operands) -> Any:
    x, y = (
        np.zeros(np.size(held), np.int64) if own is None else own.ravel()
        for held, own in zip(entry.held, operands, strict=True)
    )
    return sets.union(x[:, None], y[None, :])


def _diff(sets: Sets, entry: Call, operands: Operands) -> Any:
    """Each entry depends on n + 1 neighbours."""
    order, axis = int(_option(entry, "n", 1)), _option(entry, "axis", -1)
    if order == 0:
        return operands[0] if operands[0] is not None else np.zeros(np.shape(entry.held[0]), int)
    parts = []
    for name in ("prepend", None, "append"):
        position = 0 if name is None else list(entry.plan.names).index(name)
        if position >= len(entry.held) or entry.held[position] is None:
            continue
        held, own = entry.held[position], operands[position]
        own = np.zeros(np.shape(held), np.int64) if own is None else own
        if name is not None and np.ndim(held) == 0:
            wide = list(np.shape(entry.held[0]))
            wide[axis] = 1
            own = np.broadcast_to(own, wide)
        parts.append(own)
    found = np.moveaxis(np.concatenate(parts, axis), axis, 0)
    for _ in range(order):
        found = sets.union(found[1:], found[:-1])
    return np.moveaxis(found, 0, axis)


def _gradient(sets: Sets, entry: Call, operands: Operands) -> Any:
    """Each entry depends on three neighbours."""
    if any(own is not None for own in operands[1:]):
        return None
    own = operands[0]
    axes = _axes(_option(entry, "axis", None), own.ndim)
    made = []
    for axis in axes:
        along = np.moveaxis(own, axis, 0)
        inner = sets.union(sets.union(along[:-2], along[1:-1]), along[2:])
        if len(inner):
            along = np.concatenate((inner[:1], inner, inner[-1:]))
        else:  # of two entries
            along = np.broadcast_to(sets.union(along[:1], along[1:]), along.shape)
        made.append(np.moveaxis(along, 0, axis))
    return made[0] if isinstance(entry.index, int) else made


def _einsum(sets: Sets, entry: Call, operands: Operands) -> Any:
    """Each entry depends on what has its labels, over those that are summed."""
    subscripts = entry.held[0]
    if not isinstance(subscripts, str) or "." in subscripts or "->" not in subscripts:
        return None
    given, result = subscripts.replace(" ", "").split("->")
    labels = given.split(",")
    held, operands = entry.held[1:], operands[1:]
    if len(held) == 1 and isinstance(held[0], tuple | list):
        return None
    lengths: dict[str, int] = {}
    for names, part in zip(labels, held, strict=True):
        for label, length in zip(names, np.shape(part), strict=True):
            lengths[label] = max(length, lengths.get(label, 1))
    shape = tuple(lengths[label] for label in result)
    found = np.zeros(shape, np.int64)
    for names, own in zip(labels, operands, strict=True):
        if own is None:
            continue
        if len({*names}) < len(names):
            return None
        own = reduced(sets, own, tuple(k for k, name in enumerate(names) if name not in result))
        kept = [name for name in names if name in result]
        left = own.reshape([n for n, name in zip(own.shape, names, strict=True) if name in result])
        left = left.transpose([kept.index(name) for name in result if name in kept])
        own_lengths = iter(left.shape)
        left = left.reshape([next(own_lengths) if name in kept else 1 for name in result])
        found = sets.union(found, left)
    return found


def _named(module: Any, names: str) -> list[Any]:
    return [fn for name in names.split() if (fn := getattr(module, name, None)) is not None]


_ELEMENTWISE = {
    *_named(np, "copy real imag conj conjugate angle abs clip nan_to_num round around sinc i0 "
                "ldexp frexp modf divmod float64 float32 float16 longdouble ascontiguousarray "
                "asfortranarray astype real_if_close"),
    *_named(builtins, "abs float complex divmod pow"),
    *_named(operator, "add sub mul truediv floordiv mod pow neg pos abs"),
    methods.METHODS["astype"],
}  # fmt: skip

_RULES: dict[Any, Callable[..., Any]] = {
    **dict.fromkeys(_named(np, (
        "reshape ravel transpose permute_dims matrix_transpose swapaxes moveaxis rollaxis squeeze "
        "expand_dims broadcast_to broadcast_arrays atleast_1d atleast_2d atleast_3d diagonal diag "
        "diagflat tril triu flip fliplr flipud roll rot90 tile repeat concatenate concat stack "
        "vstack hstack dstack column_stack append split array_split hsplit vsplit dsplit unstack "
        "meshgrid pad delete resize"
    )), _moved()),
    **dict.fromkeys(_named(np, (
        "take take_along_axis array asarray asanyarray asarray_chkfinite"
    )), _moved(0)),
    **dict.fromkeys(_named(np, "full_like"), _moved(0, 1)),
    np.lib.stride_tricks.sliding_window_view: _moved(0),
    **dict.fromkeys(_named(np, "compress extract"), _moved(1)),
    np.insert: _moved(0, 2),
    operator.getitem: _moved(0),
    **dict.fromkeys(_named(np, (
        "sum prod mean max amax min amin nanmax nanmin nansum nanprod nanmean var std nanvar "
        "nanstd ptp median nanmedian average cumsum cumprod nancumsum nancumprod"
    )), _lines(None)),
    **dict.fromkeys(_named(np, "sort trapezoid"), _lines(-1)),
    **dict.fromkeys(_named(np.linalg, "norm vector_norm"), _lines(None)),
    **dict.fromkeys([np.matmul, np.dot, operator.matmul], _matmul),
    np.outer: _outer,
    np.diff: _diff,
    np.gradient: _gradient,
    np.einsum: _einsum,
    unbroadcast: _unbroadcast,
}  # fmt: skip
