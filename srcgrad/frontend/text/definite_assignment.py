"""Definite assignment: which names have a value on every way to a statement, and which are read.

What is certain before a statement, and what may be read before it is bound, is found by going
through the statements in the order in which they run, each suite once.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from typing import Any

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
        elif isinstance(node, ast.Try | ast.TryStar):
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


def read_behind(way: list[tuple[list[ast.stmt], int]]) -> set[str]:
    """Return the names that may be read behind a statement before they are bound again.

    ``way``: the suites that it stands in, from the outermost on, each with the place in it.
    """
    found: set[str] = set()
    for depth, (suite, place) in enumerate(way):
        found |= exposed(suite[place + 1 :])
        if depth:
            outer, k = way[depth - 1]
            around = outer[k]
            if isinstance(around, ast.For | ast.While):
                found |= exposed([around])
            elif isinstance(around, ast.Try | ast.TryStar):
                parts = [h.body for h in around.handlers]
                for part in (*parts, around.orelse, around.finalbody):
                    found |= exposed(part)
    return found


def suites_of(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The suites in a compound statement and in its handlers and cases."""
    if isinstance(node, SCOPES):
        return
    for name in ("body", "orelse", "finalbody"):
        suite = getattr(node, name, None)
        if suite:
            yield suite
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield part.body


def jumps(statements: list[ast.stmt], *kinds: type) -> bool:
    """Whether a break or continue, or such a jump alone, leaves some statements."""
    kinds = kinds or (ast.Break, ast.Continue)
    waiting: list[Any] = [*statements]
    while waiting:
        part = waiting.pop()
        if isinstance(part, kinds):
            return True
        if isinstance(part, ast.For | ast.While):
            waiting += part.orelse
        elif isinstance(part, ast.stmt | ast.ExceptHandler | ast.match_case):
            waiting += [] if isinstance(part, SCOPES) else ast.iter_child_nodes(part)
    return False


@functools.lru_cache(maxsize=8192)
def loads(node: Any) -> tuple[str, ...]:
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
    return tuple(found)


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


@functools.lru_cache(maxsize=8192)
def stores(node: Any, deep: bool = False) -> tuple[str, ...]:
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
    return tuple(found)


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


def may_end(body: list[ast.stmt]) -> bool:
    """Tell whether the end of a block can be reached, as far as its syntax says."""
    return not any(map(_leaves, body))


def _leaves(node: ast.stmt) -> bool:
    """Tell whether a statement never goes on to the next one."""
    if isinstance(node, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return True
    if isinstance(node, ast.If):
        return bool(node.orelse) and not may_end(node.body) and not may_end(node.orelse)
    if isinstance(node, ast.While):
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return endless and not jumps(node.body, ast.Break)
    if isinstance(node, ast.For):
        return bool(node.orelse) and not may_end(node.orelse) and not jumps(node.body, ast.Break)
    if isinstance(node, ast.With):  # which may keep what is raised
        return not may_end(node.body) and not isinstance(node.body[-1], ast.Raise)
    if isinstance(node, ast.Try | ast.TryStar):
        if node.finalbody and not may_end(node.finalbody):
            return True
        inner = [*node.body, *node.orelse]
        return not may_end(inner) and not any(may_end(h.body) for h in node.handlers)
    if isinstance(node, ast.Match):
        return not any(may_end(case.body) for case in node.cases)
    return (
        isinstance(node, ast.Assert) and isinstance(node.test, ast.Constant) and not node.test.value
    )
