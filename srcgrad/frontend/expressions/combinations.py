"""Loops over combinations, permutations and products of active values, in other words.

Tuples of elements are not made: a loop goes through the places of the elements, or is several
loops, one inside of the other. Where it may change what it goes through, the elements are put
into a list first, as Python does.
"""

from __future__ import annotations

from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, in_place_of
from srcgrad.frontend.text.names import bound_names, names_in, names_written_into
from srcgrad.frontend.text.templates import assignment, expression, is_path, substituted
from srcgrad.frontend.text.trees import below, kinds_in
from srcgrad.ir.nodes import Const, Items, Var

Lines = tuple[list[Any], Any]  # statements that go before, and the expression
_READ_WHOLE = {cst.ListComp, cst.GeneratorExp}
_SCOPES = {cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.SetComp, cst.DictComp}
_SPACE = cst.SimpleWhitespace(" ")


def choices(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    """A loop over ``combinations(x, 2)`` goes through the places of the elements in ``x``."""
    count = values[1] if len(values) == 2 and not options else None
    if not isinstance(count, Const) or type(count.value) is not int or not 1 <= count.value <= 4:
        return None
    call, around = _around(way)
    before, (pool,) = _pools(b, args[:1], values, around, call)
    names = [fresh_name(b, name) for name in "ijkl"[: count.value]]
    parts = [expression(f"_t[{name}]", _t=pool.deep_clone()) for name in names]
    source = expression("_f(range(len(_t)), _n)", _t=pool, _f=call.func, _n=args[1])
    target = _target(names)

    def head(loop: cst.For, body: list[Any]) -> cst.For:
        inside = loop.body.with_changes(body=body)
        return loop.with_changes(target=target, iter=source, body=inside)

    clause = cst.CompFor(target, source)
    return _written_out(b, around, call, before, parts, head, clause)


def product(b: Builder, args: list[Any], options: Any, values: Any, way: Any) -> Lines | None:
    """A loop over ``product(x, y)`` is two loops, one inside of the other."""
    times = options.get("repeat", cst.Integer("1"))
    if options.keys() - {"repeat"} or not isinstance(times, cst.Integer) or not int(times.value):
        return None
    if not args or len(args) != len(values):
        return None
    call, around = _around(way)
    before, rows = _pools(b, args, values, around, call)
    rows = [row.deep_clone() for _ in range(int(times.value)) for row in rows]
    names = [fresh_name(b, f"item_{k + 1}") for k in range(len(rows))]

    def head(loop: cst.For, body: list[Any]) -> cst.For:
        for name, row in zip(names[:0:-1], rows[:0:-1], strict=True):
            body = [cst.For(cst.Name(name), row, cst.IndentedBlock(body))]
        inside = loop.body.with_changes(body=body)
        return loop.with_changes(target=cst.Name(names[0]), iter=rows[0], body=inside)

    clause: Any = None
    for name, row in zip(reversed(names), reversed(rows), strict=True):
        clause = cst.CompFor(cst.Name(name), row, inner_for_in=clause)
    parts = [cst.Name(name) for name in names]
    return _written_out(b, around, call, before, parts, head, clause)


def _around(way: Any) -> tuple[Any, Any]:
    """A call, and the loop or comprehension that goes through it."""
    return way[-1], way[-3] if isinstance(way[-2], cst.CompFor) else way[-2]


def _pools(
    b: Builder, nodes: list[Any], values: Any, around: Any, call: Any
) -> tuple[list[Any], list[Any]]:
    """What elements are read of, which is what it was when the loop began."""
    alone = _leaves_alone(b, around, call)
    before: list[Any] = []
    found: list[Any] = []
    for node, value in zip(nodes, values, strict=False):
        whole = isinstance(value, Items) or (
            isinstance(value, Var) and value.type.kind in ("array", "list")
        )
        if not (alone and whole and is_path(node)):
            name = fresh_name(b, "items", [line.body[0].targets[0].target.value for line in before])
            new = isinstance(node, cst.List | cst.Tuple | cst.ListComp) or (alone and whole)
            before.append(assignment(name, node if new else expression("list(_t)", _t=node)))
            node = cst.Name(name)
        found.append(node)
    return before, found


def _written_out(
    b: Builder, around: Any, call: Any, before: list[Any], parts: list[Any], head: Any, clause: Any
) -> Lines:
    """Let a loop or a comprehension give names to the parts of tuples that no text makes.

    Args:
        b: the lowering.
        around: the loop or the comprehension.
        call: what it goes through.
        before: lines to put before it.
        parts: the parts of a tuple.
        head: gives the loop in other words, called with it and a body.
        clause: the clause of a comprehension in other words.
    """
    row = cst.Tuple([cst.Element(part) for part in parts])

    def make(loop: cst.For) -> list[Any]:
        plain = row.with_changes(lpar=(), rpar=())
        first = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(loop.target)], plain)])
        return [*before, head(loop, [first, *loop.body.body])]

    if around is b.statement and isinstance(around, cst.For) and around.iter is call:
        if around.orelse is None and cst.Break not in kinds_in(around):
            raise Rewriting(make)
        return before, cst.ListComp(row, clause)
    whole: Any = around
    if type(whole) in _READ_WHOLE and whole.for_in.iter is call:
        given = _parts_given(whole, parts, row)
        if given is not None:
            last = clause
            while last.inner_for_in is not None:
                last = last.inner_for_in
            clause = clause.with_deep_changes(last, ifs=whole.for_in.ifs)
            new = whole.with_changes(for_in=clause.with_changes(whitespace_before=_SPACE))
            raise in_place_of(around, substituted(new, given), before)
    return before, cst.ListComp(row, clause)


def _parts_given(node: Any, parts: list[Any], row: cst.Tuple) -> dict[str, Any] | None:
    """What stands in a comprehension for the names that it gives its elements, or their parts."""
    if not _SCOPES.isdisjoint({*kinds_in(node.elt), *kinds_in(node.for_in)}):
        return None
    target = node.for_in.target
    if isinstance(target, cst.Name):
        return {target.value: row}
    held = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else []
    names = [name for name in held if isinstance(name, cst.Name)]
    plain = len(names) == len(held) == len(parts)
    return {n.value: part for n, part in zip(names, parts, strict=True)} if plain else None


def _target(names: list[str]) -> Any:
    """A name, or several with commas between them, to be given values."""
    if len(names) == 1:
        return cst.Tuple([cst.Element(cst.Name(names[0]), cst.Comma())], lpar=(), rpar=())
    return cst.Tuple([cst.Element(cst.Name(name)) for name in names], lpar=(), rpar=())


def _leaves_alone(b: Builder, around: Any, call: Any) -> bool:
    """Whether what a loop or comprehension does certainly does not change what it goes through."""
    parts = [p for p in below(around) if isinstance(p, cst.Call) and p is not call]
    held = [p.func.value for p in parts if isinstance(p.func, cst.Attribute)]
    heads = [head for head in held if isinstance(head, cst.Name)]
    plain = len(heads) == len(parts) and all(
        b.source.globals.get(head.value) is np for head in heads
    )
    changed = names_written_into(around)
    if isinstance(around, cst.For):
        named = {*names_in(around.target), *names_in(around.body)}
        plain = plain and not named & names_in(call)
        again = bound_names(around.body, False)
        changed = names_written_into(around.body)
        changed = {n for n in changed if n in again or not _is_plain(b.env.get(n))}
    return plain and not changed


def _is_plain(value: Any) -> bool:
    """Whether a value is a number, which nothing can be written into."""
    return isinstance(value, Const | Var) and type_of(value).is_immutable
