"""Definite assignment: which names have a value on every way to a statement, and which are read.

What is certain before a statement, and what may be read before it is bound, is found by going
through the statements in the order in which they run, each suite once.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from srcgrad.frontend.checks.endings import may_end

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Walk:
    """What some statements read and bind, in the order in which they run.

    Args:
        assigned: the names that are certain to have a value before.
        at: a statement before which to note those names.

    Attributes:
        read: the names that may be read before the statements have bound them.
        bound: those that they may bind, and
        order: the same, in order.
        found: the names that are certain to have a value before ``at``.
    """

    def __init__(self, assigned: frozenset[str], at: Any = None) -> None:
        self.assigned: set[str] = {*assigned}
        self.inner: set[str] = set()  # of these, what the statements themselves have bound
        self.at = at
        self.found: frozenset[str] = frozenset()
        self.read: dict[str, None] = {}
        self.order: dict[str, None] = {}

    @property
    def bound(self) -> set[str]:
        return {*self.order}

    def bind(self, *names: str) -> None:
        self.order |= dict.fromkeys(names)
        self.assigned |= {*names}
        self.inner |= {*names}

    def load(self, names: Any) -> None:
        for name in names:
            if name not in self.inner:
                self.read.setdefault(name)

    def suite(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if statement is self.at:
                self.found = frozenset(self.assigned)
            self.statement(statement)

    def arms(self, *suites: Any) -> None:
        """Go through suites of which one runs."""
        ends: list[tuple[set[str], set[str]]] = []
        before = {*self.assigned}, {*self.inner}
        for first, suite in suites:
            self.assigned, self.inner = {*before[0]}, {*before[1]}
            self.bind(*first)
            self.suite(suite)
            if may_end(suite) and not jumps(suite):
                ends.append((self.assigned, self.inner))
        if not ends:
            return  # nothing behind is reached
        self.assigned = set.intersection(*(a for a, _ in ends))
        self.inner = set.intersection(*(i for _, i in ends))

    def perhaps(self, first: Any, suite: list[ast.stmt]) -> None:
        """Go through a suite that may not run, or run several times."""
        before = {*self.assigned}, {*self.inner}
        self.bind(*first)
        self.suite(suite)
        self.assigned, self.inner = before

    def statement(self, node: Any) -> None:
        if isinstance(node, ast.For):
            self.load(loads(node.iter))
            self.load(loads(node.target))
            self.perhaps(stores(node.target), node.body)
            self.perhaps((), node.orelse)
        elif isinstance(node, ast.While):
            self.load(loads(node.test))
            self.perhaps(stores(node.test), node.body)
            self.perhaps((), node.orelse)
        elif isinstance(node, ast.If):
            self.load(loads(node.test))
            self.arms((stores(node.test), node.body), ((), node.orelse))
        elif isinstance(node, ast.With):
            for item in node.items:
                self.load(loads(item))
                self.bind(*stores(item))
            self.suite(node.body)
        elif isinstance(node, ast.Try):
            self.perhaps((), node.body)
            handlers = [((h.name,) if h.name else (), h.body) for h in node.handlers]
            for handler in node.handlers:
                self.load(loads(handler.type) if handler.type else ())
            self.arms(((), [*node.body, *node.orelse]), *handlers)
            self.suite(node.finalbody)
        elif isinstance(node, ast.Match):
            self.load(loads(node.subject))
            for case in node.cases:
                self.load(loads(case.guard) if case.guard else ())
                self.perhaps(_captures(case.pattern), case.body)
        else:
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.load([node.target.id])
            self.load(loads(node))
            self.bind(*stores(node))


def exposed(statements: list[ast.stmt]) -> set[str]:
    """Return the names that some statements may read before they have bound them."""
    walk = Walk(frozenset())
    walk.suite(statements)
    return {*walk.read}


def jumps(statements: list[ast.stmt]) -> bool:
    """Whether a break or continue leaves some statements."""
    waiting: list[Any] = [*statements]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Break | ast.Continue):
            return True
        if isinstance(part, ast.For | ast.While):
            waiting += part.orelse
        elif isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
            waiting += [] if isinstance(part, SCOPES) else ast.iter_child_nodes(part)
    return False


def loads(node: Any) -> list[str]:
    """The names of the scope around that an expression or a simple statement reads."""
    found: list[str] = []
    waiting: list[Any] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load | ast.Del):
            found.append(part.id)
        elif isinstance(part, _COMPREHENSIONS):
            own = {n for g in part.generators for n in stores(g.target)}
            inner = [n for child in ast.iter_child_nodes(part) for n in loads(child)]
            first = {*loads(part.generators[0].iter)}
            found += [n for n in inner if n not in own or n in first]
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found += _free_of(part)
        else:
            waiting += reversed([*ast.iter_child_nodes(part)])
    return found


def _free_of(node: Any) -> list[str]:
    """The names that a function reads from around it, its defaults and decorators included."""
    arguments = node.args
    parts = [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]
    parts += getattr(node, "decorator_list", [])
    body = node.body if isinstance(node.body, list) else [node.body]
    own = {a.arg for a in ast.walk(arguments) if isinstance(a, ast.arg)}
    own |= {n for part in body for n in stores(part, deep=True)}
    outer = {n for p in body for s in ast.walk(p) if isinstance(s, ast.Nonlocal) for n in s.names}
    inner = [n for part in body for n in loads(part) if n not in own - outer]
    return [n for part in parts for n in loads(part)] + inner + [*outer]


def stores(node: Any, deep: bool = False) -> list[str]:
    """The names that a statement, a target or an expression binds in the scope around."""
    found: list[str] = []
    waiting: list[Any] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            found.append(part.id)
        elif isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(part.name)
        elif isinstance(part, ast.Import | ast.ImportFrom):
            found += [(a.asname or a.name).split(".")[0] for a in part.names]
        elif isinstance(part, ast.ExceptHandler) and part.name:
            found.append(part.name)
            waiting += part.body if deep else []
        elif isinstance(part, ast.pattern):
            found += _captures(part)
        elif isinstance(part, _COMPREHENSIONS):
            waiting += [n.target for n in ast.walk(part) if isinstance(n, ast.NamedExpr)]
        elif not isinstance(part, ast.Lambda):
            waiting += reversed([*ast.iter_child_nodes(part)])
    return found


def _captures(pattern: ast.pattern) -> list[str]:
    named = (ast.MatchAs, ast.MatchStar)
    found = [p.name for p in ast.walk(pattern) if isinstance(p, named) and p.name]
    rests = [p.rest for p in ast.walk(pattern) if isinstance(p, ast.MatchMapping) and p.rest]
    return [*found, *rests]


def outside_scopes(node: Any) -> Iterator[Any]:
    """Go through the parts of a statement, without those of functions in it."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        yield part
        if not isinstance(part, SCOPES):
            waiting += ast.iter_child_nodes(part)
