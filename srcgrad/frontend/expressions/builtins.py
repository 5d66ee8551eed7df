"""Calls that the front end understands by itself."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false

from __future__ import annotations

import abc
import collections
import dataclasses
import functools
import operator
import types
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.numpy_calls import (
    lower_block,
    lower_choose,
    lower_gradient,
    lower_sign,
    of_rows,
)
from srcgrad.frontend.arrays.stacking import (
    JUNCTIONS,
    along_axis,
    is_list,
    junction,
    lower_array,
    split_of_known,
)
from srcgrad.frontend.containers import attributes, indexing, lists
from srcgrad.frontend.containers.attributes import metadata
from srcgrad.frontend.containers.constructors import known_as, lower_new, lower_object_of
from srcgrad.frontend.containers.effects import settle
from srcgrad.frontend.containers.objects import (
    has_attribute,
    lower_attribute,
    lower_super,
    write_attribute,
)
from srcgrad.frontend.containers.overloading import lower_builtin
from srcgrad.frontend.containers.spreading import elements
from srcgrad.frontend.containers.structures import (
    as_dict,
    is_dict,
    key_of,
    make_dict,
    new_dict,
    replaced_fields,
    require_known_key,
    sequence,
)
from srcgrad.frontend.expressions.interceptions import lower_on_backward
from srcgrad.frontend.expressions.iterables import gives_generator, going_through
from srcgrad.frontend.expressions.iterators import lower_zip, refuse_active
from srcgrad.frontend.expressions.lowering import apply_operator, lower, names_used
from srcgrad.frontend.expressions.ordering import (
    about_active,
    largest_row,
    lower_extremum,
    lower_sorted,
    of_growing_list,
)
from srcgrad.frontend.expressions.unrolling import known_keys
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import held, in_place_of, way_of, way_to
from srcgrad.frontend.text.templates import expression, is_path, item, text_of, two_by_two
from srcgrad.ir.demands import What
from srcgrad.ir.forms import Dataclass, Object, Registered
from srcgrad.ir.nodes import (
    Compound,
    Const,
    Equation,
    Items,
    Known,
    Op,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.structures import is_foreign, is_object
from srcgrad.ir.types import Type, join_elements, like
from srcgrad.program import facts
from srcgrad.runtime import (
    add_lists,
    list_along,
    list_like,
    object_of,
    split_like,
    spread_over,
    tree_of,
    zeros_in,
    zeros_of_active,
)
from srcgrad.runtime.intercepting import on_backward, replacement


def _len(b: Builder, args, options, node) -> Value | None:
    if len(args) != 1:
        return None
    made = lower_builtin(b, "len", args[0], node)
    return lists.length(b, args[0], node) if made is None else made


def _abs(b: Builder, args, options, node) -> Value | None:
    return lower_builtin(b, "abs", args[0], node) if len(args) == 1 else None


def _isinstance(b: Builder, args, options, node) -> Value | None:
    if len(args) != 2:
        return None
    value, classes = args
    options_ = classes.items if isinstance(classes, Items) else (classes,)
    if not all(isinstance(c, Known) and isinstance(c.object, type) for c in options_):
        return None
    kinds = tuple(c.object for c in options_)
    if isinstance(value, Const):
        return Const(isinstance(value.value, kinds))
    if isinstance(value, Items):
        return Const(issubclass(list if value.is_list else tuple, kinds))
    if isinstance(value, Struct):
        return Const(any(issubclass(cls, kinds) for cls in facts.mro(value.form.cls)))
    if isinstance(value, Var) and value.type.kind == "array" and kinds == (np.ndarray,):
        return Const(True)
    if isinstance(value, Known) and type(value.object) in _CONTAINERS:
        return Const(issubclass(type(value.object), kinds))
    if isinstance(value, Var) and b.context.demands.of_call and _is_number(b, value.type):
        if all(map(_holds_no_number, kinds)):  # before a call it may be anything
            return Const(False)
    return b.opaque(node, [value], Type("scalar", (), "b"))


def _set_of_keys(b: Builder, args, options, node) -> Value | None:
    """Lower the set of the keys of a dict, which is data whatever the dict holds."""
    known = len(args) == 1 and not options and known_keys(b, args[0]) is not None
    return b.opaque(node, []) if known else None


_CONTAINERS = frozenset({dict, list, tuple, set, str})


def class_test(b: Builder, args: Any, options: Any, node: Any) -> Value | None:
    """Lower the test whether something is of a class that no array or number is of."""
    value = args[0] if len(args) == 1 and not options else None
    plain = isinstance(value, Var) and value.type.is_number and is_active(value)
    return Const(False) if plain and b.context.demands.of_call else None


def _is_number(b: Builder, type_: Type) -> bool:
    """Whether something is an array or a number for certain."""
    assumed = type_.kind == "numeric" and b.context.demands.asks(What.COMPLEX)  # to be complex
    known = type_.active or (type_.dtype not in ("", "?") and not assumed)
    return type_.kind == "array" or (type_.is_number and known)


def _holds_no_number(cls: type) -> bool:
    """Whether no number or array can be an instance of a class."""
    if cls in _CONTAINERS:
        return True
    examples = (0, 0.0, 0j, np.float64(0.0), np.zeros(0))
    plain = type(cls) in (type, abc.ABCMeta) and not is_foreign(cls)
    derived = issubclass(cls, tuple(map(type, examples)))
    return plain and not derived and not any(isinstance(each, cls) for each in examples)


def _list_along(b: Builder, args, options, node) -> Value | None:
    """Generated code: the parts of an array, as a list."""
    given = type_of(args[0])
    axis = options.get("axis", Const(0))
    shape = given.shape
    if isinstance(shape, tuple) and isinstance(axis, Const):
        place = axis.value % len(shape)
        shape = (*shape[:place], *shape[place + 1 :])
    else:
        shape = None
    kind = "scalar" if shape == () else ("numeric" if shape is None else "array")
    element = Type(kind, shape, given.dtype, given.active)
    type_ = Type("list", active=given.active, element=element)
    rest = tuple((k, v) for k, v in options.items() if v != Const(0))
    return b.emit(Op(list_along), args, node, rest, type_=type_)


def _list_of_cotangents(fn: Any):
    """Generated code: the cotangents of a list from that of its sum, or of its junction."""

    def lower(b: Builder, args, options, node) -> Value | None:
        active = is_active(args[0])
        type_ = type_of(args[1])
        element = replace(type_.element, active=active) if type_.element is not None else None
        kind = Type("list", active=active, element=element)
        return b.emit(Op(fn), args, node, tuple(options.items()), type_=kind)

    return lower


def _add_lists(b: Builder, args, options, node) -> Value | None:
    """Generated code: two contributions to the cotangent of a list."""
    first, second = (type_of(v).element for v in args)
    active = any(is_active(v) for v in args)
    known = join_elements(first, second)
    known = replace(known, active=active) if isinstance(known, Type) else known
    kind = Type("list", active=active, element=known)
    return b.emit(Op(add_lists), args, node, type_=kind)


def _slice(b: Builder, args, options, node) -> Value | None:
    if options or any(is_active(a) for a in args):
        return None
    return b.opaque(node, list(args), Type("slice"))


def _zeros_in(b: Builder, args, options, node) -> Value | None:
    """Generated code: zeros in the structure of a list, to which cotangents are added."""
    element = _element_of(args[0])
    parts = element if isinstance(element, tuple) else (element,)
    if not all(isinstance(part, Type) and part.is_number for part in parts):
        return None
    zeros = [replace(part, active=False) for part in parts]
    element = like(element, zeros) if isinstance(element, tuple) else zeros[0]
    made = Var("zeros", Type("list", active=False, element=element))
    b.define(made, node)
    b.block.append(Equation((made,), Op(zeros_in), args, (), b.origin(node)))
    return made


def _element_of(value: Value) -> Any:
    """The type of the elements of a list, nested; None where there is none for all of them."""
    if isinstance(value, Items):
        with suppress(ValueError):  # where they differ in structure
            return functools.reduce(join_elements, map(lists.template, value.items), None)
        return None
    return type_of(value).element if type_of(value).kind == "list" else None


def _zeros_of_active(b: Builder, args, options, node) -> Value | None:
    """Generated code: zeros for what is differentiated in the elements of a list of tuples."""
    element = _element_of(args[0])
    if element is None or len(args) != 2:
        return None
    parts = _of_active(element, args[1])
    if parts is None:
        raise b.refuse(
            node, "a derivative of this order of such lists", "keep lists of numbers or arrays"
        )
    element = parts[0] if len(parts) == 1 else tuple(parts)
    type_ = Type("list", active=False, element=element)
    return b.emit(Op(zeros_of_active), args, node, type_=type_, active=False)


def _without_name(active: Value) -> Value:
    """What is told of a part of an object, beside its name."""
    named = isinstance(active, Items) and isinstance(getattr(active.items[0], "value", None), str)
    return active.items[1] if named else active


def _of_active(element: Any, active: Value) -> list[Type] | None:
    """The types of the zeros of one element, flat; None where there are none of that kind."""
    if isinstance(active, Items) and active.is_list:
        if not isinstance(element, Type) or element.kind != "list":
            return None
        parts = _of_active(element.element, active.items[0])
        if not parts:
            return None
        return [Type("list", active=False, element=parts[0] if len(parts) == 1 else tuple(parts))]
    if isinstance(active, Items):
        if not isinstance(element, tuple) or len(element) != len(active.items):
            return None
        active = Items(tuple(map(_without_name, active.items)))
        found = [_of_active(part, own) for part, own in zip(element, active.items, strict=True)]
        return None if None in found else [t for part in found for t in part or ()]
    if not isinstance(active, Const) or not isinstance(element, Type):
        return None
    if not active.value:
        return []
    return [replace(element, active=False)] if element.is_number else None


def _sum(b: Builder, args, options, node) -> Value | None:
    if len(args) == 1 and not options and is_list(args[0]):
        given = type_of(args[0])
        element = given.element
        if element.kind == "array" and element.ndim and isinstance(given.shape, tuple):
            if b.context.lengths.at_least(given.shape[0], 1):
                return b.emit(Op(sum), args, node, type_=element)
        known = element.shape == ()
        kind = Type("scalar" if known else "numeric", () if known else None, element.dtype)
        return b.emit(Op(sum), args, node, type_=kind)
    if not args or not isinstance(args[0], Items) or not is_active(args[0]) or options:
        return None
    total: Value | None = args[1] if len(args) > 1 else None
    for k, part in enumerate(args[0].items, start=1):
        last = node if k == len(args[0].items) else None  # the text stands for the whole sum
        total = part if total is None else apply_operator(b, operator.add, (total, part), last)
    return Const(0) if total is None else total


def _extremum(fn: Any, reduction: Any):
    """``max(a, b, c)`` is taken two by two; ``max(x)`` of an array is its reduction."""

    def fold(b: Builder, args, options, node) -> Value | None:
        if b.formula is None and "key" in options and args:
            if about_active(b, args, options):
                return lower_extremum(b, fn.__name__, args, options, node)
        if options or not any(is_active(a) for a in args):
            return None
        parts = args[0].items if len(args) == 1 and isinstance(args[0], Items) else args
        if b.formula is None and any(isinstance(part, Compound) for part in parts):
            name = fn.__name__
            raise b.refuse(node, f"{name} of values with parts", f"give {name} a key")
        if len(args) == 1 and isinstance(args[0], Var) and args[0].type.is_number:
            return b.emit(Op(reduction), args, node)
        if len(parts) <= 2 and len(args) == 2:
            return None
        if len(args) == 1 and b.formula is None:
            _write_out(b, args[0], fn.__name__, node)
        best = parts[0]
        for k, part in enumerate(parts[1:], start=2):
            best = b.emit(Op(fn), (best, part), node if k == len(parts) else None)
        return best

    return fold


def _write_out(b: Builder, items: Value, name: str, node: Any) -> None:
    """Let ``max(t)`` of a list be written as ``max(max(t[0], t[1]), t[2])``."""
    if isinstance(items, Var) and items.type.kind == "list":
        if isinstance(items.type.element, Type) and items.type.element.kind != "list":
            raise of_growing_list(b, name, node)
        raise largest_row(b, name, (items,), node)
    given = node.args[0].value if getattr(node, "args", ()) else None
    parts = _part_texts(b, given, len(items.items)) if isinstance(items, Items) else []
    if len(parts) > 1:
        if way_to(b.statement, node) is None:
            raise b.refuse(node, f"{name} of a list here", f"write np.{name}(np.array(...))")
        raise in_place_of(node, two_by_two(node.func, parts))


def _part_texts(b: Builder, node: Any, count: int) -> list[Any]:
    """The expressions of what a display, a name or ``d.values()`` holds; none for anything else."""
    if isinstance(node, cst.List | cst.Tuple):
        starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
        return [] if starred else [element.value for element in node.elements]
    if is_path(node):
        return [item(node, k) for k in range(count)]
    owner = node.func.value if isinstance(node, cst.Call) and not node.args else None
    held = (
        lower(b, owner) if owner and is_path(owner) and node.func.attr.value == "values" else None
    )
    if not isinstance(held, Struct) or not is_dict(held):
        return []
    return [expression(text_of(owner) + str(held.form.access(k))) for k in range(count)]


def _metadata(name: str):
    def read(b: Builder, args, options, node) -> Value | None:
        if len(args) != 1 or options or not isinstance(args[0], Var):
            return None
        if not args[0].type.is_number:
            return None
        return metadata(b, args[0], name, node)

    return read


def _sequence(is_list: bool):
    def convert(b: Builder, args, options, node) -> Value | None:
        if len(args) == 1 and isinstance(args[0], Items):
            return Items(args[0].items, is_list, object() if is_list else None)
        if len(args) == 1 and isinstance(args[0], Var) and args[0].type.kind == "list":
            if is_active(args[0]):
                return b.emit(Op(list), args, node, type_=args[0].type)
        if is_list and len(args) == 1 and isinstance(args[0], Var):
            given = args[0].type
            # what is differentiated may be written into the list later
            rows = given.kind == "array" and given.dtype in ("f", "c")
            if rows or (given.active and given.kind in ("array", "numeric")):
                return _list_along(b, args, {}, node)
        if not is_list and len(args) == 1 and type_of(args[0]).kind == "shape":
            return args[0]
        if not is_list and len(args) == 1 and b.formula is None and is_active(args[0]):
            parts = elements(b, args[0])
            return None if parts is None else Items(parts)
        return None

    return convert


def _of_sequence(rule: Any, taken: bool = True):
    """A rule for sequences that holds for what views, named tuples and dicts give as well.

    ``taken``: whether elements are taken, not only counted.
    """

    def lower(b: Builder, args, options, node) -> Value | None:
        if args and isinstance(args[0], Struct) and b.formula is None:
            if taken and gives_generator(args[0]) and isinstance(node, cst.Call):
                raise going_through(b, args[0], node.args[0].value)
            items = sequence(args[0])
            if items is not None:
                args = (Items(items), *args[1:])
        return rule(b, args, options, node)

    return lower


def _replace_fields(b: Builder, args, options, node) -> Value | None:
    if len(args) != 1:
        return None
    form = args[0].form if isinstance(args[0], Struct) else None
    if type(form) is Object and isinstance(node, cst.Call):
        made = facts.in_class(form.cls, "__dataclass_fields__")
        if made is not facts.MISSING and not any(arg.star for arg in node.args):
            raise _constructed_again(b, form.cls, node)
    return replaced_fields(b, args[0], options, node)


def _constructed_again(b: Builder, cls: type, node: cst.Call) -> Exception:
    """Write ``replace(p, a=v)`` as ``P(a=v, b=p.b)``, where making one runs code of the class."""
    what, fix = "this call of replace", "make the object by its class"
    way_of(b, node, what, fix)
    given = {arg.keyword.value for arg in node.args[1:] if arg.keyword is not None}
    fields = dataclasses.fields(cls)
    if not given <= {f.name for f in fields} or not all(f.init for f in fields):
        return b.refuse(node, what, fix)
    before, owner = held(b, node.args[0].value)
    label = known_as(b.source, cls)
    left = [f.name for f in fields if f.name not in given]
    made = expression(f"{label}({', '.join(f'{n}=_o.{n}' for n in left)})", _o=owner)
    changed = [arg.with_changes(comma=cst.MaybeSentinel.DEFAULT) for arg in node.args[1:]]
    return in_place_of(node, made.with_changes(args=[*changed, *made.args]), before)


def _fields_given(made: Callable[[Struct], Value]) -> Any:
    """A rule for what gives the fields of a dataclass, where none of them has to be copied."""

    def lower(b: Builder, args, options, node) -> Value | None:
        value = args[0] if len(args) == 1 and not options else None
        if not isinstance(value, Struct) or not isinstance(value.form, Dataclass):
            return None
        plain = (isinstance(v, Var | Const) and type_of(v).is_immutable for v in value.items)
        return made(value) if all(plain) else None

    return lower


def _getattr(b: Builder, args, options, node) -> Value | None:
    if len(args) > 1 and isinstance(args[0], Struct) and not isinstance(args[1], Const):
        require_known_key(b, node)
    if len(args) < 2 or not isinstance(args[1], Const):
        return None
    if isinstance(args[0], Known) and isinstance(args[0].object, types.ModuleType):
        known = callable(facts.attribute(args[0].object, str(args[1].value)))
        return attributes.lower_attribute(b, args[0], args[1].value, node) if known else None
    if isinstance(args[0], Known) and len(args) == 2 and is_object(args[0].object):
        held = facts.static(args[0].object, str(args[1].value))
        runs = isinstance(held, property | functools.cached_property)
        return lower_attribute(b, args[0], args[1].value, node) if runs else None
    if not isinstance(args[0], Struct):
        return None
    if len(args) == 3 and not has_attribute(b, args[0], args[1].value, node):
        return args[2]
    return lower_attribute(b, args[0], args[1].value, node)


def _setattr(itself: bool) -> Any:
    """A rule for ``setattr``, and for that of ``object`` itself, which no class changes."""

    def rule(b: Builder, args, options, node) -> Value | None:
        if len(args) != 3 or not isinstance(args[0], Struct):
            return None
        if not isinstance(args[1], Const):
            require_known_key(b, node)
            return None
        write_attribute(b, args[0], args[1].value, args[2], node, itself)
        return Const(None)

    return rule


def _hasattr(b: Builder, args, options, node) -> Value | None:
    if len(args) != 2 or not isinstance(args[1], Const):
        return None
    owner, name = args[0], args[1].value
    if isinstance(owner, Struct):
        return Const(has_attribute(b, owner, name, node))
    if not isinstance(owner, Known) or not isinstance(owner.object, types.ModuleType):
        return None
    found = facts.attribute(owner.object, name)  # as versions of libraries are told apart
    return None if found is facts.COMPUTED else Const(found is not facts.MISSING)


def _type(b: Builder, args, options, node) -> Value | None:
    if len(args) == 1 and isinstance(args[0], Items):
        cls = list if args[0].is_list else tuple
        return Known(cls, cls.__name__)
    known = len(args) == 1 and isinstance(args[0], Struct)
    return Known(args[0].form.cls, args[0].form.cls.__name__) if known else None


def _tree_of(b: Builder, args, options, node) -> Value | None:
    """Generated code: the cotangent of a value of a registered class."""
    cls, aux, parts = args
    known = (
        isinstance(cls, Known) and isinstance(parts, Items) and key_of(aux) is not NotImplemented
    )
    if not known:
        return None
    names = tuple(range(len(parts.items)))
    form = Registered(cls.object, names, key_of(aux), (None,) * len(names))
    return Struct(form, parts.items)


def _no_finite(b: Builder, args: Any, options: Any, node: Any) -> Value | None:
    """``float("inf")``: generated text says it, and an option such as ``ord=`` is known then."""
    if b.formula is None and len(args) == 1 and args[0] in map(Const, ("inf", "-inf", "nan")):
        return Const(float(args[0].value))
    return None


def _replacement(b: Builder, args: Any, options: Any, node: Any) -> Value | None:
    """What a function gave that was told a cotangent; the cotangent where that is nothing."""
    if args[0] == Const(None):
        return args[1]
    if isinstance(args[0], Var) and not args[0].type.is_number:
        raise b.refuse(node, "what may be a cotangent or None", "return one of them")
    return None


def _print(b: Builder, args: Any, options: Any, node: Any) -> Value:
    b.layout.impure.add(id(node))
    values = names_used(b, node)
    settle(b, node, values)
    b.opaque(node, values)
    return Const(None)


def _kept(b: Builder, args: Any, options: dict[str, Value], node: Any) -> Value | None:
    """Keep the making of a collection as text; None where that is not about constants."""
    values = [*args, *options.values()]
    if b.formula is not None or any(map(is_active, values)):
        return None
    b.layout.impure.add(id(node))
    return b.opaque(node, values)


def _from_keys(b: Builder, args: Any, options: Any, node: Any) -> Value | None:
    """Lower ``dict.fromkeys(names, 0.0)`` of keys that are known; the value has no parts."""
    if b.formula is not None or options or len(args) != 2:
        return None
    names = indexing.parts_of_known(b, args[0]) or sequence(args[0])
    keys = [key_of(name) for name in names or ()]
    if not keys or NotImplemented in keys or not type_of(args[1]).is_scalar:
        return None
    return new_dict([*dict.fromkeys(keys)], [args[1]] * len({*keys}))


SPECIAL: dict[Any, Any] = {
    float: _no_finite,
    **dict.fromkeys((collections.deque, collections.defaultdict, collections.Counter), _kept),
    np.block: lower_block,
    np.choose: lower_choose,
    np.sign: lower_sign,
    np.gradient: lower_gradient,
    dict: make_dict,
    dict.fromkeys: _from_keys,
    dataclasses.replace: _replace_fields,
    dataclasses.asdict: _fields_given(as_dict),
    dataclasses.astuple: _fields_given(lambda value: Items(value.items)),
    getattr: _getattr,
    setattr: _setattr(False),
    object.__setattr__: _setattr(True),
    hasattr: _hasattr,
    type: _type,
    super: lower_super,
    object_of: lower_object_of,
    object.__new__: lower_new,
    tree_of: _tree_of,
    abs: _abs,
    len: _of_sequence(_len, taken=False),
    on_backward: lower_on_backward,
    print: _print,
    replacement: _replacement,
    slice: _slice,
    isinstance: _isinstance,
    sorted: lower_sorted,
    **dict.fromkeys((set, frozenset), _set_of_keys),
    sum: _of_sequence(_sum),
    np.shape: _metadata("shape"),
    np.size: _metadata("size"),
    np.ndim: _metadata("ndim"),
    max: _of_sequence(_extremum(max, np.max)),
    min: _of_sequence(_extremum(min, np.min)),
    tuple: _of_sequence(_sequence(False)),
    list: _of_sequence(_sequence(True)),
    **dict.fromkeys(
        (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray), lower_array
    ),
    np.stack: of_rows(np.stack, along_axis("stack")),
    np.concatenate: of_rows(np.concatenate, along_axis("concatenate")),
    **{fn: of_rows(fn, junction(fn)) for fn in JUNCTIONS},
    add_lists: _add_lists,
    zeros_in: _zeros_in,
    zeros_of_active: _zeros_of_active,
    list_along: _list_along,
    **({np.unstack: _list_along} if hasattr(np, "unstack") else {}),  # since NumPy 2.1
    split_like: split_of_known,
    list_like: _list_of_cotangents(list_like),
    spread_over: _list_of_cotangents(spread_over),
    zip: lower_zip,
    enumerate: refuse_active,
    reversed: refuse_active,
}
