"""Comparison of imported formulas with PyTorch, at first and second order."""

# PyTorch is an extra: where it is not installed, its names are not known.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import functools
import importlib.util
import inspect
import linecache
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import srcgrad
import torch
from srcgrad.runtime import unbroadcast
from srcgrad.torch.importing.samples import Sample
from srcgrad.torch.importing.table import Entry
from srcgrad.torch.importing.translating import operations
from srcgrad.torch.importing.writing import Written

TOLERANCE = 1e-7
_EXTREME = 1e3


@dataclass(frozen=True)
class Outcome:
    """What a comparison of one formula at one sample gave."""

    name: str  # the entry
    dtype: str  # of the sample
    # 0 for the value, 1 for the gradient, 2 for the gradient of the gradient; the tangent is
    # compared with the gradient, as order 1
    order: int
    what: str  # what was compared, in a word
    problem: str  # what disagrees; empty if nothing does


def load_formulas(folder: Path, found: Iterable[Written]) -> dict[str, Any]:
    """Import the files of a folder, which registers their formulas."""
    formulas = {}
    for written in found:
        module = _imported(folder, written.module)
        own = getattr(module, f"{written.name}_", None)
        formulas[written.name] = own or getattr(module, written.name)
    return formulas


@functools.cache
def _imported(folder: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"imported_{name}", folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def numpy_operation(written: Written) -> Any:
    """Return the operation in NumPy that a formula belongs to."""
    return operations()[written.name][1].function


class NotComparable(Exception):
    """A sample that the operation in NumPy does not take: it says why."""


class Case:
    """One formula at one sample, in both worlds."""

    def __init__(self, written: Written, rule: Any, sample: Sample) -> None:
        self.written, self.rule = written, rule
        self.entry = written.entry
        self.function = numpy_operation(written)
        self.given = _bound(self.entry, sample)
        parameters = inspect.signature(self.function).parameters.values()
        self.positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.options = {
            p.name: _as_option(p.name, self.given.get(p.name, p.default))
            for p in parameters
            if p.kind is p.KEYWORD_ONLY
        }
        self.arguments = {n: _as_argument(self.given.get(n)) for n in self.positional}
        self.wrt = [n for n in written.wrt if _moves(self.arguments[n])]
        if not self.wrt:
            raise NotComparable("nothing to differentiate")
        self.refuse_axes_of_numbers()
        self.generator = np.random.default_rng(0)
        self.in_torch()

    def refuse_axes_of_numbers(self) -> None:
        """PyTorch takes axis 0 of a tensor without axes, and sums over nothing."""
        arrays = [a for v in self.arguments.values() for a in _several(v) if a is not None]
        numbers = [a for a in arrays if a.dtype.kind in "fc"]
        if any(np.any(np.abs(a) > _EXTREME) for a in numbers):
            raise NotComparable("extreme numbers")
        if self.entry.base == "nanmedian" and any(np.any(np.isnan(a)) for a in numbers):
            raise NotComparable("which of several nan is picked is free")
        options = [o for v in self.options.values() for o in _several(v)]
        if any(np.size(a) == 0 for a in [*arrays, *options] if isinstance(a, np.ndarray)):
            raise NotComparable("empty")
        if any(isinstance(p, int) and p < 0 for p in _several(self.options.get("padding"))):
            raise NotComparable("negative padding")
        if arrays[0].ndim == 0 and any(
            "dim" in n or n in ("index", "margin") for n in self.options
        ):
            raise NotComparable("an axis of a number")

    def in_torch(self) -> None:
        """Run PyTorch's operation, and its derivatives along random directions."""
        tensors = {n: _tensor(v, n in self.wrt) for n, v in self.given.items()}
        try:
            outs = operation_in_torch(self.entry)(*tensors.values())
        except RuntimeError as refusal:
            raise NotComparable(str(refusal)) from None
        outs = list(outs) if isinstance(outs, tuple | list) else [outs]
        self.moving = [
            k
            for k, x in enumerate(outs)
            if x.requires_grad and x.is_floating_point() | x.is_complex()
        ]
        if not self.moving:
            raise NotComparable("no result moves")
        self.values = [x.detach().resolve_conj().numpy(force=True) for x in outs]
        bars = [
            _tensor(self.without_turns(k, self.random(self.values[k])), True) for k in self.moving
        ]
        self.bars = [np.conj(b.detach().numpy()) for b in bars]
        leaves = [x for n in self.wrt for x in _several(tensors[n])]
        try:
            slopes = torch.autograd.grad(
                [outs[k] for k in self.moving], leaves, bars, create_graph=True, allow_unused=True
            )
        except RuntimeError as refusal:
            raise NotComparable(str(refusal)) from None
        self.slopes = [_conj_numpy(s, x) for s, x in zip(slopes, leaves, strict=True)]
        self.seeds = [self.random(s) for s in self.slopes]
        kept = [
            (s, w)
            for s, w in zip(slopes, self.seeds, strict=True)
            if s is not None and s.requires_grad
        ]
        self.curves: list[Any] | None = None
        if kept:
            total = sum(torch.sum(torch.real(s * torch.tensor(w).conj())) for s, w in kept)
            try:
                curves = torch.autograd.grad(total, [*leaves, *bars], allow_unused=True)  # pyright: ignore[reportCallIssue, reportArgumentType]
            except (RuntimeError, NotImplementedError):  # what PyTorch cannot differentiate twice
                return
            own = [_conj_numpy(c, x) for c, x in zip(curves[: len(leaves)], leaves, strict=True)]
            self.curves = [
                *own,
                *(_plain_numpy(c, x) for c, x in zip(curves[len(leaves) :], bars, strict=True)),
            ]

    def random(self, like: Any) -> Any:
        value = self.generator.normal(size=like.shape)
        if np.iscomplexobj(like):
            value = value + 1j * self.generator.normal(size=like.shape)
        return np.asarray(value).astype(like.dtype)

    def without_turns(self, k: int, bar: Any) -> Any:
        """Take out of a cotangent of vectors what depends on their phases, which are free."""
        axis = _TURNING.get(self.entry.name, {}).get(k)
        if axis is None or not np.iscomplexobj(bar):
            return bar
        vectors = self.values[k]
        turn = np.imag(np.sum(np.conj(vectors) * bar, axis=axis, keepdims=True))
        return bar - 1j * turn * vectors

    def turns(self, z: tuple[Any, ...]) -> dict[int, Any]:
        """Return by how much vectors of ours are turned against PyTorch's, for each result."""
        found = {}
        for k, axis in _TURNING.get(self.entry.name, {}).items():
            along = np.sum(np.conj(self.values[k]) * z[k], axis=axis, keepdims=True)
            found[k] = along / np.abs(along)
        return found

    def bar(self, values: list[Any]) -> Any:
        """Return the cotangent in the form that the formula takes."""
        whole = [np.zeros_like(v) for v in self.values]
        for k, value in zip(self.moving, values, strict=True):
            whole[k] = value
        return tuple(whole) if len(whole) > 1 or self.entry.schema.endswith("[]") else whole[0]

    def first(self) -> Iterable[tuple[int, str, str]]:
        """Compare value, gradient and tangent; give order, word and problem of each."""
        made = self.rule(*self.arguments.values(), **self.options)
        z = made[0] if isinstance(made[0], tuple | list) else (made[0],)
        turns = self.turns(z)
        straight = [z[k] * np.conj(turns.get(k, 1)) for k in self.moving]
        yield 0, "value", _problem(straight, [self.values[k] for k in self.moving])
        bars = [b * np.conj(turns.get(k, 1)) for k, b in zip(self.moving, self.bars, strict=True)]
        self.turned = turns
        back = made[1](self.bar(bars))
        back = back if len(self.positional) > 1 else (back,)
        mine = [
            x
            for n, b in zip(self.positional, back, strict=True)
            if n in self.wrt
            for x in _several(b)
        ]
        yield (
            1,
            "gradient",
            _problem(
                [_like(self.unbroadcast(m, s), s) for m, s in zip(mine, self.slopes, strict=True)],
                self.slopes,
            ),
        )
        if len(made) == 3:
            dots = {
                n: self.tangent_like(n)
                for n in self.wrt
                if not isinstance(self.arguments[n], tuple)
            }
            given = [dots.get(n, _no_tangent(self.arguments[n])) for n in self.positional]
            z_dot = made[2](*given)
            z_dot = z_dot if isinstance(z_dot, tuple) else (z_dot,)
            along = sum(
                np.sum(np.real(b * z_dot[k])) for k, b in zip(self.moving, bars, strict=True)
            )
            across = sum(
                np.sum(np.real(s * dots[n])) for n, s in zip(self.wrt, self.slopes, strict=True)
            )
            yield 1, "tangent", _problem([along], [across])

    def tangent_like(self, name: str) -> Any:
        """Return a random tangent of an argument."""
        dot = self.random(self.arguments[name])
        if self.entry.name in _HERMITIAN:
            return dot + np.conj(np.swapaxes(dot, -1, -2))
        return dot

    def unbroadcast(self, value: Any, like: Any) -> Any:
        module = self.written.module
        return (
            unbroadcast(value, like)
            if module in ("pointwise", "transcendental", "activations")
            else value
        )

    def second(self, folder: Path) -> Iterable[tuple[int, str, str]]:
        """Compare the gradient of the gradient."""
        if self.curves is None:
            return
        names = {"moved": [], "given": {}}
        namespace: dict[str, Any] = {"np": np, "srcgrad": srcgrad, "operation": self.function}
        parts, values, seeds = [], [], []
        for name in self.positional:
            value = self.arguments[name]
            if name not in self.wrt:
                namespace[f"{name}_"] = value
                parts.append(f"{name}_")
            elif isinstance(value, tuple):
                own = [f"{name}{k}" for k in range(len(value))]
                parts.append(f"({', '.join(own)},)")
                names["moved"] += own
                values += value
            else:
                parts.append(f"{name}_")
                names["moved"].append(f"{name}_")
                values.append(value)
        for name, value in self.options.items():
            namespace[f"option_{name}"] = value
        options = [f"{n}={_spelled(n, v)}" for n, v in self.options.items()]
        bars = [f"bar{k}" for k in range(len(self.moving))]
        moved, call = names["moved"], ", ".join([*parts, *options])
        for k, seed in enumerate(self.seeds):
            namespace[f"seed{k}"] = seed
            seeds.append(f"np.sum(seed{k} * slopes[{k}])")
        single = len(self.values) == 1 and not self.entry.schema.endswith("[]")
        outs = ["z"] if single else [f"z{k}" for k in self.moving]
        results = "z" if single else ", ".join(f"z{k}" for k in range(len(self.values))) + ","
        products = " + ".join(f"np.sum({b} * {o})" for b, o in zip(bars, outs, strict=True))
        wrt = "".join(f"{m!r}, " for m in moved)
        text = (
            f"def first({', '.join([*moved, *bars])}):\n    {results} = operation({call})\n"
            f"    return np.real({products})\n\n\n"
            f"def second({', '.join([*moved, *bars])}):\n"
            f"    slopes = srcgrad.grad(first, wrt=({wrt}))({', '.join([*moved, *bars])})\n"
            f"    return np.real({' + '.join(seeds)})\n"
        )
        path = folder / f"second_{self.written.name}_{abs(hash(text)) % 10**8}.py"
        path.write_text(text)
        linecache.checkcache(str(path))
        exec(compile(text, str(path), "exec"), namespace)
        every = (*moved, *bars)
        turns = [self.turned.get(k, 1) for k in self.moving]
        turned = [b * np.conj(t) for b, t in zip(self.bars, turns, strict=True)]
        mine = list(srcgrad.grad(namespace["second"], wrt=every)(*values, *turned))
        first = len(mine) - len(turns)
        mine[first:] = [m * np.conj(t) for m, t in zip(mine[first:], turns, strict=True)]
        mine = [_like(m, c) for m, c in zip(mine, self.curves, strict=True)]
        problem = _problem(mine, self.curves)
        yield 2, "second", problem and f"{problem}; {self.decided(mine, turned)}"

    def decided(self, mine: list[Any], bars: list[Any]) -> str:
        """Say whether our second derivative or PyTorch's agrees with differences of the first."""
        leaves = [x for n in self.wrt for x in _several(self.arguments[n])]
        dots = [self.random(x) for x in [*leaves, *bars]]

        def total(step: float) -> float:
            moved = [x + step * d for x, d in zip([*leaves, *bars], dots, strict=True)]
            given, rest = dict(self.arguments), iter(moved)
            for n in self.wrt:
                several = isinstance(given[n], tuple)
                given[n] = tuple(next(rest) for _ in given[n]) if several else next(rest)
            back = self.rule(*given.values(), **self.options)[1](self.bar(list(rest)))
            back = back if len(self.positional) > 1 else (back,)
            found = [
                self.unbroadcast(x, y)
                for n, b in zip(self.positional, back, strict=True)
                if n in self.wrt
                for x, y in zip(_several(b), _several(given[n]), strict=True)
            ]
            return sum(
                float(np.real(np.sum(s * x))) for s, x in zip(self.seeds, found, strict=True)
            )

        step = 1e-6
        measured = (total(step) - total(-step)) / (2 * step)
        own, theirs = (
            sum(float(np.real(np.sum(c * d))) for c, d in zip(curves, dots, strict=True))
            for curves in (mine, self.curves or [])
        )
        close = [abs(x - measured) < 1e-4 * (1 + abs(measured)) for x in (own, theirs)]
        return {
            (True, False): "differences agree with srcgrad",
            (False, True): "differences agree with PyTorch",
        }.get((close[0], close[1]), "differences agree with neither")


# Results that are vectors of which the phase is free, and the axis that they lie along.
_TURNING = {
    "_linalg_svd": {0: -2, 2: -1},
    "_linalg_eigh": {1: -2},
    "linalg_eig": {1: -2},
}
# Operations of Hermitian matrices, whose tangents are Hermitian, too.
_HERMITIAN = frozenset({"cholesky", "linalg_cholesky_ex", "_linalg_eigh"})


def operation_in_torch(entry: Entry) -> Any:
    """Return PyTorch's operation, as a function of its parameters in order."""
    packet = getattr(torch.ops.aten, entry.base)
    overload = getattr(packet, entry.name.partition(".")[2] or "default")
    arguments = overload._schema.arguments  # noqa: SLF001 - there is no other way to it
    only = [a.name for a in arguments if a.kwarg_only]
    count = len(arguments) - len(only)

    def call(*values: Any) -> Any:
        return overload(*values[:count], **dict(zip(only, values[count:], strict=False)))

    return call


def _bound(entry: Entry, sample: Sample) -> dict[str, Any]:
    """Return all arguments by name, with the defaults of those that were left out."""
    args, kwargs = sample
    packet = getattr(torch.ops.aten, entry.base)
    overload = getattr(packet, entry.name.partition(".")[2] or "default")
    given = {}
    for k, argument in enumerate(overload._schema.arguments):  # noqa: SLF001
        if k < len(args):
            given[argument.name] = args[k]
        else:
            given[argument.name] = kwargs.get(argument.name, argument.default_value)
    return given


def _as_option(name: str, value: Any) -> Any:
    """Return an option in NumPy's terms: an empty list of axes means all of them."""
    if isinstance(value, torch.dtype):
        return None
    if isinstance(value, list):
        plain = tuple(value)
        return None if name == "dim" and not plain else plain
    return value


def _as_argument(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _spelled(name: str, value: Any) -> str:
    """An option in a text: what has no literal, as infinities, by a name."""
    plain = value is None or isinstance(value, bool | int | float | str | tuple)
    finite = not isinstance(value, float) or np.isfinite(value)
    if isinstance(value, tuple):
        finite = all(isinstance(v, int) for v in value)
    return repr(value) if plain and finite else f"option_{name}"


def _moves(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(map(_moves, value))
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def _tensor(value: Any, moves: bool) -> Any:
    if isinstance(value, list):
        return [_tensor(v, moves) for v in value]
    if not isinstance(value, np.ndarray):
        return value
    made = torch.tensor(value)
    return made.requires_grad_() if moves else made


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple | list) else [value]


def _conj_numpy(slope: Any, like: Any) -> Any:
    if slope is None:
        return np.zeros(like.shape, like.detach().numpy().dtype)
    return np.conj(slope.detach().resolve_conj().resolve_neg().numpy(force=True))


def _plain_numpy(slope: Any, like: Any) -> Any:
    return np.conj(_conj_numpy(slope, like))


def _no_tangent(value: Any) -> Any:
    return None if value is None else np.zeros_like(value)


def _like(value: Any, like: Any) -> Any:
    """Return the real part of what stands for the cotangent of something real."""
    if value is None:
        return np.zeros_like(like)
    return np.real(value) if np.iscomplexobj(value) and not np.iscomplexobj(like) else value


def _problem(mine: list[Any], theirs: list[Any]) -> str:
    for k, (own, other) in enumerate(zip(mine, theirs, strict=True)):
        if np.shape(own) != np.shape(other):
            return f"{k}: shape {np.shape(own)} and not {np.shape(other)}"
        scale = 1 + np.max(np.abs(np.nan_to_num(other)), initial=0)
        if not np.allclose(own, other, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True):
            worst = np.nanmax(np.abs(np.asarray(own) - np.asarray(other)), initial=0)
            return f"{k}: differs by {worst:.2g}, where the largest is {scale - 1:.2g}"
    return ""
