"""What generated code is valid for beyond what its text says, and the tests of that.

Under srcgrad a call runs code that was generated for arguments like its own
(``signature.py``). A saved module has the code for one signature only: whatever
its text relies on is tested where it is entered. That is found out by
generating it again with less known of one argument after the other: what leaves
the text as it is was not relied on.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import inspect
import re
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.calling.arguments.signature import is_of, relied_on, relied_on_of_axis, shape_name
from srcgrad.emit.words.text import LINE
from srcgrad.errors import SaveError
from srcgrad.ir.forms import has_dict, key_text
from srcgrad.ir.layout import path_text
from srcgrad.ir.leaves import leaves, parts_with_paths
from srcgrad.ir.nodes import Compound, Const, Items, Known, Struct, Value, Var
from srcgrad.ir.types import Type

_AXIS = re.compile(r"np\.shape\((.*)\)\[(\d+)\]")
_NONE = re.compile(r"\bis (not )?None\b")
_MANY = 12  # parts of an argument that are looked at one by one


@dataclass(frozen=True, eq=False)
class Basis:
    """What generated code was made from."""

    names: list[str]  # the parameters
    values: list[Value]  # what they stand for
    text: str  # the generated text
    lengths: Lengths  # what was assumed of lengths
    inner: Basis | None  # the same of the derivative that was differentiated, if it was one
    # gives the text, and what was assumed of lengths, for other values
    again: Callable[[list[Value]], tuple[str, Lengths]]
    found: dict[tuple[type, str], Any]  # what was found in classes, by class and name
    kinds: dict[Var, str]  # the element types that arrays of NumPy's must have

    def ranks(self) -> dict[str, int]:
        """Return the numbers of dimensions that are known of parameters, by name."""
        known = zip(self.names, self.values, strict=True)
        ranks = {name: value.type.ndim for name, value in known if isinstance(value, Var)}
        return {name: rank for name, rank in ranks.items() if rank is not None}


@dataclass(frozen=True)
class Requirement:
    """What an argument must be."""

    broken: str  # the expression that is true where it is something else
    words: str  # what it must be


def requirements(basis: Basis, source: str = "") -> list[Requirement]:
    """Return what the arguments of generated code must be, as far as it relies on that."""
    inner = requirements(basis.inner, source) if basis.inner is not None else []
    values, lengths = _least(basis)
    found: list[Requirement] = []
    places: dict[str, str] = {}
    for name, value in zip(basis.names, values, strict=True):
        for text, leaf in _walk(value, name):
            found += _of_value(text, leaf, lengths)
            if isinstance(leaf, Struct):
                found += _of_class(text, leaf, basis.found)
            if isinstance(leaf, Var) and isinstance(leaf.type.shape, tuple):
                rows = [(shape_name(leaf, k), k) for k in range(len(leaf.type.shape))]
                places |= {own: f"np.shape({text})[{k}]" for own, k in rows if own is not None}
            if isinstance(leaf, Var) and isinstance(lengths.values.get(leaf), str):
                places[str(lengths.values[leaf])] = text
    found += _of_lengths(lengths, places)
    found += _of_kinds(basis, source)
    return list(dict.fromkeys([*inner, *found]))


def _of_kinds(basis: Basis, source: str) -> list[Requirement]:
    """The tests of what no text shows: that numbers are real, and none of them None."""
    rows = zip(basis.names, basis.values, strict=True)
    parts = [part for name, value in rows for part in _walk(value, name)]
    numbers = [(t, v) for t, v in parts if isinstance(v, Var) and v.type.is_number]
    body = basis.text.partition(":\n")[2]
    used = {word for word in re.findall(r"\w+", body) if word in basis.names}
    real = [t for t, v in numbers if v.type.dtype != "c" and re.split(r"\W", t)[0] in used]
    found = []
    if real:
        broken = " or ".join(f"np.iscomplexobj({text})" for text in real)
        found.append(Requirement(broken, f"real {', '.join(real)}"))
    for text, value in numbers:
        if (kind := basis.kinds.get(value)) and re.split(r"\W", text)[0] in used:
            broken = f"not isinstance({text}, np.ndarray) or {text}.dtype != np.{kind}"
            found.append(Requirement(broken, f"{text} a NumPy array of {kind}"))
    given = [text for text, value in numbers if not value.type.active]
    if given and _NONE.search(source):
        broken = " or ".join(f"{text} is None" for text in given)
        found.append(Requirement(broken, f"{', '.join(given)} other than None"))
    return found


def _least(basis: Basis) -> tuple[list[Value], Lengths]:
    """The values of which as little as possible is known, the text being the same."""
    values, lengths = list(basis.values), basis.lengths

    def attempt(changed: list[Value]) -> bool:
        nonlocal values, lengths
        made = None
        with contextlib.suppress(Exception):  # it cannot be done with less
            made = basis.again(changed)
        if made is None or made[0] != basis.text:
            return False
        values, lengths = changed, made[1]
        return True

    weaker = [_weakened(n, v, _unknown) for n, v in zip(basis.names, values, strict=True)]
    if all(a is b for a, b in zip(weaker, values, strict=True)) or attempt(weaker):
        return values, lengths
    for k, name in enumerate(basis.names):
        for weaken in (_unknown, _of_some_lengths):
            before = values
            new = _weakened(name, before[k], weaken)
            if new is before[k] or attempt([*before[:k], new, *before[k + 1 :]]):
                continue
            count = len(leaves(new))
            for j in range(count if 1 < count <= _MANY else 0):
                new = _weakened(name, values[k], weaken, only=j)
                if new is not values[k]:
                    attempt([*values[:k], new, *values[k + 1 :]])
    return values, lengths


def _unknown(name: str, value: Value) -> Value:
    """The least that can be known: a number or an array of some rank."""
    if not isinstance(value, Var):
        return Var(name, _numeric(name), named=True)
    if value.type.is_number and not isinstance(value.type.shape, tuple):
        return value
    dtype = "f" if value.type.active else "?"
    type_ = replace(_numeric(name), dtype=dtype, active=value.type.active)
    return Var(value.name, type_, named=True)


def _of_some_lengths(name: str, value: Value) -> Value:
    """An array of which the rank is known."""
    if not isinstance(value, Var) or not isinstance(value.type.shape, tuple):
        return value
    if value.type.kind != "array" or not any(value.type.shape):
        return value
    type_ = replace(value.type, shape=(None,) * len(value.type.shape))
    return Var(value.name, type_, named=True)


def _numeric(name: str) -> Type:
    return Type("numeric", f"{name}.shape", "?")


def _weakened(name: str, value: Value, weaken: Any, only: int | None = None) -> Value:
    """A value of whose leaves, or of one of them, less is known."""
    count = -1

    def walk(part: Value, label: str) -> Value:
        nonlocal count
        if isinstance(part, Compound):
            items = [walk(v, f"{label}~{k}") for k, v in enumerate(part.items)]
            same = all(a is b for a, b in zip(items, part.items, strict=True))
            return part if same else part.like(items)
        count += 1
        return part if only not in (None, count) else weaken(label, part)

    return walk(value, name)


def _walk(value: Value, text: str) -> Iterator[tuple[str, Value]]:
    """A value and its parts, with the expressions that read them."""
    for path, part in parts_with_paths(value):
        if path is not None:
            yield text + path_text(path), part


def _of_value(text: str, value: Value, lengths: Lengths) -> list[Requirement]:
    if isinstance(value, Const):
        if isinstance(value.value, str):
            return [Requirement(f"{text} != {_quoted(value.value)}", f"{text}={value.value!r}")]
        return [Requirement(f"{text} is not {value.value!r}", f"{text}={value.value!r}")]
    if isinstance(value, Known) and isinstance(value.object, enum.Enum):
        member = value.object
        own, cls = f"({text}.__class__.__name__, {text}.name)", type(member).__name__
        return [Requirement(f'{own} != ("{cls}", "{member.name}")', f"{text}={member}")]
    if isinstance(value, Known):
        return [_of_function(text, value.object)]
    if isinstance(value, Items):
        n, kind = len(value.items), "list" if value.is_list else "tuple"
        broken = f"{text}.__class__ is not {kind} or len({text}) != {n}"
        return [Requirement(broken, f"a {kind} {text} of length {n}")]
    if isinstance(value, Struct):
        if value.form.cls is dict:
            keys = ", ".join(map(key_text, value.form.names))
            return [Requirement(f"[*{text}] != [{keys}]", f"{text} with the keys {keys}")]
        cls = value.form.cls.__name__
        return [Requirement(f'{text}.__class__.__name__ != "{cls}"', f"{text} of the class {cls}")]
    if isinstance(value, Var):
        return _of_number(text, value, lengths)
    return []


def _of_class(text: str, value: Struct, found: dict[tuple[type, str], Any]) -> list[Requirement]:
    """The tests that an object has from its class what the text was written for."""
    made: list[Requirement] = []
    cls = value.form.cls
    for (owner, name), held in found.items():
        if owner not in cls.__mro__ or inspect.getattr_static(cls, name, None) is not held:
            continue
        if held is None or isinstance(held, bool | str):
            made += _of_value(f"{text}.{name}", Const(held), Lengths())
        elif isinstance(held, types.FunctionType) and has_dict(cls) and name[:2] != "__":
            words = f"{text} without {name!r} among its own attributes"
            made.append(Requirement(f'"{name}" in vars({text})', words))
    return made


def _of_function(text: str, thing: Any) -> Requirement:
    """The test that an argument is the function, class or module that it was."""
    name = getattr(thing, "__name__", "")
    if isinstance(thing, types.ModuleType):
        return Requirement(f'{text}.__name__ != "{name}"', f"{text}={name}")
    if name and getattr(np, name, None) is thing:
        return Requirement(f"{text} is not np.{name}", f"{text}=np.{name}")
    if isinstance(thing, np.ufunc):
        return Requirement(f'{text}.__name__ != "{name}"', f"{text}={name}")
    label = getattr(thing, "__qualname__", "<")
    module = getattr(thing, "__module__", None)
    if "<" in label or module is None:
        raise SaveError(
            f"the argument {text!r} is a function without a name, "
            "and a saved module cannot tell it from another one",
            fixes=["define it at the top level of a module", "call it by name in the function"],
        )
    return Requirement(
        f'({text}.__module__, {text}.__qualname__) != ("{module}", "{label}")',
        f"{text}={module}.{label}",
    )


def _of_number(text: str, value: Var, lengths: Lengths) -> list[Requirement]:
    """The test that a number or an array is of the shape and the kind that it was."""
    type_ = value.type
    if not type_.is_number:
        return []
    found: list[Requirement] = []
    if isinstance(type_.shape, tuple):
        found.append(_of_shape(text, value, lengths))
        if type_.kind == "array" and type_.dtype in "ib":
            sign, words = ("!=", "booleans") if type_.dtype == "b" else ("==", "integers")
            found.append(
                Requirement(f"np.asarray({text}).dtype {sign} bool", f"an array {text} of {words}")
            )
    if type_.dtype == "c":
        found.append(Requirement(f"not np.iscomplexobj({text})", f"complex {text}"))
    return found


def _of_shape(text: str, value: Var, lengths: Lengths) -> Requirement:
    shape = value.type.shape
    assert isinstance(shape, tuple)
    rank = len(shape)
    if rank == 0:
        return Requirement(f"np.ndim({text}) != 0", f"a scalar {text}")
    tests = [f"np.ndim({text}) != {rank}"]
    words = [f"{text} with {rank} {'axis' if rank == 1 else 'axes'}"]
    wide: list[int] = []
    for axis, length in enumerate(shape):
        place = f"np.shape({text})[{axis}]"
        if length == 1:
            tests.append(f"{place} != 1")
            words.append(f"axis {axis} of length 1")
        for sign, number in relied_on_of_axis(lengths, shape_name(value, axis)):
            if (sign, number) == ("!=", 1):
                wide.append(axis)
                continue
            tests.append(f"{place} {_OPPOSITE[sign]} {number}")
            words.append(f"axis {axis} {_WORDS[sign].format(number)}")
    if len(wide) == rank:
        tests.append(f"1 in np.shape({text})")
        words.append("none of them of length 1" if rank > 1 else "not of length 1")
    else:
        tests += [f"np.shape({text})[{axis}] == 1" for axis in wide]
        words += [f"axis {axis} not of length 1" for axis in wide]
    return Requirement(" or ".join(tests), ", ".join(words))


_OPPOSITE = {"==": "!=", "!=": "==", ">=": "<"}
_WORDS = {"==": "of length {}", ">=": "of length {} or more", "!=": "not of length {}"}


def _of_lengths(lengths: Lengths, places: dict[str, str]) -> list[Requirement]:
    """The tests of what was assumed of lengths beyond those of single axes."""
    found: list[Requirement] = []
    for a, sign, b in relied_on(lengths, places, functools.partial(is_of, lengths, places)):
        axes = [_AXIS.fullmatch(text) for text in (a, b)]
        words = f"{a} {sign} {b}"
        if all(axes):
            (x, j), (y, k) = (axis.groups() for axis in axes if axis is not None)
            words = f"axis {j} of {x} and axis {k} of {y} of one length"
        found.append(Requirement(f"{a} {_OPPOSITE[sign]} {b}", words))
    return found


def entry_lines(function: str, required: list[Requirement]) -> list[str]:
    """Return the statements that refuse arguments that generated code is not valid for."""
    lines: list[str] = []
    for requirement in required:
        message = _quoted(f"{function} was generated for {requirement.words}")
        lines += _test(requirement.broken)
        lines.append(f"        raise ValueError({message})")
    return lines


def _test(condition: str) -> list[str]:
    """The head of a statement, with one test a line where it is too long."""
    line = f"    if {condition}:"
    if len(line) <= LINE:
        return [line]
    first, *rest = condition.split(" or ")
    return ["    if (", f"        {first}", *(f"        or {test}" for test in rest), "    ):"]


def _quoted(text: str) -> str:
    """A string as it is written with double quotes where it can be."""
    return repr(text) if '"' in text or "\\" in text else f'"{text}"'
