"""State that a program writes and never reads: counters of calls, histories, the last value.

Such a write is no effect that anybody in the program can see, and no part of what is
differentiated. It stays in the text as it is.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import operator
import pickle
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from srcgrad.frontend.checks.own_memory import targets_of

_SEEING_ALL = (
    *(builtins.vars, builtins.locals, builtins.globals, builtins.eval, builtins.exec),
    *(copy.copy, copy.deepcopy, pickle.dumps, pickle.dump),
    *(dataclasses.asdict, dataclasses.astuple, dataclasses.replace),
)
_BY_NAME = (builtins.getattr, builtins.hasattr, operator.attrgetter, operator.methodcaller)
_STORING = frozenset({"__setattr__", "__delattr__", "__dict__", "__class__"})
GROWING = frozenset({"append", "extend"})


class Reads:
    """What the functions of a program read of what lasts from call to call."""

    def __init__(self) -> None:
        self.attributes: set[str] = set()
        self.things: set[int] = set()
        self.held: Counter[int] = Counter()
        self.kinds: dict[str, set[str]] = {}  # of what attributes are set to
        self.lists: dict[str, list[list[Any]]] = {}  # that attributes are known to be
        self.everything = False
        self.stored: set[str] = set()  # the attributes that some function assigns
        self.stores_any = False

    def note_function(
        self, parts: list[Any], names: Any, resolved: Callable[[ast.Attribute], Any]
    ) -> None:
        """Note what a function reads."""
        grown = {id(p.value.func.value) for p in parts if _grows(p)}  # what is not read by that
        for part in parts:
            if id(part) in grown:
                continue
            thing = None
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                thing = names.get(part.id)
                self.things.add(id(thing))
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
                self.attributes.add(part.attr)
                self.everything = self.everything or part.attr == "__dict__"
                self.stores_any = self.stores_any or part.attr in _STORING
                thing = resolved(part)
            elif isinstance(part, ast.Attribute):
                self.stored.add(part.attr)
            self.stores_any = self.stores_any or thing is builtins.setattr
            if any(thing is seeing for seeing in _SEEING_ALL):
                self.everything = True
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name | ast.Attribute):
                self._note_call(part, names, resolved)
            pairs: Any = targets_of(part) if isinstance(part, ast.Assign) else ()
            if isinstance(part, ast.AnnAssign) and part.value is not None:
                pairs = [(part.target, part.value)]
            for target, value in pairs:
                if isinstance(target, ast.Attribute):
                    self._note_kind(target.attr, _kind_of(value))

    def _note_call(self, node: ast.Call, names: Any, resolved: Any) -> None:
        """Note what is read by a name that is given as text."""
        func: Any = node.func
        thing = names.get(func.id) if isinstance(func, ast.Name) else resolved(func)
        if not any(thing is reading for reading in _BY_NAME):
            return
        for given in node.args:
            if isinstance(given, ast.Constant):
                self.attributes.add(str(given.value))
            elif given is not node.args[0] or thing is operator.attrgetter:
                self.everything = True

    def _note_kind(self, name: str, kind: str) -> None:
        self.kinds.setdefault(name, set()).add(kind)

    def note_held(self, things: Iterable[Any]) -> None:
        """Note what a container holds."""
        self.held.update(id(thing) for thing in things if type(thing) is list)

    def note_object(self, attributes: dict[str, Any]) -> None:
        """Note what an object, or a class, holds."""
        self.note_held(attributes.values())
        for name, value in attributes.items():
            plain = type(value) in (int, float, complex, bool, str, type(None))
            kind = "number" if plain else "list" if type(value) is list else "other"
            self._note_kind(name, kind)
            if kind == "list":
                self.lists.setdefault(name, []).append(value)

    def keeps_attribute(self, name: str) -> bool:
        """Tell whether no function assigns, or deletes, an attribute with a name."""
        return not (self.everything or self.stores_any or name in self.stored)

    def misses_attribute(self, name: str) -> bool:
        """Tell whether no function reads an attribute with a name."""
        return not self.everything and name not in self.attributes

    def misses_count(self, name: str) -> bool:
        """Tell the same of one that is a number wherever it is set, which ``+=`` replaces."""
        return self.misses_attribute(name) and self.kinds.get(name, set()) <= {"number"}

    def misses_history(self, name: str) -> bool:
        """Tell the same of one that is a list of its own wherever it is set."""
        if not self.misses_attribute(name) or not self.kinds.get(name, set()) <= {"list"}:
            return False
        return all(self.misses_list(each, 1) for each in self.lists.get(name, []))

    def misses_list(self, thing: Any, held: int) -> bool:
        """Tell whether no function reads a list."""
        unread = type(thing) is list and id(thing) not in self.things
        return unread and not self.everything and self.held[id(thing)] <= held


def _grows(part: Any) -> bool:
    """Tell whether a statement appends to something, and does nothing with it besides."""
    if not isinstance(part, ast.Expr) or not isinstance(part.value, ast.Call):
        return False
    func = part.value.func
    return isinstance(func, ast.Attribute) and func.attr in GROWING


def _kind_of(value: ast.expr | None) -> str:
    """The kind of what an expression gives: a number, a new list, or something else."""
    if isinstance(value, ast.Constant):
        return "number"
    return "list" if isinstance(value, ast.List) and not value.elts else "other"
