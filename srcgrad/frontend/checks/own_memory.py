"""Which names of a function stand for nothing but what the function made itself.

A write into such an array, list or dict is seen by nobody else. What a list holds may be
somebody else's: ``rows[0] = 1.0`` changes the list, ``rows[0][1] = 1.0`` and ``rows[0] += 1.0``
may change what it was given.
"""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from srcgrad.effects import gives_new, written_by
from srcgrad.program.syntax_trees import nodes_of

_DISPLAYS = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
_ARRAYS = (
    *(np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like),
    *(np.arange, np.linspace, np.eye, np.identity),
)
_NAMED = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.FunctionDef, ast.ClassDef)
_NAMED = (*_NAMED, ast.MatchMapping, ast.AsyncFunctionDef)
_ASSIGNING = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension)
NAMING = {*_NAMED, ast.Import, ast.ImportFrom}  # what binds names that stand in no node
_BINDING = {*NAMING, *_ASSIGNING, ast.withitem, ast.arg}
_ALWAYS = (0, 0), (0, 0)
_MAKERS = (*_ARRAYS, np.full, np.full_like, np.copy, np.array, list, dict, set, deque)


class OwnMemory:
    """The names of a function that stand for what it made, and nothing else.

    Args:
        parts: the parts of its body.
        given: its parameters.
        body: its statements. What a name stood for before one of them gives it something new
            does not count behind it: behind ``x = x.copy()``, a parameter is no longer one.
        thing: gives what an expression stands for outside, or something that is no function.
        plain: whether operators, and methods called ``copy``, give something new, as those
            of numbers, arrays and lists do.
    """

    def __init__(
        self,
        parts: list[Any],
        thing: Callable[[Any], Any],
        plain: bool = True,
        given: Iterable[str] = (),
        body: Iterable[ast.stmt] = (),
    ) -> None:
        self._thing = thing
        self._plain = plain
        values: dict[str, list[tuple[Any, Any]]] = {name: [((0, 0), None)] for name in given}
        begins: dict[str, list[Any]] = {}
        for part in parts:
            for name, value in _bound(part) if type(part) in _BINDING else ():
                values.setdefault(name, []).append((_place(part), value))
        for part in body:
            for name, _ in _bound(part) if isinstance(part, ast.Assign) else ():
                end = part.end_lineno, part.end_col_offset
                begins.setdefault(name, []).append((_place(part), end))
        self._since: dict[str, Any] = {}
        self.names, self.arrays = set[str](), set[str]()
        for name, found in values.items():
            for begin, end in (_ALWAYS, *begins.get(name, ())):
                rest = [value for place, value in found if place >= begin]
                if all(map(self.is_new, rest)):
                    self._since[name] = end
                    self.names.add(name)
                    self.arrays |= {name} if all(map(self._is_array, rest)) else set()
                    break

    def discard(self, names: set[str]) -> None:
        """Leave out names that stand for other things, too."""
        self.names -= names
        self.arrays -= names

    def is_new(self, value: Any) -> bool:
        """Tell whether an expression gives a number, or what nobody else has."""
        if isinstance(value, ast.BinOp | ast.UnaryOp):
            return self._plain
        if isinstance(value, (*_DISPLAYS, ast.Constant)):
            return True
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
            if value.func.attr == "copy" and isinstance(value.func.value, ast.Name):
                return self._plain
        return self._is_made(value, _MAKERS) or self._is_given_new(value)

    def takes(self, target: Any) -> bool:
        """Tell whether storing at ``name[...]`` or ``name.a`` changes only what was made."""
        return isinstance(target.value, ast.Name) and self._has(target.value, self.names)

    def takes_in_place(self, target: Any) -> bool:
        """Tell the same of ``name += v``, and of ``name[...] += v``, which changes the element."""
        if isinstance(target, ast.Name):
            return self._has(target, self.names)
        found = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)
        return found and self._has(target.value, self.arrays)  # type: ignore[union-attr]

    def _has(self, name: ast.Name, names: set[str]) -> bool:
        return name.id in names and _place(name) >= self._since.get(name.id, (0, 0))

    def _is_array(self, value: Any) -> bool:
        if not self._is_made(value, _ARRAYS) or len(value.args) > 1:
            return False
        return not any(k.arg == "dtype" for k in value.keywords)

    def _is_given_new(self, value: Any) -> bool:
        """Tell whether a library's function gives what shares memory with nothing."""
        if not isinstance(value, ast.Call) or any(isinstance(a, ast.Starred) for a in value.args):
            return False
        options = {k.arg: k.value for k in value.keywords if k.arg is not None}
        thing = self._thing(value.func)
        known = len(options) == len(value.keywords) and gives_new(thing)
        return known and not written_by(thing, value.args, options)

    def _is_made(self, value: Any, makers: tuple[Any, ...]) -> bool:
        if not isinstance(value, ast.Call) or any(k.arg in ("copy", None) for k in value.keywords):
            return False
        thing = self._thing(value.func)
        return any(thing is maker for maker in makers)


def _place(node: Any) -> tuple[int, int]:
    """Where a node begins in the text; at its end, for one that does not say so."""
    told = not isinstance(node, ast.comprehension | ast.withitem)
    return (node.lineno, node.col_offset) if told else (sys.maxsize, 0)


def targets_of(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Return the targets of an assignment with what each is given, None where that is unknown."""
    waiting: list[Any] = [(target, node.value) for target in node.targets]
    while waiting:
        target, value = waiting.pop()
        if not isinstance(target, ast.Tuple | ast.List):
            yield target, value
        elif isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            waiting += zip(target.elts, value.elts, strict=True)
        else:
            waiting += [(part, None) for part in target.elts]


def _bound(part: Any) -> Iterator[tuple[str, Any]]:
    """The names that a part of a function binds, each with its value, None if that is unknown."""
    if isinstance(part, ast.Assign):
        for target, value in targets_of(part):
            if isinstance(target, ast.Name):
                yield target.id, value
            else:
                yield from ((name, None) for name in _stored(target))
    elif isinstance(part, ast.AnnAssign | ast.NamedExpr) and isinstance(part.target, ast.Name):
        yield part.target.id, part.value
    elif isinstance(part, ast.For | ast.AsyncFor | ast.comprehension):
        yield from ((name, None) for name in _stored(part.target))
    elif isinstance(part, ast.withitem) and part.optional_vars is not None:
        yield from ((name, None) for name in _stored(part.optional_vars))
    elif isinstance(part, ast.arg):
        yield part.arg, None
    else:
        yield from ((name, None) for name in names_given(part))


def names_given(part: Any) -> Iterator[str]:
    """Return the names that a function, a class, a handler, a pattern or an import binds."""
    if isinstance(part, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in part.names)
    elif isinstance(part, _NAMED):
        name = part.rest if isinstance(part, ast.MatchMapping) else part.name
        yield from () if name is None else (name,)


def _stored(target: Any) -> Iterator[str]:
    names = (p for p in nodes_of(target) if isinstance(p, ast.Name))
    return (p.id for p in names if isinstance(p.ctx, ast.Store))
