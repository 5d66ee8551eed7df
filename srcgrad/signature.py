"""The signature of a call: what generated code may rely on, and the test for it."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.shapes import Lengths
from srcgrad.context import Guards, kind_of, read_name
from srcgrad.errors import ArgumentError
from srcgrad.ir.nodes import Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.types import BOOLEAN, INTEGER, REAL, Type
from srcgrad.structures import form_of

GENERIC = object()  # stands for an argument of which nothing is known


def value_of_argument(name: str, value: Any, active: bool, rank: int | None, hint: Any) -> Value:
    """Return what a parameter stands for, given the argument of a call.

    Args:
        name: the parameter's name.
        value: the argument, or ``GENERIC``.
        active: whether it is being differentiated.
        rank: its number of dimensions, where that was declared.
        hint: its annotation.
    """
    if value is GENERIC:
        return _generic(name, active, rank, hint)
    structure = structure_of_argument(name, value, active)
    if structure is not None:
        return structure
    type_ = argument_type(name, value)
    if type_ is None:
        if active:
            raise ArgumentError(
                f"the argument {name!r} is a {type(value).__name__}, "
                "which cannot be differentiated",
                fixes=["pass an array or a float", f"leave {name!r} out of wrt"],
            )
        if value is None or isinstance(value, str | bool):
            return Const(value)
        if callable(value) or isinstance(value, types.ModuleType):
            return Known(value, name)
        return Var(name, Type("opaque"), named=True)
    if active and type_.dtype in "ib":
        kind = "boolean" if type_.dtype == "b" else "integer"
        raise ArgumentError(
            f"the argument {name!r} is of {kind} type and cannot be differentiated",
            fixes=[f"pass it as floating-point numbers, for example {_as_float(value)}"],
        )
    if active and type_.dtype == "c":
        raise ArgumentError(
            f"the argument {name!r} is complex; complex derivatives are not supported yet",
            fixes=["pass real and imaginary part as two arguments"],
        )
    return Var(name, type_.with_active(active), named=True)


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
    return Type("array", dims, kind)


def guard(
    names: list[str], values: list[Value], arguments: list[Any], lengths: Lengths, guards: Guards
) -> Callable[..., bool]:
    """Make the test whether a call fits a specialisation.

    Args:
        names: the parameters.
        values: what they stood for when the code was generated.
        arguments: the arguments at that time.
        lengths: what was assumed of lengths.
        guards: what was assumed of globals.
    """
    space: dict[str, Any] = {"kind_of": kind_of, "read_name": read_name}
    tests: list[str] = []
    for k, (name, value, argument) in enumerate(zip(names, values, arguments, strict=True)):
        tests += _argument_tests(str(k), name, value, argument, lengths.assumed, space)
    places: dict[str, str] = {}
    for k, value in enumerate(values):
        places |= _places(value, f"a{k}")
    tests += [f"{_length(places, a)} == {_length(places, b)}" for a, b in sorted(lengths.required)]
    for k, (namespace, name, thing) in enumerate(guards.names.values()):
        space[f"n{k}"], space[f"o{k}"] = namespace, thing
        if isinstance(namespace, dict):
            if name in namespace:
                tests.append(f"n{k}.get({name!r}) is o{k}")
            else:
                tests.append(f"{name!r} not in n{k}")
        else:
            tests.append(f"read_name(n{k}, {name!r}) is o{k}")
    for k, (namespace, name, kind) in enumerate(guards.data.values()):
        space[f"d{k}"], space[f"k{k}"] = namespace, kind
        space[f"v{k}"] = read_name(namespace, name)
        read = f"read_name(d{k}, {name!r})"
        tests.append(f"({read} is v{k} or kind_of({read}) == k{k})")
    arguments_text = ", ".join(f"a{k}" for k in range(len(names)))
    text = f"lambda {arguments_text}: {' and '.join(tests) or 'True'}"
    return eval(compile(text, "<guard>", "eval"), space)


def _argument_tests(
    k: str, name: str, value: Value, argument: Any, assumed, space, text: str = ""
) -> list[str]:
    text = text or f"a{k}"
    if isinstance(value, Compound):
        return _structure_tests(k, name, value, argument, assumed, space, text)
    if isinstance(value, Const | Known) or (isinstance(value, Var) and value.type.kind == "opaque"):
        if isinstance(value, Var):
            space[f"c{k}"] = type(argument)
            return [f"{text}.__class__ is c{k}"]
        space[f"c{k}"] = argument
        if isinstance(argument, str):
            return [f"{text}.__class__ is str and {text} == c{k}"]
        return [f"{text} is c{k}"]
    space[f"c{k}"] = type(argument)
    tests = [f"{text}.__class__ is c{k}"]
    if isinstance(value, Var) and value.type.kind == "array":
        shape = value.type.shape
        assert isinstance(shape, tuple)
        space[f"t{k}"] = argument.dtype
        lengths = []  # this runs at each call: the shape is read once, dtypes are mostly identical
        for axis, length in enumerate(shape):
            if length == 1:
                lengths.append(f"s{k}[{axis}] == 1")
            own = shape_name(value, axis) or f"{name}.{axis}"
            for assumed_length in sorted(assumed):
                base, _, less = assumed_length.partition("-")
                if base == own:
                    lengths.append(f"s{k}[{axis}] != {1 + int(less or 0)}")
        rank = f"len(s{k} := {text}.shape)" if lengths else f"{text}.ndim"
        tests += [f"{rank} == {len(shape)}", f"({text}.dtype is t{k} or {text}.dtype == t{k})"]
        tests += lengths
    return tests


def _length(places: dict[str, str], length: str) -> str:
    """The expression of the length of an argument's axis."""
    name, _, axis = length.rpartition(".")
    return f"{places[name + '.']}.shape[{axis}]"


_MOST = 64  # inactive structures of more parts than this are not looked into


def structure_of_argument(name: str, value: Any, active: bool) -> Value | None:
    """Return what an argument that is put together from others stands for.

    Args:
        name: the parameter's name.
        value: the argument.
        active: whether it is being differentiated.

    Returns:
        Its structure; None for what is no such argument, and for lists, tuples and
        large structures that are not differentiated.

    Raises:
        ArgumentError: when it is to be differentiated, and nothing in it can be.
    """
    if not active and isinstance(value, tuple | list) and not hasattr(value, "_fields"):
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
        return None
    if not isinstance(made, Compound):
        return None
    if active and not reader.active_leaves:
        raise ArgumentError(
            f"the argument {name!r} holds no array or number that can be differentiated",
            fixes=["pass floating-point numbers", f"leave {name!r} out of wrt"],
        )
    reader.name_leaves()
    return made


class TooLarge(Exception):
    """A structure has too many parts to be part of a signature."""


class _Reader:
    """Reads one argument; its leaves are named after their keys where these are unique."""

    def __init__(self, name: str, active: bool) -> None:
        self.name, self.active = name, active
        self.count = 0
        self.active_leaves = 0
        self.leaves: list[tuple[Var, tuple[str, ...]]] = []
        self.around: list[int] = []

    def read(self, value: Any, label: str, path: tuple[str, ...]) -> Value:
        form = form_of(value)
        sequence = form is None and type(value) in (tuple, list)
        if form is None and not sequence:
            return self.leaf(value, label, path)
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
            return Items(items, isinstance(value, list))
        return Struct(form, items)

    def leaf(self, value: Any, label: str, path: tuple[str, ...]) -> Value:
        self.count += 1
        if self.count > (_MOST * 64 if self.active else _MOST):
            raise TooLarge
        type_ = argument_type(f"{self.name}~{self.count}", value)
        if type_ is not None and self.active and type_.dtype == "c":
            raise ArgumentError(
                f"the argument {self.name!r} has complex parts; complex derivatives are not "
                "supported yet",
                fixes=["pass real and imaginary parts"],
            )
        if type_ is None:
            return value_of_argument(label, value, False, None, None)
        active = self.active and type_.dtype == "f"
        self.active_leaves += active
        made = Var(label, type_.with_active(active), named=True)
        self.leaves.append((made, path))
        return made

    def name_leaves(self) -> None:
        """Name the leaves after as much of their place as it takes to tell them apart."""
        named: set[int] = set()
        for depth in range(1, 15):
            labels = ["_".join(path[-depth:]) for _, path in self.leaves]
            counts = Counter(labels)
            for k, (var, path) in enumerate(self.leaves):
                if k in named or (counts[labels[k]] > 1 and depth < len(path)):
                    continue
                named.add(k)
                text = labels[k] if labels[k].isidentifier() else f"{self.name}_{labels[k]}"
                object.__setattr__(var, "name", text if text.isidentifier() else self.name)


def shape_name(value: Value, axis: int) -> str | None:
    """The name that the length of an argument's axis had at first."""
    if isinstance(value, Var) and isinstance(value.type.shape, tuple):
        name = value.type.shape[axis]
        return name if isinstance(name, str) else None
    return None


def _structure_tests(
    k: str, name: str, value: Any, argument: Any, assumed: Any, space: Any, text: str
) -> list[str]:
    def constant(thing: Any) -> str:
        key = f"x{k}_{len(space)}"
        space[key] = thing
        return key

    if isinstance(value, Items):
        kind = "list" if value.is_list else "tuple"
        tests = [f"{text}.__class__ is {kind} and len({text}) == {len(value.items)}"]
        rows = [(f"{text}[{j}]", argument[j]) for j in range(len(value.items))]
    else:
        tests = value.form.test(text, constant)
        parts = value.form.parts(argument)
        rows = [(_part_text(value, j, text, constant), part) for j, part in enumerate(parts)]
    for j, (item, (place, part)) in enumerate(zip(value.items, rows, strict=True)):
        tests += _argument_tests(f"{k}_{j}", name, item, part, assumed, space, place)
    return tests


def _part_text(value: Struct, k: int, text: str, constant: Any = None) -> str:
    access = value.form.access(k)
    if access is not None:
        return f"{text}{access}"
    return f"{constant(value.form.parts)}({text})[{k}]"


def _places(value: Value, text: str) -> dict[str, str]:
    """Where the arrays inside a structure are found, by the first part of their lengths' names."""
    if isinstance(value, Items):
        rows = [(item, f"{text}[{j}]") for j, item in enumerate(value.items)]
    elif isinstance(value, Struct):
        readable = [j for j in range(len(value.items)) if value.form.access(j) is not None]
        rows = [(value.items[j], _part_text(value, j, text)) for j in readable]
    else:
        shape = value.type.shape if isinstance(value, Var) else None
        own = [n for n in shape if isinstance(n, str)] if isinstance(shape, tuple) else []
        return {f"{name.rpartition('.')[0]}.": text for name in own}
    found: dict[str, str] = {}
    for item, place in rows:
        found |= _places(item, place)
    return found
