"""Generator functions as functions that return a list of what they yield.

That is the same where all of it is taken at once, and nobody can tell when it was made.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import block
from srcgrad.frontend.text.names import names_in, unused_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import children

_TAKING_ALL = frozenset({"sum", "list", "tuple", "max", "min", "sorted", "dict"})
_IN_STEP = frozenset({"zip", "enumerate", "map"})


def is_listable(tree: cst.FunctionDef) -> bool:
    """Tell whether each ``yield`` of a function is a statement, and none waits for a value."""
    return all(alone for _, alone in _yields(tree.body, None))


def may_go_on(tree: cst.FunctionDef) -> bool:
    """Tell whether what a generator function gives may have no end, or raise an error later."""
    waiting: list[Any] = [tree.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.While | cst.Raise | cst.Assert):
            return True
        waiting += children(node)
    return False


def as_list(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return the function that gives a list of what a generator function yields."""
    name = unused_name("yielded", names_in(tree))
    body = tree.body.visit(_Appending(source, name))
    assert isinstance(body, cst.BaseSuite)
    kept: list[Any] = list(body.body)
    if isinstance(body, cst.SimpleStatementSuite):
        kept = [cst.SimpleStatementLine([small]) for small in kept]
    start = 1 if kept and _is_docstring(kept[0]) else 0
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
    assigned = isinstance(inner, cst.Assign) and len(inner.targets) == 1
    return assigned and isinstance(inner.targets[0].target, cst.Tuple)  # type: ignore[union-attr]


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


def _is_docstring(statement: Any) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    small = statement.body[0]
    return isinstance(small, cst.Expr) and isinstance(small.value, cst.SimpleString)


class _Appending(cst.CSTTransformer):
    """Let each ``yield`` append to a list, and each ``return`` give it."""

    def __init__(self, source: Source, name: str) -> None:
        super().__init__()
        self.source, self.name = source, name
        self.statement: Any = None

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.BaseStatement):
            self.statement = node
        return not isinstance(node, cst.FunctionDef | cst.Lambda)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        if isinstance(original_node, cst.Return):
            space = cst.SimpleWhitespace(" ")
            updated_node = updated_node.with_changes(
                value=cst.Name(self.name), whitespace_after_return=space
            )
        if isinstance(original_node, cst.SimpleStatementSuite):
            lines = [cst.SimpleStatementLine([small]) for small in updated_node.body]
            for line in lines:
                self.source.derive_all(self.statement, line)
            return block([self._line(line) for line in lines])
        if isinstance(original_node, cst.SimpleStatementLine):
            updated_node = self._line(updated_node)
        if isinstance(original_node, cst.BaseStatement):
            self.source.derive(original_node, updated_node)
        return updated_node

    def _line(self, line: cst.SimpleStatementLine) -> Any:
        small = line.body[0]
        value = small.value if isinstance(small, cst.Expr) else None
        if not isinstance(value, cst.Yield):
            return line
        if isinstance(value.value, cst.From):
            loop = cst.parse_statement(f"for item in ():\n    {self.name}.append(item)")
            assert isinstance(loop, cst.For)
            loop = loop.with_changes(iter=value.value.item, leading_lines=line.leading_lines)
            self.source.derive_all(line, loop)
            return loop
        given: Any = value.value or cst.Name("None")
        if isinstance(given, cst.Tuple) and not given.lpar:
            given = given.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        target = cst.Attribute(cst.Name(self.name), cst.Name("append"))
        return line.with_changes(
            body=[small.with_changes(value=cst.Call(target, [cst.Arg(given)]))]
        )
