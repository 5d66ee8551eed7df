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
from srcgrad.frontend.expressions.unrolling import known_keys
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.rewriting import (
    fresh_name,
    held,
    in_place_of,
    way_of,
    way_to,
)
from srcgrad.frontend.text.templates import (
    assignment,
    expression,
    substituted,
    text_of,
)
from srcgrad.ir.nodes import Const, Items, Value, Var, is_active
from srcgrad.ir.types import INTEGER, Type


def lower_sorted(b: Builder, args, options: dict[str, Value], node: Any) -> Value | None:
    """Lower ``sorted(items, key=f, reverse=r)``; None where it is about nothing active."""
    if b.formula is None and len(args) == 1 and options.keys() <= {"reverse"}:
        names, turned = _strings(b, args[0]), options.get("reverse", Const(False))
        if names and isinstance(turned, Const):
            ordered = sorted(names, reverse=bool(turned.value))
            return Items(tuple(map(Const, ordered)), True, object())
    if b.formula is not None or len(args) != 1 or not about_active(b, args, options):
        return None
    if not is_active(args[0]):
        kind = Type("list", element=INTEGER) if _is_range(node) else None
        return _kept(b, node, kind)
    before, rows = _rows(b, node, args)
    k, order = fresh_name(b, "k"), fresh_name(b, "order")
    before.append(assignment(order, _numbers("sorted", node, rows, k)))
    raise in_place_of(node, expression(f"[_t[{k}] for {k} in {order}]", _t=rows), before)


def _strings(b: Builder, value: Value) -> tuple[str, ...] | None:
    """The strings that a dict, a view of its keys, a list or a tuple holds, where all are known."""
    names, parts = known_keys(b, value), sequence(value)
    if names is None and parts is not None:
        names = tuple(part.value for part in parts if isinstance(part, Const))
        names = names if len(names) == len(parts) else ()
    return names if names and all(isinstance(name, str) for name in names) else None


def lower_extremum(b: Builder, name: str, args, options: dict[str, Value], node: Any) -> Value:
    """Lower ``max(items, key=f)``, one of whose operands is active."""
    if set(options) != {"key"} or not isinstance(node, cst.Call):
        raise b.refuse(node, f"this call of {name}", "write it as a loop")
    if not any(is_active(a) for a in args):
        return _kept(b, node, INTEGER if _is_range(node) else None)
    raise largest_row(b, name, args, node)


def largest_row(b: Builder, name: str, args: Any, node: Any) -> Exception:
    """What to raise for ``max(t)`` of a list whose elements have parts, or with a key."""
    before, rows = _rows(b, node, args)
    number = _numbers(name, node, rows, fresh_name(b, "k"))
    return in_place_of(node, expression("_t[_k]", _t=rows, _k=number), before)


def of_growing_list(b: Builder, name: str, node: Any) -> Exception:
    """What to raise for ``max(t)`` of a list of varying length: NumPy finds the largest."""
    module = next((n for n, v in b.source.globals.items() if v is np and n not in b.locals), None)
    if module is None or way_to(b.statement, node) is None or len(node.args) != 1:
        return b.refuse(
            node,
            f"{name} of a list whose length is not known when code is generated",
            f"write np.{name}(np.array(...))",
        )
    text = f"{module}.{name}({module}.array(_t))"
    return in_place_of(node, expression(text, _t=node.args[0].value))


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


def _rows(b: Builder, node: Any, args: Any) -> tuple[list[Any], Any]:
    """A name for what is ordered, or the name that it has, and the line that gives it."""
    what, fix = "putting active values into order here", "write it as a statement"
    way_of(b, node, what, fix)
    if any(a.star for a in node.args):
        raise b.refuse(node, what, fix)
    plain = [a.value for a in node.args if a.keyword is None]
    if len(plain) > 1:
        return held(b, cst.Tuple([cst.Element(p) for p in plain]))
    return held(b, plain[0], listed=not _can_be_indexed(args[0]))


def _can_be_indexed(value: Value) -> bool:
    if isinstance(value, Var):
        return value.type.kind in ("list", "array")
    return isinstance(value, Items) or (sequence(value) is None and isinstance(value, Const))


def _numbers(name: str, node: Any, rows: Any, k: str) -> Any:
    """``sorted(range(len(t)), key=lambda k: t[k])``, with the other options of a call."""
    options = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
    key = options.pop("key", None)
    element = expression(f"_t[{k}]", _t=rows.deep_clone())
    if isinstance(key, cst.Lambda):
        element = substituted(key.body, {key.params.params[0].name.value: element})
    elif key is not None and text_of(key) != "None":
        element = expression("f(_e)", f=key, _e=element)
    rest = "".join(f", {option}=_{option}" for option in options)
    text = f"{name}(range(len(_t)), key=lambda {k}: _e{rest})"
    given = {f"_{option}": value for option, value in options.items()}
    return expression(text, _t=rows.deep_clone(), _e=element, **given)
