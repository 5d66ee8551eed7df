"""Lowering of what is done to Python lists: append, pop, length.

Lists of known elements that a loop changes, or reads each time at another place, become lists of
varying length before the loop.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.joins import alike, joined_elements
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MutationError
from srcgrad.frontend.containers.structures import require_list_of_its_own
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import holds_function
from srcgrad.frontend.state.handed import written
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, instead, loop_written_out
from srcgrad.frontend.state.versions import exchange
from srcgrad.frontend.text.names import names_written_into
from srcgrad.frontend.text.templates import assignment, is_path, statements
from srcgrad.frontend.text.trees import below
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.leaves import leaves, parts_of, parts_with_paths
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_INSERT,
    LIST_NEW,
    LIST_POP,
    LIST_SET,
    LIST_TAKE,
    Compound,
    Const,
    Equation,
    Items,
    Op,
    Slice,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.types import INTEGER, NOTHING, Parts, Type


def template(value: Value) -> Any:
    """The nested tuple of types of a value; of a list in it, one that knows what it is."""
    if isinstance(value, Items):
        parts = (template(item) for item in value.items)
        return Parts.of(list, parts) if value.is_list else tuple(parts)
    if isinstance(value, Struct):
        return Parts.of(value.form, (template(item) for item in value.items))
    return NOTHING if value == Const(None) else type_of(value)


def build(element: Any, b: Builder, node: Any, hint: str) -> tuple[Value, tuple[Var, ...]]:
    """Make a value with the structure of an element template."""
    made: list[Var] = []

    def walk(part: Any, name: str) -> Value:
        if isinstance(part, Parts) and part.form is not list:
            names = part.form.names
            return Struct(
                part.form, tuple(walk(p, str(n)) for n, p in zip(names, part, strict=True))
            )
        if isinstance(part, tuple):
            items = tuple(walk(p, f"{name}_{k}") for k, p in enumerate(part))
            return Items(items, isinstance(part, Parts))
        var = Var(name, part)
        made.append(var)
        b.define(var, None)
        return var

    return walk(element, hint), tuple(made)


def replace_everywhere(b: Builder, old: Var, new: Var) -> None:
    """Let every name that stands for an object, or holds it, stand for its next version."""
    names = list(filter(is_named, exchange(b, lambda value: value is old, new)))
    for name in names:
        b.layout.write(name, b.frame, in_place=True)
        if b.env[name] is new:
            b.layout.bind(new, name, (), b.frame)
        else:
            b.attach(name, b.env[name], ())
    new.named = True
    written(b, old, new, names)


def call_method(
    b: Builder, receiver: Var, name: str, args: tuple[Value, ...], node: Any, again: bool = False
) -> Value:
    """Lower ``receiver.name(*args)`` for a list; give its next version if ``again`` is set."""
    type_ = receiver.type
    if name in ("append", "pop", "insert"):
        require_list_of_its_own(b, receiver not in b.frozen, node)
    if name == "append" and len(args) == 1 and holds_function(args[0]):
        raise loop_written_out(b, frozenset(), _no_functions(b, node))
    place = args[0].value if args and isinstance(args[0], Const) else None
    reversing = b.source.is_generated  # what pop(k) took
    in_front = name == "insert" and len(args) == 2 and (place == 0 or reversing)
    if (name == "append" and len(args) == 1) or in_front:
        try:
            element = joined_elements(b.context.lengths, type_.element, template(args[-1]))
        except ValueError:
            raise b.refuse(
                node, "a list whose elements differ in structure", "append tuples of one form"
            ) from None
        hand_in(b, args[-1], node)
        active = type_.active or is_active(args[-1])
        new = Var(receiver.name, Type("list", active=active, element=element))
        b.define(new, None)
        parts = (receiver, *args[:-1], *leaves(args[-1]))
        op = Op(LIST_APPEND if name == "append" else LIST_INSERT)
        b.block.append(Equation((new,), op, parts, (), b.origin(node), template(args[-1])))
        replace_everywhere(b, receiver, new)
        return new if again else Const(None)
    first = len(args) == 1 and type(place) is int and place >= 0
    if name == "pop" and (not args or place == -1 or first) and type_.element is not None:
        new = Var(receiver.name, replace(type_, shape=None))
        b.define(new, None)
        value, parts = build(type_.element, b, node, f"{receiver.name}_item")
        op, where = (Op(LIST_TAKE), args) if first else (Op(LIST_POP), ())
        b.block.append(
            Equation((new, *parts), op, (receiver, *where), (), b.origin(node), type_.element)
        )
        replace_everywhere(b, receiver, new)
        return value
    if name == "sort" and type_.active:
        raise sort_in_place(b, node)
    if name == "copy" and not args:
        return b.emit(Op(list), (receiver,), node, type_=type_)
    raise b.refuse(
        node,
        f"this use of the list method .{name} on a list of varying length",
        "use append, insert(0, v), and pop without an index or with one that is written out",
    )


def hand_in(b: Builder, value: Value, node: Any) -> None:
    """Let a list hold what may be written: from here on nobody may, under any name."""
    if b.source.is_generated:
        return
    there, _, outer = b.loops[-1] if b.loops else (set(), set(), set())
    for part in _mutable_parts(value):
        token = part if isinstance(part, Var) else part.token  # type: ignore[attr-defined]
        names = {n for n, held in b.env.items() if held is part and is_named(n)}
        if token in there or names & outer:
            raise MutationError(
                "a list or an object that is made outside of a loop is put into a list in it",
                spots=[b.source.spot(node)],
                why="The list would hold the same object several times, and see all its changes.",
                fixes=["put a copy into the list: rows.append(list(t))"],
            )
        b.frozen.add(token)


def _mutable_parts(value: Value) -> list[Value]:
    """The lists and objects in a value that can be written to."""
    return [
        part
        for part in parts_of([value])
        if getattr(part, "token", None) is not None or type_of(part).kind == "list"
    ]


def _no_functions(b: Builder, node: Any) -> Exception:
    return b.refuse(
        node,
        "a list of functions whose length is not known",
        "write the list out, or make it by a comprehension over known elements",
    )


def set_item(b: Builder, base: Var, index: Value, value: Value, node: Any) -> None:
    """Lower ``t[k] = v`` for a list."""
    require_list_of_its_own(b, base not in b.frozen, node)
    if holds_function(value):
        raise _no_functions(b, node)
    if isinstance(index, Slice) or not isinstance(index, Var | Const):
        raise b.refuse(node, "replacing a part of a list", "replace its elements one by one")
    structured = isinstance(value, Struct) or (isinstance(value, Items) and value.is_list)
    try:
        element = None
        if not structured:
            element = joined_elements(b.context.lengths, base.type.element, template(value))
    except ValueError:
        element = None
    if element is None or any(isinstance(v, Compound) for v in getattr(value, "items", ())):
        raise b.refuse(
            node, "putting this into a list", "replace elements by such of the same structure"
        )
    active = base.type.active or is_active(value)
    written = b.layout.definitions[base].position == b.statement_position
    if active and written and not alike(b.context.lengths, base.type.element, template(value)):
        raise b.refuse(
            node,
            "putting arrays of other shapes into a list, several in one statement,",
            "write a statement for each",
        )
    new = Var(base.name, Type("list", active=active, element=element))
    b.define(new, None)
    b.block.append(Equation((new,), Op(LIST_SET), (base, index, value), (), b.origin(node)))
    replace_everywhere(b, base, new)


def promote(b: Builder, items: Items, node: Any) -> Var:
    """Make a list of known length one whose length may change."""
    element: Any = None
    if any(map(holds_function, items.items)):
        raise _no_functions(b, node)
    try:
        for item in items.items:
            element = joined_elements(b.context.lengths, element, template(item))
    except ValueError:
        raise b.refuse(
            node, "a list whose elements differ in structure", "append tuples of one form"
        ) from None
    flat = leaves(items)
    active = any(is_active(v) for v in flat)
    kind = Type("list", (len(items.items),), active=active, element=element)
    own = items.token is not None and items.token not in b.frozen
    for item in items.items:
        b.freeze(item)

    def is_it(value: Value) -> bool:
        return value is items or (own and getattr(value, "token", None) is items.token)

    names = {
        name: [path for path, part in parts_with_paths(held) if path is not None and is_it(part)]
        for name, held in b.env.items()
        if is_named(name)
    }
    shown = [name for name, paths in names.items() if () in paths]
    inside = [str(path[-1]).strip("[].\"'") for paths in names.values() for path in paths if path]
    made = Var((shown or inside or ["list"])[0], kind, named=True)
    b.define(made, None)
    b.block.append(Equation((made,), Op(LIST_NEW), flat, (), b.origin(None)))
    exchange(b, is_it, made)
    for name, paths in names.items():
        for path in paths:
            b.layout.bind_before(made, name, b.frame, b.statement_position, path)
    b.listed.add(made)
    b.of_known_start.add(made)
    if items.token in b.handed:
        b.handed.add(made)
    if not own:
        b.frozen.add(made)
    return made


def length(b: Builder, value: Value, node: Any) -> Value | None:
    """Lower ``len(value)``."""
    if isinstance(value, Items):
        return Const(len(value.items))
    if isinstance(value, Var) and value.type.kind == "list" and value.type.element is None:
        return Const(0)
    if isinstance(value, Var):
        made = b.emit(Op(len), (value,), node, type_=INTEGER, active=False)
        if isinstance(value.type.shape, tuple) and value.type.shape and isinstance(made, Var):
            b.context.lengths.values[made] = value.type.shape[0]
        return made
    return None


def sort_in_place(b: Builder, node: Any) -> Rewriting:
    """What to raise for ``t.sort(key=f)``: the elements are put back in the new order."""
    small = getattr(b.statement, "body", [None])[0]
    if not isinstance(small, cst.Expr) or small.value is not node or not is_path(node.func.value):
        raise b.refuse(node, "this use of .sort", "write t = sorted(t)")
    ordered = cst.Call(cst.Name("sorted"), [cst.Arg(node.func.value), *node.args])
    return put_in_order(b, node, ordered)


def put_in_order(b: Builder, node: Any, ordered: Any) -> Rewriting:
    """What to write for a call that puts the elements of a list in another order."""
    found, place, element = (fresh_name(b, name) for name in ("ordered", "place", "item"))
    loop = f"for {place}, {element} in enumerate({found}):\n    _t[{place}] = {element}\n"
    return instead(assignment(found, ordered), *statements(loop, _t=node.func.value.deep_clone()))


def lists_that_vary(b: Builder, node: Any) -> list[str]:
    """The names of known lists that a loop changes: one that grows has no known length."""
    deep = names_written_into(node, deep=True)
    held = {name: b.env.get(name) for name in names_written_into(node)}
    return [
        name
        for name, value in held.items()
        if isinstance(value, Items)
        and value.is_list
        and not (name in deep and _is_written_through(value))
    ]


def let_vary(b: Builder, names: list[str], node: Any) -> None:
    """Make the lists that some names stand for ones of varying length."""
    for name in names:
        held = b.env[name]
        if isinstance(held, Items):  # and not the list of another name, which varies by now
            promote(b, held, node)


def read_at_any_place(
    b: Builder, node: Any, bound: set[str], names: set[str]
) -> dict[str, tuple[Value, Items]]:
    """Make lists of known ones that a loop only reads, each time at another place.

    Their cotangents are added up in one list from the first iteration to the last.
    """
    known = {n: v for n, v in b.env.items() if isinstance(v, Items) and v.items and is_active(v)}
    found: dict[str, tuple[Value, Items]] = {}
    for item in below(node.body) if known else ():
        if not isinstance(item, cst.Subscript) or not isinstance(item.value, cst.Name):
            continue
        name = item.value.value
        held = known.get(name)
        if held is None or name in names or name in found or not is_named(name):
            continue
        places = [e.slice.value for e in item.slice if isinstance(e.slice, cst.Index)]
        if any(isinstance(p, cst.Name) and p.value in bound for p in places) and _alike(held):
            found[name] = promote(b, held, node), held
    return found


def _alike(items: Items) -> bool:
    """Whether the elements of a list are numbers or arrays of one kind."""
    types = [type_of(v) for v in items.items if isinstance(v, Var | Const)]
    same = len({(t.kind, t.ndim) for t in types}) == 1
    return same and len(types) == len(items.items) and all(t.is_number for t in types)


def _is_written_through(items: Items) -> bool:
    """Whether what a list holds are arrays and objects, which may be written into at a place."""
    return all(
        isinstance(v, Struct) or (isinstance(v, Var) and v.type.kind == "array")
        for v in items.items
    )
