"""Removing the statements of a forward part that nobody reads."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
# pyright: reportReturnType=false

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.emit.primal.forward import indented
from srcgrad.frontend.text.names import assigned_names, names_in, names_written_into
from srcgrad.frontend.text.trees import changed, children, kinds_in, negated, nodes_in, small_of
from srcgrad.ir.layout import Layout

_FUNCTIONS = (cst.FunctionDef, cst.Lambda)
_ASSIGNING = (cst.Assign, cst.AnnAssign, cst.AugAssign)


class Effects:
    """What the statements of a function do besides assigning names."""

    def __init__(self, layout: Layout) -> None:
        self.impure = layout.impure  # ids of expressions that must stay because they have effects
        # for a name, the names that hold the same array or list somewhere
        self.aliases = layout.aliases()
        # the names of the function; the text may have others for what calls give
        self.known = {b.name for found in layout.bindings.values() for b in found}
        self.known |= {write.name for write in layout.writes}
        self.lasting = layout.lasting  # names through which arrays of the caller are written

    def written(self, statement: cst.CSTNode) -> set[str]:
        """The names that a statement assigns, and those whose array or list it writes into."""
        found = assigned_names(statement)
        for name in names_written_into(statement):
            found |= self.aliases.get(name, set())
        return found


def prune(statements: list[Any], live: set[str], effects: Effects) -> list[Any]:
    """Remove statements that only compute what nobody reads.

    Where the user has put a breakpoint, somebody may read everything.
    """
    if any("breakpoint" in names_in(statement) for statement in statements):
        return statements
    while True:
        kept = _prune(statements, live | effects.lasting, effects, set())[0]
        later = set().union(*map(read_by_functions, kept))
        if later <= effects.lasting:
            return kept
        effects.lasting = effects.lasting | later  # they are read whenever that is called


def read_by_functions(node: Any) -> set[str]:
    """The names that the local functions in the code of a node read."""
    if type(node) in _FUNCTIONS:
        return names_in(node)
    if kinds_in(node).isdisjoint(_FUNCTIONS):
        return set()
    return set().union(*map(read_by_functions, children(node)))


def _prune(
    statements: list[Any], live: set[str], effects: Effects, jump: set[str]
) -> tuple[list[Any], set[str]]:
    """Return what remains, and what is read from there on."""
    kept: list[Any] = []
    for statement in reversed(statements):
        if type(statement) is cst.SimpleStatementLine:
            if _needed(statement, live, effects):
                live = _live_before(statement, live, jump) | effects.lasting
                kept.append(statement)
        elif isinstance(statement, cst.If):
            then, a = _prune(list(statement.body.body), set(live), effects, jump)
            orelse = statement.orelse
            other, c = [], set(live)
            if isinstance(orelse, cst.If):
                other, c = _prune([orelse], set(live), effects, jump)
            elif orelse is not None:
                other, c = _prune(list(orelse.body.body), set(live), effects, jump)
            if not then and not other and not _effects(statement.test, effects):
                continue
            new: Any = None
            if other:
                elif_ = (
                    len(other) == 1 and isinstance(other[0], cst.If) and isinstance(orelse, cst.If)
                )
                new = (
                    other[0]
                    if elif_
                    else (
                        cst.Else(indented(other))
                        if isinstance(orelse, cst.If)
                        else orelse.with_changes(body=indented(other))
                    )
                )
            live = a | c | names_in(statement.test)
            if isinstance(new, cst.Else) and not then:
                test = negated(statement.test)
                kept.append(changed(statement, test=test, body=new.body, orelse=None))
            else:
                kept.append(statement.with_changes(body=indented(then), orelse=new))
        elif isinstance(statement, cst.For | cst.While):
            if not _needed(statement, live, effects):
                continue
            body = _prune_loop(statement, live, effects)
            kept.append(statement.with_changes(body=indented(body)))
            live = live | names_in(kept[-1])
        elif isinstance(statement, cst.With):
            body, live = _prune(list(statement.body.body), live, effects, jump)
            if not body and any(_effects(item, effects) for item in statement.items):
                body = [cst.SimpleStatementLine([cst.Pass()])]
            if body:
                kept.append(statement.with_changes(body=indented(body)))
                live |= {n for item in statement.items for n in names_in(item)}
        elif _needed(statement, live, effects):
            live = live | names_in(statement) | effects.lasting
            kept.append(statement)
    return list(reversed(kept)), live


def _live_before(line: cst.SimpleStatementLine, live: set[str], jump: set[str]) -> set[str]:
    """What is read from a simple statement on, given that behind it and that behind its loop."""
    small = line.body[0]
    if isinstance(small, cst.Assign):
        assigned = _plain_targets(small)
        return ((live - assigned) | names_in(line)) - assigned | names_in(small.value)
    return live | names_in(line) | (jump if isinstance(small, cst.Break | cst.Continue) else set())


def _prune_loop(loop: Any, live: set[str], effects: Effects) -> list[Any]:
    body = list(loop.body.body)
    head = names_in(loop.iter) if isinstance(loop, cst.For) else names_in(loop.test)
    after = names_in(loop.orelse) if loop.orelse is not None else set()
    wanted = live | head | after
    for _ in range(8):
        kept, inside = _prune(body, set(wanted), effects, wanted)
        if inside <= wanted:
            return kept
        wanted |= inside
    return body


def _plain_targets(small: cst.Assign) -> set[str]:
    found: set[str] = set()
    for target in small.targets:
        found |= names_in(target.target) if _only_names(target.target) else set()
    return found


def _only_names(target: Any) -> bool:
    if isinstance(target, cst.Name):
        return True
    if isinstance(target, cst.Tuple | cst.List):
        return all(_only_names(e.value) for e in target.elements)
    return False


def _needed(statement: Any, live: set[str], effects: Effects) -> bool:
    small = small_of(statement)
    if type(statement) is cst.FunctionDef:
        return statement.name.value in live
    if type(small) in _ASSIGNING:
        targets = [t.target for t in small.targets] if isinstance(small, cst.Assign) else []
        targets = targets or [small.target]
        parts = (small.value, *targets) if _effects(statement, effects) else ()
        if any(_effects(part, effects) for part in parts if part is not None):
            return True
        if any(map(_is_through_a_call, targets)):
            return True
        if names_written_into(statement) - effects.known:
            return True  # what a call gives that the text has a name for: others may hold it
        return bool(effects.written(statement) & live)
    if isinstance(statement, cst.For | cst.While):
        head = statement.iter if isinstance(statement, cst.For) else statement.test
        if _effects(head, effects) or effects.written(statement) & live:
            return True
        return any(_needed(s, live, effects) for s in _inner(statement) if not _is_jump(s))
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        func = small.value.func
        plain = isinstance(func, cst.Attribute) and isinstance(func.value, cst.Name)
        if plain and func.attr.value == "append" and not _effects(small.value, effects):
            return bool(effects.written(statement) & live)
        return True
    return not isinstance(small, cst.Pass)


def _is_through_a_call(target: Any) -> bool:
    """Whether no name tells what an assignment writes into: ``rows.pop()[0] = 1.0``."""
    if type(target) is cst.Name:
        return False
    if isinstance(target, cst.Tuple | cst.List):
        return any(_is_through_a_call(element.value) for element in target.elements)
    while isinstance(target, cst.Subscript | cst.Attribute | cst.StarredElement):
        target = target.value
    return not isinstance(target, cst.Name)


def _is_jump(statement: Any) -> bool:
    return isinstance(small_of(statement), cst.Break | cst.Continue | cst.Pass)


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


def _effects(node: cst.CSTNode, effects: Effects) -> bool:
    if cst.NamedExpr in kinds_in(node):
        return True
    return bool(effects.impure) and any(id(part) in effects.impure for part in nodes_in(node))
