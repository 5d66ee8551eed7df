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
from collections.abc import Iterable
from typing import Any

from srcgrad.frontend.checks.function_text import Mentions, thing_at

_SEEING_ALL = (
    *(builtins.vars, builtins.locals, builtins.globals, builtins.eval, builtins.exec),
    *(copy.copy, copy.deepcopy, pickle.dumps, pickle.dump),
    *(dataclasses.asdict, dataclasses.astuple, dataclasses.replace),
)
_BY_NAME = (builtins.getattr, builtins.hasattr, operator.attrgetter, operator.methodcaller)
_STORING = frozenset({"__setattr__", "__delattr__", "__dict__", "__class__"})


class Reads:
    """What the functions of a program read of what lasts from call to call."""

    def __init__(self) -> None:
        self.attributes: set[str] = set()
        self.names: set[str] = set()
        self.rebound: Counter[str] = Counter()  # by how many functions names of modules are
        self.things: set[int] = set()
        self.held: Counter[int] = Counter()
        self.kinds: dict[str, set[str]] = {}  # of what attributes are set to
        self.lists: dict[str, list[list[Any]]] = {}  # that attributes are known to be
        self.everything = False
        self.stored: set[str] = set()  # the attributes that some function assigns
        self.stores_any = False

    def note_function(self, mentions: Mentions, names: Any) -> None:
        """Note what a function reads, of the names that it sees from outside."""
        self.attributes |= mentions.attributes
        self.names |= {path[0] for path in mentions.read}
        self.rebound.update(name for name, of_module in mentions.rebound.items() if of_module)
        self.stored |= mentions.stored
        self.everything = self.everything or "__dict__" in mentions.attributes
        self.stores_any = self.stores_any or bool(mentions.attributes & _STORING)
        for path in mentions.read:
            thing = thing_at(path, names)
            if len(path) == 1:
                self.things.add(id(thing))
            self.stores_any = self.stores_any or thing is builtins.setattr
            self.everything = self.everything or any(thing is seeing for seeing in _SEEING_ALL)
        for path, calls in mentions.calls.items():
            thing = thing_at(path, names)
            if any(thing is reading for reading in _BY_NAME):
                for call in calls:
                    self._note_by_name(call, thing)
        for name, kind in mentions.kinds:
            self._note_kind(name, kind)

    def _note_by_name(self, node: ast.Call, thing: Any) -> None:
        """Note what is read by a name that is given as text."""
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

    def misses_name(self, name: str) -> bool:
        """Tell whether no function reads a name, or an attribute, with a name."""
        return self.misses_attribute(name) and name not in self.names

    def misses_history(self, name: str) -> bool:
        """Tell the same of one that is a list of its own wherever it is set."""
        if not self.misses_attribute(name) or not self.kinds.get(name, set()) <= {"list"}:
            return False
        return all(self.misses_list(each, 1) for each in self.lists.get(name, []))

    def misses_list(self, thing: Any, held: int) -> bool:
        """Tell whether no function reads a list."""
        unread = type(thing) is list and id(thing) not in self.things
        return unread and not self.everything and self.held[id(thing)] <= held
