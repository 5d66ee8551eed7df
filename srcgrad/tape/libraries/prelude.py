"""Functions of NumPy's that call others, as plain Python, which is recorded as the user's is."""

from __future__ import annotations

from typing import Any

import numpy as np


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """Do what ``np.apply_along_axis`` does."""
    arr = np.moveaxis(np.asarray(arr), axis, -1)
    lead = arr.shape[:-1]
    found = [func1d(arr[place], *args, **kwargs) for place in np.ndindex(lead)]
    rows = np.stack([np.asarray(part) for part in found])
    rest = rows.shape[1:]
    rows = np.reshape(rows, lead + rest)
    axis = axis % (len(lead) + 1)
    for k in range(len(rest)):
        rows = np.moveaxis(rows, len(lead) + k, axis + k)
    return rows


def apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    """Do what ``np.apply_over_axes`` does."""
    rank = np.ndim(a)
    for axis in np.atleast_1d(axes):
        axis = int(axis) % rank
        made = func(a, axis)
        a = made if np.ndim(made) == rank else np.expand_dims(made, axis)
    return a


def fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    """Do what ``np.fromfunction`` does."""
    return function(*np.indices(shape, dtype=dtype), **kwargs)


def fromiter(iter: Any, dtype: Any, count: int = -1) -> Any:  # noqa: A002
    """Do what ``np.fromiter`` does."""
    parts = []
    for part in iter:
        if count >= 0 and len(parts) == count:
            break
        parts.append(part)
    return np.array(parts, dtype=np.dtype(dtype).base)


def piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """Do what ``np.piecewise`` does."""
    x = np.asarray(x)
    first = condlist[0] if isinstance(condlist, list | tuple) and len(condlist) else condlist
    if (np.ndim(first) == 0 and np.ndim(x) > 0) or not isinstance(condlist, list | tuple):
        condlist = [condlist]
    conditions = [np.asarray(part, bool) for part in condlist]
    if len(funclist) == len(conditions) + 1:
        others = np.ones(x.shape, bool)
        for part in conditions:
            others = others & ~part
        conditions.append(others)
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            y[condition] = function
        elif np.any(condition):
            y[condition] = function(x[condition], *args, **kw)
    return y


def ndenumerate(arr: Any) -> Any:
    """Do what ``np.ndenumerate`` does."""
    for place in np.ndindex(np.shape(arr)):
        yield place, arr[place]


def vectorized(function: Any, otypes: Any, cache: bool, args: Any) -> Any:
    """Call a function with each entry of arrays, as what ``np.vectorize`` makes does.

    Args:
        function: the function.
        otypes: the types of its results; None where the first results tell them.
        cache: whether it is not called twice with the first entries.
        args: the arrays.
    """
    if not args:
        return function()
    shape = np.broadcast_shapes(*[np.shape(part) for part in args])
    wide = [np.broadcast_to(part, shape) for part in args]
    places = list(np.ndindex(shape))
    found = []
    if otypes is None:
        if not places:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        first = function(*[part[places[0]] for part in wide])
        types = [np.asarray(part).dtype for part in first] if isinstance(first, tuple) else None
        types = types or [np.asarray(first).dtype]
        if cache:
            found = [first]
    else:
        types = [np.dtype(name) for name in otypes]
    found += [function(*[part[place] for part in wide]) for place in places[len(found) :]]
    if len(types) == 1:
        return _column(found, types[0], shape)
    return tuple(_column([f[k] for f in found], types[k], shape) for k in range(len(types)))


def _column(found: Any, dtype: Any, shape: Any) -> Any:
    made = np.array(found, dtype=object) if dtype.kind == "O" else np.array(found)
    return np.reshape(made.astype(dtype), shape)


def with_signature(function: Any, inputs: Any, outputs: Any, otypes: Any, args: Any) -> Any:
    """Call a function with each part of arrays, as ``np.vectorize`` does with a signature.

    Args:
        function: the function.
        inputs: for each argument the names of the axes of its parts.
        outputs: the same for the results.
        otypes: the types of the results; None where the first results tell them.
        args: the arrays.
    """
    if len(args) != len(inputs):
        raise TypeError(
            f"wrong number of positional arguments: expected {len(inputs)}, got {len(args)}"
        )
    args = [np.asarray(part) for part in args]
    sizes: dict[str, int] = {}
    leads = []
    for part, names in zip(args, inputs, strict=True):
        _note_sizes(sizes, np.shape(part), names)
        leads.append(np.shape(part)[: np.ndim(part) - len(names)])
    lead = np.broadcast_shapes(*leads)
    shapes = [lead + tuple(sizes[name] for name in names) for names in inputs]
    wide = [np.broadcast_to(part, shape) for part, shape in zip(args, shapes, strict=True)]
    made: Any = None
    for place in np.ndindex(lead):
        found = function(*[part[place] for part in wide])
        if len(outputs) == 1:
            found = (found,)
        elif not isinstance(found, tuple) or len(found) != len(outputs):
            raise ValueError(f"wrong number of outputs from pyfunc: expected {len(outputs)}")
        if made is None:
            for part, names in zip(found, outputs, strict=True):
                _note_sizes(sizes, np.shape(part), names)
            types = otypes or [np.asarray(part).dtype for part in found]
            made = [
                np.zeros(lead + tuple(sizes[name] for name in names), dtype)
                for names, dtype in zip(outputs, types, strict=True)
            ]
        for target, part in zip(made, found, strict=True):
            target[place] = part
    if made is None:
        if otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        if any(name not in sizes for names in outputs for name in names):
            raise ValueError(
                "cannot call `vectorize` with a signature including new output dimensions "
                "on size 0 inputs"
            )
        made = [
            np.zeros(lead + tuple(sizes[name] for name in names), dtype)
            for names, dtype in zip(outputs, otypes, strict=True)
        ]
    return made[0] if len(outputs) == 1 else tuple(made)


def _note_sizes(sizes: Any, shape: Any, names: Any) -> None:
    """Note how long the last axes of an array are, by their names."""
    if len(shape) < len(names):
        raise ValueError(f"{len(shape)}-dimensional argument does not have enough dimensions")
    for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
        if sizes.setdefault(name, size) != size:
            raise ValueError(f"inconsistent size for core dimension {name!r}")


def reduce(function: Any, array: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
    """Do what ``np.frompyfunc(function, 2, 1).reduce`` does."""
    array = np.moveaxis(_as_array(array), _one_axis(array, axis), 0)
    keepdims = options.pop("keepdims", False)
    parts = list(array)
    if "initial" in options:
        parts = [options.pop("initial"), *parts]
    if args or any(part is not None for part in options.values()) or not parts:
        function.reduce(np.empty(0, object), 0, *args, **options)
        raise TypeError("reduce with these options is not followed")
    made = parts[0]
    for part in parts[1:]:
        made = function(made, part)
    return np.expand_dims(made, axis) if keepdims else made


def accumulate(function: Any, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
    """Do what ``np.frompyfunc(function, 2, 1).accumulate`` does."""
    array = np.moveaxis(_as_array(array), axis, 0)
    made = np.empty(array.shape, object)
    for k, part in enumerate(list(array)):
        made[k] = part if k == 0 else function(made[k - 1], part)
    made = np.moveaxis(made, 0, axis)
    if out is None:
        return made
    out[...] = made
    return out


def _as_array(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else np.asarray(array)


def _one_axis(array: Any, axis: Any) -> int:
    axes = axis if isinstance(axis, tuple) else range(np.ndim(array)) if axis is None else (axis,)
    if len(axes) != 1:
        raise ValueError("reduction operation is not reorderable, so at most one axis may be given")
    return axes[0]


def rows(parts: Any) -> Any:
    """Do what ``np.r_`` does."""
    found = []
    for part in parts:
        if isinstance(part, slice):
            found.append(np.r_[part])
        else:
            found.append(np.atleast_1d(np.asarray(part)))
    return np.concatenate(found)


def columns(parts: Any) -> Any:
    """Do what ``np.c_`` does."""
    found = []
    for part in parts:
        if isinstance(part, slice):
            part = np.r_[part]
        part = np.asarray(part)
        found.append(np.reshape(part, (-1, 1)) if np.ndim(part) < 2 else part)
    return np.concatenate(found, axis=-1)


def block(arrays: Any) -> Any:
    """Do what ``np.block`` does."""

    def depth_of(part: Any) -> int:
        return 1 + max(map(depth_of, part)) if isinstance(part, list) else 0

    def rank_of(part: Any) -> int:
        return max(map(rank_of, part)) if isinstance(part, list) else np.ndim(part)

    depth = depth_of(arrays)
    rank = max(depth, rank_of(arrays))

    def joined(part: Any, level: int) -> Any:
        if not isinstance(part, list):
            part = np.asarray(part)
            return np.reshape(part, (1,) * (rank - part.ndim) + part.shape)
        inner = [joined(piece, level + 1) for piece in part]
        return np.concatenate(inner, axis=rank - depth + level)

    return joined(arrays, 0)


def statistics_mean(data: Any) -> Any:
    """Do what ``statistics.mean`` does."""
    return np.mean(np.array(list(data)))


def statistics_fmean(data: Any, weights: Any = None) -> Any:
    """Do what ``statistics.fmean`` does."""
    data = np.array(list(data))
    if weights is None:
        return np.mean(data)
    weights = np.array(list(weights))
    return np.sum(data * weights) / np.sum(weights)


def statistics_pvariance(data: Any, mu: Any = None) -> Any:
    """Do what ``statistics.pvariance`` does."""
    data = np.array(list(data))
    return np.mean((data - (np.mean(data) if mu is None else mu)) ** 2)


def statistics_variance(data: Any, xbar: Any = None) -> Any:
    """Do what ``statistics.variance`` does."""
    data = np.array(list(data))
    mean = np.mean(data) if xbar is None else xbar
    return np.sum((data - mean) ** 2) / (data.shape[0] - 1)


def statistics_pstdev(data: Any, mu: Any = None) -> Any:
    """Do what ``statistics.pstdev`` does."""
    return np.sqrt(statistics_pvariance(data, mu))


def statistics_stdev(data: Any, xbar: Any = None) -> Any:
    """Do what ``statistics.stdev`` does."""
    return np.sqrt(statistics_variance(data, xbar))


def statistics_median(data: Any) -> Any:
    """Do what ``statistics.median`` does."""
    return np.median(np.array(list(data)))
