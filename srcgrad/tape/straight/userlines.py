"""The statements of the user's that steps of a tape belong to."""

from __future__ import annotations

import ast
import functools
import linecache
from typing import Any, NamedTuple

from srcgrad.load.source_map import Place
from srcgrad.tape.steps.noting import Here


class _File(NamedTuple):
    """The statements of a file: by line, the first line of each; and the values of names."""

    firsts: dict[int, int]
    values: dict[Any, str]


@functools.lru_cache(maxsize=64)
def _read(lines: tuple[str, ...]) -> _File:
    firsts: dict[int, int] = {}
    values: dict[Any, str] = {}
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return _File(firsts, values)
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        inner = getattr(node, "body", None)
        last = inner[0].lineno - 1 if inner else node.end_lineno or node.lineno
        firsts |= dict.fromkeys(range(node.lineno, max(last, node.lineno) + 1), node.lineno)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                values[_span(node.value)] = targets[0].id
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            values[_span(node)] = node.target.id
    return _File(firsts, values)


def _span(node: Any) -> Any:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def place_of(here: Here) -> Place | None:
    """Return the statement that an expression stands in; None where there is none."""
    if not here.filename:
        return None
    lines = tuple(linecache.getlines(here.filename))
    first = _read(lines).firsts.get(here.lineno, here.lineno)
    text = lines[first - 1].strip() if 0 < first <= len(lines) else ""
    return Place(here.function, here.filename, first, text)


def names_given(places: list[Here]) -> list[str]:
    """Return for each step the name that the user gives its value, or nothing.

    Args:
        places: the expressions of the steps, in order.
    """
    found = []
    for k, here in enumerate(places):
        name = ""
        if here.span is not None and here.filename:
            name = _read(tuple(linecache.getlines(here.filename))).values.get(tuple(here.span), "")
        last = k + 1 == len(places) or places[k + 1].span != here.span
        found.append(name if here.alone or last else "")
    return found


__all__ = ["names_given", "place_of"]
