"""Local functions and lambdas: definitions, and what they capture."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.frontend.state.builder import Builder, require_one_kind
from srcgrad.frontend.text.names import free_names, local_names, parameters_in, reads_of
from srcgrad.frontend.text.trees import below
from srcgrad.ir.leaves import parts_of
from srcgrad.ir.nodes import Closure, Compound, Items, Known, Value, is_active
from srcgrad.ir.rebuilding import rebuilt
from srcgrad.ir.unassigned import UNDEFINED, is_open


def make_closure(b: Builder, node: cst.FunctionDef, lower: Any) -> Closure:
    """Lower the definition of a local function; its defaults are evaluated here."""
    defaults: dict[str, Value] = {}
    for param in parameters_in(node):
        if param.default is not None:
            defaults[param.name.value] = lower(b, param.default)
    if any(map(is_active, defaults.values())) and not _only_called(b.source.tree, node.name.value):
        raise b.refuse(
            b.statement,
            "handing on a local function with a default that is differentiated",
            "let it read the value from outside",
        )
    if any(map(_can_change, defaults.values())):
        raise b.refuse(
            b.statement,
            "a local function with a list, a dict or an object as its default",
            "let it read the value from outside",
        )
    for read in reads_of(node, b.unnamed):  # its text stays where it is
        spelled_out(b, read, b.env.get(read.value, UNDEFINED))
    b.local_functions[id(node)] = defaults
    b.source.kept.append(node)
    return Closure(node, b.source, (), node.name.value)


def _can_change(value: Value) -> bool:
    """Whether a value is a list, a dict or an object, or has some among its parts."""
    return any(getattr(part, "token", None) is not None for part in parts_of([value]))


def _only_called(tree: Any, name: str) -> bool:
    """Tell whether a name stands nowhere but in front of the brackets of calls."""
    parts = below(tree)
    called = {id(part.func) for part in parts if isinstance(part, cst.Call)}
    called |= {id(part.name) for part in parts if isinstance(part, cst.FunctionDef)}
    found = [part for part in parts if isinstance(part, cst.Name) and part.value == name]
    return bool(found) and all(id(part) in called for part in found)


def spelled_out(b: Builder, node: cst.Name, value: Value) -> Value:
    """Return what a name stands for; note it where that is a function that is not passed on."""
    if node.value in b.unnamed and isinstance(value, Known):
        b.layout.spelled[id(node)] = value.object
    return value


def is_text_alone(value: Closure) -> bool:
    """Whether a local function reads nothing of the function around it, and has no defaults."""
    own = free_names(value.node) & local_names(value.source.tree)
    given = any(param.default is not None for param in parameters_in(value.node))
    return not (own or given or value.captured or value.derivatives)


def holds_function(value: Value) -> bool:
    """Whether a value is or contains a local function."""
    if isinstance(value, Closure):
        return True
    return isinstance(value, Items) and any(holds_function(item) for item in value.items)


def active_defaults(b: Builder, value: Value) -> list[Value]:
    """Return the defaults of a local function that are differentiated."""
    if not isinstance(value, Closure):
        return []
    defaults = b.local_functions.get(id(value.node), {})
    return [default for default in defaults.values() if is_active(default)]


def _as_it_is(b: Builder, held: Value) -> Value:
    """Return what a function has captured that this one was given, with what was changed in it."""
    if isinstance(held, Closure):
        return capture(b, held)
    return b.env.get(b.passed.get(getattr(held, "token", None) or held, ""), held)


def capture(b: Builder, value: Value, above: frozenset[int] = frozenset()) -> Value:
    """Return a value with the captures of local functions filled in as of now."""
    if isinstance(value, Compound):
        return rebuilt(value, lambda part: capture(b, part, above))
    if not isinstance(value, Closure):
        return value
    if value.captured:  # it was handed on, and what it captured with it
        return replace(value, captured=tuple((n, _as_it_is(b, h)) for n, h in value.captured))
    if id(value.node) not in b.local_functions:
        return value
    if id(value.node) in above:
        raise b.refuse(
            b.statement,
            "recursion over several local functions",
            "make them functions of the module",
        )
    seen: list[tuple[str, Value]] = []
    for name in sorted(free_names(value.node)):
        held = b.env.get(name)
        if isinstance(held, Closure) and held.node is value.node:
            if name != value.node.name.value:
                raise b.refuse(
                    b.statement, f"a lambda that calls itself, as {name!r},", "write it with def"
                )
            continue
        if name == value.node.name.value and held is not None:
            raise b.refuse(
                b.statement,
                f"a local function that calls {name!r}, a name of something else by now,",
                "give the other a name of its own",
            )
        if held is None or is_open(held):
            if name in b.locals and name != value.node.name.value:
                raise b.refuse(
                    b.statement,
                    f"a local function that reads {name!r} before it is assigned",
                    "assign it before",
                )
            continue
        require_one_kind(b, name, held, b.statement)
        b.note_read(name, held)
        seen.append((name, capture(b, held, above | {id(value.node)})))
    return replace(value, captured=tuple(seen))
