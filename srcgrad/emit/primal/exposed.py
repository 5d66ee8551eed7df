"""The upward-exposed names of a backward part: those that are read before they are assigned."""

from __future__ import annotations

import ast
from typing import Any

from srcgrad.program.syntax_trees import nodes_of


def exposed_names(lines: list[str], result: str) -> set[str]:
    """Return the names that some lines of text, and an expression behind them, read first.

    What a loop in them assigns itself before it reads it, as its own counter, is none of them.
    """
    block: Any = ast.parse("\n".join(["if True:", *lines, f"    ({result})"])).body[0]
    return _before(block.body, set())


def _before(statements: list[ast.stmt], live: set[str]) -> set[str]:
    """The names that are live before some statements, with those that are so behind them."""
    for statement in reversed(statements):
        live = _before_one(statement, live)
    return live


def _before_one(node: ast.stmt, live: set[str]) -> set[str]:
    if isinstance(node, ast.Assign):
        return (live - set().union(*map(_stored, node.targets))) | _loaded(node)
    if isinstance(node, ast.AugAssign | ast.Expr):
        return (
            live | _loaded(node) | (set() if isinstance(node, ast.Expr) else _stored(node.target))
        )
    if isinstance(node, ast.If):
        both = _before(node.body, live) | _before(node.orelse, live)
        return both | _loaded(node.test)
    leaves = any(isinstance(n, ast.Break | ast.Continue | ast.Return) for n in nodes_of(node))
    if isinstance(node, ast.For) and not leaves:
        return _before_loop(node.body, live | _before(node.orelse, live), _stored(node.target)) | (
            _loaded(node.iter) | _loaded(node.target)
        )
    if isinstance(node, ast.While) and not leaves:
        test = live | _before(node.orelse, live) | _loaded(node.test)
        return _before_loop(node.body, test, set())
    return live | {n.id for n in nodes_of(node) if type(n) is ast.Name}


def _before_loop(body: list[ast.stmt], live: set[str], given: set[str]) -> set[str]:
    """The names that are live before a loop, whose head assigns some in each iteration."""
    while True:
        found = live | (_before(body, live) - given)
        if found == live:
            return found
        live = found


def _loaded(node: ast.AST) -> set[str]:
    names = (n for n in nodes_of(node) if type(n) is ast.Name)
    return {n.id for n in names if type(n.ctx) is ast.Load}


def _stored(node: ast.AST) -> set[str]:
    names = (n for n in nodes_of(node) if type(n) is ast.Name)
    return {n.id for n in names if type(n.ctx) is ast.Store}
