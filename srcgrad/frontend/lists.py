"""Lowering of what is done to Python lists: append, pop, length."""

from __future__ import annotations

from typing import Any

from srcgrad.analysis.shapes import type_of
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.structures import require_list_of_its_own
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_NEW,
    LIST_POP,
    LIST_SET,
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
from srcgrad.ir.types import INTEGER, Parts, Type, join_elements
from srcgrad.transform.results import leaves


def template(value: Value) -> Any:
    """The nested tuple of types of a value."""
    if isinstance(value, Items):
        return tuple(template(item) for item in value.items)
    if isinstance(value, Struct):
        return Parts.of(value.form, (template(item) for item in value.items))
    return type_of(value)


def build(element: Any, b: Builder, node: Any, hint: str) -> tuple[Value, tuple[Var, ...]]:
    """Make a value with the structure of an element template."""
    made: list[Var] = []

    def walk(part: Any, name: str) -> Value:
        if isinstance(part, Parts):
            names = part.form.names
            return Struct(
                part.form, tuple(walk(p, str(n)) for n, p in zip(names, part, strict=True))
            )
        if isinstance(part, tuple):
            return Items(tuple(walk(p, f"{name}_{k}") for k, p in enumerate(part)))
        var = Var(name, part)
        made.append(var)
        b.define(var, None)
        return var

    return walk(element, hint), tuple(made)


def any_active(element: Any) -> bool:
    """Whether an element template has an active leaf."""
    if isinstance(element, tuple):
        return any(any_active(part) for part in element)
    return element is not None and element.active


def replace_everywhere(b: Builder, old: Var, new: Var) -> None:
    """Let every name that stands for an object, or holds it, stand for its next version."""
    memo: dict[int, Value] = {}

    def swap(value: Value) -> Value:
        if value is old or not isinstance(value, Compound):
            return new if value is old else value
        if id(value) not in memo:
            items = [swap(item) for item in value.items]
            same = all(p is q for p, q in zip(items, value.items, strict=True))
            memo[id(value)] = value if same else value.like(items)
        return memo[id(value)]

    b.layout.tick()
    for name, value in list(b.env.items()):
        changed = swap(value)
        if changed is not value:
            b.env[name] = changed
            b.layout.write(name, b.frame, in_place=True)
            if changed is new:
                b.layout.bind(new, name, (), b.frame)
            else:
                b.attach(name, changed, ())
    object.__setattr__(new, "named", True)


def call_method(
    b: Builder, receiver: Var, name: str, args: tuple[Value, ...], node: Any, again: bool = False
) -> Value:
    """Lower ``receiver.name(*args)`` for a list; give its next version if ``again`` is set."""
    type_ = receiver.type
    if name in ("append", "pop"):
        require_list_of_its_own(b, receiver not in b.frozen, node)
    if name == "append" and len(args) == 1:
        try:
            element = join_elements(type_.element, template(args[0]))
        except ValueError:
            raise b.refuse(
                node, "a list whose elements differ in structure", "append tuples of one form"
            ) from None
        active = type_.active or is_active(args[0])
        new = Var(receiver.name, Type("list", active=active, element=element))
        b.define(new, None)
        parts = (receiver, *leaves(args[0]))
        b.block.append(
            Equation((new,), Op(LIST_APPEND), parts, (), b.origin(node), template(args[0]))
        )
        replace_everywhere(b, receiver, new)
        return new if again else Const(None)
    if name == "pop" and not args and type_.element is not None:
        new = Var(receiver.name, type_)
        b.define(new, None)
        value, parts = build(type_.element, b, node, f"{receiver.name}_item")
        b.block.append(
            Equation((new, *parts), Op(LIST_POP), (receiver,), (), b.origin(node), type_.element)
        )
        replace_everywhere(b, receiver, new)
        return value
    if name == "copy" and not args:
        return b.emit(Op(list), (receiver,), node, type_=type_)
    raise b.refuse(node, f"the list method .{name}", "use append and pop without an index")


def set_item(b: Builder, base: Var, index: Value, value: Value, node: Any) -> None:
    """Lower ``t[k] = v`` for a list."""
    require_list_of_its_own(b, base not in b.frozen, node)
    if isinstance(value, Items) or isinstance(base.type.element, tuple):
        raise b.refuse(node, "replacing a tuple in a list", "keep a list for each of its parts")
    if isinstance(index, Slice) or not isinstance(index, Var | Const):
        raise b.refuse(node, "replacing a part of a list", "replace its elements one by one")
    element = join_elements(base.type.element, template(value))
    active = base.type.active or is_active(value)
    new = Var(base.name, Type("list", active=active, element=element))
    b.define(new, None)
    b.block.append(Equation((new,), Op(LIST_SET), (base, index, value), (), b.origin(node)))
    replace_everywhere(b, base, new)


def promote(b: Builder, items: Items, node: Any) -> Var:
    """Make a list of known length one whose length may change."""
    element: Any = None
    try:
        for item in items.items:
            element = join_elements(element, template(item))
    except ValueError:
        raise b.refuse(
            node, "a list whose elements differ in structure", "append tuples of one form"
        ) from None
    flat = leaves(items)
    kind = Type("list", active=any(is_active(v) for v in flat), element=element)
    own = items.token is not None and items.token not in b.frozen

    def is_it(value: Value) -> bool:
        return value is items or (own and getattr(value, "token", None) is items.token)

    names = [name for name, held in b.env.items() if is_it(held)]
    if own and any(_holds(held, is_it) for held in b.env.values()):
        raise b.refuse(node, "a list of varying length inside of another object", "give it a name")
    made = Var(names[0] if names else "list", kind)
    b.define(made, None)
    b.block.append(Equation((made,), Op(LIST_NEW), flat, (), b.origin(None)))
    b.layout.tick()
    for name in names:
        b.env[name] = made
        b.layout.bind(made, name, (), b.frame)
        object.__setattr__(made, "named", True)
    b.listed.add(made)
    if not own:
        b.frozen.add(made)
    return made


def _holds(value: Value, is_it: Any) -> bool:
    """Whether a value has another one among its parts."""
    if not isinstance(value, Compound):
        return False
    return any(is_it(item) or _holds(item, is_it) for item in value.items)


def length(b: Builder, value: Value, node: Any) -> Value | None:
    """Lower ``len(value)``."""
    if isinstance(value, Items):
        return Const(len(value.items))
    if isinstance(value, Var):
        made = b.emit(Op(len), (value,), node, type_=INTEGER, active=False)
        if value.type.ndim:
            b.context.lengths.values[made] = value.type.shape[0]
        return made
    return None
