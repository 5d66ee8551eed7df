"""The heads of loops whose tangents need a part of a tangent, or a count, in each iteration."""

from __future__ import annotations

import operator
from typing import Any

import libcst as cst

from srcgrad.ir.nodes import (
    LIST_ITEM,
    RANGE_ITEM,
    Block,
    Const,
    Equation,
    Loop,
    Var,
    equations,
    variables,
)


def head(w: Any, node: Loop, body: Block) -> Block:
    """Let the head of a loop give what its tangents need: a tangent, or a count."""
    readers = [eq for eq in equations(body) if reads_index(w, eq, node.index)]
    if not readers:
        return body
    forward: Loop = node.header
    known = counter(w, forward)
    if known:
        w.holders.given[node.index] = known
        return body
    first = readers[0]
    over = first.args[0] if len(readers) == 1 and first in body else None
    simple = isinstance(over, Var) and over in w.writer.e.names
    params = {c.param for c in node.carried}
    header = forward.header
    if (
        simple
        and over not in params
        and first.op.fn in (LIST_ITEM, operator.getitem)
        and first.args[1] is node.index
        and first.targets[0] not in w.writer.e.inlined
        and header.kind == "iterable"
        and len(header.values) == 1
        and not _called(header.node.iter)
    ):
        names = [w.writer.e.names.get(t, "_") for t in first.targets]
        target = names[0] if len(names) == 1 else f"({', '.join(names)})"
        w.edits.heads[id(header.node)] = (target, w.writer.e.names[over])
        return tuple(s for s in body if s is not first)
    name = w.names.fresh("i")
    w.holders.given[node.index] = name
    w.edits.heads[id(header.node)] = (name, "")
    return body


def reads_index(w: Any, eq: Equation, index: Var) -> bool:
    """Whether writing an equation takes the number of the iteration."""

    def reads(var: Var) -> bool:
        if var is index:
            return True
        forward = w.holders.equations.get(var)
        if forward is None or w.layout.bindings.get(var):
            return False
        if index not in forward.args and forward.op.fn is not operator.sub:
            return False
        return any(reads(v) for a in forward.args for v in variables(a))

    return any(reads(v) for v in w.writer.uses(eq))


def counter(w: Any, forward: Loop) -> str:
    """The name under which the program itself counts a loop's iterations from 0."""
    for eq in forward.body:
        if isinstance(eq, Equation) and eq.op.fn is RANGE_ITEM:
            if eq.args == (Const(0), forward.index, Const(1)):
                end = w.layout.end(forward.frame)
                return w.holders.access(eq.targets[0], end) or ""
    return ""


def _called(node: Any) -> bool:
    """Whether an iterable is more than a value: zip, enumerate, reversed."""
    return isinstance(node, cst.Call)
