"""Where statements leave the code that they stand in: what always ends it, and what may."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportReturnType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import bound_names
from srcgrad.frontend.text.trees import below, small_of

Statements = list[cst.BaseStatement]
LOOPS = (cst.For, cst.While)
EXITS = (cst.Break, cst.Continue, cst.Return, cst.Raise)


def block(statements: Sequence[cst.BaseStatement]) -> cst.IndentedBlock:
    """Make an indented block, with ``pass`` when there is nothing in it."""
    return cst.IndentedBlock(list(statements) or [parse("pass")])


def returns_of(tree: cst.FunctionDef) -> list[cst.Return]:
    """The return statements of a function, without those of its local functions."""
    return [part for part in below(tree.body, {cst.FunctionDef}) if type(part) is cst.Return]


def returns_a_value(tree: cst.FunctionDef) -> bool:
    """Whether some return statement of a function gives a value that is not a plain None."""
    return any(not _gives_none(found.value) for found in returns_of(tree))


def _gives_none(value: cst.BaseExpression | None) -> bool:
    return value is None or (isinstance(value, cst.Name) and value.value == "None")


def parse(text: str):
    """Return a statement, of its text."""
    return cst.parse_statement(text)


def exit_of(kind: type) -> cst.SimpleStatementLine:
    """Return ``break``, ``continue`` or ``pass``."""
    return cst.SimpleStatementLine([kind()])


def statements_in(suite: Any) -> list[Any]:
    """Return the statements of a suite, each on a line of its own, also of one behind a colon."""
    return [
        _alone(part) if isinstance(part, cst.BaseSmallStatement) else part for part in suite.body
    ]


def _alone(small: Any) -> cst.SimpleStatementLine:
    none = cst.MaybeSentinel.DEFAULT
    own = small if small.semicolon is none else small.with_changes(semicolon=none)
    return cst.SimpleStatementLine([own])


def is_docstring(statement: Any) -> bool:
    """Tell whether a statement is a text."""
    small = small_of(statement)
    return isinstance(small, cst.Expr) and isinstance(
        small.value, cst.SimpleString | cst.ConcatenatedString
    )


def arms_of(node: cst.If) -> tuple[Statements, Statements]:
    """The statements of both arms of an ``if``."""
    orelse = node.orelse
    if orelse is None:
        return list(node.body.body), []
    if isinstance(orelse, cst.If):
        return list(node.body.body), [orelse]
    return list(node.body.body), list(orelse.body.body)


def arms_of_try(node: cst.Try) -> list[Statements]:
    """The statements of each way through a ``try`` statement: without an exception first."""
    orelse = [] if node.orelse is None else list(node.orelse.body.body)
    return [[*node.body.body, *orelse], *(list(h.body.body) for h in node.handlers)]


def map_suites(node: Any, rewrite: Callable[[list[Any]], Sequence[Any]]) -> Any:
    """Return a compound statement with other statements in its suites, an ``elif`` as one."""

    def part(holder: Any) -> Any:
        if isinstance(holder, cst.If):
            arm = list(rewrite([holder]))
            alone = len(arm) == 1 and isinstance(arm[0], cst.If)
            return arm[0] if alone else cst.Else(block(arm))
        return holder.with_changes(body=block(rewrite(list(holder.body.body))))

    changes: dict[str, Any] = {"body": block(rewrite(list(node.body.body)))}
    if isinstance(node, cst.Try):
        changes["handlers"] = [part(handler) for handler in node.handlers]
    for name in ("orelse", "finalbody"):
        if getattr(node, name, None) is not None:
            changes[name] = part(getattr(node, name))
    return node.with_changes(**changes)


def ends(statement) -> bool:
    """Whether a statement is one of the exits."""
    return type(small_of(statement)) in EXITS


def always_exits(body: Statements) -> bool:
    """Whether no way leads through some statements to what follows them."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, cst.If):
        then, orelse = arms_of(last)
        return always_exits(then) and always_exits(orelse)
    if isinstance(last, cst.With):  # which may keep what is raised
        inner = list(last.body.body)
        return always_exits(inner) and exit_kind(inner) is not cst.Raise
    if isinstance(last, cst.Try):
        return all(map(always_exits, arms_of_try(last)))
    return ends(last)


def may_exit(statement, *kinds: type) -> bool:
    """Whether a statement holds such an exit out of the code it stands in."""
    if isinstance(small_of(statement), kinds):
        return True
    if isinstance(statement, cst.If):
        return any(may_exit(s, *kinds) for arm in arms_of(statement) for s in arm)
    if isinstance(statement, cst.With):
        return any(may_exit(s, *kinds) for s in statement.body.body)
    if isinstance(statement, cst.Try):
        return any(may_exit(s, *kinds) for arm in arms_of_try(statement) for s in arm)
    if isinstance(statement, LOOPS):
        outer = tuple(k for k in kinds if k not in (cst.Break, cst.Continue, cst.Raise))
        return bool(outer) and any(may_exit(s, *outer) for s in statement.body.body)
    return False


def is_simple(node: cst.If) -> bool:
    """Whether each arm either always exits or never does, and one of them falls through."""
    for arm in arms_of(node):
        if not always_exits(arm) and any(may_exit(s, *EXITS[:3]) for s in arm):
            return False
    return True


def replace_exits(body, rules: dict, normaliser=None) -> Statements:
    """Replace exits by other statements, not looking into inner loops."""
    out: Statements = []
    for statement in body:
        small = small_of(statement)
        rule = rules.get(type(small))
        if rule is not None:
            out += rule(small, statement) if callable(rule) else [s.deep_clone() for s in rule]
        elif isinstance(statement, cst.If | cst.With | cst.Try):
            new = map_suites(statement, lambda s: replace_exits(s, rules, normaliser))
            if normaliser is not None:
                normaliser.source.derive(statement, new)
            out.append(new)
        else:
            out.append(statement)
    return out


def holds_loop(statement: Any) -> bool:
    """Whether there is a loop in a branch, or in a branch inside of it."""
    if isinstance(statement, cst.If):
        return any(holds_loop(s) for arm in arms_of(statement) for s in arm)
    if isinstance(statement, cst.With):
        return any(holds_loop(s) for s in statement.body.body)
    if isinstance(statement, cst.Try):
        return any(holds_loop(s) for arm in arms_of_try(statement) for s in arm)
    return isinstance(statement, LOOPS)


def exit_kind(body: Sequence[Any]) -> type | None:
    """How a block is left for good: by break, continue, return or raise; None if it is not.

    It is raise only where no way through the block leads to another exit.
    """
    if not body:
        return None
    kind = _exit_of(body[-1])
    if kind is not cst.Raise:
        return kind
    others = (cst.Break, cst.Continue, cst.Return)
    return next((k for k in others if any(may_exit(s, k) for s in body[:-1])), cst.Raise)


def _exit_of(statement: Any) -> type | None:
    """The same for a statement."""
    if type(statement) is cst.SimpleStatementLine:
        part = type(statement.body[-1])
        return part if part in EXITS else None
    if isinstance(statement, cst.If):
        kinds = [exit_kind(arm) for arm in arms_of(statement)]
        if None in kinds:
            return None
        return next((k for k in kinds if k is not cst.Raise), cst.Raise)
    if isinstance(statement, cst.With):
        return exit_kind(list(statement.body.body))
    return None


def binds_only_when_leaving(statements: Statements, name: str) -> bool:
    """Whether the body of a loop assigns a name only where it leaves the loop then."""
    if statements and isinstance(small_of(statements[-1]), cst.Break | cst.Return | cst.Raise):
        return True
    for statement in statements:
        if name not in bound_names(statement):
            continue
        if not isinstance(statement, cst.If):
            return False
        if not all(binds_only_when_leaving(arm, name) for arm in arms_of(statement)):
            return False
    return True
