"""What a loop goes through: how many elements there are, and how one is read."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import itertools
import operator
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.joins import common_type, joined_elements
from srcgrad.analysis.shapes.models import columns_of
from srcgrad.frontend.arrays.carrying import Iterable
from srcgrad.frontend.checks.iterating import gives_iterator
from srcgrad.frontend.containers import indexing, objects
from srcgrad.frontend.containers.handed_objects import objects_in
from srcgrad.frontend.containers.lists import leaves, template
from srcgrad.frontend.containers.structures import is_dict
from srcgrad.frontend.desugar.generators import (
    is_listable,
    is_taken_at_once,
    may_go_on,
)
from srcgrad.frontend.expressions.lowering import lower, names_used, starred
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.outer_names import held_outside, records_outside
from srcgrad.frontend.state.rewriting import (
    NotUniform,
    Rewriting,
    held,
    in_place_of,
    way_of,
    way_to,
)
from srcgrad.frontend.text.exits import is_docstring, statements_in
from srcgrad.frontend.text.names import identifiers
from srcgrad.frontend.text.source import read
from srcgrad.frontend.text.templates import expression, is_path, substituted
from srcgrad.frontend.text.trees import below, kinds_in
from srcgrad.ir.demands import What
from srcgrad.ir.forms import NamedTuple, Registered, View
from srcgrad.ir.nodes import (
    LIST_NEW,
    RANGE_ITEM,
    Const,
    Items,
    Known,
    Method,
    Op,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.structures import is_object
from srcgrad.ir.types import ELEMENT, INTEGER, UNKNOWN, Contents, Type, flat_types
from srcgrad.program import facts


@dataclass(frozen=True, eq=False)
class Header:
    """What a forward loop iterates over.

    Attributes:
        kind: ``while``, ``range`` or ``iterable``.
        values: start, stop and step of a range; the iterated values otherwise.
        node: the libcst loop.
    """

    kind: str
    values: tuple[Value, ...]
    node: Any


def iterable_of(b: Builder, node: Any, writes: bool = False) -> Iterable:
    """What a loop goes through."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        callee = lower(b, node.func)
        fn = callee.object if isinstance(callee, Known) else None
        plain = all(a.star == "" and a.keyword is None for a in node.args)
        if fn is range and plain:
            return Iterable("range", _range(tuple(lower(b, a.value) for a in node.args)))
        if fn is zip and all(a.star != "**" and _is_strict(a) for a in node.args):
            columns = [_columns(b, node, a, writes) for a in node.args if a.keyword is None]
            if None not in columns:
                return Iterable("zip", tuple(part for parts in columns for part in parts or ()))
        if fn is reversed and plain:
            require_no_own_reversal(b, node.args[0].value)
            return Iterable("reversed", (iterable_of(b, node.args[0].value, writes),))
        if fn is enumerate and node.args and all(a.star == "" for a in node.args):
            first = lower(b, node.args[1].value) if len(node.args) > 1 else Const(0)
            return Iterable("enumerate", (iterable_of(b, node.args[0].value, writes), first))
    if isinstance(node, cst.Subscript) and _backwards(node):
        inner = iterable_of(b, node.value)
        if inner.kind == "range":
            return Iterable("reversed", (inner,))
    if _part_of_range(node):
        return Iterable("value", (b.opaque(node, names_used(b, node), Type("shape")),))
    take_generator(b, node)
    value = lower(b, node)
    if isinstance(value, Struct) and gives_generator(value):
        raise going_through(b, value, node)
    return _iterable_of_value(b, value, node, writes)


def _columns(b: Builder, node: Any, arg: cst.Arg, writes: bool) -> list[Iterable] | None:
    """What an argument of ``zip`` stands for; None where its number of parts is not known."""
    if not arg.star:
        return [iterable_of(b, arg.value, writes)]
    parts = starred(b, lower(b, arg.value))
    if parts is None:
        return None
    named = b.formula is None and b.context.demands.asks_of(What.STATEMENTS, b.source)
    if named and way_to(b.statement, node) is not None and isinstance(arg.value, cst.Name):
        raise _with_columns(node, arg, len(parts))
    return [_iterable_of_value(b, part, None, writes) for part in parts]


def _with_columns(node: cst.Call, arg: cst.Arg, count: int) -> Rewriting:
    """Write ``zip(*rows)`` as ``zip(rows[0], rows[1])``, where these need names."""
    name = cst.ensure_type(arg.value, cst.Name).value
    columns = [cst.Arg(cst.parse_expression(f"{name}[{k}]")) for k in range(count)]
    place = [id(a) for a in node.args].index(id(arg))
    new = node.with_changes(args=[*node.args[:place], *columns, *node.args[place + 1 :]])
    return in_place_of(node, new)


def _iterable_of_value(b: Builder, value: Value, node: Any, writes: bool) -> Iterable:
    if isinstance(value, Known) and type(value.object) is list and len(value.object) > _FEW:
        listed = None if b.context.demands.asks(What.ROWS) else records_outside(b, value)
        if listed is not None:
            b.context.data.rows = True
            return Iterable("value", (listed,))
    if isinstance(value, Struct) or (isinstance(value, Known) and is_object(value.object)):
        raise NotUniform
    if isinstance(value, Items) and not all(_is_data(leaf) for leaf in leaves(value)):
        raise NotUniform
    if isinstance(value, Items) and (is_active(value) or _are_records(value)):
        few = is_active(value) or len(value.items) <= _FEW
        parts = [template(item) for item in value.items]
        own = objects_in(value.items) if writes and few else []
        own = [part for part in own if isinstance(part, Struct) and part.token not in b.frozen]
        if own and (b.context.demands.asks(What.ROWS) or not _are_alike(parts)):
            raise NotUniform
        b.context.data.rows |= bool(own)
        b.freeze(*value.items)  # what an iteration has of a list in it is its elements
        try:
            element = parts[0]
            for part in parts[1:]:
                element = joined_elements(b.context.lengths, element, part)
        except ValueError:
            raise NotUniform from None
        rows = [leaves(item) for item in value.items]
        columns = columns_of(b.context.lengths, rows)
        flat = tuple(itertools.chain(*rows))
        type_ = Type("list", active=is_active(value), element=element)
        made: Any = b.emit(Op(LIST_NEW), flat, node, type_=type_)
        b.context.lengths.columns[made] = columns
        b.context.lengths.rows[made] = rows
        made.name = _said(node) or made.name
        b.of_known_start.add(made)
        value = made
    return Iterable("value", (value,))


def _said(node: Any) -> str:
    """The name of what a loop goes through, or of what that is a part of; empty without one."""
    while isinstance(node, cst.Subscript):
        node = node.value
    last = node.attr if isinstance(node, cst.Attribute) else node
    return last.value if isinstance(last, cst.Name) else ""


_FEW = 8  # loops over more objects than this, none of them differentiated, are not written out


def _are_records(value: Items) -> bool:
    """Whether the elements are objects of one class of the user's, or dicts of one form."""
    records = [item for item in value.items if isinstance(item, Struct)]
    forms = NamedTuple | Registered | View
    if len(records) < len(value.items) or any(isinstance(r.form, forms) for r in records):
        return False
    return len({r.form if is_dict(r) else r.form.cls for r in records}) == 1


def _are_alike(parts: Sequence[Any]) -> bool:
    """Whether elements hold numbers and arrays with as many axes in each."""
    rows = [[(t.kind, t.ndim, t.dtype, t.active) for t in flat_types(part)] for part in parts]
    numbers = all(t.is_number for t in flat_types(parts[0]))
    return numbers and all(row == rows[0] for row in rows)


def take_generator(b: Builder, node: Any) -> None:
    """Let a generator be a list before a loop goes through it, if all of it is taken anyway."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Name | cst.Attribute):
        return
    callee = objects.as_method(lower(b, node.func))
    if isinstance(callee, Method) and isinstance(callee.receiver, Struct):
        function = facts.in_class(callee.receiver.form.cls, callee.name)
    else:
        known = callee.object if isinstance(callee, Known) else None
        function = known.__func__ if isinstance(known, types.MethodType) else known
    if not gives_iterator(function):
        return
    require_taken_at_once(b, function, node)
    raise in_place_of(node, expression("list(_g)", _g=node))


def going_through(b: Builder, value: Struct, node: Any) -> Exception:
    """Write what going through an object of the user's is.

    It is going through what its class says, if that is one expression, and a list of what a
    call gives otherwise.
    """
    plain = _gone_through(facts.in_class(value.form.cls, "__iter__"))
    if plain is not None:
        own, inner = plain
        if not is_path(node):
            way_of(b, node, "an object that is gone through here", "give it a name before")
        before, owner = held(b, node)
        return in_place_of(node, substituted(inner, {own: owner}), before)
    line = b.source.line_of(node) or b.source.line_of(b.statement)
    if line is None or line in b.source.changing:
        return b.refuse(
            node,
            "a loop that changes something while it goes through an object",
            "go through list(...) of it",
            "Its elements are computed while they are taken.",
        )
    return in_place_of(node, expression("list(_o.__iter__())", _o=node.deep_clone()))


def require_no_own_reversal(b: Builder, node: Any) -> None:
    """Refuse ``reversed`` of an object, which asks its class for other methods than a loop does."""
    value = lower(b, node) if is_path(node) else None
    if isinstance(value, Struct) and not is_dict(value):
        cls = value.form.cls
        if gives_generator(value) or facts.in_class(cls, "__reversed__") is not facts.MISSING:
            raise b.refuse(node, "an object that is reversed", "go through a list of it")


def _gone_through(function: types.FunctionType) -> tuple[str, Any] | None:
    """The name of the object, and what it is gone through by, in an ``__iter__`` of one line."""
    tree = read(function).tree
    body = statements_in(tree.body)
    body = body[1:] if body and is_docstring(body[0]) else body
    if len(body) != 1 or not isinstance(body[0], cst.SimpleStatementLine):
        return None
    small, own = body[0].body[0], tree.params.params[0].name.value
    inner: Any = None
    if isinstance(small, cst.Return) and isinstance(small.value, cst.Call):
        inner = small.value.args[0].value
    elif isinstance(small, cst.Expr) and isinstance(small.value, cst.Yield):
        given = small.value.value
        inner = given.item if isinstance(given, cst.From) else None
    known = inner is not None and len(body[0].body) == 1 and identifiers(inner) == {own}
    hidden = (cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.SetComp, cst.DictComp, cst.NamedExpr)
    if not known or not kinds_in(inner).isdisjoint(hidden) or any(map(_is_mangled, below(inner))):
        return None
    return own, inner


def _is_mangled(node: Any) -> bool:
    """Whether a name is another one outside of its class."""
    label = node.value if isinstance(node, cst.Name) else ""
    return label.startswith("__") and not label.endswith("__")


def gives_generator(value: Struct) -> bool:
    """Whether going through an object of the user's is running a generator function."""
    if is_dict(value) or isinstance(value.form, NamedTuple | Registered | View):
        return False
    return gives_iterator(facts.in_class(value.form.cls, "__iter__"))


def require_taken_at_once(b: Builder, function: Any, node: Any) -> None:
    """Refuse a call of a generator function of which not all is taken at once."""
    way = way_to(b.statement, node) or [node]
    tree = read(function).tree
    if not is_listable(tree) or not is_taken_at_once(way, may_go_on(tree)):
        raise b.refuse(
            node,
            "a generator of which not all is taken at once",
            "let the function return a list",
            "Its elements are computed while they are taken.",
        )
    call = way[-3] if len(way) > 2 and isinstance(way[-2], cst.Arg) else None
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Name):
        if call.func.value in _ORDERING and not way[-2].star:  # what is ordered is read again
            raise in_place_of(node, expression("list(_g)", _g=node))


_ORDERING = frozenset({"max", "min", "sorted"})


def _is_data(leaf: Value) -> bool:
    return isinstance(leaf, Var) or (isinstance(leaf, Const) and not isinstance(leaf.value, str))


def sample_element(b: Builder, node: Any) -> Value:
    """Lower an element of an iterable, whichever it is."""
    index = Var("i", INTEGER)
    b.define(index, None)
    return element_of(b, iterable_of(b, node), index, node)


def _is_strict(arg: cst.Arg) -> bool:
    """Whether an argument of zip is ``strict=`` or positional."""
    return arg.keyword is None or arg.keyword.value == "strict"


def _part_of_range(node: Any) -> bool:
    """Whether an expression is a slice of a call of range."""
    if not isinstance(node, cst.Subscript) or not isinstance(node.value, cst.Call):
        return False
    func = node.value.func
    sliced = len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice)
    return isinstance(func, cst.Name) and func.value == "range" and sliced


def _backwards(node: cst.Subscript) -> bool:
    """Whether a subscript is ``[::-1]`` of a call of range."""
    inner = node.value
    called = isinstance(inner, cst.Call) and isinstance(inner.func, cst.Name)
    if not called or inner.func.value != "range" or len(node.slice) != 1:  # type: ignore
        return False
    return cst.Module([]).code_for_node(node.slice[0]).replace(" ", "") == "::-1"


def _range(args: tuple[Value, ...]) -> tuple[Value, ...]:
    if len(args) == 1:
        return Const(0), args[0], Const(1)
    if len(args) == 2:
        return *args, Const(1)
    return args


def describe_header(iterable: Iterable | None) -> tuple[str, tuple[Value, ...]]:
    """The header of a loop in the intermediate representation."""
    if iterable is None:
        return "while", ()
    if iterable.kind == "range":
        return "range", iterable.parts
    if iterable.kind == "value":
        return "iterable", iterable.parts
    if iterable.kind in ("enumerate", "reversed"):
        return "iterable", describe_header(iterable.parts[0])[1]
    return "iterable", tuple(v for part in iterable.parts for v in describe_header(part)[1])


def is_empty(value: Value | Iterable) -> bool:
    """Whether nothing can be in what a loop goes through, so that it does nothing."""
    if isinstance(value, Iterable):
        gone_through = value.parts[:1] if value.kind == "enumerate" else value.parts
        return value.kind != "range" and any(map(is_empty, gone_through))
    if isinstance(value, Items):
        return not value.items
    return isinstance(value, Var) and value.type.kind == "list" and value.type.element is None


def element_of(b: Builder, iterable: Iterable, index: Value, node: Any) -> Value:
    """Lower the element of an iteration."""
    kind = iterable.kind
    if kind == "range":
        start, stop, step = iterable.parts
        counted = _affine(b, start, index, step)
        if isinstance(counted, Var):
            b.context.lengths.count(counted, start, stop, step)
        return counted
    if kind == "zip":
        return Items(tuple(element_of(b, part, index, node) for part in iterable.parts))
    if kind == "enumerate":
        inner, first = iterable.parts
        return Items((_affine(b, first, index, Const(1)), element_of(b, inner, index, node)))
    if kind == "reversed":
        return _reversed(b, iterable.parts[0], index, node)
    value = iterable.parts[0]
    if isinstance(value, Var):
        if value.type.kind == "shape":
            return b.opaque(None, [value, index], INTEGER)
        if value.type.is_number or value.type.kind == "list":
            return indexing.read_item(b, value, index, None)
        return _opaque_item(b, value, index, node)
    rows: Any = value.items if isinstance(value, Items) else ()
    if rows and all(map(_is_tuple, rows)) and len({_form_of(row) for row in rows}) == 1:
        columns = zip(*(row.items for row in rows), strict=True)
        parts = (Iterable("value", (Items(column),)) for column in columns)
        return rows[0].like(element_of(b, part, index, node) for part in parts)
    return _one_of(b, value, index)


def _is_tuple(value: Value) -> bool:
    """Whether a value is a tuple, also one whose parts have names."""
    if isinstance(value, Struct):
        return isinstance(value.form, NamedTuple)
    return isinstance(value, Items) and not value.is_list


def _form_of(row: Any) -> Any:
    """What tells tuples apart that have other parts."""
    return row.form if isinstance(row, Struct) else len(row.items)


def _one_of(b: Builder, value: Value, index: Value) -> Value:
    """Lower an element of something inactive whose elements are known, or of which nothing is."""
    if isinstance(value, Items):
        return b.one_of(None, value, index, common_type(value.items))
    held = held_outside(b, value)  # of a list or tuple
    return b.opaque(None, [value, index], ELEMENT if held is None else _read(held.element))


def _opaque_item(b: Builder, value: Var, index: Value, node: Any) -> Value:
    """Lower the element of an iteration over something of which nothing is known."""
    if value.type.active:
        raise b.refuse(node, "a loop over this active value", "loop over an array or a list")

    def item(found: Any) -> Value:
        if isinstance(found, tuple):
            return Items(tuple(map(item, found)))
        return b.opaque(None, [value, index], _read(found))

    held = value.type.element
    known = isinstance(held, Contents) and held.keys is None
    return item(held.element if known else UNKNOWN)


def _read(element: Type) -> Type:
    """The type of an element that is taken, of which nothing may be known."""
    return ELEMENT if element == UNKNOWN else element


def _affine(b: Builder, start: Value, index: Value, step: Value) -> Value:
    return b.emit(Op(RANGE_ITEM), (start, index, step), None, type_=INTEGER, active=False)


def _reversed(b: Builder, inner: Iterable, index: Value, node: Any) -> Value:
    if inner.kind == "range":
        start, stop, step = inner.parts
        return b.opaque(None, [start, stop, step, index], INTEGER)
    if inner.kind == "value" and isinstance(inner.parts[0], Var):
        value = inner.parts[0]
        if value.type.kind == "list" or value.type.is_number:
            place = b.emit(Op(operator.sub), (Const(-1), index), None, type_=INTEGER, active=False)
            return indexing.read_item(b, value, place, None)
        return _opaque_item(b, value, index, node)
    if inner.kind == "value":
        return _one_of(b, inner.parts[0], index)
    raise b.refuse(node, "this use of reversed", "reverse the array or list itself")
