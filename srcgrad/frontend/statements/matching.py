"""``match`` statements are written as ``if`` and ``elif``, before anything else looks at them.

What a pattern tests and binds is found in `patterns.py`.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.desugar.patterns import Pattern, Unsupported, both, in_brackets, is_tuple
from srcgrad.frontend.expressions.unrolling import assignment, substituted
from srcgrad.frontend.text.names import local_names, names_in
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import rewritten


def refused_patterns(source: Source, node: cst.Match) -> list[Unsupported]:
    """The patterns of a statement that cannot be written as tests."""
    found = []
    for case in node.cases:
        try:
            Pattern(source, is_tuple(node.subject)).test(case.pattern, node.subject)
        except Unsupported as offence:
            found.append(offence)
    return found


def without_match(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function in which tests stand in the place of patterns.

    Args:
        source: the function's source; it learns the lines of rewritten statements.
        tree: its definition.
    """
    taken = local_names(tree) | names_in(tree)

    def fresh(wanted: str) -> str:
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted}_{count}"
        taken.add(name)
        return name

    def rule(node: Any, made: Any) -> Any:
        if type(made) is not cst.IndentedBlock:
            return None
        if not any(isinstance(statement, cst.Match) for statement in made.body):
            return None
        body: list[Any] = []
        for old, statement in zip(node.body, made.body, strict=True):
            if isinstance(statement, cst.Match):
                new = _as_branches(source, statement, fresh)
                for part in new:
                    source.derive_all(old, part)
                body += new
            else:
                body.append(statement)
        return made.with_changes(body=body)

    new = rewritten(tree, rule)
    if new is not tree:
        source.derive(tree, new)
    return new


def _as_branches(source: Source, node: cst.Match, fresh: Any) -> list[Any]:
    before: list[Any] = []
    subject = node.subject
    whole = is_tuple(subject)
    if not isinstance(subject, cst.Name):
        name = fresh("subject")
        before.append(assignment(cst.Name(name), subject))
        subject = cst.Name(name)
    chain: Any = None
    for case in reversed(node.cases):
        pattern = Pattern(source, whole)
        test = pattern.test(case.pattern, subject)
        bound = pattern.bound
        if case.guard is not None:
            guard = in_brackets(substituted(case.guard, bound))
            test = guard if test is None else both(test, guard)
        lines = _bindings(bound)
        body = case.body
        if lines:
            body = cst.IndentedBlock([*lines, *_lines_of(body)])
        test = None if test is None else _bare(test)
        if test is None:
            chain = cst.Else(body)
        else:
            chain = cst.If(test, body, chain)
    if isinstance(chain, cst.Else):  # the first case always fits
        out = [*before, *_lines_of(chain.body)]
    else:
        out = [*before, chain]
    out[0] = out[0].with_changes(leading_lines=node.leading_lines)
    return out


def _bindings(bound: dict[str, Any]) -> list[Any]:
    """Assign what a pattern binds; at once, where one of its names is read for another."""
    pairs = [(cst.Name(n), _bare(value.deep_clone())) for n, value in bound.items()]
    if any(n in names_in(value) for n in bound for m, value in bound.items() if m != n):
        names, values = zip(*pairs, strict=True)
        left, right = (cst.Tuple([cst.Element(p) for p in part]) for part in (names, values))
        return [assignment(left, right)]
    return [assignment(name, value) for name, value in pairs]


def _bare(node: Any) -> Any:
    """An expression that stands alone."""
    made = isinstance(node, cst.IfExp | cst.BooleanOperation)
    return node.with_changes(lpar=(), rpar=()) if made else node


def _lines_of(body: Any) -> list[Any]:
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)
    return [cst.SimpleStatementLine(body.body)]
