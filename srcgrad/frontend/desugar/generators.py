"""Generator functions as functions that return a list of what they yield.

That is the same where all of it is taken at once, and nobody can tell when it was made.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import block, is_docstring, statements_in
from srcgrad.frontend.text.names import names_in, unused_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import expression, statements
from srcgrad.frontend.text.trees import assigned, children, kinds_in, rewritten

_TAKING_ALL = frozenset({"sum", "list", "tuple", "max", "min", "sorted", "dict"})
_IN_STEP = frozenset({"zip", "enumerate", "map"})


def is_listable(tree: cst.FunctionDef) -> bool:
    """Tell whether what a function yields can be put into a list.

    Each ``yield`` has to be a statement, and none may wait for a value.
    """
    found = _yields(tree.body, None)
    return cst.Yield in kinds_in(tree.body) and all(alone for _, alone in found)


def may_go_on(tree: cst.FunctionDef) -> bool:
    """Tell whether what a generator function gives may have no end, or raise an error later."""
    return not kinds_in(tree.body).isdisjoint((cst.While, cst.Raise, cst.Assert))


def as_list(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return the function that gives a list of what a generator function yields."""
    name = unused_name("yielded", names_in(tree))
    body = _appending(source, tree.body, name)
    kept = statements_in(body)
    start = 1 if kept and is_docstring(kept[0]) else 0
    first, last = cst.parse_statement(f"{name} = []"), cst.parse_statement(f"return {name}")
    new = tree.with_changes(body=block([*kept[:start], first, *kept[start:], last]))
    for made in (first, last, new):
        source.derive(tree, made)
    return new


def is_taken_at_once(way: list[Any], may_have_no_end: bool) -> bool:
    """Tell whether all that a generator gives is taken before anything else is done."""
    outer = [node for node in way[:-1] if not isinstance(node, cst.Arg | cst.Element)]
    inner = outer[-1] if outer else None
    if isinstance(inner, cst.Call) and isinstance(inner.func, cst.Name):
        if inner.func.value in _TAKING_ALL:
            return True
        if inner.func.value in _IN_STEP and not may_have_no_end:
            return is_taken_at_once([*outer[:-1], inner], may_have_no_end)
        return False
    if isinstance(inner, cst.For):
        return not _leaves_early(inner.body)
    if isinstance(inner, cst.CompFor):
        around = outer[:-1]
        while around and isinstance(around[-1], cst.CompFor):
            around = around[:-1]
        if around and isinstance(around[-1], cst.GeneratorExp):
            return is_taken_at_once(around, may_have_no_end)
        return True
    return isinstance(assigned(inner)[0], cst.Tuple)


def _leaves_early(node: Any) -> bool:
    if isinstance(node, cst.Break | cst.Return | cst.Raise):
        return True
    if isinstance(node, cst.FunctionDef | cst.Lambda):
        return False
    return any(map(_leaves_early, children(node)))


def _yields(node: Any, around: Any) -> list[tuple[cst.Yield, bool]]:
    """The yields of a function's own, and whether each is a statement."""
    if isinstance(node, cst.FunctionDef | cst.Lambda):
        return []
    if isinstance(node, cst.Return) and node.value is not None:
        return [(cst.Yield(), False)]
    own = [(node, isinstance(around, cst.Expr))] if isinstance(node, cst.Yield) else []
    return own + [found for child in children(node) for found in _yields(child, node)]


def _appending(source: Source, body: Any, name: str) -> Any:
    """Return the body of a generator, in which each ``yield`` appends to a list.

    Each ``return`` gives it.
    """

    def rule(node: Any, made: Any) -> Any:
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            return node
        if made is None:
            return None
        if isinstance(node, cst.Return):
            space = cst.SimpleWhitespace(" ")
            made = made.with_changes(value=cst.Name(name), whitespace_after_return=space)
        elif isinstance(node, cst.SimpleStatementSuite):
            made = block([_line(line, name) for line in statements_in(made)])
        elif isinstance(node, cst.SimpleStatementLine):
            made = _line(made, name)
        if made is not node and isinstance(node, cst.BaseStatement):
            source.derive_all(node, made)
        return made

    return rewritten(body, rule)


def _line(line: cst.SimpleStatementLine, name: str) -> Any:
    small = line.body[0]
    value = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(value, cst.Yield):
        return line
    if isinstance(value.value, cst.From):
        text = f"for item in _i:\n    {name}.append(item)\n"
        loop = statements(text, _i=value.value.item)[0]
        return loop.with_changes(leading_lines=line.leading_lines)
    given: Any = value.value or cst.Name("None")
    if isinstance(given, cst.Tuple) and not given.lpar:
        given = given.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    call = expression(f"{name}.append(_g)", _g=given)
    return line.with_changes(body=[small.with_changes(value=call)])
