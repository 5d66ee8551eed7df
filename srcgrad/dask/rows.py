"""Derivatives of functions of rows, a partition at a time."""

# Dask is an extra: where it is not installed, its names are not known.
# pyright: reportIndexIssue=false

from __future__ import annotations

import functools
import inspect
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dask.delayed import Delayed, delayed

import srcgrad.dask.worker as worker
from srcgrad.calling.api import save
from srcgrad.calling.arguments.targets import unwrap
from srcgrad.calling.made import identifier
from srcgrad.errors import ArgumentError, UnsupportedSyntaxError
from srcgrad.late import late

_BRANCHES = 8  # how many results are joined at a time


def value_and_grad(
    loss: Callable[..., Any],
    wrt: Any = 0,
    *,
    rows: Sequence[str],
    reduce: str = "mean",
    check: bool = True,
) -> Callable[..., Any]:
    """Return the function that computes a loss over rows, and its gradient, on Dask's workers.

    A partition at a time is computed where it lies; the results are joined by a tree, always in
    the order of the partitions, so that neither the number of workers nor one that dies changes
    a digit. A partition without rows counts as nothing.

    Args:
        loss: the function: a sum or a mean over rows, of one real number. It must be one whose
            derivative ``srcgrad.save`` can write, since its text is what travels.
        wrt: what to differentiate with respect to; see ``srcgrad.grad``.
        rows: the names of the parameters that are partitioned.
        reduce: ``"mean"`` or ``"sum"``: how the loss depends on the rows. What is added to a
            mean, as a penalty is, stays as it is; a sum is one of rows alone.
        check: whether each call makes sure of that, on the first rows.

    Returns:
        A function of the arguments of ``loss`` that returns ``(value, gradient)``. The rows are
        given by name: a ``dask.array`` that is chunked along its first axis, or a
        ``dask.bag`` of rows. The scheduler is that of Dask: threads, processes, or the
        ``dask.distributed.Client`` that was made last. Its ``delayed``, with the same
        arguments, returns the result as a ``dask.delayed`` object, which nobody has computed
        yet; without any rows it stands for None.

    Raises:
        ArgumentError: when ``rows`` or ``reduce`` do not fit; at the call, when the rows are no
            collections of Dask's or have different partitions, or when the loss is no such
            sum or mean.
        SaveError: at the call, when the text cannot stand alone: the function takes something
            from around it that no import can reach.

    Example:
        >>> import dask.array as da
        >>> import numpy as np
        >>> from srcgrad.dask import value_and_grad
        >>> def loss(w, x, y):
        ...     return np.mean((x @ w - y) ** 2)
        >>> x = da.ones((100, 2), chunks=(30, 2))
        >>> value, slope = value_and_grad(loss, rows=("x", "y"))(np.ones(2), x=x, y=x[:, 0])
        >>> round(float(value), 6), np.round(slope, 6).tolist()
        (1.0, [2.0, 2.0])
    """
    rows = _checked(loss, rows)
    _require_reduction(reduce)
    text = _Text(loss, "value_and_grad", wrt)

    def both(*args: Any, **options: Any) -> Delayed:
        given, blocks = _partitions(rows, options)
        whole = {name: options[name] for name in rows}
        if check:
            _require_separable(loss, args, given, whole, reduce)
        code = text.text(args, given, whole)
        return _tree(_tasks(code, text.name, args, given, blocks), reduce == "mean")

    return _computed(both, loss, "value_and_grad")


def hvp(
    loss: Callable[..., Any], wrt: Any = 0, *, rows: Sequence[str], reduce: str = "mean"
) -> Callable[..., Any]:
    """Return the function that multiplies the Hessian of a loss over rows with a vector.

    Args:
        loss: see ``value_and_grad``.
        wrt: see ``value_and_grad``.
        rows: see ``value_and_grad``.
        reduce: see ``value_and_grad``.

    Returns:
        A function of the arguments of ``loss``, with the vector behind those that are given by
        position; see ``srcgrad.hvp``.

    Raises:
        ArgumentError: see ``value_and_grad``.
        SaveError: see ``value_and_grad``.
    """
    rows = _checked(loss, rows)
    _require_reduction(reduce)
    text = _Text(loss, "hvp", wrt)

    def product(*args: Any, **options: Any) -> Delayed:
        given, blocks = _partitions(rows, options)
        *positional, vector = args
        code = text.text(args, given, {name: options[name] for name in rows})
        (dot,) = text.tangents()
        given = {**given, dot: vector}
        return _tree(_tasks(code, text.name, positional, given, blocks), reduce == "mean")

    return _computed(product, loss, "hvp")


def jacobian(f: Callable[..., Any], wrt: Any = 0, *, rows: Sequence[str]) -> Callable[..., Any]:
    """Return the function that computes the Jacobian of a function of rows, rows by rows.

    Args:
        f: a function whose result has a row for each row of its arguments, and depends on no
            other.
        wrt: see ``value_and_grad``.
        rows: see ``value_and_grad``.

    Returns:
        A function of the arguments of ``f`` that returns the Jacobians of all partitions, one
        below the other.

    Raises:
        ArgumentError: see ``value_and_grad``.
        SaveError: see ``value_and_grad``.
    """
    rows = _checked(f, rows)
    text = _Text(f, "jacobian", wrt)

    def matrix(*args: Any, **options: Any) -> Delayed:
        given, blocks = _partitions(rows, options)
        code = text.text(args, given, {name: options[name] for name in rows})
        return _sent("stacked")(_tasks(code, text.name, args, given, blocks))

    return _computed(matrix, f, "jacobian")


class _Text:
    """The text of a derivative, which is written when it is first needed.

    Args:
        f: the function.
        kind: which derivative.
        wrt: what it is taken with respect to.
    """

    def __init__(self, f: Any, kind: str, wrt: Any) -> None:
        self.f, self.kind, self.wrt = f, kind, wrt
        self.name = f"{identifier(unwrap(f)[0])}_{kind}"
        self._made: str | None = None

    def text(self, args: Any, given: Any, whole: Any) -> str:
        """Return a module that stands alone.

        It is right for all numbers of rows and axes. Where that is not to be had, as for
        parameters in a dict, it is the code for these arguments and for some of the rows.

        Args:
            args: the arguments by position.
            given: those by name.
            whole: the rows, by name.
        """
        if self._made is None:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "derivative.py")
                try:
                    save(self.f, path, self.kind, wrt=self.wrt)
                except UnsupportedSyntaxError:
                    made = late(self.kind)(self.f, self.wrt)
                    made(*args, **given, **{name: _first(rows) for name, rows in whole.items()})
                    save(made, path)
                self._made = path.read_text()
        return self._made

    def tangents(self) -> list[str]:
        """Return the parameters that the derivative has and the function has not."""
        space: dict[str, Any] = {}
        exec(compile(self._made or "", f"<{self.name}>", "exec"), space)
        made = inspect.signature(space[self.name]).parameters
        return [name for name in made if name not in inspect.signature(self.f).parameters]


@functools.cache
def _sent(name: str) -> Any:
    """Return a task of a function of ``worker``, which is pickled by its text, not by its name."""
    space: dict[str, Any] = {"__name__": "srcgrad_worker"}
    exec(compile(inspect.getsource(worker), worker.__file__, "exec"), space)
    return delayed(space[name], pure=True)


def _tasks(
    text: str, name: str, args: Any, given: Any, blocks: list[dict[str, Delayed]]
) -> list[Any]:
    run, source = _sent("run"), delayed(text)
    shared = delayed((tuple(args), given))
    return [run(source, name, shared[0], shared[1], block) for block in blocks]


def _tree(level: list[Any], mean: bool) -> Delayed:
    """Return the joined result of all partitions."""
    join = _sent("joined")
    while len(level) > 1:
        groups = range(0, len(level), _BRANCHES)
        level = [join(level[k : k + _BRANCHES], mean) for k in groups]
    return _sent("result")(level[0])


def _partitions(rows: Any, options: Any) -> tuple[dict[str, Any], list[dict[str, Delayed]]]:
    """Return the arguments that every partition gets, and for each partition its own."""
    found: dict[str, list[Delayed]] = {}
    chunks: dict[str, Any] = {}
    for name in rows:
        if name not in options:
            raise ArgumentError(
                f"the rows {name!r} are not given by name", fixes=[f"call with {name}=..."]
            )
        whole = options[name]
        if not hasattr(whole, "to_delayed"):
            raise ArgumentError(
                f"{name!r} is a {type(whole).__name__}, and no array or bag of Dask's",
                fixes=[f"make one: dask.array.from_array({name})", "leave it out of rows"],
            )
        if hasattr(whole, "chunks"):
            whole = whole.rechunk(dict.fromkeys(range(1, whole.ndim), -1))
            chunks[name] = whole.chunks[0]
        found[name] = np.ravel(whole.to_delayed()).tolist()
    known = [lengths for lengths in chunks.values() if not np.isnan(lengths).any()]
    if len({len(parts) for parts in found.values()}) > 1 or len(set(known)) > 1:
        raise ArgumentError(
            f"the partitions of {', '.join(map(repr, rows))} are not the same",
            fixes=[
                "rechunk them alike",
                "make one array of a table, table.to_dask_array(), and take its columns",
            ],
        )
    given = {name: value for name, value in options.items() if name not in found}
    names = list(found)
    return given, [
        dict(zip(names, parts, strict=True)) for parts in zip(*found.values(), strict=True)
    ]


def _require_separable(loss: Any, args: Any, given: Any, whole: Any, reduce: str) -> None:
    """Refuse a loss that is not the sum or mean of what it is for some of the rows.

    Raises:
        ArgumentError: when it is not.
    """
    taken = {name: _first(rows) for name, rows in whole.items()}
    (count,) = {min(map(len, taken.values()))}
    if count < 2:
        return
    taken = {name: part[:count] for name, part in taken.items()}
    half = count // 2 if count > 2 else 1
    parts = [
        loss(*args, **given, **{name: part[where] for name, part in taken.items()})
        for where in (slice(None, half), slice(half, None), slice(None))
    ]
    weights = (half / count, (count - half) / count) if reduce == "mean" else (1.0, 1.0)
    one, other, both = (np.asarray(part, float) for part in parts)
    joint = weights[0] * one + weights[1] * other
    scale = abs(one) + abs(other) + abs(both)
    single = any(part.dtype == np.float32 for part in taken.values())
    if abs(joint - both) > (1e-3 if single else 1e-8) * scale:
        raise ArgumentError(
            f"{identifier(loss)} is no {reduce} over rows: of {count} rows it is {both:.6g}, and "
            f"{joint:.6g} when two parts of them are put together",
            fixes=[
                "give reduce= what it is",
                "leave what is no sum over rows out, and add it after",
            ],
        )


def _first(rows: Any) -> np.ndarray:
    """Return some of the first rows."""
    if hasattr(rows, "chunks"):
        first = rows.blocks[0] if rows.numblocks[0] > 1 else rows
        return np.asarray(first)[:5] if np.isnan(first.shape[0]) else np.asarray(first[:5])
    return np.asarray(rows.take(5, npartitions=1, warn=False))


def _checked(f: Any, rows: Sequence[str]) -> tuple[str, ...]:
    names = (rows,) if isinstance(rows, str) else tuple(rows)
    known = inspect.signature(f).parameters
    for name in names:
        if name not in known:
            raise ArgumentError(
                f"{identifier(f)} has no parameter {name!r}",
                fixes=[f"name some of {', '.join(known)}"],
            )
    if not names:
        raise ArgumentError("rows names no parameter", fixes=["name the ones that have rows"])
    return names


def _require_reduction(reduce: str) -> None:
    if reduce not in ("mean", "sum"):
        raise ArgumentError(f"reduce={reduce!r} is not known", fixes=['give "mean" or "sum"'])


def _computed(delayed_result: Callable[..., Delayed], f: Any, kind: str) -> Callable[..., Any]:
    """Return the function that computes a result, and has it as ``delayed``, too."""

    def computed(*args: Any, **options: Any) -> Any:
        result = delayed_result(*args, **options).compute()
        if result is None:
            raise ArgumentError("there are no rows", fixes=["give at least one row"])
        return result

    made: Any = computed
    made.delayed = delayed_result
    made.__name__ = made.__qualname__ = f"{identifier(f)}_{kind}"
    return made
