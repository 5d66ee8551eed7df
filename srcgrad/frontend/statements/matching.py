"""``match`` statements on values are written as ``if`` and ``elif``, before anything else looks.

Literals, dotted names, ``None``, ``|``, ``_`` and a name for what is left are tests that read
well; patterns that take values apart are refused.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import local_names, names_in, unused_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import assignment, expression, substituted
from srcgrad.frontend.text.trees import rewritten


def refused_patterns(node: cst.Match) -> list[Any]:
    """Return the patterns of a statement that are no tests of its value."""
    return [case.pattern for case in node.cases if not _is_test(case.pattern)]


def _is_test(pattern: Any) -> bool:
    if isinstance(pattern, cst.MatchOr):
        return all(_is_test(p.pattern) and not _bound(p.pattern) for p in pattern.patterns)
    if isinstance(pattern, cst.MatchAs):
        return pattern.pattern is None or _is_test(pattern.pattern)
    return isinstance(pattern, cst.MatchValue | cst.MatchSingleton)


def without_match(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function in which tests stand in the place of patterns."""
    taken = local_names(tree) | names_in(tree)

    def rule(node: Any, made: Any) -> Any:
        if type(made) is not cst.IndentedBlock:
            return None
        if not any(isinstance(statement, cst.Match) for statement in made.body):
            return None
        body: list[Any] = []
        for old, statement in zip(node.body, made.body, strict=True):
            new = [statement]
            if isinstance(statement, cst.Match):
                new = _as_branches(statement, taken)
                for part in new:
                    source.derive_all(old, part)
            body += new
        return made.with_changes(body=body)

    new = rewritten(tree, rule)
    if new is not tree:
        source.derive(tree, new)
    return new


def _as_branches(node: cst.Match, taken: set[str]) -> list[Any]:
    before: list[Any] = []
    subject = node.subject
    if not isinstance(subject, cst.Name):
        name = unused_name("subject", taken)
        taken.add(name)
        before.append(assignment(name, subject))
        subject = cst.Name(name)
    chain: Any = None
    for case in reversed(node.cases):
        test, name, body = _test(case.pattern, subject), _bound(case.pattern), case.body
        if case.guard is not None:
            guard = substituted(case.guard, {name: subject} if name else {})
            test = guard if test is None else _joined(test, cst.And(), guard)
        if name:
            body = cst.IndentedBlock([assignment(name, subject), *_lines_of(body)])
        chain = cst.Else(body) if test is None else cst.If(test, body, chain)
    lines = _lines_of(chain.body) if isinstance(chain, cst.Else) else [chain]
    out = [*before, *lines]
    out[0] = out[0].with_changes(leading_lines=node.leading_lines)
    return out


def _test(pattern: Any, subject: Any) -> Any:
    """Return the test that a pattern stands for, None where it always holds."""
    if isinstance(pattern, cst.MatchValue):
        return expression("_s == _v", _s=subject.deep_clone(), _v=pattern.value.deep_clone())
    if isinstance(pattern, cst.MatchSingleton):
        return expression("_s is _v", _s=subject.deep_clone(), _v=pattern.value.deep_clone())
    if isinstance(pattern, cst.MatchAs):
        return None if pattern.pattern is None else _test(pattern.pattern, subject)
    tests = [_test(part.pattern, subject) for part in pattern.patterns]
    if None in tests:
        return None
    made = tests[0]
    for test in tests[1:]:
        made = _joined(made, cst.Or(), test)
    return made


def _bound(pattern: Any) -> str:
    """Return the name that a pattern gives the value."""
    name = pattern.name if isinstance(pattern, cst.MatchAs) else None
    return name.value if name is not None else ""


def _joined(left: Any, operator: Any, right: Any) -> cst.BooleanOperation:
    """Return ``left and right`` or ``left or right``, with brackets where they are needed."""
    loose = cst.BooleanOperation | cst.IfExp | cst.Lambda | cst.NamedExpr
    left, right = (
        node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        if isinstance(node, loose) and not node.lpar and not _chains(node, operator)
        else node
        for node in (left, right)
    )
    return cst.BooleanOperation(left, operator, right)


def _chains(node: Any, operator: Any) -> bool:
    return isinstance(node, cst.BooleanOperation) and type(node.operator) is type(operator)


def _lines_of(body: Any) -> list[Any]:
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)
    return [cst.SimpleStatementLine(body.body)]
