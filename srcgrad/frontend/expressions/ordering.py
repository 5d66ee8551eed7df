"""What puts elements into another order: ``sorted``, ``list.sort``, ``min`` and ``max`` by a key.

The order is constant around almost every point, so that an element keeps its derivative
at its new place. A call is written as the numbers of the elements in the new order,
which have no derivative, and a list of the elements with these numbers.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
import numpy as np

from srcgrad.frontend.containers.effects import settle
from srcgrad.frontend.containers.structures import sequence
from srcgrad.frontend.expressions.lowering import names_used
from srcgrad.frontend.expressions.unrolling import assignment, is_path, known_keys, substituted
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, way_to
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Const, Items, Value, Var, is_active
from srcgrad.ir.types import INTEGER, Type


def lower_sorted(b: Builder, args, options: dict[str, Value], node: Any) -> Value | None:
    """Lower ``sorted(items, key=f, reverse=r)``; None where it is about nothing active."""
    if b.formula is None and len(args) == 1 and not options:
        names = known_keys(b, args[0])
        if names and all(isinstance(name, str) for name in names):
            return Items(tuple(map(Const, sorted(names))), True, object())
    if b.formula is not None or len(args) != 1 or not about_active(b, args, options):
        return None
    if not is_active(args[0]):
        kind = Type("list", element=INTEGER) if _is_range(node) else None
        return _kept(b, node, kind)
    before, held = _held(b, node, args)
    k = cst.Name(fresh_name(b, "k"))
    order = cst.Name(fresh_name(b, "order"))
    rest = [a for a in node.args[1:] if a.keyword.value != "key"]
    numbers = _numbers(b, "sorted", node, held, k, rest)
    before.append(assignment(order, numbers))
    made = cst.ListComp(_item(held, k), cst.CompFor(k, order))
    raise _in_place_of(node, before, made)


def lower_extremum(b: Builder, name: str, args, options: dict[str, Value], node: Any) -> Value:
    """Lower ``max(items, key=f)``, one of whose operands is active."""
    if set(options) != {"key"} or not isinstance(node, cst.Call):
        raise b.refuse(node, f"this call of {name}", "write it as a loop")
    if not any(is_active(a) for a in args):
        return _kept(b, node, INTEGER if _is_range(node) else None)
    before, held = _held(b, node, args)
    k = cst.Name(fresh_name(b, "k"))
    raise _in_place_of(node, before, _item(held, _numbers(b, name, node, held, k, [])))


@recursion.sort_in_place.define
def sort_in_place(b: Builder, node: Any) -> Rewriting:
    """What to raise for ``t.sort(key=f)``: the elements are put back in the new order."""
    small = getattr(b.statement, "body", [None])[0]
    if not isinstance(small, cst.Expr) or small.value is not node or not is_path(node.func.value):
        raise b.refuse(node, "this use of .sort", "write t = sorted(t)")
    held = node.func.value
    item, place = cst.Name(fresh_name(b, "item")), cst.Name(fresh_name(b, "place"))
    ordered = cst.Call(cst.Name("sorted"), [cst.Arg(held), *node.args])
    found = cst.Name(fresh_name(b, "ordered"))
    target = cst.Tuple([cst.Element(place), cst.Element(item)], lpar=(), rpar=())
    put = cst.Assign([cst.AssignTarget(_item(held, place))], item)
    body = cst.IndentedBlock([cst.SimpleStatementLine([put])])
    loop = cst.For(target, cst.Call(cst.Name("enumerate"), [cst.Arg(found)]), body)
    first = assignment(found, ordered)

    def make(statement: Any) -> list[Any]:
        return [first.with_changes(leading_lines=statement.leading_lines), loop]

    return Rewriting(make)


def of_growing_list(b: Builder, name: str, node: Any) -> Exception:
    """What to raise for ``max(t)`` of a list of varying length: NumPy finds the largest."""
    module = next((n for n, v in b.source.globals.items() if v is np and n not in b.locals), None)
    if module is None or way_to(b.statement, node) is None or len(node.args) != 1:
        return b.refuse(
            node,
            f"{name} of a list whose length is not known when code is generated",
            f"write np.{name}(np.array(...))",
        )
    listed = cst.Call(cst.parse_expression(f"{module}.array"), list(node.args))
    return _in_place_of(
        node, [], cst.Call(cst.parse_expression(f"{module}.{name}"), [cst.Arg(listed)])
    )


def about_active(b: Builder, args: Any, options: dict[str, Value]) -> bool:
    """Whether a call is about what is differentiated, or its key reads such."""
    return any(is_active(capture(b, v)) for v in (*args, *options.values()))


def _is_range(node: Any) -> bool:
    first = node.args[0].value if isinstance(node, cst.Call) and node.args else None
    called = isinstance(first, cst.Call) and isinstance(first.func, cst.Name)
    return called and first.func.value == "range"  # type: ignore[union-attr]


def _kept(b: Builder, node: Any, kind: Type | None) -> Value:
    """Keep a call as text that orders what has no derivative."""
    values = names_used(b, node)
    settle(b, node, values)
    return b.opaque(node, values) if kind is None else b.opaque(node, values, kind)


def _held(b: Builder, node: Any, args: Any) -> tuple[list[Any], Any]:
    """A name for what is ordered, or the name that it has, and the line that gives it."""
    way = way_to(b.statement, node)
    if way is None or isinstance(b.statement, cst.While) or any(a.star for a in node.args):
        raise b.refuse(node, "putting active values into order here", "write it as a statement")
    if any(isinstance(outer, cst.IfExp | cst.BooleanOperation) for outer in way):
        raise Specialise(What.STATEMENTS, b.source, node)
    plain = [a.value for a in node.args if a.keyword is None]
    first: Any = plain[0]
    if len(plain) > 1:
        first = cst.Tuple([cst.Element(p) for p in plain])
    elif is_path(first):
        return [], first
    name = cst.Name(fresh_name(b, "items"))
    known = isinstance(first, cst.List | cst.Tuple | cst.ListComp) or _can_be_indexed(args[0])
    listed = first if known else cst.Call(cst.Name("list"), [cst.Arg(first)])
    return [assignment(name, listed)], name


def _can_be_indexed(value: Value) -> bool:
    if isinstance(value, Var):
        return value.type.kind in ("list", "array")
    return isinstance(value, Items) or (sequence(value) is None and isinstance(value, Const))


def _numbers(b: Builder, name: str, node: Any, held: Any, k: Any, rest: list[Any]) -> cst.Call:
    """``sorted(range(len(t)), key=lambda k: t[k])``."""
    keys = [a.value for a in node.args if a.keyword is not None and a.keyword.value == "key"]
    item = _item(held, k)
    if not keys or (isinstance(keys[0], cst.Name) and keys[0].value == "None"):
        body: Any = item
    elif isinstance(keys[0], cst.Lambda):
        body = substituted(keys[0].body, {keys[0].params.params[0].name.value: item})
    else:
        body = cst.Call(keys[0], [cst.Arg(item)])
    length = cst.Call(cst.Name("len"), [cst.Arg(held)])
    counted = cst.Call(cst.Name("range"), [cst.Arg(length)])
    key = cst.Lambda(cst.Parameters([cst.Param(k)]), body)
    space = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    by = cst.Arg(key, keyword=cst.Name("key"), equal=_EQUAL)
    given = [cst.Arg(counted), by, *rest]
    return cst.Call(
        cst.Name(name), [*(a.with_changes(comma=space) for a in given[:-1]), _last(given[-1])]
    )


_EQUAL = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _last(arg: cst.Arg) -> cst.Arg:
    return arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)


def _item(node: Any, index: Any) -> cst.Subscript:
    return cst.Subscript(node.deep_clone(), [cst.SubscriptElement(cst.Index(index))])


def _in_place_of(node: Any, before: list[Any], made: Any) -> Rewriting:
    def make(statement: Any) -> list[Any]:
        new = replaced(statement, {id(node): made})
        if not before:
            return [new]
        first = before[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
        if hasattr(new, "leading_lines"):
            new = new.with_changes(leading_lines=())
        return [first, *before[1:], new]

    return Rewriting(make)
