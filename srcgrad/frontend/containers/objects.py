"""Lowering of what is done with objects: attributes, methods, calls."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import functools
import types
from typing import Any

import libcst as cst

from srcgrad.analysis.memory.list_versions import is_list
from srcgrad.errors import MutationError, UnresolvedCallError
from srcgrad.frontend.containers.effects import forget_objects
from srcgrad.frontend.containers.structures import (
    as_dict,
    call_dict,
    is_dict,
    one_by_one,
    replaced_fields,
    require_writable,
    with_part,
)
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.recursion import call, call_own, call_spline
from srcgrad.frontend.state.recursion import lower_attribute as of_known
from srcgrad.frontend.state.rewriting import instead
from srcgrad.frontend.text.templates import statements
from srcgrad.frontend.text.trees import small_of
from srcgrad.ir.forms import Bound, NamedTuple, Object, Outcome, Registered, Spline, View
from srcgrad.ir.nodes import Items, Known, Method, Struct, Super, Value, is_active
from srcgrad.ir.types import Type
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

UNKNOWN = Type("numeric", None, "?")


def _place(value: Struct, name: str) -> int | None:
    """Where an attribute stands among the parts of an object."""
    if isinstance(value.form, Registered):
        known = value.form.attributes
        return known.index(name) if name in known else None
    if isinstance(value.form, View) or is_dict(value):
        return None
    return value.form.position(name)


def _of_class(value: Struct, name: str) -> Any:
    """What the class of an object holds under a name."""
    if isinstance(value.form, Registered) and name in value.form.held:
        return MISSING  # which hides what the class has
    if isinstance(value, Super):
        return facts.in_class(value.form.cls, name, behind=value.after)
    return facts.in_class(value.form.cls, name)


def has_attribute(b: Builder, value: Struct, name: str, node: Any) -> bool:
    """Whether an object has an attribute, where none of the user's code is asked."""
    if isinstance(value.form, Registered) and name in value.form.held:
        return True
    if _place(value, name) is not None:
        return True
    found = _of_class(value, name)
    if _may_be_missing(found) or _makes_up(value, found):
        raise b.refuse(
            node, f"asking for the attribute {name!r}, which code of its class gives,", "read it"
        )
    return found is not MISSING


def _may_be_missing(found: Any) -> bool:
    """Whether what a class holds may raise AttributeError where the attribute is read."""
    written = isinstance(found, property | functools.cached_property)
    return written or type(getattr(type(found), "__get__", None)) is types.FunctionType


def _makes_up(value: Struct, found: Any) -> bool:
    """Whether a method of the class may give what the attribute itself does not."""
    if is_dict(value) or isinstance(
        value.form, View | Outcome | Bound
    ):  # these give what they hold
        return False
    cls = value.form.cls
    if facts.in_class(cls, "__getattribute__") not in _GETTERS:
        return True
    absent = found is MISSING or _may_be_missing(found)
    return absent and facts.in_class(cls, "__getattr__") is not MISSING


_GETTERS = (object.__getattribute__, tuple.__getattribute__)


def lower_attribute(b: Builder, value: Struct, name: str, node: Any) -> Value:
    """Lower ``value.name``."""
    if is_dict(value) or isinstance(value.form, View):
        return Method(value, name)
    k = None if isinstance(value, Super) else _place(value, name)
    cls = value.form.cls
    found = value if k is not None else _of_class(value, name)
    if _makes_up(value, found):
        raise b.refuse(
            node, f"the attribute {name!r}, which __getattr__ may give,", "make it plain"
        )
    if k is not None:
        return value.items[k]
    if name == "__class__":
        return Known(cls, cls.__name__)
    if name == "__dict__" and isinstance(value.form, Object):
        return Struct(as_dict(value).form, value.items)  # type: ignore[union-attr]
    if isinstance(found, property | functools.cached_property):
        if isinstance(value, Super):
            raise b.refuse(node, f"the property {name!r} of super()", "call a method of it")
        getter = found.fget if isinstance(found, property) else found.func
        if isinstance(found, functools.cached_property):
            return _lower_cached(b, found, value, name, node)
        return call_with_self(b, getter, value, (), {}, node)
    if isinstance(found, types.FunctionType | classmethod | staticmethod):
        return Method(value, name)
    if found is MISSING or _is_computed(found):
        if not is_active(value) or name in getattr(value.form, "constant", ()):
            return b.opaque(node, [value], UNKNOWN)
        if isinstance(value.form, Outcome):
            known = value.form.names[0]
            raise b.refuse(
                node, f"the attribute {name!r} of a solution", f"compute it from {known}"
            )
        raise b.refuse(
            node,
            f"the attribute {name!r}, which this {cls.__name__} does not have,",
            "check its spelling",
        )
    if isinstance(value.form, NamedTuple) and name in ("_replace", "_asdict", "index", "count"):
        return Method(value, name)
    return of_known(b, Known(cls, ""), name, node)


def _lower_cached(b: Builder, found: Any, value: Struct, name: str, node: Any) -> Value:
    """Lower the first reading of a cached property, which sets the attribute."""
    holder = node.value.value if isinstance(node.value, cst.Name) else None
    if found.attrname != name or b.env.get(holder) is not value:
        raise b.refuse(node, "a cached property", "make it a property")
    made = call_with_self(b, found.func, value, (), {}, node, "cached")
    with_part(b, b.env[holder], name, made, node)
    return made


def _is_computed(found: Any) -> bool:
    """Whether what a class holds makes the value of an attribute, as a slot does."""
    return hasattr(type(found), "__get__")


def call_method(
    b: Builder,
    value: Struct,
    name: str,
    args: tuple[Value, ...],
    options: Any,
    node: Any,
    style: str = "",
) -> Value:
    """Lower ``value.name(*args)``."""
    if is_dict(value):
        return call_dict(b, value, name, args, options, node)
    if isinstance(value.form, NamedTuple) and name == "_replace" and not args:
        return replaced_fields(b, value, options, node)
    if isinstance(value.form, NamedTuple) and name == "_asdict":
        return as_dict(value)
    found = _of_class(value, name)
    if isinstance(value.form, Spline) and is_active(Items((value, *args, *options.values()))):
        raise b.refuse(node, f"the method .{name} of a spline", "call it: spline(t, nu)")
    if isinstance(found, staticmethod):
        return call(b, Known(found.__func__, name), args, options, node)
    if isinstance(found, types.FunctionType) and not isinstance(value.form, Spline):
        return call_with_self(b, found, value, args, options, node, style)
    if not is_active(value) and not any(is_active(v) for v in (*args, *options.values())):
        b.layout.impure.add(id(node))
        kept_text.note_method(b, name, [value, *args, *options.values()], options)
        made = b.opaque(node, [value, *args, *options.values()], UNKNOWN)
        forget_objects(b, value, *args, *options.values())
        return made
    raise unknown_method(b, name, node)


def held(value: Value) -> Value:
    """Return a method of an object that is not called here as what holds the object."""
    if not isinstance(value, Method):
        return value
    if not isinstance(value.receiver, Struct) and not is_list(value.receiver):
        return value
    return Struct(Bound(types.MethodType, ("__self__",), value.name), (value.receiver,))


def as_method(value: Value) -> Value:
    """Return a method that is held as one that is called."""
    if isinstance(value, Struct) and isinstance(value.form, Bound):
        return Method(value.items[0], value.form.method)
    return value


def unknown_method(b: Builder, name: str, node: Any) -> UnresolvedCallError:
    """The error for a method of an object that is not followed."""
    return UnresolvedCallError(
        f"it is not known what the method .{name} does with an active argument",
        spots=[b.source.spot(node)],
        why="Its object may keep the argument and give it back later, which is not followed.",
        fixes=[
            "keep the values in variables or lists",
            "call a function by its name",
            "pass stop_gradient(...), should no result depend on what the method does",
        ],
    )


def call_object(
    b: Builder, value: Struct, args: tuple[Value, ...], options: Any, node: Any
) -> Value:
    """Lower ``value(*args)``."""
    if isinstance(value.form, Spline):
        return call_spline(b, value, args, options, node)
    if isinstance(value.form, Bound) and not isinstance(value.items[0], Struct):
        return call(b, as_method(value), args, options, node)
    if isinstance(value.form, Bound):
        return call_method(b, value.items[0], value.form.method, args, options, node, "bound")
    found = _of_class(value, "__call__")
    if not isinstance(found, types.FunctionType):
        raise b.refuse(
            node, f"calling an object of class {value.form.cls.__name__}", "call one of its methods"
        )
    return call_with_self(b, found, value, args, options, node, "callable")


def lower_super(b: Builder, args, options, node) -> Value | None:
    """Lower ``super()`` and ``super(cls, self)``."""
    owner: Any = None
    if not args:
        cell, own = b.source.cells.get("__class__"), b.source.own
        if cell is not None and own is not None:
            args = (Known(facts.read_name(cell, "__class__")), b.env.get(own.value))
    if len(args) == 2 and isinstance(args[0], Known):
        owner = args[1]
    if isinstance(owner, Struct) and args[0].object in facts.mro(owner.form.cls):
        return Super(owner.form, owner.items, owner.token, args[0].object)
    if isinstance(owner, Known) and args[0].object in facts.mro(facts.class_of(owner.object)):
        return Known(super(args[0].object, owner.object), "super()")
    raise b.refuse(node, "this use of super", "call the method of the class by its name")


def call_with_self(
    b: Builder,
    fn: Any,
    value: Struct,
    args: tuple[Value, ...],
    options: Any,
    node: Any,
    style: str = "",
) -> Value:
    """Lower the call of a function of a class with the object as its first argument."""
    if isinstance(value, Super):
        value = Struct(value.form, value.items, value.token)
    func = getattr(node, "func", node)  # a property is read, not called
    style = style or ("method" if isinstance(func, cst.Attribute) else "bound")
    try:
        return call_own(b, fn, (value, *args), options, node, style)
    except MutationError as error:
        raise one_by_one(b, value, error) from None


def write_attribute(
    b: Builder, value: Struct, name: str, part: Value, node: Any, itself: bool = False
) -> None:
    """Lower ``value.name = part``; ``object.__setattr__`` itself does not ask the class."""
    found = _of_class(value, name)
    if isinstance(found, property) and found.fset is not None and not itself:
        _require_call(b, node)
    require_plain_attribute(b, value, name, node, itself)
    if value.form.position(name) is None and not isinstance(value.form, Object):
        raise b.refuse(node, f"the new attribute {name!r} of this object", "make it a field")
    require_writable(b, value, node)
    with_part(b, value, name, part, node)


def require_plain_attribute(
    b: Builder, value: Struct, name: str, node: Any, itself: bool = False
) -> None:
    """Refuse an attribute that is not simply set: what a setter or a descriptor does is unknown."""
    plain = not isinstance(value.form, NamedTuple | Registered | View) and not is_dict(value)
    found = _of_class(value, name)
    setter = None if itself else facts.in_class(value.form.cls, "__setattr__")
    if (
        not plain
        or (hasattr(found, "__set__") and not isinstance(found, types.MemberDescriptorType))
        or setter not in (None, object.__setattr__)
    ):
        raise b.refuse(node, f"writing the attribute {name!r} of this object", "make a new one")


def _require_call(b: Builder, node: Any) -> None:
    """Have ``a.x = v`` written as the call of a setter, ``a.__class__.x.fset(a, v)``."""
    line = b.statement
    small = small_of(line)
    if not isinstance(small, cst.Assign) or [t.target for t in small.targets] != [node]:
        return
    if not isinstance(node.value, cst.Name):
        return
    text = f"_o.__class__.{node.attr.value}.fset(_o, _v)"
    raise instead(*statements(text, _o=node.value, _v=small.value))
