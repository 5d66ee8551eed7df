"""Comprehensions inside of formulas, where no text is kept: element by element."""

from __future__ import annotations

from typing import Any

from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.recursion import assign
from srcgrad.ir.nodes import Const, Items, Value


def unroll(b: Builder, node: Any, lower: Any) -> Value:
    """Lower ``[f(k, x) for k, x in enumerate(xs)]`` element by element."""
    loop = node.for_in
    if loop.ifs or loop.inner_for_in is not None:
        raise b.formula.undecided()
    out = []
    env = dict(b.env)
    for item in _items(b, loop.iter, lower):
        assign(b, loop.target, item)
        out.append(lower(b, node.elt))
        b.env = dict(env)
    return Items(tuple(out), True)


def _items(b: Builder, node: Any, lower: Any) -> list[Value]:
    func = getattr(node, "func", None)
    name = getattr(func, "value", "")
    if name == "range":
        bounds = [lower(b, a.value) for a in node.args]
        if all(isinstance(v, Const) for v in bounds):
            return [Const(k) for k in range(*(v.value for v in bounds))]
        raise b.formula.undecided()
    if name == "enumerate":
        inner = _items(b, node.args[0].value, lower)
        return [Items((Const(k), item)) for k, item in enumerate(inner)]
    if name == "zip":
        parts = [_items(b, a.value, lower) for a in node.args if a.keyword is None]
        return [Items(tuple(row)) for row in zip(*parts, strict=False)]
    value = lower(b, node)
    if isinstance(value, Items):
        return list(value.items)
    raise b.formula.undecided()
