"""The signature of a call: the test whether generated code fits its arguments."""

from __future__ import annotations

import functools
import weakref
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.contents import contents_of_records, data_contents
from srcgrad.analysis.shapes.lengths import Lengths, place_of
from srcgrad.analysis.shapes.linear import is_axis, terms_of
from srcgrad.calling.arguments.lazy import is_lazy
from srcgrad.ir.nodes import Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.structures import holds_complex
from srcgrad.ir.types import Contents
from srcgrad.program.foreign import Foreign, foreign, holds_foreign, may_hold_others
from srcgrad.program.guards import ArgumentTests


def argument_tests(
    names: list[str], values: list[Value], arguments: list[Any], lengths: Lengths
) -> ArgumentTests:
    """Make the tests whether the arguments of a call fit a specialisation.

    Args:
        names: the parameters.
        values: what they stood for when the code was generated.
        arguments: the arguments at that time.
        lengths: what was assumed of lengths.
    """
    space: dict[str, Any] = {}
    tests: list[str] = []
    for k, (name, value, argument) in enumerate(zip(names, values, arguments, strict=True)):
        tests += _argument_tests(str(k), name, value, argument, lengths, space)
    places: dict[str, str] = {}
    for k, value in enumerate(values):
        places |= _places(value, f"a{k}", lengths)
    tests += map(" ".join, relied_on(lengths, places))
    return ArgumentTests([f"a{k}" for k in range(len(names))], tests, space)


def _argument_tests(
    k: str, name: str, value: Value, argument: Any, assumed, space, text: str = ""
) -> list[str]:
    text = text or f"a{k}"
    if isinstance(value, Compound):
        return _structure_tests(k, name, value, argument, assumed, space, text)
    if isinstance(value, Const | Known) or (isinstance(value, Var) and value.type.kind == "opaque"):
        if isinstance(value, Var):
            space[f"c{k}"] = type(argument)
            if type(argument) in weakref.ProxyTypes:  # their __class__ is that of another object
                return [f"type({text}) is c{k}"]
            tests = [f"{text}.__class__ is c{k}"]
            if isinstance(value.type.element, Contents):
                space["data_contents"], space[f"h{k}"] = data_contents, value.type.element
                return [*tests, f"data_contents({text}) == h{k}"]
            if isinstance(argument, list | tuple | dict | set):
                space["holds_complex"] = holds_complex
                tests.append(f"holds_complex({text}) is {value.type.dtype == 'c'}")
            if foreign(argument) is None and may_hold_others(argument):
                space["holds_foreign"] = holds_foreign
                tests.append(f"holds_foreign({text}) is {isinstance(value.type.element, Foreign)}")
            return tests
        space[f"c{k}"] = argument
        if isinstance(argument, str) or type(argument) is int:
            space[f"k{k}"] = type(argument)  # a member of a StrEnum is text, too
            return [f"{text}.__class__ is k{k} and {text} == c{k}"]
        return [f"{text} is c{k}"]
    if isinstance(value, Var) and value.type.kind == "list":
        space["contents_of_records"], space[f"h{k}"] = contents_of_records, value.type.element
        return [f"contents_of_records({text}) == h{k}"]
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
            tested = relied_on_of_axis(assumed, own)
            lengths += [f"s{k}[{axis}] {sign} {number}" for sign, number in tested]
        if len(shape) > 1 and lengths == [f"s{k}[{axis}] != 1" for axis in range(len(shape))]:
            lengths = [f"1 not in s{k}"]
        if type(argument) is np.ndarray and all(f"s{k}[0]" in test for test in lengths):
            lengths = [test.replace(f"s{k}[0]", f"len({text})") for test in lengths]
            rank = f"{text}.ndim"  # no shape has to be made
        else:
            rank = f"len(s{k} := {text}.shape)"
        tests += [f"{rank} == {len(shape)}", f"({text}.dtype is t{k} or {text}.dtype == t{k})"]
        tests += lengths
        if is_lazy(argument):
            tests.append(f"{text}.size == {text}.size")  # a length that is not known is nan
    return tests


def relied_on_of_axis(lengths: Lengths, own: str | None) -> list[tuple[str, int]]:
    """Return what was assumed of the length of an axis: signs of comparison, with numbers."""
    tables = (("==", lengths.exact), (">=", lengths.least))
    found = [(sign, table[own]) for sign, table in tables if own in table]
    for length in filter(is_axis, sorted(lengths.assumed)):
        ((base, _),), constant = terms_of(length)
        found += [("!=", 1 - constant)] if base == own else []
    return found


def relied_on(lengths: Lengths, places: dict[str, str], known: Any = None) -> list[tuple[str, ...]]:
    """Return what was assumed of lengths beyond those of single axes: texts and signs between.

    ``known``: tells which lengths are looked at; all by default.
    """
    place = functools.partial(place_of, lengths, places)
    pairs = (pair for pair in sorted(lengths.required) if known is None or all(map(known, pair)))
    found = [(place(a), "==", place(b)) for a, b in pairs]
    found += [(place(n), ">=", "0") for n in filter(known, sorted(lengths.nonnegative))]
    others = (n for n in sorted(lengths.assumed) if not is_axis(n) and is_of(lengths, places, n))
    return [*found, *((place(n), "!=", "1") for n in others)]


def is_of(lengths: Lengths, places: dict[str, str], length: str) -> bool:
    """Tell whether all that a length is made of is among arguments."""
    for name, _ in terms_of(length)[0]:
        if name in lengths.made:
            parts = [str(part) for part in lengths.made[name][1:]]
            if not all(is_of(lengths, places, part) for part in parts):
                return False
        elif name not in places:
            return False
    return True


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


def _places(value: Value, text: str, lengths: Lengths) -> dict[str, str]:
    """The expressions of the lengths and whole numbers inside of an argument, by their names."""
    if isinstance(value, Items):
        rows = [(item, f"{text}[{j}]") for j, item in enumerate(value.items)]
    elif isinstance(value, Struct):
        readable = [j for j in range(len(value.items)) if value.form.access(j) is not None]
        rows = [(value.items[j], _part_text(value, j, text)) for j in readable]
    else:
        shape = value.type.shape if isinstance(value, Var) else None
        whole = lengths.values.get(value) if isinstance(value, Var) else None
        if isinstance(whole, str):
            return {whole: text}
        rows = enumerate(shape if isinstance(shape, tuple) else ())
        return {name: f"{text}.shape[{k}]" for k, name in rows if isinstance(name, str)}
    found: dict[str, str] = {}
    for item, place in rows:
        found |= _places(item, place, lengths)
    return found
