"""What generated code relies on, written down so that another process can test it.

Each test of a record of facts is about an object that was read, and mostly compares what was
read with what it was. Written down are the way to that object (the function that is
differentiated, a module, a class or a function by name, a cell, what an earlier test has read)
and the description of what it was. In another process the same way is gone; where it leads to
what has the same description, the test is made of what is there.
"""

from __future__ import annotations

import ast
import re
import sys
import types
from typing import Any

import numpy as np

from srcgrad.cache.descriptions import Described, Descriptions, Undescribed, found_at, name_of
from srcgrad.late import module_of
from srcgrad.program.guards import LOCAL, Facts, attribute_now, contents_of
from srcgrad.program.namespaces import MISSING
from srcgrad.registry import CHANGES

_READS = re.compile(
    r"\(\(\{2\} := (?P<a>.*)\) is \{1\} or same\(\{2\}, \{1\}\)\)"
    r"|same_objects\((?P<b>.*), \{1\}\)|(?P<c>.*) is \{1\}"
)
_NUMBER = {"bool": bool, "int": int, "str": str, "bytes": bytes}


class Ways:
    """The ways to things: how they were found, from the function that is differentiated.

    Args:
        root: that function.
        classes: the classes whose dicts are seen through views, by the identity of the view.
    """

    def __init__(self, root: Any, classes: dict[int, type] | None = None) -> None:
        self.described = Descriptions(classes)
        self.root = root
        self.ways: dict[int, tuple[Any, ...]] = {id(root): ("root",), id(CHANGES): ("changes",)}
        self.values: list[Any] = []
        self.views: list[Any] = []  # which keeps their identities their own
        self.functions: list[Any] = [root]
        self.inside: dict[int, tuple[Any, str]] = {}

    def read(self, value: Any) -> None:
        """Note what a test has read, in the order of the tests."""
        number = len(self.values)
        self.values.append(value)
        self.ways.setdefault(id(value), ("value", number))
        if type(value) is types.FunctionType:
            self.functions.append(value)
        elif type(value) is tuple:
            for k, part in enumerate(value):
                if type(part) in (list, dict, set, types.FunctionType):
                    self.ways.setdefault(id(part), ("part", number, k))
                    self.functions += [part] if type(part) is types.FunctionType else []

    def to(self, thing: Any) -> tuple[Any, ...]:
        """Return the way to a thing.

        Raises:
            Undescribed: where there is none.
        """
        kind = type(thing)
        if kind is types.MappingProxyType:
            return "view", self.to(self.described.class_of(thing))
        if id(thing) in self.ways:
            return self.ways[id(thing)]
        if kind is dict and "__name__" in thing:
            return self._to_names(thing)
        if kind is types.CellType:
            for function in self.functions:
                for k, cell in enumerate(function.__closure__ or ()):
                    if cell is thing:
                        return "cell", self.to(function), k
            raise Undescribed("a cell")
        if id(thing) in self.inside:
            owner, read = self.inside[id(thing)]
            return "walk", self.to(owner), _steps(read)
        if kind in (list, dict, set):
            raise Undescribed("a container")
        if isinstance(thing, type | types.FunctionType):
            name_of(thing)
        return "constant", self.described.of(thing)

    def _to_names(self, names: dict[str, Any]) -> tuple[Any, ...]:
        module = sys.modules.get(names.get("__name__", ""))
        if module is not None and vars(module) is names:
            return "names", module.__name__
        for function in self.functions:
            if function.__globals__ is names:
                return "globals", self.to(function)
        raise Undescribed("a dict")

    def follow(self, way: tuple[Any, ...]) -> Any:
        """Return what a way leads to in this process.

        Raises:
            Undescribed: where it leads nowhere.
        """
        kind, *parts = way
        if kind == "root":
            return self.root
        if kind == "changes":
            return CHANGES
        if kind == "value":
            return self.values[parts[0]]
        if kind == "part":
            return self.values[parts[0]][parts[1]]
        if kind == "names":
            return vars(_module(parts[0]))
        if kind == "constant":
            return revived(parts[0])
        owner = self.follow(parts[0])
        if kind == "globals":
            return owner.__globals__
        if kind == "walk":
            return _walked(owner, parts[1])
        if kind == "cell":
            return owner.__closure__[parts[1]]
        view = owner.__dict__
        self.described.classes[id(view)] = owner
        self.views.append(view)
        return view


def _module(name: str) -> types.ModuleType:
    module = module_of(name)
    if module is None:
        raise Undescribed(name)
    return module


def revived(described: Described) -> Any:
    """Return the thing of a description, if it is a constant or has a name.

    Raises:
        Undescribed: where there is none in this process; whether it is the same thing is for
            the caller to compare.
    """
    kind, *parts = described
    if kind in ("NoneType", "ellipsis"):
        return None if kind == "NoneType" else ...
    if kind in _NUMBER:
        return parts[0]
    if kind == "float":
        return float.fromhex(parts[0])
    if kind == "complex":
        return complex(float.fromhex(parts[0]), float.fromhex(parts[1]))
    if kind == "tuple":
        return tuple(map(revived, parts[0]))
    if kind == "dtype":
        return np.dtype(parts[0])
    if kind == "module":
        return _module(parts[0])
    if kind == "member":
        return revived(parts[0])[parts[1]]
    if kind == "data":
        _module(parts[0])
        return found_at(parts[0], parts[1])(*map(revived, parts[2]))
    if kind in ("class", "named", "function"):
        _module(parts[0])
        return found_at(parts[0], parts[1])
    raise Undescribed(kind)


def written(facts: Facts, ways: Ways) -> list[Any]:
    """Return the tests of a record as plain data.

    Raises:
        Undescribed: where one of them is about what no other process could compare.
    """
    waiting = list(facts.tests.values())
    owners = {id(things[0]): things[0] for _, things in waiting}
    for (read, owner), value in facts.numbers.items():  # of which only the kind is relied on
        if type(value) in (list, dict, set) and owner in owners:
            ways.inside.setdefault(id(value), (owners[owner], read))
    rows: list[Any] = []
    while waiting:  # a test that leads to a thing may stand behind one that is about it
        left = []
        for text, things in waiting:
            try:
                way = ways.to(things[0])
            except Undescribed:
                left.append((text, things))
            else:
                rows.append(_written(text, things, way, ways))
        if len(left) == len(waiting):
            raise Undescribed(left[0][0])
        waiting = left
    return rows


def _written(text: str, things: tuple[Any, ...], way: Any, ways: Ways) -> Any:
    owner, *others = things
    rows: list[Any] = [("at", way, ways.described.of(owner))]
    match = _READS.fullmatch(text)
    steps = None if match is None else _steps(next(filter(None, match.groups())))
    for k, thing in enumerate(others):
        if thing is LOCAL:
            rows.append(("local",))
        elif k == 0 and steps is not None:
            rows.append(("read", steps, ways.described.of(thing)))
            ways.read(thing)
        else:
            rows.append(("same", ways.described.of(thing)))
    return text, tuple(rows)


def _steps(read: str) -> tuple[Any, ...]:
    """Return an expression of an object as steps that lead from the object to its value."""
    steps: list[Any] = []
    node: Any = ast.parse(read.format("owner"), mode="eval").body
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Attribute):
            steps.append(("attribute", node.attr))
            node = node.value
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            steps.append(("entry", node.slice.value))
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name, *given = [a.value for a in node.args[1:] if isinstance(a, ast.Constant)] or [None]
            if given or node.func.id not in ("attribute_now", "contents_of"):
                raise Undescribed(read)
            steps.append((node.func.id, name))
            node = node.args[0]
        else:
            raise Undescribed(read)
    return tuple(reversed(steps))


def _walked(thing: Any, steps: tuple[Any, ...]) -> Any:
    for kind, name in steps:
        if kind == "attribute":
            thing = getattr(thing, name)
        elif kind == "entry":
            thing = thing[name]
        elif kind == "contents_of":
            thing = contents_of(thing)
        else:
            thing = attribute_now(thing, name)
    if thing is MISSING:
        raise Undescribed("what is there no more")
    return thing


def read_again(rows: list[Any], ways: Ways) -> Facts:
    """Return a record of facts of this process from what was written down in another.

    Raises:
        Undescribed: where something is not what it was there.
    """
    facts = Facts()
    for text, parts in rows:
        _, way, described = parts[0]
        owner = _compared(ways.follow(way), described, ways)
        things: list[Any] = [owner]
        for kind, *given in parts[1:]:
            if kind == "local":
                things.append(LOCAL)
            elif kind == "read":
                thing = _compared(_walked(owner, given[0]), given[1], ways)
                things.append(thing)
                ways.read(thing)
            else:
                things.append(_compared(revived(given[0]), given[0], ways))
        facts.add(text, *things, same=len(facts.tests))
    return facts


def _compared(thing: Any, described: Described, ways: Ways) -> Any:
    if ways.described.of(thing) != described:
        raise Undescribed("another thing")
    return thing
