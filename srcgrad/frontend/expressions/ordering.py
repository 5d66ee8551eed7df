"""What puts elements into another order: ``sorted``, and ``min`` and ``max`` by a key.

The order is constant around almost every point: where only the key reads what is
differentiated, and not what is put into order, the call stays as it is.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
import numpy as np

from srcgrad.frontend.containers.effects import settle
from srcgrad.frontend.expressions.lowering import names_used
from srcgrad.frontend.expressions.unrolling import known_keys
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.rewriting import in_place_of, way_to
from srcgrad.frontend.text.templates import expression
from srcgrad.ir.nodes import Const, Items, Value, is_active
from srcgrad.ir.types import INTEGER, Type


def lower_sorted(b: Builder, args, options: dict[str, Value], node: Any) -> Value | None:
    """Lower ``sorted(items, key=f, reverse=r)``; None where it is about nothing active."""
    if b.formula is None and len(args) == 1 and not options:
        names = known_keys(b, args[0])
        if names and all(isinstance(name, str) for name in names):
            return Items(tuple(map(Const, sorted(names))), True, object())
    if b.formula is not None or len(args) != 1 or not about_active(b, args, options):
        return None
    return _kept(b, "sorted", args, node, Type("list", element=INTEGER))


def lower_extremum(b: Builder, name: str, args, options: dict[str, Value], node: Any) -> Value:
    """Lower ``max(items, key=f)``, one of whose operands is active."""
    if set(options) != {"key"}:
        raise b.refuse(node, f"this call of {name}", "write it as a loop")
    return _kept(b, name, args, node, INTEGER)


def _kept(b: Builder, name: str, args: Any, node: Any, kind: Type) -> Value:
    """Keep a call as text that orders what has no derivative; of a range, it gives a kind."""
    if any(map(is_active, args)) or not isinstance(node, cst.Call):
        raise b.refuse(node, f"{name} of active values by a key", "use NumPy, or write a loop")
    values = names_used(b, node)
    settle(b, node, values)
    return b.opaque(node, values, kind) if _is_range(node) else b.opaque(node, values)


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
