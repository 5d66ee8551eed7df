"""Removing from the forward part what only computes values that nobody reads."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.emit.forward import indented
from srcgrad.frontend.closures import assigned_names
from srcgrad.frontend.normalise import names_in
from srcgrad.frontend.walking import children


def prune(statements: list[Any], live: set[str], impure: set[int]) -> list[Any]:
    """Remove statements that only compute what nobody reads.

    Args:
        statements: the statements of a function's forward part.
        live: the names that are read after them.
        impure: ids of expressions that must stay because they have effects.
    """
    return _Pruning(_captures(statements), impure).block(statements, set(live))[0]


class _Pruning:
    def __init__(self, captured: dict[str, set[str]], impure: set[int]) -> None:
        self.captured = captured
        self.impure = impure

    def reads(self, node: Any) -> set[str]:
        """The names that a node reads, with those that a local function it mentions reads."""
        found: set[str] = set()
        more = names_in(node)
        while more:
            found |= more
            more = {n for name in more for n in self.captured.get(name, ())} - found
        return found

    def block(self, statements: list[Any], live: set[str]) -> tuple[list[Any], set[str]]:
        """Return the statements that stay, and the names that are read before them or after."""
        kept: list[Any] = []
        for statement in reversed(statements):
            if isinstance(statement, cst.If):
                new, live = self.branch(statement, live)
                if new is not None:
                    kept.append(new)
            elif isinstance(statement, cst.For | cst.While):
                if not _needed(statement, live, self.impure):
                    continue
                body = self.loop(statement, live)
                kept.append(statement.with_changes(body=indented(body)))
                live = live | self.reads(kept[-1])
            elif isinstance(statement, cst.With):
                body, live = self.block(list(statement.body.body), live)
                if body:
                    kept.append(statement.with_changes(body=indented(body)))
                    live |= {n for item in statement.items for n in self.reads(item)}
            elif _needed(statement, live, self.impure):
                live = (live - _plain_targets(statement)) | self.reads(_source(statement))
                kept.append(statement)
        return list(reversed(kept)), live

    def branch(self, statement: cst.If, live: set[str]) -> tuple[Any, set[str]]:
        then, a = self.block(list(statement.body.body), set(live))
        orelse = statement.orelse
        other, c = [], set(live)
        if isinstance(orelse, cst.If):
            other, c = self.block([orelse], set(live))
        elif orelse is not None:
            other, c = self.block(list(orelse.body.body), set(live))
        if not then and not other and not _effects(statement.test, self.impure):
            return None, live
        new: Any = None
        if isinstance(orelse, cst.If) and len(other) == 1 and isinstance(other[0], cst.If):
            new = other[0]
        elif isinstance(orelse, cst.If) and other:
            new = cst.Else(indented(other))
        elif other:
            new = orelse.with_changes(body=indented(other))
        live = a | c | self.reads(statement.test)
        return statement.with_changes(body=indented(then), orelse=new), live

    def loop(self, loop: Any, live: set[str]) -> list[Any]:
        body = list(loop.body.body)
        wanted = live | self.reads(loop.iter if isinstance(loop, cst.For) else loop.test)
        for _ in range(8):
            kept, inside = self.block(body, set(wanted))
            if inside <= wanted:
                return kept
            wanted |= inside
        return body


def _captures(statements: list[Any]) -> dict[str, set[str]]:
    """Return, for each name of a local function, the names that calling it reads."""
    found: dict[str, set[str]] = {}
    copied: list[tuple[str, set[str]]] = []
    stack: list[Any] = list(statements)
    while stack:
        item = stack.pop()
        if isinstance(item, cst.FunctionDef):
            found.setdefault(item.name.value, set()).update(names_in(item.body))
        elif isinstance(item, cst.Assign):
            parts = list(_parts(item.value))
            read = {n for part in parts if isinstance(part, cst.Lambda) for n in names_in(part)}
            names = {part.value for part in parts if isinstance(part, cst.Name)}
            for name in (n for target in item.targets for n in names_in(target.target)):
                if read:
                    found.setdefault(name, set()).update(read)
                copied.append((name, names))
        stack.extend(children(item))
    for _ in copied:  # a function may have several names
        for name, names in copied:
            if names & found.keys():
                found.setdefault(name, set()).update(names & found.keys())
    return found


def _parts(value: Any):
    """What an expression may be without computing anything."""
    if isinstance(value, cst.Tuple | cst.List):
        for element in value.elements:
            yield from _parts(element.value)
    elif isinstance(value, cst.IfExp):
        yield from _parts(value.body)
        yield from _parts(value.orelse)
    else:
        yield value


def _source(statement: Any) -> Any:
    """What of a statement is read: of a plain assignment, its right side."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return small.value if isinstance(small, cst.Assign) and _plain_targets(statement) else statement


def _plain_targets(statement: Any) -> set[str]:
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Assign):
        found: set[str] = set()
        for target in small.targets:
            found |= names_in(target.target) if _only_names(target.target) else set()
        return found
    return set()


def _only_names(target: Any) -> bool:
    if isinstance(target, cst.Name):
        return True
    if isinstance(target, cst.Tuple | cst.List):
        return all(_only_names(e.value) for e in target.elements)
    return False


def _needed(statement: Any, live: set[str], impure: set[int]) -> bool:
    if isinstance(statement, cst.FunctionDef):
        return statement.name.value in live
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Pass):
        return False
    if isinstance(small, cst.Del):
        return True
    if isinstance(small, cst.Assign | cst.AnnAssign | cst.AugAssign):
        value = small.value
        if value is not None and _effects(value, impure):
            return True
        return bool(assigned_names(statement) & live)
    if isinstance(statement, cst.For | cst.While):
        if assigned_names(statement) & live:
            return True
        return any(_needed(s, live, impure) for s in _inner(statement) if not _is_jump(s))
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        func = small.value.func
        if isinstance(func, cst.Attribute) and func.attr.value == "append":
            return bool(names_in(func.value) & live)
        return True
    return True


def _is_jump(statement: Any) -> bool:
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(small, cst.Break | cst.Continue | cst.Pass)


def _inner(loop: Any) -> list[Any]:
    found: list[Any] = []
    stack = list(loop.body.body)
    while stack:
        item = stack.pop()
        if isinstance(item, cst.If):
            stack += list(item.body.body)
            orelse = item.orelse
            if isinstance(orelse, cst.If):
                stack.append(orelse)
            elif orelse is not None:
                stack += list(orelse.body.body)
        elif isinstance(item, cst.With):
            stack += list(item.body.body)
        else:
            found.append(item)
    return found


def _effects(node: cst.CSTNode, impure: set[int]) -> bool:
    if id(node) in impure or isinstance(node, cst.NamedExpr):
        return True
    return any(_effects(child, impure) for child in children(node))
