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
    return np.array(parts, dtype=dtype)


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


def nditer(op: Any) -> Any:
    """Do what ``np.nditer`` of one array does: give its entries."""
    for place in np.ndindex(np.shape(op)):
        yield op[place]


def vectorized(function: Any, *args: Any) -> Any:
    """Call a function with each entry of arrays, as what ``np.vectorize`` makes does."""
    shape = np.broadcast_shapes(*[np.shape(part) for part in args])
    wide = [np.broadcast_to(part, shape) for part in args]
    for place in np.ndindex(shape):  # NumPy does so to learn how many results there are
        function(*[part[place] for part in wide])
        break
    found = [function(*[part[place] for part in wide]) for place in np.ndindex(shape)]
    if found and isinstance(found[0], tuple):
        count = len(found[0])
        return tuple(np.reshape(np.array([f[k] for f in found]), shape) for k in range(count))
    return np.reshape(np.array(found), shape)


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
