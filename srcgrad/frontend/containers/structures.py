"""Lowering of dicts, named tuples, dataclasses and objects: reading and writing their parts."""

from __future__ import annotations

import dataclasses
import inspect
import types
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.joins import common_type
from srcgrad.errors import MutationError, SrcgradError
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.handed import written
from srcgrad.frontend.state.recursion import inactive_type, read_item
from srcgrad.frontend.state.rewriting import NotUniform, choice_written_out
from srcgrad.frontend.state.versions import exchange
from srcgrad.frontend.text.names import names_in
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.forms import Dataclass, Form, NamedTuple, View, dict_form, view_form
from srcgrad.ir.leaves import leaves, parts_of
from srcgrad.ir.nodes import (
    LIST_ITEM,
    LIST_NEW,
    Compound,
    Const,
    Items,
    Known,
    Op,
    Slice,
    Struct,
    Value,
    Var,
    embed,
    is_active,
)
from srcgrad.ir.structures import form_of_class
from srcgrad.ir.types import Type
from srcgrad.ir.unassigned import UNDEFINED, is_open
from srcgrad.library.libraries import home, is_of_library
from srcgrad.program import facts

UNKNOWN = Type("numeric", None, "?")
_PLAIN = ("builtins", "collections", "numpy")  # whose classes hold nothing that is followed
_SCALARS = str | int | float | bool | None


def new_dict(names: list[Any], values: list[Value]) -> Struct:
    """Return a dict that the function makes."""
    return Struct(dict_form(names), tuple(values), object())


def is_dict(value: Value) -> bool:
    """Whether a value is a dict."""
    return isinstance(value, Struct) and type(value.form) is Form


def sequence(value: Value) -> tuple[Value, ...] | None:
    """What going through a value gives, where that is known; of a dict, its keys."""
    if isinstance(value, Items):
        return value.items
    if isinstance(value, Struct) and isinstance(value.form, View | NamedTuple):
        return value.items
    if is_dict(value):
        return tuple(Const(name) for name in value.form.names)  # type: ignore[union-attr]
    return None


def any_structs(value: Value) -> bool:
    """Whether a value is or contains a dict or an object."""
    return any(isinstance(part, Struct) for part in parts_of([value]))


def any_objects(value: Value) -> bool:
    """Whether a value is or contains a list, a dict or an object."""
    return bool(_objects(value))


def _objects(value: Value) -> list[Struct | Items]:
    """The dicts, objects and lists of known length in a value."""
    parts = (part for part in parts_of([value]) if isinstance(part, Compound))
    return [part for part in parts if isinstance(part, Struct) or part.is_list]


def tokens_of(result: Value) -> dict[int, Any]:
    """Tokens for the objects in a call's result that the function has made, by their ids."""
    found = _objects(result)
    tokens = [s.token for s in found if s.token is not None]
    return {id(s): object() for s in found if tokens.count(s.token) == 1}


def names_of_objects(b: Builder, names: set[str]) -> set[str]:
    """The names that hold an object which one of some names holds too."""

    def tokens(value: Value) -> set[Any]:
        return {s.token for s in _objects(value) if s.token is not None}

    held: set[Any] = set()
    for name in names:
        held |= tokens(b.env.get(name, UNDEFINED))
    return {name for name, value in b.env.items() if held and tokens(value) & held}


def replace_object(b: Builder, old: Struct | Items, new: Value) -> None:
    """Let every name that holds an object or a list hold its next version."""

    def is_old(value: Value) -> bool:
        same = value is old if old.token is None else getattr(value, "token", None) is old.token
        return same and isinstance(value, Compound)

    if is_dict(old) and any(map(_is_view, parts_of(b.env.values()))):
        raise MutationError(
            "a dict is written whose keys, values or items are read under another name",
            spots=[b.source.spot(b.statement)],
            why="They are those that the dict has when they are gone through.",
            fixes=["take them where they are gone through"],
        )
    if isinstance(new, Compound) and any(map(is_old, parts_of(new.items))):
        raise b.refuse(b.statement, "an object that holds itself", "keep what it needs of itself")
    names = list(filter(is_named, exchange(b, is_old, new)))
    for name in names:
        b.layout.write(name, b.frame)
        b.attach(name, b.env[name], ())
    b.layout.together.append(set(names))
    written(b, old.token, new, names)


def _is_view(value: Value) -> bool:
    return isinstance(value, Struct) and isinstance(value.form, View)


def require_writable(b: Builder, value: Struct | Items, node: Any) -> None:
    """Refuse writes to an object that may be known outside under another name."""
    if value.token is not None and value.token not in b.frozen:
        return
    if isinstance(value, Items):
        require_list_of_its_own(b, False, node)
        return
    what = "a dict" if is_dict(value) else f"an object of class {value.form.cls.__name__}"
    error = MutationError(
        f"{what} is written that may be an argument or have another name",
        spots=[b.source.spot(node)],
        why="Only what the function itself has made, and nothing else holds, may be written.",
        fixes=["write to a copy: p = dict(p)" if is_dict(value) else "make a new object instead"],
    )
    raise one_by_one(b, value, error)


def one_by_one(b: Builder, value: Struct | Items, error: SrcgradError) -> Exception:
    """What to raise where an object is written that may be one of several in a list.

    Where the list was one of known elements, the loop around that chooses one is written out.
    """
    for leaf in leaves(value):
        made = b.made.get(leaf) if isinstance(leaf, Var) else None
        if made is not None and made.op.fn is LIST_ITEM and made.args[0] in b.of_known_start:
            return choice_written_out(b, made, error)
    return error


def require_list_of_its_own(b: Builder, own: bool, node: Any) -> None:
    """Refuse writes to a list that may be known outside under another name."""
    if own or b.source.is_generated:
        return
    raise MutationError(
        "a list is written that may be an argument or have another name",
        spots=[b.source.spot(node)],
        why="Only what the function itself has made, and nothing else holds, may be written.",
        fixes=["write to a copy: t = list(t)"],
    )


def with_part(b: Builder, value: Struct, name: Any, part: Value, node: Any) -> Struct:
    """Write one part of an object; a dict may get a new key."""
    require_writable(b, value, node)
    k = value.form.position(name)
    if isinstance(part, Var) and not part.named and str(name).isidentifier():
        part.name = str(name)
    items = list(value.items)
    form = value.form
    if k is None:
        form = type(form)(form.cls, (*form.names, name))
        items.append(part)
    else:
        items[k] = part
    new = Struct(form, tuple(items), value.token)
    replace_object(b, value, new)
    return new


def without_part(b: Builder, value: Struct, k: int, node: Any) -> None:
    """Take a key out of a dict."""
    require_writable(b, value, node)
    names = [n for j, n in enumerate(value.form.names) if j != k]
    items = [v for j, v in enumerate(value.items) if j != k]
    replace_object(b, value, Struct(dict_form(names), tuple(items), value.token))


def key_of(index: Value) -> Any:
    """The key that an index is, ``NotImplemented`` where it is not known."""
    if isinstance(index, Const) and not is_open(index) and isinstance(index.value, _SCALARS):
        return index.value
    if isinstance(index, Items) and not index.is_list:
        keys = tuple(key_of(item) for item in index.items)
        return NotImplemented if NotImplemented in keys else keys
    return NotImplemented


def require_known_key(b: Builder, node: Any) -> None:
    """Let the loop around be written out where a key differs between its iterations."""
    bound = b.loops[-1][1] if b.loops else set()
    keys: Any = ()
    if isinstance(node, cst.Subscript):
        keys = node.slice
    elif isinstance(node, cst.Call):
        keys = node.args[:1] if isinstance(node.func, cst.Attribute) else node.args[1:]
    if any(names_in(key) & bound for key in keys):
        raise NotUniform


def read_part(b: Builder, value: Struct, index: Value, node: Any) -> Value:
    """Lower ``value[index]``."""
    if isinstance(value.form, NamedTuple):
        return read_item(b, Items(value.items), index, node)
    if is_dict(value):
        key = key_of(index)
        k = None if key is NotImplemented else value.form.position(key)
        if k is not None:
            return value.items[k]
        if key is not NotImplemented:
            names = ", ".join(map(repr, value.form.names)) or "none"
            what = f"reading the key {key!r} of a dict that has {names}"
            raise b.refuse(node, what, "check its spelling")
        if not is_active(value):
            whichever = common_type(value.items)
            return b.one_of(node, Items((*value.items, index)), index, whichever)
        require_known_key(b, node)
        error = b.refuse(
            node,
            "a key that is not known when code is generated",
            "go through the dict with a for loop, or write the key out",
        )
        error.by_iterations = True  # of a comprehension, or of a loop around this function
        raise error
    if not is_active(value) and not is_active(index):
        return b.opaque(node, [value, index], UNKNOWN)
    raise b.refuse(
        node, f"indexing an object of class {value.form.cls.__name__}", "read its attributes"
    )


def write_part(b: Builder, value: Struct, index: Value, part: Value, node: Any) -> None:
    """Lower ``value[index] = part``."""
    key = key_of(index)
    if not is_dict(value) or key is NotImplemented or isinstance(index, Slice):
        require_known_key(b, node)
        raise b.refuse(
            node,
            "writing to a key that is not known when code is generated",
            "write the key out, or keep the values in an array",
        )
    with_part(b, value, key, part, node)


# what dicts can do


def call_dict(b: Builder, value: Struct, name: str, args, options, node) -> Value:
    """Lower a call of a method of a dict."""
    names, items = value.form.names, value.items
    if name in ("keys", "values", "items") and not args and not options:
        keys = tuple(Const(n) for n in names)
        rows = tuple(Items((k, v)) for k, v in zip(keys, items, strict=True))
        parts = {"keys": keys, "values": items, "items": rows}[name]
        return Struct(view_form(len(parts)), parts)
    if name == "copy" and not args and not options:
        return Struct(value.form, items, object())
    if name == "update" and len(args) <= 1:
        require_writable(b, value, node)
        merged = dict(zip(names, items, strict=True)) | _pairs(b, args, options, node)
        new = Struct(dict_form(list(merged)), tuple(merged.values()), value.token)
        replace_object(b, value, new)
        return Const(None)
    key = key_of(args[0]) if args else NotImplemented
    if name in ("get", "pop", "setdefault") and key is not NotImplemented and len(args) <= 2:
        k = value.form.position(key)
        default = args[1] if len(args) == 2 else Const(None)
        if name == "pop" and k is not None:
            without_part(b, value, k, node)
        elif name == "pop" and len(args) < 2:
            return read_part(b, value, args[0], node)  # refused there
        elif name == "setdefault" and k is None:
            with_part(b, value, key, default, node)
        return default if k is None else items[k]
    if not is_active(value) and not any(is_active(v) for v in (*args, *options.values())):
        if value.token is None or name in ("get", "__contains__"):
            b.layout.impure.add(id(node))
            return b.opaque(node, [value, *args, *options.values()], UNKNOWN)
    require_known_key(b, node)
    raise b.refuse(
        node,
        f"this call of the dict method .{name}",
        "use p[key], items, keys, values, get, update, pop, setdefault or copy, with keys "
        "that are written out",
    )


def _pairs(b: Builder, args, options: dict[str, Value], node: Any) -> dict[Any, Value]:
    """The keys and values that ``dict`` and ``update`` are given."""
    found: dict[Any, Value] = {}
    if args and is_dict(args[0]):
        found |= dict(zip(args[0].form.names, args[0].items, strict=True))
    elif args:
        rows = sequence(args[0])
        if rows is None:
            raise b.refuse(node, "a dict made of this value", "write its keys out")
        for row in rows:
            pair = sequence(row)
            key = key_of(pair[0]) if pair is not None and len(pair) == 2 else NotImplemented
            if key is NotImplemented or pair is None:
                raise b.refuse(node, "a dict made of this value", "write its keys out")
            found[key] = pair[1]
    return found | options


def make_dict(b: Builder, args, options, node) -> Value | None:
    """Lower ``dict(...)``."""
    if len(args) > 1:
        return None
    if args and not any_structs(args[0]) and not is_active(Items((*args, *options.values()))):
        if sequence(args[0]) is None:
            return None
    found = _pairs(b, args, options, node)
    return new_dict(list(found), list(found.values()))


def dict_display(b: Builder, node: Any, lower: Any, outer: Any) -> Value | None:
    """Lower ``{"w": w, **rest}``; None where its keys are not known."""
    found: dict[Any, Value] = {}
    for element in node.elements:
        if isinstance(element, cst.StarredDictElement):
            value = lower(b, element.value)
            if is_dict(value):
                found |= dict(zip(value.form.names, value.items, strict=True))
                continue
            held = outer(b, value)
            if held is None:
                return None
            found |= held
            continue
        key = key_of(lower(b, element.key))
        if key is NotImplemented:
            return None
        found[key] = lower(b, element.value)
    return new_dict(list(found), list(found.values()))


# named tuples and dataclasses


def make_record(b: Builder, cls: Any, args, options, node) -> Value | None:
    """Lower the construction of a named tuple or a dataclass; None for other classes."""
    form = record_form(cls)
    if form is None:
        return None
    given = dict(zip(form.names, args, strict=False))
    wrong = set(options) - set(form.names) or set(options) & set(given)
    if len(args) > len(form.names) or wrong:
        raise b.refuse(node, f"this call of {cls.__name__}", "pass its fields")
    given |= options
    for name in form.names:
        if name not in given:
            given[name] = _default(b, cls, name, node)
    parts = tuple(given[name] for name in form.names)
    frozen = isinstance(form, NamedTuple) or cls.__dataclass_params__.frozen
    return Struct(form, parts, None if frozen else object())


def record_form(cls: Any) -> Form | None:
    """The form of a class whose construction does nothing but hold its arguments."""
    form = form_of_class(cls)
    return form if isinstance(form, NamedTuple | Dataclass) else None


def _default(b: Builder, cls: Any, name: str, node: Any) -> Value:
    makes = facts.in_class(cls, "__new__" if issubclass(cls, tuple) else "__init__")
    default = facts.signature(makes).parameters[name].default
    fields = () if issubclass(cls, tuple) else dataclasses.fields(cls)
    field = next((f for f in fields if f.name == name), None)
    if field is None or field.default_factory is dataclasses.MISSING:
        if default is not inspect.Parameter.empty:
            return embed(default)
    else:
        if field.default_factory is list:
            return b.emit(Op(LIST_NEW), (), node, type_=Type("list"), active=False)
        if field.default_factory is dict:
            return new_dict([], [])
        if not isinstance(field.default_factory, type) or home(field.default_factory) in _PLAIN:
            return b.opaque(node, [], _type_of_made(b, field.default_factory, node))
        raise b.refuse(node, f"the default of the field {name!r}, which is made anew,", "pass it")
    raise b.refuse(node, f"this call of {cls.__name__}, which lacks {name!r},", "pass it")


def _type_of_made(b: Builder, factory: Any, node: Any) -> Type:
    """The type of what a function without parameters gives."""
    if not isinstance(factory, types.FunctionType) or is_of_library(factory):
        return UNKNOWN
    told = inactive_type(b, Known(factory, factory.__name__), (), {}, node)
    return told if isinstance(told, Type) else UNKNOWN


def replaced_fields(b: Builder, value: Value, options: dict[str, Value], node: Any) -> Value:
    """Lower ``dataclasses.replace(value, **options)`` and ``value._replace(**options)``."""
    known = isinstance(value, Struct) and isinstance(value.form, NamedTuple | Dataclass)
    if not known or set(options) - set(value.form.names):  # type: ignore[union-attr]
        raise b.refuse(node, "this call of replace", "pass the fields of a dataclass by name")
    assert isinstance(value, Struct)
    rows = zip(value.form.names, value.items, strict=True)
    parts = tuple(options.get(name, item) for name, item in rows)
    frozen = isinstance(value.form, NamedTuple) or value.form.cls.__dataclass_params__.frozen
    return Struct(value.form, parts, None if frozen else object())


def as_dict(value: Struct) -> Value:
    """The fields of a value as a dict."""
    return new_dict(list(value.form.names), list(value.items))
