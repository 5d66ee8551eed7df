"""The rest of ``itertools``: what joins, repeats, chooses and applies, as comprehensions and loops.

`iterators.py` says where these calls are written in other words.
"""

from __future__ import annotations

import types
from typing import Any

import libcst as cst

from srcgrad.frontend.expressions.unrolling import assignment
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import fresh_name
from srcgrad.ir.nodes import Closure, Known, Value
from srcgrad.program import facts

Lines = tuple[list[Any], Any]  # statements that go before, and the expression
_TEXT = cst.Module([]).code_for_node


def joined(b: Builder, args: list[Any]) -> Lines | None:
    """``chain(a, b)`` of what has no known length."""
    if not args:
        return None
    items, item = fresh_name(b, "items"), fresh_name(b, "item")
    before = [assignment(cst.Name(items), cst.List([]))]
    before += [_loop(f"for {item} in {_TEXT(a)}:", f"{items}.append({item})") for a in args]
    return before, cst.Name(items)


def from_iterable(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    """``chain.from_iterable(rows)``."""
    if len(args) != 1 or options:
        return None
    row, item = fresh_name(b, "row"), fresh_name(b, "item")
    text = f"[{item} for {row} in {_TEXT(args[0])} for {item} in {row}]"
    return [], cst.parse_expression(text)


def starmap(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    """``starmap(f, rows)``, of a function whose number of parameters is known."""
    count = _count(values[0]) if len(args) == 2 and not options else None
    if count is None:
        return None
    names = [f"{fresh_name(b, 'item')}_{k + 1}" for k in range(count)]
    function = f"({_TEXT(args[0])})" if isinstance(args[0], cst.Lambda) else _TEXT(args[0])
    given = ", ".join(names)
    comma = "," if count == 1 else ""
    text = f"[{function}({given}) for {given}{comma} in {_TEXT(args[1])}]"
    return [], cst.parse_expression(text)


def _count(function: Value) -> int | None:
    if isinstance(function, Closure) and not function.derivatives:
        params = function.node.params
        plain = not (params.kwonly_params or any(p.default for p in params.params))
        return len(params.params) if plain else None
    if isinstance(function, Known) and isinstance(function.object, types.FunctionType):
        found = facts.signature(function.object).parameters.values()
        plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in found)
        return len(found) if plain else None
    return None


def zip_longest(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    """``zip_longest(a, b, fillvalue=v)``: filled up, and then gone through together."""
    if len(args) < 2 or set(options) != {"fillvalue"}:
        return None
    before, names = [], []
    for arg in args:
        name = fresh_name(b, f"items_{len(names) + 1}")
        names.append(name)
        before.append(assignment(cst.Name(name), cst.Call(cst.Name("list"), [cst.Arg(arg)])))
    fill, count = fresh_name(b, "fill"), fresh_name(b, "count")
    before.append(assignment(cst.Name(fill), options["fillvalue"]))
    lengths = ", ".join(f"len({name})" for name in names)
    before.append(cst.parse_statement(f"{count} = max({lengths})"))
    for name in names:
        loop = _loop(f"for _ in range({count} - len({name})):", f"{name}.append({fill})")
        before.append(loop)
    return before, cst.parse_expression(f"zip({', '.join(names)})")


def chosen(b: Builder, args: list[Any], held: str, *, ordered: bool) -> Any:
    """``combinations`` and ``permutations`` of a number that is written out."""
    if (
        len(args) != 2
        or not isinstance(args[1], cst.Integer)
        or not 1 <= args[1].evaluated_value <= 4
    ):
        return None
    places = [fresh_name(b, name) for name in ("i", "j", "k", "m")[: args[1].evaluated_value]]
    loops = []
    for k, place in enumerate(places):
        first = f"{places[k - 1]} + 1, " if k and ordered else ""
        others = "" if ordered else "".join(f" if {place} != {p}" for p in places[:k])
        loops.append(f" for {place} in range({first}len({held})){others}")
    row = ", ".join(f"{held}[{place}]" for place in places)
    comma = "," if len(places) == 1 else ""
    return cst.parse_expression(f"[({row}{comma}){''.join(loops)}]")


def repeat(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    """``repeat(v, n)``."""
    if len(args) != 2 or options:
        return None
    name = fresh_name(b, "repeated")
    text = f"[{name} for _ in range({_TEXT(args[1])})]"
    return [assignment(cst.Name(name), args[0])], cst.parse_expression(text)


def takewhile(b: Builder, args: list[Any], options: Any, values: Any) -> Lines | None:
    """``takewhile(test, items)`` as a loop that is left early."""
    if len(args) != 2 or options:
        return None
    items, item = fresh_name(b, "items"), fresh_name(b, "item")
    function = f"({_TEXT(args[0])})" if isinstance(args[0], cst.Lambda) else _TEXT(args[0])
    lines = [
        assignment(cst.Name(items), cst.List([])),
        _loop(
            f"for {item} in {_TEXT(args[1])}:",
            f"if not {function}({item}):\n        break\n    {items}.append({item})",
        ),
    ]
    return lines, cst.Name(items)


def _loop(head: str, body: str) -> Any:
    return cst.parse_statement(f"{head}\n    {body}\n")
