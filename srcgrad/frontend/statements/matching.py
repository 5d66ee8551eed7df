"""``match`` statements are written as ``if`` and ``elif``, before anything else looks.

Literals, dotted names, ``None``, ``|``, ``_``, a name for what is left, and classes with their
fields are tests that read well; patterns for sequences and dicts are refused.
"""

from __future__ import annotations

import types
from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import statements_in
from srcgrad.frontend.text.names import local_names, names_in, new_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import assignment, expression, substituted
from srcgrad.frontend.text.trees import children, kinds_in, rewritten
from srcgrad.program import facts

_WHOLE = frozenset(
    (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
)  # whose patterns give the value itself a name


def refused_patterns(source: Source, node: cst.Match) -> list[Any]:
    """Return the patterns of a statement that no tests of its value stand for."""
    refused = [case.pattern for case in node.cases if not _is_test(source, case.pattern)]
    return refused or [case.pattern for case in node.cases if _binds_for_others(source, node, case)]


def _is_test(source: Source, pattern: Any) -> bool:
    if isinstance(pattern, cst.MatchOr):
        parts = [p.pattern for p in pattern.patterns]
        return all(_is_test(source, p) and not _captured(source, p) for p in parts)
    if isinstance(pattern, cst.MatchAs):
        return pattern.pattern is None or _is_test(source, pattern.pattern)
    if isinstance(pattern, cst.MatchClass):
        fields = _fields(source, pattern)
        return fields is not None and all(_is_test(source, part) for _, part in fields)
    return isinstance(pattern, cst.MatchValue | cst.MatchSingleton)


def _binds_for_others(source: Source, node: cst.Match, case: cst.MatchCase) -> bool:
    """Whether a name that a case gives is read elsewhere though the case was not taken."""
    if case.guard is None:
        return False
    for name in _captured(source, case.pattern):
        binding = [c for c in node.cases if name in _captured(source, c.pattern)]
        if _count(source.tree, name) > sum(_count(c, name) for c in binding):
            return True
    return False


def _count(node: Any, name: str) -> int:
    """How often a name is read or bound in some code."""
    if isinstance(node, cst.Name):
        return node.value == name
    word = node.key if isinstance(node, cst.MatchKeywordElement) else None
    word = node.attr if isinstance(node, cst.Attribute) else word
    word = node.keyword if isinstance(node, cst.Arg) else word
    return sum(_count(part, name) for part in children(node) if part is not word)


def _captured(source: Source, pattern: Any) -> set[str]:
    """The names that a pattern gives something."""
    return {name for name, _ in _bindings(source, pattern, cst.Name("_"))}


def without_match(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function in which tests stand in the place of patterns."""
    if cst.Match not in kinds_in(tree.body):
        return tree
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
                new = _as_branches(source, statement, taken)
                for part in new:
                    source.derive_all(old, part)
            body += new
        return made.with_changes(body=body)

    new = rewritten(tree, rule)
    source.derive(tree, new)
    return new


def _as_branches(source: Source, node: cst.Match, taken: set[str]) -> list[Any]:
    before: list[Any] = []
    subject = node.subject
    if not isinstance(subject, cst.Name):
        name = new_name("subject", taken)
        before.append(assignment(name, subject))
        subject = cst.Name(name)
    chain: Any = None
    for case in reversed(node.cases):
        test, body = _test(source, case.pattern, subject), case.body
        bound = _bindings(source, case.pattern, subject)
        if case.guard is not None:
            guard = substituted(case.guard, dict(bound))
            test = guard if test is None else _joined(test, cst.And(), guard)
        if bound:
            body = cst.IndentedBlock([*_assigned(bound), *statements_in(body)])
        chain = cst.Else(body) if test is None else cst.If(test, body, chain)
    lines = statements_in(chain.body) if isinstance(chain, cst.Else) else [chain]
    out = [*before, *lines]
    out[0] = out[0].with_changes(leading_lines=node.leading_lines)
    return out


def _assigned(bound: list[tuple[str, Any]]) -> list[Any]:
    """The statements that give names what a pattern has found."""
    names = {name for name, _ in bound}
    if len(bound) == 1 or not any(names & names_in(value) for _, value in bound):
        return [assignment(name, value) for name, value in bound]
    elements = [[cst.Element(part) for part in column] for column in zip(
        *((cst.Name(name), value) for name, value in bound), strict=True)]  # fmt: skip
    bare = [cst.Tuple(column, lpar=(), rpar=()) for column in elements]
    return [cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(bare[0])], bare[1])])]


def _test(source: Source, pattern: Any, subject: Any) -> Any:
    """Return the test that a pattern stands for, None where it always holds."""
    if isinstance(pattern, cst.MatchValue):
        return expression("_s == _v", _s=subject.deep_clone(), _v=pattern.value.deep_clone())
    if isinstance(pattern, cst.MatchSingleton):
        return expression("_s is _v", _s=subject.deep_clone(), _v=pattern.value.deep_clone())
    if isinstance(pattern, cst.MatchAs):
        return None if pattern.pattern is None else _test(source, pattern.pattern, subject)
    if isinstance(pattern, cst.MatchClass):
        cls = pattern.cls.deep_clone()
        made = expression("isinstance(_s, _c)", _s=subject.deep_clone(), _c=cls)
        for field, part in _fields(source, pattern) or ():
            test = _test(source, part, _read(subject, field))
            made = made if test is None else _joined(made, cst.And(), test)
        return made
    tests = [_test(source, part.pattern, subject) for part in pattern.patterns]
    if None in tests:
        return None
    made = tests[0]
    for test in tests[1:]:
        made = _joined(made, cst.Or(), test)
    return made


def _bindings(source: Source, pattern: Any, subject: Any) -> list[tuple[str, Any]]:
    """Return the names that a pattern gives, each with what it stands for."""
    if isinstance(pattern, cst.MatchAs):
        inner = [] if pattern.pattern is None else _bindings(source, pattern.pattern, subject)
        name = [] if pattern.name is None else [(pattern.name.value, subject.deep_clone())]
        return [*inner, *name]
    if not isinstance(pattern, cst.MatchClass):
        return []
    fields = _fields(source, pattern) or ()
    return [pair for f, part in fields for pair in _bindings(source, part, _read(subject, f))]


def _read(subject: Any, field: str | None) -> Any:
    """Return a field of a value, the value itself where there is no name for it."""
    return subject.deep_clone() if field is None else cst.Attribute(
        subject.deep_clone(), cst.Name(field)
    )  # fmt: skip


def _fields(source: Source, pattern: cst.MatchClass) -> list[tuple[str | None, Any]] | None:
    """Return the patterns in that of a class with the fields that they are of.

    None where it is not known that reading a field only reads it. The field None is the value
    itself, as in ``float(v)``.
    """
    given = [part.value for part in pattern.patterns]
    named = [(part.key.value, part.pattern) for part in pattern.kwds]
    if not given and not named:
        return []
    cls = _class_of(source, pattern.cls)
    if cls in _WHOLE:
        return [(None, given[0])] if len(given) == 1 and not named else None
    if cls is None:
        return None
    order = facts.in_class(cls, "__match_args__")
    order = order if type(order) is tuple else ()
    if len(given) > len(order):
        return None
    found = [*zip(order, given, strict=False), *named]
    told = (facts.in_class(cls, name) for name in ("__dataclass_fields__", "_fields"))
    held = {*order}.union(*(names for names in told if isinstance(names, dict | tuple)))
    plain = all(name in held and _is_plain(facts.in_class(cls, name)) for name, _ in found)
    return found if plain and len({name for name, _ in found}) == len(found) else None


def _class_of(source: Source, node: Any) -> type | None:
    """Return the class that a name from outside stands for."""
    if isinstance(node, cst.Name):
        if node.value in local_names(source.tree):
            return None
        space = source.cells.get(node.value, source.globals)
        found = facts.read_name(space, node.value)
        return found if isinstance(found, type) else None
    return None


def _is_plain(held: Any) -> bool:
    """Whether a class holds under the name of a field no function that reading it would run."""
    own = types.FunctionType | property
    return not isinstance(held, own) and not isinstance(
        getattr(type(held), "__get__", None), types.FunctionType
    )


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
