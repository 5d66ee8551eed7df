"""``match`` statements are written as ``if`` and ``elif``, before anything else looks at them."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.names import local_names, names_in
from srcgrad.frontend.source import Source
from srcgrad.frontend.trees import rewritten
from srcgrad.frontend.unrolling import assignment, substituted


class Unsupported(Exception):
    """A pattern that is no test of values.

    Args:
        node: the pattern.
        what: what is not supported.
    """

    def __init__(self, node: Any, what: str) -> None:
        super().__init__()
        self.node, self.what = node, what


def refused_patterns(node: cst.Match) -> list[Unsupported]:
    """The patterns of a statement that cannot be written as tests."""
    found = []
    for case in node.cases:
        try:
            _test(case.pattern, node.subject, _is_tuple(node.subject), {})
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
                new = _as_branches(statement, fresh)
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


def _as_branches(node: cst.Match, fresh: Any) -> list[Any]:
    before: list[Any] = []
    subject = node.subject
    whole = _is_tuple(subject)
    if not isinstance(subject, cst.Name):
        name = fresh("subject")
        before.append(assignment(cst.Name(name), subject))
        subject = cst.Name(name)
    chain: Any = None
    for case in reversed(node.cases):
        bound: dict[str, Any] = {}
        test = _test(case.pattern, subject, whole, bound)
        if case.guard is not None:
            guard = _in_brackets(substituted(case.guard, bound))
            test = guard if test is None else _both(test, guard)
        lines = [assignment(cst.Name(n), value.deep_clone()) for n, value in bound.items()]
        body = case.body
        if lines:
            body = cst.IndentedBlock([*lines, *_lines_of(body)])
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


def _lines_of(body: Any) -> list[Any]:
    if isinstance(body, cst.IndentedBlock):
        return list(body.body)
    return [cst.SimpleStatementLine(body.body)]


def _is_tuple(subject: Any) -> bool:
    """Whether an expression is a tuple, whatever its names stand for."""
    if isinstance(subject, cst.Attribute):
        return subject.attr.value == "shape"
    return isinstance(subject, cst.Tuple) and not any(
        isinstance(e, cst.StarredElement) for e in subject.elements
    )


def _test(pattern: Any, subject: Any, whole: bool, bound: dict[str, Any]) -> Any:
    """The test that a pattern stands for, None where it always holds; what it binds is noted."""
    if isinstance(pattern, cst.MatchValue):
        return _compare(subject, cst.Equal(), pattern.value)
    if isinstance(pattern, cst.MatchSingleton):
        return _compare(subject, cst.Is(), pattern.value)
    if isinstance(pattern, cst.MatchOr):
        tests = []
        for part in pattern.patterns:
            inner: dict[str, Any] = {}
            tests.append(_test(part.pattern, subject, whole, inner))
            if inner:
                raise Unsupported(part.pattern, "a name bound by one of several patterns")
        if None in tests:
            return None
        made = tests[0]
        for test in tests[1:]:
            made = cst.BooleanOperation(made, cst.Or(), test)
        return _in_brackets(made) if len(tests) > 1 else made
    if isinstance(pattern, cst.MatchAs):
        test = None
        if pattern.pattern is not None:
            test = _test(pattern.pattern, subject, whole, bound)
        if pattern.name is not None:
            bound[pattern.name.value] = subject
        return test
    if isinstance(pattern, cst.MatchTuple | cst.MatchList) and whole:
        return _of_parts(pattern, subject, bound)
    if isinstance(pattern, cst.MatchSequence):
        raise Unsupported(pattern, "a pattern of a sequence, but for x.shape or a tuple,")
    raise Unsupported(pattern, "a pattern of this kind")


def _of_parts(pattern: Any, subject: Any, bound: dict[str, Any]) -> Any:
    parts = pattern.patterns
    if any(isinstance(part, cst.MatchStar) for part in parts):
        raise Unsupported(pattern, "a pattern with a star")
    count = cst.Call(cst.Name("len"), [cst.Arg(subject.deep_clone())])
    test = _compare(count, cst.Equal(), cst.Integer(str(len(parts))))
    for k, part in enumerate(parts):
        item = cst.Subscript(
            subject.deep_clone(), [cst.SubscriptElement(cst.Index(cst.Integer(str(k))))]
        )
        inner = _test(part.value, item, False, bound)
        if inner is not None:
            test = _both(test, inner)
    return test


def _compare(left: Any, operator: Any, right: Any) -> cst.Comparison:
    target = cst.ComparisonTarget(operator, right.deep_clone())
    return cst.Comparison(left.deep_clone(), [target])


def _both(left: Any, right: Any) -> cst.BooleanOperation:
    return cst.BooleanOperation(left, cst.And(), right)


def _in_brackets(node: Any) -> Any:
    if isinstance(node, cst.BooleanOperation) and not node.lpar:
        return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return node
