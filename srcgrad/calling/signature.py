"""The signature of a call: the test whether generated code fits its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.ir.nodes import Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.structures import holds_complex
from srcgrad.program.foreign import foreign, holds_foreign, may_hold_others
from srcgrad.program.guards import Facts, written_test


def guard(
    names: list[str], values: list[Value], arguments: list[Any], lengths: Lengths, facts: Facts
) -> Callable[..., bool]:
    """Make the test whether a call fits a specialisation.

    Args:
        names: the parameters.
        values: what they stood for when the code was generated.
        arguments: the arguments at that time.
        lengths: what was assumed of lengths.
        facts: what was read of the state of the program.
    """
    space: dict[str, Any] = {}
    tests: list[str] = []
    for k, (name, value, argument) in enumerate(zip(names, values, arguments, strict=True)):
        tests += _argument_tests(str(k), name, value, argument, lengths, space)
    places: dict[str, str] = {}
    for k, value in enumerate(values):
        places |= _places(value, f"a{k}")
    tests += [f"{_length(places, a)} == {_length(places, b)}" for a, b in sorted(lengths.required)]
    tests += facts.written(space)
    return written_test([f"a{k}" for k in range(len(names))], tests, space)


def _argument_tests(
    k: str, name: str, value: Value, argument: Any, assumed, space, text: str = ""
) -> list[str]:
    text = text or f"a{k}"
    if isinstance(value, Compound):
        return _structure_tests(k, name, value, argument, assumed, space, text)
    if isinstance(value, Const | Known) or (isinstance(value, Var) and value.type.kind == "opaque"):
        if isinstance(value, Var):
            space[f"c{k}"] = type(argument)
            tests = [f"{text}.__class__ is c{k}"]
            if isinstance(argument, list | tuple | dict | set):
                space["holds_complex"] = holds_complex
                tests.append(f"holds_complex({text}) is {value.type.dtype == 'c'}")
            if foreign(argument) is None and may_hold_others(argument):
                space["holds_foreign"] = holds_foreign
                tests.append(f"holds_foreign({text}) is {value.type.element is not None}")
            return tests
        space[f"c{k}"] = argument
        if isinstance(argument, str) or type(argument) is int:
            return [f"{text}.__class__ is {type(argument).__name__} and {text} == c{k}"]
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
            if own in assumed.exact:
                lengths.append(f"s{k}[{axis}] == {assumed.exact[own]}")
            if own in assumed.least:
                lengths.append(f"s{k}[{axis}] >= {assumed.least[own]}")
            for assumed_length in sorted(assumed.assumed):
                base, _, less = assumed_length.partition("-")
                if base == own:
                    lengths.append(f"s{k}[{axis}] != {1 + int(less or 0)}")
        if lengths == [f"s{k}[{axis}] != 1" for axis in range(len(shape))]:
            lengths = [f"1 not in s{k}"]
        rank = f"len(s{k} := {text}.shape)" if lengths else f"{text}.ndim"
        tests += [f"{rank} == {len(shape)}", f"({text}.dtype is t{k} or {text}.dtype == t{k})"]
        tests += lengths
    return tests


def _length(places: dict[str, str], length: str) -> str:
    """The expression of the length of an argument's axis."""
    name, _, axis = length.rpartition(".")
    return f"{places[name + '.']}.shape[{axis}]"


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
