"""The signature of a call: what generated code may rely on, and the test for it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.analysis.shapes import Lengths
from srcgrad.context import Guards, kind_of, read_name
from srcgrad.errors import ArgumentError
from srcgrad.ir.nodes import Const, Items, Known, Value, Var
from srcgrad.ir.types import BOOLEAN, INTEGER, REAL, Type

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
    if isinstance(value, tuple) and active:
        raise ArgumentError(
            f"the argument {name!r} is a tuple; only arrays and numbers can be differentiated",
            fixes=["pass its parts as arguments of their own"],
        )
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
        tests += _argument_tests(k, name, value, argument, lengths.assumed, space)
    tests += [f"{_length(names, a)} == {_length(names, b)}" for a, b in sorted(lengths.required)]
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


def _argument_tests(k: int, name: str, value: Value, argument: Any, assumed, space) -> list[str]:
    if isinstance(value, Items):
        space[f"t{k}"] = tuple(kind_of(v) for v in argument)
        return [f"tuple(map(kind_of, a{k})) == t{k}"]
    if isinstance(value, Const | Known) or (isinstance(value, Var) and value.type.kind == "opaque"):
        if isinstance(value, Var):
            space[f"c{k}"] = type(argument)
            return [f"a{k}.__class__ is c{k}"]
        space[f"c{k}"] = argument
        if isinstance(argument, str):
            return [f"a{k}.__class__ is str and a{k} == c{k}"]
        return [f"a{k} is c{k}"]
    space[f"c{k}"] = type(argument)
    tests = [f"a{k}.__class__ is c{k}"]
    if isinstance(value, Var) and value.type.kind == "array":
        shape = value.type.shape
        assert isinstance(shape, tuple)
        space[f"t{k}"] = argument.dtype
        lengths = []  # this runs at each call: the shape is read once, dtypes are mostly identical
        for axis, length in enumerate(shape):
            if length == 1:
                lengths.append(f"s{k}[{axis}] == 1")
            own = f"{name}.{axis}"
            for assumed_length in sorted(assumed):
                base, _, less = assumed_length.partition("-")
                if base == own:
                    lengths.append(f"s{k}[{axis}] != {1 + int(less or 0)}")
        rank = f"len(s{k} := a{k}.shape)" if lengths else f"a{k}.ndim"
        tests += [f"{rank} == {len(shape)}", f"(a{k}.dtype is t{k} or a{k}.dtype == t{k})"]
        tests += lengths
    return tests


def _length(names: list[str], length: str) -> str:
    """The expression of the length of an argument's axis."""
    name, _, axis = length.rpartition(".")
    return f"a{names.index(name)}.shape[{axis}]"
