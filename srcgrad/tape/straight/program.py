"""The straight-line program that ran on a tape, as a module."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import srcgrad.tape.recording as recording
from srcgrad.errors import ArgumentError
from srcgrad.load.compile import write_file
from srcgrad.load.source_map import Place, remember
from srcgrad.program.device_arrays import is_on_device
from srcgrad.tape.recording import Tape, raw
from srcgrad.tape.steps.noting import Noted
from srcgrad.tape.straight.words import name_of
from srcgrad.tape.straight.writing import Writer, plain
from srcgrad.tape.trees import Rebuilding, getattr_plain, names_of


class Program:
    """What ran on a tape as a straight-line program.

    Attributes:
        name: the name of the function in it.
        text: the text of the module.
        given: what the text refers to, and no import can reach, by name.
        places: for lines of the text, the lines of the user's that they belong to.
        first: the number of the first line of the way back.
        source: the name of the function that was recorded, and its file.
    """

    def __init__(
        self,
        name: str,
        text: str,
        given: dict[str, Any],
        places: dict[int, Place],
        first: int,
        source: tuple[str, str],
    ) -> None:
        self.name = name
        self.source = source
        self.text = text
        self.given = given
        self.places = places
        self.first = first

    @functools.cached_property
    def filename(self) -> str:
        """The file that the program is in."""
        name = write_file(self.name, self.text)
        remember(name, self.places)
        return name

    @functools.cached_property
    def space(self) -> dict[str, Any]:
        """The names of the module: the function, and ``arguments``, those of the recorded call."""
        made = dict(self.given)
        self.compiled(ast.parse(self.text, self.filename), made)
        return made

    def compiled(self, tree: ast.Module, space: dict[str, Any]) -> Any:
        """Run the definitions of a module; return the function.

        Args:
            tree: the module.
            space: its names.
        """
        space["__name__"] = __name__  # whose lines nobody steps through
        exec(compile(tree, self.filename, "exec"), space)
        space["__name__"] = f"<{self.name}>"
        return space[self.name]

    @property
    def function(self) -> Any:
        """The function: of the differentiated arguments, and the cotangents of the result."""
        return self.space[self.name]


@recording.program.define
def program(tape: Tape) -> Program:
    """Return what ran on a tape as a straight-line program.

    Raises:
        ArgumentError: when its steps were not noted.
    """
    if type(tape.entries) is not Noted or tape.function is None:
        raise ArgumentError(
            "nothing was noted on this tape that could be shown as a program",
            fixes=["give the empty tape to srcgrad.tape.vjp(f, ..., tape=tape), and run it"],
        )
    f, given = tape.function
    if any(is_on_device(plain(value)) for _, _, value in tape.arguments):
        raise ArgumentError(
            "what ran is written as a program for arrays of NumPy's, and it ran on a device",
            fixes=["record it with arrays of NumPy's"],
        )
    held = {label: value for label, value in given.items() if isinstance(value, np.ndarray)}
    own = [plain(value) for _, _, value in tape.arguments]
    held = {k: value for k, value in held.items() if not any(value is part for part in own)}
    writer = Writer(tape, tape.entries, held)
    words = writer.words
    name = words.new(_name_of(f))
    words.constants += [words.assignment(label, value) for label, value in writer.given]
    writer.forward(_labels(tape.arguments, given))
    ends = _ends(tape.ends)
    values = [raw(end.value) for end in ends]
    bars = [words.new("value_bar" if len(ends) == 1 else f"value{k}_bar") for k in range(len(ends))]
    split = len(writer.lines)
    writer.comment("the way back")
    seeds = _seeds(tape, ends)
    writer.back([(end.node, bar) for end, bar in zip(ends, bars, strict=True)], seeds)
    writer.comment("the value, and the cotangents of the arguments")
    slopes = []
    for _, node, _ in tape.arguments:
        own, bar = name_of(writer.names[node]), writer.bar(node)
        if bar is None:
            bar = ast.Call(name_of("np.zeros_like"), [own], [])
        slopes.append(ast.unparse(bar))
    made = [writer.names[end.node] for end in ends]
    result = made[0] if len(made) == 1 else f"({', '.join(made)}{',' if made else ''})"
    slope = slopes[0] if len(slopes) == 1 else f"({', '.join(slopes)})"
    head = [writer.names[node] for _, node, _ in tape.arguments]
    plain_numbers = not any(np.shape(value) for value in values)
    with_default = [f"{bar}=1.0" for bar in bars] if plain_numbers else bars
    arguments = [plain(value) for _, _, value in tape.arguments]
    now = [ast.unparse(words.constant(part)) for part in (*arguments, *seeds)]
    last = f"arguments = ({', '.join(now)}{',' if len(now) == 1 else ''})"
    lines = [
        f'"""What {_place_of(f)} did, as a tape recorded it: each step once, in order."""',
        "",
        *words.imports,
        "",
        "",
        f"def {name}({', '.join(head + with_default)}):",
        '    """Return the value, and the cotangents of the arguments."""',
    ]
    start = len(lines)
    lines += [f"    {line}".rstrip() for line in writer.lines]
    lines += [f"    return {result}, {slope}", "", ""]
    lines += ["# what it was called with, and what it took from elsewhere"]
    lines += [*words.constants, last]
    text = "\n".join(lines) + "\n"
    places = {start + k + 1: p for k, p in enumerate(writer.places) if p is not None}
    code = getattr(f, "__code__", None)
    source = (code.co_name, code.co_filename) if code is not None else ("", "")
    return Program(name, text, words.given, places, start + split + 1, source)


def _labels(arguments: Any, given: dict[str, Any]) -> list[str]:
    """Return names for the differentiated arguments; those of parts tell where they are."""
    found: list[str] = []
    for name, group in itertools.groupby(label for label, _, _ in arguments):
        count = len(list(group))
        parts = list(_parts(given.get(name), name, set()))
        found += parts if len(parts) == count else [name] * count
    return found


def _parts(value: Any, name: str, around: set[int]) -> Iterator[str]:
    """Go through the names of the numbers in a value, in the order in which a tape takes them."""
    value = plain(value)
    if isinstance(value, np.ndarray | np.generic):
        yield from [name] if value.dtype.kind in "fc" else []
    elif isinstance(value, float | complex):
        yield name
    elif id(value) not in around:
        around.add(id(value))
        if isinstance(value, dict):
            inner = [(f"{name}_{key}", part) for key, part in value.items()]
        elif isinstance(value, tuple | list):
            labels = getattr(value, "_fields", range(len(value)))
            inner = [(f"{name}_{k}", part) for k, part in zip(labels, value, strict=True)]
        else:
            inner = [(f"{name}_{k}", getattr_plain(value, k)) for k in names_of(value) or []]
        for label, part in inner:
            yield from _parts(part, label, around)


def _seeds(tape: Tape, ends: Any) -> list[Any]:
    """Return the cotangents that the last walk back began with; ones, if there was none."""
    found = list(tape.seeds)
    made = []
    for end in ends:
        k = next((k for k, (node, _) in enumerate(found) if node == end.node), None)
        ones = _ones(plain(end.value))
        made.append(plain(found.pop(k)[1]) if k is not None else ones * 0 if tape.seeds else ones)
    return made


def _ones(value: Any) -> Any:
    made = np.ones_like(value)
    return made if isinstance(value, np.ndarray) else made[()]


def _ends(tree: Any) -> list[Any]:
    """Return the leaves of a result that depend on the arguments."""
    found: list[Any] = []
    Rebuilding(found.append)(tree)
    return [end for end in found if getattr(end, "node", None) is not None]


def _name_of(f: Any) -> str:
    name = getattr(f, "__name__", "function")
    return name if name.isidentifier() else "function"


def _place_of(f: Any) -> str:
    code = getattr(f, "__code__", None)
    name = getattr(f, "__name__", "the function")
    if code is None:
        return name
    file = code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{name} ({file}:{code.co_firstlineno})"


__all__ = ["Program", "program"]
