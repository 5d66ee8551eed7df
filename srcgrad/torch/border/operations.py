"""NumPy functions as differentiable operations of PyTorch."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import torch
from srcgrad.errors import ArgumentError
from srcgrad.torch.border.levels import Level, as_results, name_of, positions


def function(f: Callable[..., Any], wrt: Any = 0) -> Callable[..., Any]:
    """Return a NumPy function as a differentiable operation on tensors.

    The tensors on the CPU are handed over without a copy; those of a device are copied there and
    back. The backward pass is the code that ``srcgrad.vjp`` generates, and is differentiable
    itself. ``torch.func.vmap`` runs the function once for each element, ``torch.compile`` sees a
    custom operator.

    Args:
        f: the function, of arrays and other values by position; it returns an array, or a tuple
            of arrays.
        wrt: the parameters that are differentiated, by name or position, as for ``srcgrad.grad``.

    Returns:
        A function of tensors, in the place of arrays, that returns tensors.

    Raises:
        ArgumentError: by the function that is returned, when an argument is no tensor where the
            gradient is asked for, or a tensor that NumPy has no array for.

    Example:
        >>> import numpy as np, torch, srcgrad.torch
        >>> softplus = srcgrad.torch.function(lambda x: np.logaddexp(0.0, x))
        >>> x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
        >>> softplus(x).sum().backward()
        >>> x.grad
        tensor([0.5000, 0.5000, 0.5000], dtype=torch.float64)
    """
    operation = _Operation(Level(f, positions(f, wrt), name_of(f)))
    parameters = inspect.signature(f).parameters.values()
    needed = sum(p.default is p.empty for p in parameters)
    custom = _custom(operation, (None,) * needed)

    @functools.wraps(f)
    def on_tensors(*args: Any, **options: Any) -> Any:
        if torch.compiler.is_compiling():  # all of them tensors, by position
            made = custom(list(args))
            return made[0] if len(made) == 1 else tuple(made)
        bound = inspect.signature(f).bind(*args, **options)
        bound.apply_defaults()
        return operation(bound.args)

    return on_tensors


class _Operation:
    """One level, applied to tensors."""

    def __init__(self, level: Level) -> None:
        self.level = level
        self.backwards: dict[tuple[int, int | None], _Operation] = {}
        self.custom: dict[Any, Any] = {}

    def __call__(self, args: tuple[Any, ...]) -> Any:
        self.check(args)
        holder = _Holder(self)
        made = _Apply.apply(holder, *args)
        return made[0] if holder.single else tuple(made)

    def check(self, args: tuple[Any, ...]) -> None:
        """Refuse what cannot cross the border, in one line."""
        for k in self.level.wrt:
            if k >= len(args) or not isinstance(args[k], torch.Tensor):
                what = type(args[k]).__name__ if k < len(args) else "nothing"
                raise ArgumentError(f"{self.level.name}: argument {k} is no tensor, but {what}")
        for k, x in enumerate(args):
            if not isinstance(x, torch.Tensor):
                continue
            if x.layout != torch.strided or x.dtype == torch.bfloat16:
                what = x.dtype if x.layout == torch.strided else x.layout
                raise ArgumentError(f"{self.level.name}: NumPy has no array for {what}")
            if x.requires_grad and k not in self.level.wrt:
                raise ArgumentError(
                    f"{self.level.name}: argument {k} requires a gradient and is not in wrt"
                )

    def backward(self, count: int, results: int | None) -> _Operation:
        key = (count, results)
        if key not in self.backwards:
            self.backwards[key] = _Operation(self.level.backward(count, results))
        return self.backwards[key]

    def compiled(self, args: tuple[Any, ...]) -> Any:
        """Call the custom operator that a compiler sees in the place of this function."""
        tensors = [x for x in args if isinstance(x, torch.Tensor)]
        rest = tuple(None if isinstance(x, torch.Tensor) else x for x in args)
        made = _custom(self, rest)(tensors)
        return made[0] if len(made) == 1 else tuple(made)


class _Holder:
    """What one application hands from its forward to its backward pass."""

    def __init__(self, operation: _Operation) -> None:
        self.operation = operation
        self.pull: Any = None
        self.single = True


class _Apply(torch.autograd.Function):
    """Applies an operation to tensors, and records it."""

    @staticmethod
    def forward(holder: _Holder, *args: Any) -> tuple[torch.Tensor, ...]:
        level = holder.operation.level
        arrays = tuple(map(_array, args))
        moves = any(isinstance(x, torch.Tensor) and x.requires_grad for x in args)
        if moves:
            values, holder.pull = level.value_and_backward(arrays)
        else:
            values = level.value(arrays)
        holder.single = len(values) == 1
        return tuple(_tensors(as_results(values, arrays), args))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        holder, *args = inputs
        ctx.holder = holder
        ctx.rest = tuple(None if isinstance(x, torch.Tensor) else x for x in args)
        ctx.save_for_backward(*(x for x in args if isinstance(x, torch.Tensor)))
        ctx.set_materialize_grads(True)

    @staticmethod
    def backward(ctx: Any, *bars: torch.Tensor) -> tuple[Any, ...]:
        saved = iter(ctx.saved_tensors)
        operation = ctx.holder.operation
        whole = list(bars)
        args = tuple(next(saved) if r is None else r for r in ctx.rest)
        bars = tuple(b.conj() if b.is_complex() else b for b in whole)
        if torch.is_grad_enabled() or ctx.holder.pull is None:
            count = None if ctx.holder.single else len(bars)
            slopes = operation.backward(len(args), count)((*args, *bars))
            slopes = slopes if isinstance(slopes, tuple) else (slopes,)
        else:
            found = ctx.holder.pull(tuple(_array(b.contiguous()) for b in bars))
            found = found if isinstance(found, tuple) else (found,)
            slopes = tuple(_tensors(as_results(found, ()), args))
        given: list[Any] = [None] * len(args)
        for k, slope in zip(operation.level.wrt, slopes, strict=True):
            slope = slope.to(args[k].dtype) if not slope.is_complex() else slope
            given[k] = slope.conj() if slope.is_complex() else slope
        return None, *given

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], holder: _Holder, *args: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Run the function once for each element of the batch."""
        rows = []
        for k in range(info.batch_size):
            picked = [
                x if d is None else x.select(d, k) for x, d in zip(args, in_dims[1:], strict=True)
            ]
            own = _Holder(holder.operation)
            rows.append(_Apply.apply(own, *picked))
            holder.single = own.single
        return tuple(torch.stack(column) for column in zip(*rows, strict=True)), (0,) * len(rows[0])


def _array(value: Any) -> Any:
    """Return the array of a tensor: the same memory, where NumPy can have it."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().resolve_conj().resolve_neg().cpu().numpy()


def _tensors(arrays: tuple[np.ndarray, ...], like: tuple[Any, ...]) -> list[torch.Tensor]:
    device = next(x.device for x in like if isinstance(x, torch.Tensor))
    return [torch.from_numpy(np.asarray(a)).to(device) for a in arrays]


_counter = itertools.count()


def _custom(operation: _Operation, rest: tuple[Any, ...]) -> Any:
    """Return the custom operator of a function, from a list of tensors to a list of tensors."""
    key = repr(rest)
    if key not in operation.custom:
        operation.custom[key] = _registered(operation, rest)
    return operation.custom[key]


def _registered(operation: _Operation, rest: tuple[Any, ...]) -> Any:
    name = f"srcgrad::{operation.level.name}_{next(_counter)}"
    places = [k for k, r in enumerate(rest) if r is None]

    def whole(tensors: list[Any]) -> tuple[Any, ...]:
        args = list(rest)
        for k, x in zip(places, tensors, strict=True):
            args[k] = x
        return tuple(args)

    @torch.library.custom_op(name, mutates_args=(), schema="(Tensor[] tensors) -> Tensor[]")
    def call(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        args = whole(tensors)
        arrays = tuple(map(_array, args))
        return _tensors(as_results(operation.level.value(arrays), arrays), args)

    @call.register_fake
    def _(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        ones = [np.ones(tuple(map(int, x.shape)), _NUMPY[x.dtype]) for x in tensors]
        values = operation.level.value(whole(ones))
        return [
            torch.empty(np.shape(v), dtype=_TORCH[np.asarray(v).dtype], device=tensors[0].device)
            for v in values
        ]

    def setup(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs[0])
        ctx.results = len(output)

    def backward(ctx: Any, bars: list[torch.Tensor]) -> list[Any]:
        args = whole(list(ctx.saved_tensors))
        bars = [b.conj() if b.is_complex() else b for b in bars]
        count = None if ctx.results == 1 else ctx.results
        slopes = operation.backward(len(args), count).compiled((*args, *bars))
        slopes = slopes if isinstance(slopes, tuple) else (slopes,)
        given: dict[int, Any] = dict(zip(operation.level.wrt, slopes, strict=True))
        found = [given.get(k) for k in places]
        return [s.conj() if s is not None and s.is_complex() else s for s in found]

    call.register_autograd(backward, setup_context=setup)
    return getattr(torch.ops.srcgrad, name.partition("::")[2]).default


_TORCH = {
    np.dtype(n): getattr(torch, n)
    for n in (
        *("float64", "float32", "float16", "complex128", "complex64"),
        *("int64", "int32", "int16", "int8", "uint8", "bool"),
    )
}
_NUMPY = {theirs: own for own, theirs in _TORCH.items()}
