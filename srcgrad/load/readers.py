"""What a backward part reads: kept values and names of the outside, and in which lines."""

from __future__ import annotations

import ast
import dis
import itertools
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from srcgrad.load.texts import is_generated

_SHAPES = frozenset({"shape", "ndim", "size", "dtype"})
_OF_SHAPE = {
    "zeros_like": 0, "ones_like": 0, "full_like": 0, "shape": 0, "ndim": 0, "size": 0, "len": 0,
}  # fmt: skip
_OF_SHAPE |= {"unbroadcast": 1, "cast_like": 1}


@dataclass(frozen=True)
class Reader:
    """A line that reads a kept value."""

    name: str  # the variable there
    lineno: int  # the number of the line in the generated file


def names_read(function: Any) -> list[tuple[Any, str]]:
    """Return the globals and cells that a generated function, or one that it calls, reads.

    Returns:
        The namespace and the name of each: the globals, or the cell.
    """
    found: dict[tuple[int, str], tuple[Any, str]] = {}
    queue, seen = [function], set()
    while queue:
        function = queue.pop()
        if function in seen:
            continue
        seen.add(function)
        free = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in free:
            inner = cell.cell_contents
            if is_generated(inner):
                queue.append(inner)
            else:
                found[id(cell), name] = (cell, name)
        space = function.__globals__
        for code in codes(function.__code__):
            for step in dis.get_instructions(code):
                if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in space:
                    found[id(space), step.argval] = (space, step.argval)
    return list(found.values())


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A piece of code, and those that stand in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def readers_of_name(text: str, function: str, name: str) -> list[Reader]:
    """Return the lines of backward parts that read a name of the outside.

    Args:
        text: the generated module.
        function: the name of the backward function; those of called functions follow
            or precede it, and forward functions are left out.
        name: the name.
    """
    found = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        if [a.arg for a in node.args.args][:1] == ["residuals"]:
            uses = [use for use in _uses(node, name) if not only_shape(use)]
            found += [(node.name != function, Reader(name, use[0].lineno)) for use in uses]
    return [reader for _, reader in sorted(found, key=lambda row: row[0])]


def readers(text: str, function: str, path: tuple[int, ...]) -> list[Reader] | None:
    """Return the lines of a backward part that read a kept value for more than its shape.

    Args:
        text: the generated module.
        function: the name of the backward function.
        path: where the value is among the residuals: a position in a tuple, or the
            number of an iteration, from the outside in.

    Returns:
        The lines; None where the text does not tell.
    """
    functions = {
        node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
    }
    return _of_function(functions, functions[function], path)


def _of_function(functions: Any, node: Any, path: tuple[int, ...]) -> list[Reader] | None:
    for statement in node.body:
        if (
            path
            and isinstance(statement, ast.Assign)
            and isinstance(statement.value, ast.Name)
            and statement.value.id == "residuals"
        ):
            return _of_target(functions, node, statement.targets[0], path)
    return None


def _of_target(functions: Any, scope: Any, target: Any, path: Any) -> list[Reader] | None:
    """The readers of a part of what is assigned to a target."""
    if isinstance(target, ast.Tuple):
        if not path or path[0] >= len(target.elts):
            return None
        return _of_target(functions, scope, target.elts[path[0]], path[1:])
    if not isinstance(target, ast.Name):
        return None
    uses = list(_uses(scope, target.id))
    if not path:
        handed = [_handed_on(functions, use, path) for use in uses]
        plain = [use for use, inner in zip(uses, handed, strict=True) if inner is None]
        read = [Reader(target.id, use[0].lineno) for use in plain if not only_shape(use)]
        return read + [reader for inner in handed for reader in inner or ()]
    found: list[Reader] = []
    known = False
    for use in uses:
        inner = _handed_on(functions, use, path)
        if inner is None:
            inner = _unpacked(functions, use, path)
        if inner is not None:
            known = True
            found += inner
    return found if known else None


def _uses(scope: Any, name: str) -> Iterator[list[Any]]:
    """Each reading of a name, with the nodes around it, from the inside out."""

    def walk(node: Any, around: list[Any]) -> Iterator[list[Any]]:
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
            yield [node, *around]
        for child in ast.iter_child_nodes(node):
            yield from walk(child, [node, *around])

    yield from walk(scope, [])


def only_shape(use: list[Any]) -> bool:
    """Tell whether a reading of a name is for the shape of the value only."""
    node, around = use[0], use[1]
    if isinstance(around, ast.Attribute):
        return around.attr in _SHAPES
    if not isinstance(around, ast.Call):
        return False
    name = getattr(around.func, "attr", getattr(around.func, "id", ""))
    place = _OF_SHAPE.get(name)
    return place is not None and len(around.args) > place and around.args[place] is node


def _handed_on(functions: Any, use: list[Any], path: Any) -> list[Reader] | None:
    """The readers in another backward function that is called with the value."""
    node, call = use[0], use[1]
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return None
    called = functions.get(call.func.id)
    if called is None or not path or not call.args or call.args[0] is not node:
        return None
    return _of_function(functions, called, path)


def _unpacked(functions: Any, use: list[Any], path: Any) -> list[Reader] | None:
    """The readers of an element of a list that a loop goes through, or of an unpacked tuple."""
    for inner, outer in itertools.pairwise(use):
        if isinstance(outer, ast.For) and outer.iter is inner:
            target = outer.target
            if isinstance(inner, ast.Call) and isinstance(target, ast.Tuple):  # zip(...)
                places = [k for k, a in enumerate(inner.args) if use[0] in ast.walk(a)]
                if len(places) != 1 or len(places) > len(target.elts):
                    return None
                target = target.elts[places[0]]
            return _of_target(functions, outer, target, path[1:])
        if isinstance(outer, ast.Assign) and outer.value is use[0]:
            return None
    return None
