"""What the arguments of a call stand for when code is generated."""

from __future__ import annotations

import enum
import types
import weakref
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.constants import of_sparse
from srcgrad.analysis.shapes.contents import contents_of_records, data_contents
from srcgrad.analysis.shapes.draws import GENERATORS
from srcgrad.errors import ArgumentError, UnsupportedSyntaxError
from srcgrad.ir.nodes import Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.rebuilding import substituted
from srcgrad.ir.structures import form_of, holds_complex, name_for
from srcgrad.ir.types import BOOLEAN, COMMUNICATOR, GENERATOR, INTEGER, OPAQUE, REAL, SPARSE, Type
from srcgrad.library.communicators import is_communicator
from srcgrad.program import facts
from srcgrad.program.containers import CONTAINERS
from srcgrad.program.foreign import foreign, mark_of, refusal

GENERIC = object()  # stands for an argument of which nothing is known


def value_of_argument(
    name: str,
    value: Any,
    active: bool,
    rank: int | None,
    hint: Any,
    apart: bool = False,
    rows: bool = False,
) -> Value:
    """Return what a parameter stands for, given the argument of a call.

    Args:
        name: the parameter.
        value: the argument.
        active: whether it is differentiated.
        rank: the number of axes, where that is all that is known of it.
        hint: its annotation.
        apart: whether tuples and lists that are not differentiated are looked into.
        rows: whether long lists of objects of one form are lists for loops.
    """
    if value is GENERIC:
        return _generic(name, active, rank, hint)
    found = _foreign(name, value, active)
    if found is not None:
        return found
    structure = structure_of_argument(name, value, active, apart, rows)
    if structure is not None:
        return structure
    type_ = argument_type(name, value)
    if type_ is None:
        if active and type(value) is dict:
            raise UnsupportedSyntaxError(
                f"the argument {name!r} is a dict with keys that cannot be written in source",
                fixes=["use strings or numbers as its keys"],
            )
        if active and (isinstance(value, CONTAINERS) or _has_slots(value)):
            raise UnsupportedSyntaxError(
                f"the argument {name!r} is a {type(value).__name__}, which code cannot take apart",
                fixes=["use a list, a tuple, a dict, or an object of a class without __slots__"],
            )
        if active:
            raise _no_number(name, value)
        return _constant(name, value)
    if active and type_.dtype in "ib":
        kind = "boolean" if type_.dtype == "b" else "integer"
        raise ArgumentError(
            f"the argument {name!r} is of {kind} type and cannot be differentiated",
            fixes=[f"pass it as floating-point numbers, for example {_as_float(value)}"],
        )
    return Var(name, type_.with_active(active), named=True)


def _has_slots(value: Any) -> bool:
    return facts.in_class(type(value), "__slots__") is not facts.MISSING


def as_constant(value: Value, argument: Any) -> Value:
    """Return what a parameter stands for, with whole numbers as constants of the code."""
    if type(argument) is int and isinstance(value, Var):
        return Const(argument)
    if type(argument) is tuple and all(type(k) is int for k in argument):
        return Items(tuple(Const(k) for k in argument))
    if (
        isinstance(value, Struct) and value.form.cls is dict
    ):  # what an object holds may be another number each time: it counts calls
        parts = value.form.parts(argument)
        return value.like(as_constant(*pair) for pair in zip(value.items, parts, strict=True))
    if isinstance(value, Items):
        return value.like(as_constant(*pair) for pair in zip(value.items, argument, strict=True))  # pyright: ignore[reportArgumentType]
    return value


def _no_number(name: str, value: Any) -> ArgumentError:
    """The error for an argument that is to be differentiated and cannot be."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None:
        return ArgumentError(
            f"the argument {name!r} is an array of dtype {dtype}, which cannot be differentiated",
            fixes=[f"pass an array of numbers: {name}.astype(float)", f"leave {name!r} out of wrt"],
        )
    return ArgumentError(
        f"the argument {name!r} is a {type(value).__name__}, which cannot be differentiated",
        fixes=["pass an array or a float", f"leave {name!r} out of wrt"],
    )


def _constant(name: str, value: Any) -> Value:
    """What an argument stands for that is no number and no array."""
    if type(value) in weakref.ProxyTypes:
        return Var(name, OPAQUE, named=True)
    if value is None or isinstance(value, str | bool):
        return Const(value)
    if callable(value) or isinstance(value, types.ModuleType | enum.Enum):
        return Known(value, name)
    if type(value) in GENERATORS:
        return Var(name, Type("opaque", element=GENERATOR), named=True)
    if is_communicator(value):
        return Var(name, COMMUNICATOR, named=True)
    dtype = "c" if holds_complex(value) else "?"
    held = mark_of(value) or (data_contents(value) if dtype != "c" else None)
    return Var(name, Type("opaque", dtype=dtype, element=held), named=True)


def _foreign(name: str, value: Any, active: bool) -> Var | None:
    """What an argument stands for that is an array of a foreign class, and None otherwise."""
    if foreign(value) is None:
        return None
    mark = mark_of(value)
    if active and mark is not None and form_of(value) is None:
        raise refusal(name, mark)
    return None if form_of(value) is not None else Var(name, Type("opaque", element=mark), True)


def _as_float(value: Any) -> str:
    return f"{value}.0" if isinstance(value, int) else "x.astype(float)"


def _generic(name: str, active: bool, rank: int | None, hint: Any) -> Value:
    hint = {"float": float, "int": int, "bool": bool, "str": str}.get(hint, hint)
    if rank is not None:
        shape = tuple(f"{name}.{k}" for k in range(rank))
        kind = "array" if rank else "scalar"
        return Var(name, Type(kind, shape, "f", active), named=True)
    if hint is float:
        return Var(name, REAL.with_active(active), named=True)
    if hint is int and not active:
        return Var(name, INTEGER, named=True)
    if hint is bool and not active:
        return Var(name, BOOLEAN, named=True)
    dtype = "f" if active else "?"
    return Var(name, Type("numeric", f"{name}.shape", dtype, active), named=True)


def argument_type(name: str, value: Any) -> Type | None:
    """Return the type of an array or number, None for anything else."""
    if type(value) in weakref.ProxyTypes:  # they answer for others, which may be gone
        return None
    if isinstance(value, bool | np.bool_):
        return BOOLEAN if not isinstance(value, bool) else None
    if isinstance(value, int | np.integer):
        return INTEGER
    if isinstance(value, float | np.floating):
        return REAL
    if isinstance(value, complex | np.complexfloating):
        return Type("scalar", (), "c")
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if not isinstance(shape, tuple) or getattr(dtype, "kind", "") not in tuple("fcbiu"):
        return None
    dims = tuple(1 if n == 1 else f"{name}.{k}" for k, n in enumerate(shape))
    kind = "i" if dtype.kind == "u" else dtype.kind  # type: ignore[union-attr]
    return Type("array", dims, kind, element=SPARSE if of_sparse(value) else None)


_MOST = 64  # inactive structures of more parts than this are not looked into
_LONG = 16  # nor are, in these, lists of data of more parts than this


def structure_of_argument(
    name: str, value: Any, active: bool, apart: bool = False, rows: bool = False
) -> Value | None:
    """Return what an argument that is put together from others stands for.

    Returns:
        Its structure; None for what is no such argument, and for lists, tuples and
        large structures that are not differentiated.
    """
    if not active and not apart and type(value) in (tuple, list):
        if not any(callable(v) or form_of(v) is not None for v in value[:_MOST]):
            return None
    reader = _Reader(name, active)
    try:
        made = reader.read(value, name, ())
    except TooLarge:
        if active:
            raise ArgumentError(
                f"the argument {name!r} contains itself, or more than {_MOST * 64} parts",
                fixes=["differentiate with respect to parts of it"],
            ) from None
        reader = _Reader(name, active, brief=True, rows=rows)
        try:
            made = reader.read(value, name, ())
        except TooLarge:
            return None
    if isinstance(made, Var) and made.type.kind == "list":
        return made
    if not isinstance(made, Compound):
        return None
    if active and reader.count and not reader.active_leaves:
        raise ArgumentError(
            f"the argument {name!r} holds no array or number that can be differentiated",
            fixes=["pass floating-point numbers", f"leave {name!r} out of wrt"],
        )
    return substituted(made, reader.named_leaves())


class TooLarge(Exception):
    """A structure has too many parts to be part of a signature."""


class _Reader:
    """Reads one argument; its leaves are named after their keys where these are unique.

    Args:
        name: the argument.
        active: whether it is differentiated.
        brief: whether long lists of data in it are leaves.
        rows: whether long lists of objects of one form are, too.
    """

    def __init__(self, name: str, active: bool, brief: bool = False, rows: bool = False) -> None:
        self.name, self.active, self.brief, self.rows = name, active, brief, rows
        self.count = 0
        self.active_leaves = 0
        self.leaves: list[tuple[Var, tuple[str, ...]]] = []
        self.around: list[int] = []

    def read(self, value: Any, label: str, path: tuple[str, ...]) -> Value:
        form = form_of(value)
        sequence = form is None and type(value) in (tuple, list)
        if form is None and not sequence:
            return self.leaf(value, label, path)
        if sequence and self.brief and len(value) > _LONG and data_contents(value) is not None:
            return self.leaf(value, label, path)
        if sequence and self.rows and len(value) > _LONG:
            records = contents_of_records(value)
            if records is not None:
                made = Var(label, Type("list", element=records), named=True)
                self.leaves.append((made, path))
                return made
        if id(value) in self.around or len(self.around) > 12:
            raise TooLarge
        self.around.append(id(value))
        parts = value if sequence else form.parts(value)  # type: ignore[union-attr]
        names = [str(k) for k in range(len(parts))] if sequence else map(str, form.names)  # type: ignore
        items = tuple(
            self.read(part, own, (*path, own)) for own, part in zip(names, parts, strict=True)
        )
        self.around.pop()
        if sequence:
            listed = isinstance(value, list)
            return Items(items, listed, object() if listed else None)
        return Struct(form, items, object())

    def leaf(self, value: Any, label: str, path: tuple[str, ...]) -> Value:
        self.count += 1
        found = _foreign(label, value, self.active)
        if found is not None:
            return found
        if self.count > (_MOST * 64 if self.active else _MOST):
            raise TooLarge
        type_ = argument_type(f"{self.name}~{self.count}", value)
        if type_ is None:
            return _constant(label, value)
        active = self.active and type_.dtype in ("f", "c")
        self.active_leaves += active
        made = Var(label, type_.with_active(active), named=True)
        self.leaves.append((made, path))
        return made

    def named_leaves(self) -> dict[Var, Value]:
        """Return the leaves under names of as much of their place as tells them apart."""
        found: dict[Var, Value] = {}
        for depth in range(1, 15):
            labels = ["_".join(path[-depth:]) for _, path in self.leaves]
            counts = Counter(labels)
            for k, (var, path) in enumerate(self.leaves):
                if var in found or (counts[labels[k]] > 1 and depth < len(path)):
                    continue
                found[var] = replace(var, name=name_for(labels[k], self.name))
        return found
