"""Values inside of functions that are differentiated with respect to: ``wrt="encoder.h@14"``.

What is meant is a zero that is added to the value which the line gives the name.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from srcgrad.errors import ArgumentError
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program.compiled_text import require_text
from srcgrad.program.namespaces import read_name
from srcgrad.program.primals import primal_of
from srcgrad.program.syntax_trees import functions_at


class LocalName(str):
    """A name inside of a function, as it was written.

    Attributes:
        function: the name of the function; that of the one that is differentiated by default.
        name: the name.
        lineno: the number of the line that gives it the value.
    """

    __slots__ = ("function", "lineno", "name")
    function: str
    name: str
    lineno: int

    def holds(self, function: str, name: str, lineno: int | None) -> bool:
        """Tell whether an assignment is the one that is meant."""
        return (self.function, self.name, self.lineno) == (function, name, lineno)


def local_name(item: str, function: Any, parameters: list[str]) -> LocalName:
    """Return what is meant by a ``wrt`` that is the name of no parameter."""
    path, _, line = item.partition("@")
    owner, _, name = path.rpartition(".")
    known = dict(_functions(function))
    lines = known.get(owner or function.__name__, {}).get(name, [])
    meant = [k for k in lines if "@" not in item or line == str(k)]
    if len(meant) != 1:
        labels = [
            f"{'' if label == function.__name__ else f'{label}.'}{own}@{k}"
            for label, rows in known.items()
            for own, numbers in rows.items()
            for k in numbers
        ]
        if len(meant) > 1:
            what = f"several lines give the name {path!r} a value"
            choice = [label for label in labels if label.split("@")[0] == path]
        else:
            if isinstance(function, types.FunctionType):
                require_text(function)
            what = f"wrt={item!r} is no argument of {function.__name__}, and no name in it"
            choice = [*parameters, *labels]
        raise ArgumentError(what, fixes=[f"choose one of {', '.join(choice)}"])
    made = LocalName(item)
    made.function, made.name, made.lineno = owner or function.__name__, name, meant[0]
    return made


def not_an_argument(name: LocalName) -> ArgumentError:
    """Return the error where a derivative is asked for that is one of arguments only."""
    return ArgumentError(
        f"{str(name)!r} is no argument: grad, value_and_grad and vjp differentiate with respect "
        "to what a line gives a name",
        fixes=["make it an argument of a function of its own"],
    )


def assigned_lines(function: Any, loops: bool = False) -> dict[str, list[int]]:
    """Return the numbers of the lines in which assignments give the names of a function a value."""
    nodes = functions_at(function.__code__, function.__globals__)
    return _assigned(nodes[0], loops) if len(nodes) == 1 else {}


def _assigned(tree: Any, loops: bool = False) -> dict[str, list[int]]:
    """The lines of the assignments in a function, but for those in functions inside of it."""
    found: dict[str, list[int]] = {}
    waiting = list(getattr(tree, "body", ())) if isinstance(tree, ast.FunctionDef) else []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        plain = isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        targets += [item.optional_vars for item in getattr(node, "items", ())]
        parts = [part for t in targets if t is not None for part in ast.walk(t)]
        for part in parts if plain or (loops and isinstance(node, ast.stmt)) else ():
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                lines = found.setdefault(part.id, [])
                lines += [node.lineno] if node.lineno not in lines else []
        waiting[:0] = [
            part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.expr)
        ]
    return found


def _functions(function: Any) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """The functions that one may call, by the names that they go by, each with its lines."""
    seen: set[str] = set()
    waiting = [function]
    while waiting:
        fn = waiting.pop(0)
        if not isinstance(fn, types.FunctionType) or fn.__name__ in seen:
            continue
        if is_of_library(fn) or home(fn) == "srcgrad":  # a decorator of its own, for example
            continue
        seen.add(fn.__name__)
        yield fn.__name__, assigned_lines(fn)
        nodes = functions_at(fn.__code__, fn.__globals__)
        for node in ast.walk(nodes[0]) if len(nodes) == 1 else ():
            if isinstance(node, ast.FunctionDef):
                if node is not nodes[0] and node.name not in seen:
                    seen.add(node.name)
                    yield node.name, _assigned(node)
            elif isinstance(node, ast.Name | ast.Attribute):
                waiting += _meant(fn, getattr(node, "id", None), getattr(node, "attr", None))


def _meant(fn: Any, name: str | None, attribute: str | None) -> list[Any]:
    """The functions that a name in a function may stand for, and the methods of the program."""
    if name is not None:
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        found = read_name(cells.get(name, fn.__globals__), name)
        found = primal_of(found)
        own = isinstance(found, type) and found.__module__ == fn.__module__
        return list(vars(found).values()) if own else [found]
    own = (c for c in list(fn.__globals__.values()) if isinstance(c, type))
    return [
        found
        for c in own
        for name, found in vars(c).items()
        if name == attribute and c.__module__ == fn.__module__
    ]
