"""Making a failing program smaller, at the level of its source.

Statements are left out, blocks take the place of what they stand in, and
expressions give way to parts of themselves, as long as the program fails in the
same way. This works on any program, and needs far fewer tries than replaying the
choices that made it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.programs import Program

BLOCKS = ("body", "orelse")


def reduce(program: Program, fails: Callable[[Program], bool], tries: int = 600) -> Program:
    """Return a program that is as small as can be found and still fails.

    Args:
        program: a program that fails.
        fails: tells whether another one fails in the same way.
        tries: how often to ask.
    """
    seen = {program.source}
    position = 0
    while tries > 0:
        changes = list(_changes(ast.parse(program.source)))
        # go on behind the last success, so that a hopeless place is not tried again and again
        order = [*range(position, len(changes)), *range(min(position, len(changes)))]
        for k in order:
            source = _changed(program.source, k)
            if source is None or source in seen:
                continue
            seen.add(source)
            tries -= 1
            smaller = replace(program, source=source)
            if fails(smaller):
                program, position = smaller, k
                break
            if tries <= 0:
                return program
        else:
            return program
    return program


def _changed(source: str, k: int) -> str | None:
    """Return a module after the k-th of the changes that can be made to it."""
    tree = ast.parse(source)
    for number, change in enumerate(_changes(tree)):
        if number == k:
            change()
            break
    text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    if len(text) >= len(source):
        return None
    try:
        compile(text, "<smaller>", "exec")
    except SyntaxError:  # `break` without its loop, for instance
        return None
    return text


def _changes(tree: ast.Module) -> Iterator[Callable[[], Any]]:
    """Yield what can be done to a tree, from the largest changes to the smallest."""
    for node in ast.walk(tree):
        for block in _blocks(node):
            if len(block) > 3:
                half = len(block) // 2
                yield lambda b=block, h=half: _put(b, 0, h, [])
                yield lambda b=block, h=half: _put(b, h, len(b) - 1, [])
    for node in ast.walk(tree):
        for block in _blocks(node):
            for k, statement in enumerate(block):
                yield lambda b=block, k=k: _put(b, k, k + 1, [])
                for inner in _blocks(statement):
                    if inner and not isinstance(statement, ast.FunctionDef):
                        yield lambda b=block, k=k, i=inner: _put(b, k, k + 1, i)
            if block is getattr(node, "orelse", None) and block:
                yield block.clear
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr) and _is_read(value):
                for part in _simpler(value):
                    yield lambda n=node, f=name, p=part: setattr(n, f, p)
            elif isinstance(value, list) and value and isinstance(value[0], ast.expr):
                for k, item in enumerate(value):
                    if _is_read(item):
                        for part in _simpler(item):
                            yield lambda v=value, k=k, p=part: _put(v, k, k + 1, [p])
                    if len(value) > 1 and isinstance(node, ast.Tuple | ast.List | ast.BoolOp):
                        yield lambda v=value, k=k: _put(v, k, k + 1, [])


def _put(items: list[Any], start: int, stop: int, new: list[Any]) -> None:
    items[start:stop] = new
    if not items and not new:
        items.append(ast.Pass())


def _blocks(node: ast.AST) -> list[list[Any]]:
    found = [getattr(node, name, None) for name in BLOCKS]
    return [block for block in found if isinstance(block, list)]


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _simpler(node: ast.expr) -> list[ast.expr]:
    """Return what could stand in the place of an expression."""
    if isinstance(node, ast.Name | ast.Constant | ast.Slice):
        return [ast.Constant(0.5)] if isinstance(node, ast.Name) and len(node.id) > 3 else []
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.Call):
        parts = [*node.args, *parts]
    names = [part for part in ast.walk(node) if isinstance(part, ast.Name) and _is_read(part)]
    names = [part for part in names if part.id not in ("np", "math")]
    return [ast.Constant(0.5), *parts, *names]
