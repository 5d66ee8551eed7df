"""What the text of a function mentions, found once for each text.

What the names stand for is looked up anew each time: the same text may see other things.
"""

from __future__ import annotations

import ast
import types
import weakref
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcgrad.frontend.checks.own_memory import NAMING, names_given, targets_of
from srcgrad.program.syntax_trees import nodes_of

GROWING = frozenset({"append", "extend"})
Path = tuple[str, ...]  # of a name, and of attributes behind it
_known: weakref.WeakKeyDictionary[ast.AST, Mentions] = weakref.WeakKeyDictionary()


@dataclass
class Mentions:
    """What a function's text mentions, each thing once.

    Attributes:
        parts: the parts of the syntax tree that run when the function is called.
        loaded: names and attributes that are loaded, each with its path, if it begins with a
            name, and whether it is given to something: it stands elsewhere than in front of
            the brackets of a call; in the order of the text.
        read: the paths among these that are read, and not only appended to.
        attributes: the names of attributes that are read.
        stored: the names of attributes that are set or deleted.
        kinds: what attributes are set to: their names, each with a kind.
        calls: calls of what has a path.
        inner: functions that are defined inside, by their names.
        lambdas: those without a name, and those with decorators.
        rebound: names from outside that are declared to be assigned, of the module and others.
        assigned: the names that are given values.
        bound: these, and names of functions, classes, modules and exceptions.
        parameters: those of the function, and of functions in it.
    """

    parts: list[Any]
    loaded: dict[tuple[str, Path | None, bool], None] = field(default_factory=dict)
    read: set[Path] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    kinds: set[tuple[str, str]] = field(default_factory=set)
    calls: dict[Path, list[ast.Call]] = field(default_factory=dict)
    inner: dict[str, list[ast.FunctionDef]] = field(default_factory=dict)
    lambdas: list[Any] = field(default_factory=list)
    rebound: dict[str, bool] = field(default_factory=dict)
    assigned: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)


def mentions_of(node: Any) -> Mentions:
    """Return what the text of a function, given as a tree, mentions."""
    found = _known.get(node)
    if found is None:
        found = _known[node] = _found_in(node)
    return found


def body_of(node: Any) -> list[Any]:
    """Return the parts of a function that run when it is called."""
    return mentions_of(node).parts


def path_of(node: Any) -> Path | None:
    """Return the path of a name or an attribute; None if it does not begin with a name."""
    behind: list[str] = []
    while isinstance(node, ast.Attribute):
        behind.append(node.attr)
        node = node.value
    return (node.id, *reversed(behind)) if isinstance(node, ast.Name) else None


def thing_at(path: Path, names: Any) -> Any:
    """Return what a name, or an attribute of a module, stands for among some names; or None."""
    found = names.get(path[0])
    for name in path[1:]:
        if isinstance(found, types.ModuleType):
            found = vars(found).get(name)
        elif isinstance(found, np.ufunc):
            found = getattr(found, name, None)
        else:
            return None
    return found


_PLAIN = {ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Return, ast.Expr}


def _found_in(node: Any) -> Mentions:
    roots = node.body if isinstance(node.body, list) else [node.body]
    made = Mentions([part for root in roots for part in nodes_of(root)])
    called = {id(part.func) for part in made.parts if isinstance(part, ast.Call)}
    grown = {id(p.value.func.value) for p in made.parts if _grows(p)}  # what is not read by that
    for part in made.parts:
        if type(part) in _PLAIN:
            continue
        if isinstance(part, ast.Name | ast.Attribute):
            if isinstance(part.ctx, ast.Load):
                _note_load(made, part, id(part) not in called, id(part) not in grown)
            elif isinstance(part, ast.Attribute):
                made.stored.add(part.attr)
            elif isinstance(part.ctx, ast.Store):
                made.assigned.add(part.id)
        elif isinstance(part, ast.Call):
            path = path_of(part.func)
            if path is not None:
                made.calls.setdefault(path, []).append(part)
        elif isinstance(part, ast.Assign):
            made.kinds |= _kinds_of(targets_of(part))
        elif isinstance(part, ast.AnnAssign) and part.value is not None:
            made.kinds |= _kinds_of([(part.target, part.value)])
        elif isinstance(part, ast.FunctionDef):
            made.inner.setdefault(part.name, []).append(part)
            made.lambdas += [part] if part.decorator_list else []
        elif isinstance(part, ast.Lambda):
            made.lambdas.append(part)
        elif isinstance(part, ast.Global | ast.Nonlocal):
            made.rebound |= dict.fromkeys(part.names, isinstance(part, ast.Global))
        if type(part) in NAMING:
            made.bound |= {*names_given(part)}
    made.bound |= made.assigned
    made.parameters = {p.arg for p in (*made.parts, *nodes_of(node.args)) if isinstance(p, ast.arg)}
    return made


def _note_load(made: Mentions, part: Any, given: bool, is_read: bool) -> None:
    path = path_of(part)
    is_name = isinstance(part, ast.Name)
    made.loaded[part.id if is_name else part.attr, path, given] = None
    if is_read:
        made.attributes |= set() if is_name else {part.attr}
        made.read |= set() if path is None else {path}


def _grows(part: Any) -> bool:
    """Tell whether a statement appends to something, and does nothing with it besides."""
    if not isinstance(part, ast.Expr) or not isinstance(part.value, ast.Call):
        return False
    func = part.value.func
    return isinstance(func, ast.Attribute) and func.attr in GROWING


def _kinds_of(pairs: Any) -> set[tuple[str, str]]:
    return {(t.attr, _kind_of(value)) for t, value in pairs if isinstance(t, ast.Attribute)}


def _kind_of(value: ast.expr | None) -> str:
    """The kind of what an expression gives: a number, a new list, or something else."""
    if isinstance(value, ast.Constant):
        return "number"
    return "list" if isinstance(value, ast.List) and not value.elts else "other"
