"""What names stand for that are not local: captured, global and built-in ones."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from srcgrad.analysis.shapes.constants import type_of_constant
from srcgrad.analysis.shapes.contents import (
    contents_of_items,
    contents_of_keys,
    contents_of_records,
    contents_of_values,
    data_contents,
    element_type,
)
from srcgrad.analysis.shapes.draws import GENERATORS
from srcgrad.errors import MutationError
from srcgrad.frontend.checks.changed_state import changed_state
from srcgrad.frontend.state.data_lists import may_be_relied_on, may_change
from srcgrad.frontend.text.names import names_of_module
from srcgrad.frontend.text.source import Node
from srcgrad.ir.demands import What
from srcgrad.ir.forms import is_spelled
from srcgrad.ir.nodes import Compound, Const, Items, Known, Value, Var
from srcgrad.ir.types import COMMUNICATOR, GENERATOR, Contents, Type
from srcgrad.library.communicators import is_communicator
from srcgrad.library.cupy_names import namesake
from srcgrad.program import facts, namespaces
from srcgrad.program.namespaces import MISSING

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder


def outer_value(b: Builder, name: str, node: Node) -> Value:
    """Return what a name that is not local stands for now, and note what is relied on."""
    namespace = b.source.cells.get(name, b.source.globals)
    value = namespaces.read_name(namespace, name)
    if value is MISSING:
        raise b.refuse(node, f"the undefined name {name!r}", "define it")
    if name in names_of_module(b.source.tree):  # the function may give it another value
        return b.opaque(node, [], type_of_constant(facts.entry(namespace, name)))
    of_user = not b.in_formula
    constant = b.context.demands.asks(What.OPTIONS) and of_user and _is_option(value)
    if of_user:
        facts.read_name(namespace, name, exactly=constant)
    if value is None or isinstance(value, str | bool):
        return Const(value)
    if constant:
        return Items(tuple(map(Const, value))) if isinstance(value, tuple) else Const(value)
    type_ = type_held(b, namespace, name, value) if of_user else type_of_constant(value)
    if of_user and type(value) in (tuple, list, dict):
        _note_way(b, value, partial(facts.read_name, namespace, name))
    if is_communicator(value):
        return outer_variable(b, name, COMMUNICATOR)
    if type(value) in GENERATORS:
        return outer_variable(b, name, Type("opaque", element=GENERATOR))
    if not type_.is_number:
        return Known(namesake(b.context, value), name)
    kept = not of_user or changed_state(b.context).keeps_name(name)
    if b.formula is None and not kept:
        raise b.refuse(
            node,
            f"a call that gives {name!r} another value, which the derivative reads,",
            "hand the number on as an argument, or return its new value",
        )
    return outer_variable(b, name, type_)


def _note_way(b: Builder, value: Any, read: partial[Any]) -> None:
    """Note how a tuple, list or dict is read from outside."""
    b.context.tables.setdefault(id(value), (value, []))[1].append(read)


def type_held(b: Builder, owner: Any, name: str, value: Any) -> Type:
    """Return the type of what something from outside holds under a name, with names for lengths."""
    known = type_of_constant(value)
    if known.kind != "array":
        return known
    return replace(known, shape=b.context.lengths.outer_shape(owner, name, value))


def any_number(known: Type) -> Type:
    """Return the type of what may be another number or array than the one that is known."""
    return Type("numeric", None, "c" if known.dtype == "c" else "?")


def outer_variable(b: Builder, name: str, type_: Type) -> Var:
    """Return the variable for what a name that is not local stands for."""
    key = (id(b.source.cells.get(name, b.source.globals)), name)
    known = b.outer.get(key)
    if b.formula is None and known in b.layout.bindings:  # else that was undone
        return known
    var = Var(name, type_, named=True)
    if b.formula is None:
        b.outer[key] = var
    b.layout.bind_outside(var, name)
    return var


def rely_on(b: Builder, *values: Value) -> None:
    """Rely on tuples, lists and dicts from outside holding what they do, under their names.

    What is read of them goes into the code: axes and shapes, the rows of a loop that is
    written out, functions in a table.
    """
    if b.in_formula:
        return  # the tables of the formulas stay what they are
    for value in values:
        if isinstance(value, Compound):
            rely_on(b, *value.items)
        if not isinstance(value, Known) or type(value.object) not in (tuple, list, dict):
            continue
        _rely_on_names(b, value)
        _rely_on_contents(b, value.object)


def _rely_on_names(b: Builder, value: Known) -> bool:
    """Rely on something from outside being what names stand for; return whether there are any."""
    named = _is_named(b, value)
    if named:
        namespace = b.source.cells.get(value.name, b.source.globals)
        facts.read_name(namespace, value.name, exactly=True)
    ways = b.context.tables.get(id(value.object), (None, ()))[1]
    for read in ways:
        read(exactly=True)  # it may have been handed on from there
    return named or bool(ways)


def _is_named(b: Builder, value: Known) -> bool:
    """Whether something from outside has the name in the function that it was read by."""
    namespace = b.source.cells.get(value.name, b.source.globals)
    return namespaces.read_name(namespace, value.name) is value.object


def entry_type(b: Builder, value: Known, key: Any) -> Type | None:
    """Return what kind of number a dict from outside holds, and rely on it; None if any may be.

    The number itself is read again, so that it may be another one at the next call.
    """
    table = value.object
    if type(table) is not dict or not is_spelled(key) or key not in table:
        return None
    known = type_held(b, table, key, table[key])
    if not known.is_number or not keeps_items(b, dict):
        return None
    if not _rely_on_names(b, value):
        return None
    facts.entry(table, key)
    return known


def held_outside(b: Builder, value: Value) -> Contents | None:
    """Return what a list or tuple from outside holds, and rely on it; None if that is not known."""
    return _described(b, value, data_contents)


def records_outside(b: Builder, value: Value) -> Var | None:
    """Return a list of objects from outside as a list of any length, and rely on what these hold.

    Returns:
        The list, under its name; None where it has none here, or holds anything else.
    """
    if not isinstance(value, Known) or type(value.object) is not list:
        return None
    if not _is_named(b, value):
        return None
    records = _described(b, value, contents_of_records)
    return records and outer_variable(b, value.name, Type("list", element=records))


def found_outside(b: Builder, value: Value, index: Value) -> Type | None:
    """Return the type of what a list, tuple or dict from outside holds where an index says."""
    held = held_outside(b, value)
    if held is not None:
        return element_type(held, index)
    held = viewed_outside(b, value, "values")
    return None if held is None else held.element


def described_attribute(b: Builder, owner: Any, name: str, found: Any) -> Contents | None:
    """Return what a list or tuple holds that is an attribute of an object from outside.

    The attribute may be another list at the next call, as long as it holds the same kinds.
    """
    kept = changed_state(b.context).keeps_attribute(name)
    if type(found) not in (list, tuple) or not kept or not may_be_relied_on(b):
        return None
    held = data_contents(found)
    if held is not None:
        facts.attribute_holds(owner, name, data_contents, held)
    return held


def outer_attribute(b: Builder, owner: Any, name: str, found: Any, made: Value) -> Value:
    """Return a list, tuple or dict that is an attribute of an object from outside.

    It is what was ``made`` for any that holds the same kinds, unless its contents are in the
    code: then it is the one that it is now.
    """
    if type(found) not in (list, tuple, dict):
        return made
    b.attributes[made] = found, partial(facts.attribute, owner, name)
    return in_code(b, made) if id(found) in b.context.in_code else made


def in_code(b: Builder, value: Value) -> Value:
    """Return a value whose contents go into the code, if it is a list, tuple or dict."""
    if value not in b.attributes:
        return value
    found, read = b.attributes[value]  # type: ignore[index]
    b.context.in_code[id(found)] = found
    _note_way(b, found, read)
    table = Known(found, read.args[1])
    rely_on(b, table)
    return table


def has_words(b: Builder, value: Value, index: Any) -> bool:
    """Whether an element is a text, or holds one, of a list or dict that is an attribute."""
    found, _ = b.attributes.get(value, ((), None))  # type: ignore[arg-type]
    try:
        part = found[index]
    except (LookupError, TypeError):
        return False
    return str in map(type, part if type(part) is tuple else (part,))


def viewed_outside(b: Builder, value: Value, view: str) -> Contents | None:
    """Return the same of the keys, values or items of a dict from outside."""
    return _described(b, value, _VIEWS[view]) if view in _VIEWS else None


def _described(b: Builder, value: Value, describe: Any) -> Contents | None:
    if not isinstance(value, Known) or type(value.object) not in (tuple, list, dict):
        return None
    if not may_be_relied_on(b) or not _rely_on_names(b, value):
        return None
    held = describe(value.object)
    if held is not None:
        facts.holds(value.object, describe, held)
    return held


_VIEWS = {"keys": contents_of_keys, "values": contents_of_values, "items": contents_of_items}


def keeps_items(b: Builder, kind: type | None = None) -> bool:
    """Rely on nothing changing lists and dicts from outside; return whether that can be done."""
    return changed_state(b.context).keeps_items(kind) or may_be_relied_on(b)


def note_changed(b: Builder, value: Value | None, node: Node) -> None:
    """Note that a list or dict from outside is changed while the function runs."""
    may_change(b)
    thing = value.object if isinstance(value, Known) else None
    if value is not None and type(thing) not in (list, dict):
        return
    key = None if value is None else id(thing)
    b.context.changed[key] = thing
    again = b.loops or b.context.lowering  # of a called function, which may be in a loop
    if again and (key in b.context.relied_on or (key is None and b.context.relied_on)):
        raise _changing(b, node)


def _changing(b: Builder, node: Node | None) -> MutationError:
    return MutationError(
        "a list or dict from outside of the function is changed, and its elements are in the code",
        spots=[b.source.spot(node or b.statement)],
        fixes=["pass it as an argument", "change a copy of it"],
    )


def _rely_on_contents(b: Builder, thing: Any) -> None:
    if type(thing) in (tuple, list, dict):
        facts.read_contents(thing)
        if type(thing) is not tuple:
            b.context.relied_on[id(thing)] = thing
            if {id(thing), None} & b.context.changed.keys():
                raise _changing(b, None)
        for part in thing.values() if type(thing) is dict else thing:
            _rely_on_contents(b, part)


def _is_option(value: Any) -> bool:
    """Whether formulas may depend on a value: axes, lengths, and the infinite order of a norm."""
    if isinstance(value, tuple):
        return all(type(k) is int for k in value)
    return type(value) is int or (type(value) is float and math.isinf(value))
