"""Statements of a function that are made functions of their own, by their syntax alone.

A region is one statement or several that follow each other. It becomes a function of the names
that it reads and that are certain to have a value before, and gives those that it binds and
that are read behind it:

    total = 0.0                              def make_total(rows, total):
    for row in rows:                             for row in rows:
        total = total + odd(row)     ->              total = total + odd(row)
    return total * rows[0]                       return total

The function that it stood in has a call in its place, ``total = make_total(rows, total)``, and
as many lines as before, so that its lines are still those of the file.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from srcgrad.frontend.text.definite_assignment import (
    SCOPES,
    Walk,
    jumps,
    may_end,
    outside_scopes,
    read_behind,
    stores,
    suites_of,
)
from srcgrad.load.compile import write_file
from srcgrad.load.texts import Apart
from srcgrad.program.syntax_trees import FUTURE, functions_at
from srcgrad.program.texts import lines_of

_STEPS = 4
_ESCAPING = (
    *(ast.Global, ast.Nonlocal, ast.Delete, ast.Import, ast.ImportFrom),
    *(ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef),
)
_SEEING = frozenset({"super", "__class__", "locals", "vars", "eval", "exec", "globals", "dir"})


@dataclass(frozen=True, eq=False)
class Region:
    """Statements that are a function of their own."""

    owner: Any  # the function that they stand in
    first: int  # the number of their first line, and
    last: int  # of their last one
    function: Any  # what they have become
    # the names that it gives; None where it gives what ``owner`` returns
    results: tuple[str, ...] | None
    given: tuple[str, ...]  # the names that it is given
    # those of them that it changes by operators, which have to stand for numbers
    numbers: tuple[str, ...]

    @property
    def key(self) -> tuple[Any, int, int]:
        """What tells it apart from other regions of the program."""
        return self.owner, self.first, self.last

    def meets(self, other: Region) -> bool:
        """Tell whether two regions of a function overlap, or follow each other."""
        if self.owner is not other.owner:
            return False
        return self.first <= other.last + 1 and other.first <= self.last + 1

    def call(self, indent: str) -> list[str]:
        """Return the statement in its place, on as many lines."""
        lines = "\n" * (self.last - self.first)
        call = f"{self.function.__name__}({lines}{', '.join(self.given)})"
        target = "return " if self.results is None else ""
        if self.results:
            target = f"{', '.join(self.results)} = "
        return f"{indent}{target}{call}\n".splitlines(keepends=True)


@dataclass(frozen=True, eq=False)
class Outline:
    """The text of a function some statements of which are functions of their own."""

    regions: tuple[Region, ...]  # these statements
    lines: list[str]  # the lines of the file, with calls in their places

    @property
    def functions(self) -> dict[str, Any]:
        """What the regions have become, by name."""
        return {region.function.__name__: region.function for region in self.regions}

    def node(self) -> Any:
        """Return the syntax tree of the function."""
        owner = self.regions[0].owner
        tree = ast.parse("".join(self.lines))
        return next(n for n in ast.walk(tree) if _begins(n) == owner.__code__.co_firstlineno)


def outline(regions: tuple[Region, ...]) -> Outline:
    """Return the text of a function with calls in the places of its regions."""
    owner = regions[0].owner
    lines = [*lines_of(owner.__code__.co_filename, owner.__globals__)]
    for region in regions:
        line = lines[region.first - 1]
        indent = line[: len(line) - len(line.lstrip())]
        lines[region.first - 1 : region.last] = region.call(indent)
    return Outline(regions, lines)


def outlines(regions: tuple[Region, ...]) -> dict[Any, Outline]:
    """Return the texts of the functions that regions stand in, by function."""
    owners = dict.fromkeys(region.owner for region in regions)
    return {f: outline(tuple(r for r in regions if r.owner is f)) for f in owners}


def candidates(
    owner: types.FunctionType, first: int, last: int, taken: frozenset[str]
) -> Iterator[Region]:
    """Go through the regions of a function around some lines, the smallest first."""
    nodes = functions_at(owner.__code__, owner.__globals__)
    if len(nodes) != 1 or not isinstance(nodes[0], ast.FunctionDef):
        return
    whole = _Whole(owner, nodes[0], taken)
    found: list[tuple[int, int]] = []
    for way in whole.around(first, last):
        for steps in range(_STEPS):
            region = whole.region(way, steps)
            if region is not None and (region.first, region.last) not in found:
                found.append((region.first, region.last))
                yield region


@dataclass(frozen=True, eq=False)
class _Way:
    """Where some statements stand."""

    # the suites from the outermost to theirs, each with the place in it
    suites: tuple[tuple[list[ast.stmt], int], ...]
    end: int  # the place of the last statement in the innermost suite

    @property
    def statements(self) -> list[ast.stmt]:
        suite, start = self.suites[-1]
        return suite[start : self.end + 1]

    @property
    def may_be_caught(self) -> bool:
        """Whether the function may go on where one of the statements raises."""
        catching = (ast.Try, ast.TryStar, ast.With)
        return any(isinstance(suite[place], catching) for suite, place in self.suites[:-1])

    @property
    def behind(self) -> list[tuple[list[ast.stmt], int]]:
        """The suites, each with the place of the last of the statements in it."""
        return [*self.suites[:-1], (self.suites[-1][0], self.end)]

    def between(self, start: int, end: int) -> _Way:
        return _Way((*self.suites[:-1], (self.suites[-1][0], start)), end)


class _Whole:
    """A function, whose statements are looked at."""

    def __init__(self, owner: types.FunctionType, node: ast.FunctionDef, taken: Any) -> None:
        self.owner, self.node = owner, node
        code = owner.__code__
        self.local = frozenset({*code.co_varnames, *code.co_cellvars})
        self.parameters = code.co_argcount + code.co_kwonlyargcount + _stars(code)
        self.lines = lines_of(code.co_filename, owner.__globals__)
        named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        self.taken = {*named, *self.local, *owner.__globals__, *vars(builtins), *taken}

    def around(self, first: int, last: int) -> Iterator[_Way]:
        """Go through the statements around some lines, the innermost first."""
        ways: list[_Way] = []
        suites: tuple[Any, ...] = ()
        suite: list[ast.stmt] | None = self.node.body
        while suite:
            places = [k for k, s in enumerate(suite) if _begins(s) <= last and _ends(s) >= first]
            if not places:
                break
            suites = (*suites, (suite, places[0]))
            ways.append(_Way(suites, places[-1]))
            inner = suite[places[0]]
            suite = next(
                (s for s in suites_of(inner) if _begins(s[0]) <= first and _ends(s[-1]) >= last),
                None,
            )
            if len(places) > 1 or isinstance(inner, SCOPES):
                break
        return reversed(ways)

    def region(self, way: _Way, steps: int) -> Region | None:
        """Return the statements as a function, None where they cannot be one."""
        grown = self._closed(way, steps)
        if grown is None:
            return None
        way, tail = grown
        statements = way.statements
        start = self._assigned_before(way)
        walk = Walk(start)
        walk.suite(statements)
        if not _may_move(statements, tail, walk.bound):
            return None
        bound = walk.bound & self.local
        live = read_behind(way.behind)
        results = None if tail else tuple(n for n in walk.order if n in bound & live)
        if results == () or (way.may_be_caught and not _at_once(statements, results or ())):
            return None
        exposed = [n for n in walk.read if n in self.local]
        kept = [n for n in results or () if n not in walk.inner]
        given = tuple(dict.fromkeys([*exposed, *kept]))
        if not start >= {*given} or not self._leaves_something(way):
            return None
        return self._made(way, given, results)

    def _closed(self, way: _Way, steps: int) -> tuple[_Way, bool] | None:
        """Return statements with those before and behind that have to be with them."""
        suite, start = way.suites[-1]
        end, made = way.end, self._functions_before(suite)
        while True:
            now = way.between(start, end)
            walk = Walk(frozenset())
            walk.suite(now.statements)
            names = {n for s in now.statements for n in _functions_in(s)}
            names |= (walk.bound & self.local) if steps else set()
            reading = [k for k, s in enumerate(suite) if k > end and names & _loaded([s])]
            first = min([start, *(made[n] for n in _loaded(now.statements) if n in made)])
            last = max([end, *reading])
            if (first, last) == (start, end):
                break
            start, end, steps = first, last, max(steps - 1, 0)
        if read_behind(now.behind) & {n for s in now.statements for n in _functions_in(s)}:
            return None
        if _loaded(now.statements) & (self._local_functions() - {*made}) - walk.bound:
            return None
        last = end == len(suite) - 1 and suite is self.node.body
        return now, last and not may_end(now.statements)

    def _functions_before(self, suite: list[ast.stmt]) -> dict[str, int]:
        """The places of the functions that are defined in a suite, by name."""
        return {name: k for k, s in enumerate(suite) for name in _functions_in(s)}

    def _local_functions(self) -> set[str]:
        parts = (s for s in ast.walk(self.node) if isinstance(s, ast.stmt) and s is not self.node)
        return {name for part in parts for name in _functions_in(part)}

    def _assigned_before(self, way: _Way) -> frozenset[str]:
        """The names that are certain to have a value before some statements."""
        parameters = self.owner.__code__.co_varnames[: self.parameters]
        walk = Walk(frozenset(parameters), at=way.statements[0])
        walk.suite(self.node.body)
        return walk.found - _deleted(self.node)

    def _leaves_something(self, way: _Way) -> bool:
        """Whether the function computes something besides some statements."""
        inside = {id(n) for s in way.statements for n in ast.walk(s)}
        computing = (ast.BinOp, ast.Call, ast.UnaryOp, ast.Subscript)
        return any(
            isinstance(n, computing) and id(n) not in inside
            for s in self.node.body
            for n in outside_scopes(s)
        )

    def _made(self, way: _Way, given: Any, results: Any) -> Region | None:
        """Write the function."""
        statements = way.statements
        first, last = _begins(statements[0]), _ends(statements[-1])
        suite, start = way.suites[-1]
        before = _ends(suite[start - 1]) if start else 0
        behind = _begins(suite[way.end + 1]) if way.end + 1 < len(suite) else last + 1
        if before >= first or behind <= last:
            return None  # on one line with others
        lines = self.lines[first - 1 : last]
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        if not indent:
            return None
        body = [line.removeprefix(indent) for line in lines]
        lead = "results" if results is None else "_".join(results) or "effect"
        name = self._free(
            f"make_{lead}" if results is None or len(lead) < 24 else f"make_{results[0]}"
        )
        text = f"def {name}({', '.join(given)}):\n" + textwrap.indent("".join(body), "    ")
        text += "" if text.endswith("\n") else "\n"
        if results:
            text += f"    return {', '.join(results)}\n"
        numbers = tuple(n for n in given if n in _augmented(statements))
        function = self._compiled(name, text, statements, numbers)
        if function is None:
            return None
        return Region(self.owner, first, last, function, results, tuple(given), numbers)

    def _free(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        return name

    def _compiled(
        self, name: str, text: str, statements: list[ast.stmt], numbers: tuple[str, ...]
    ) -> Any:
        """Compile the function; None where its text is not that of the statements."""
        try:
            node = ast.parse(text).body[0]
        except SyntaxError:
            return None
        assert isinstance(node, ast.FunctionDef)
        pairs = zip(node.body, statements, strict=False)
        if not all(ast.dump(one) == ast.dump(other) for one, other in pairs):
            return None
        filename = write_file(name, text)
        owner, code = self.owner, self.owner.__code__
        free = ast.arguments([], [ast.arg(n) for n in code.co_freevars], None, [], [], None, [])
        outer = ast.parse("def around():\n    pass").body[0]
        assert isinstance(outer, ast.FunctionDef)
        outer.args, outer.body = free, [copy.deepcopy(node)]
        module = ast.fix_missing_locations(ast.Module([outer], []))
        made = compile(module, filename, "exec", flags=code.co_flags & FUTURE, dont_inherit=True)
        inner = next(c for c in made.co_consts if isinstance(c, types.CodeType))
        inner = next(c for c in inner.co_consts if isinstance(c, types.CodeType))
        inner = inner.replace(co_qualname=name)
        cells = dict(zip(code.co_freevars, owner.__closure__ or (), strict=True))
        closure = tuple(cells[n] for n in inner.co_freevars)
        function = types.FunctionType(inner, owner.__globals__, name, None, closure)
        function.__module__ = owner.__module__
        key = owner, _begins(statements[0]), _ends(statements[-1])
        function.__srcgrad_apart__ = Apart(key, text, numbers)  # type: ignore[attr-defined]
        return function


def _at_once(statements: list[ast.stmt], names: tuple[str, ...]) -> bool:
    """Whether names are bound where all that may raise is done: by the last statement, at once."""
    *earlier, last = statements
    target: Any = None
    if isinstance(last, ast.AnnAssign | ast.AugAssign):
        target = last.target
    elif isinstance(last, ast.Assign) and len(last.targets) == 1:
        (target,) = last.targets
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    bound = [part.id for part in parts if isinstance(part, ast.Name)]
    value = getattr(last, "value", None)
    before = [n for part in (*earlier, *([value] if value else ())) for n in stores(part, True)]
    return {*names} <= {*bound} and len(bound) == len(parts) and not {*names} & {*before}


def _augmented(statements: list[ast.stmt]) -> set[str]:
    """The names that statements change by operators such as ``+=``."""
    parts = (p for s in statements for p in outside_scopes(s) if isinstance(p, ast.AugAssign))
    return {p.target.id for p in parts if isinstance(p.target, ast.Name)}


def _loaded(statements: list[ast.stmt]) -> set[str]:
    """The names that statements read, whether they have bound them or not."""
    return {name for s in statements for name in _loaded_in(s)}


@functools.lru_cache(maxsize=8192)
def _loaded_in(statement: ast.stmt) -> frozenset[str]:
    parts = (p for p in ast.walk(statement) if isinstance(p, ast.Name))
    return frozenset(p.id for p in parts if not isinstance(p.ctx, ast.Store))


@functools.lru_cache(maxsize=8192)
def _functions_in(statement: ast.stmt) -> tuple[str, ...]:
    """The names of the functions and classes that a statement, and suites in it, define."""
    found: list[str] = []
    for part in outside_scopes(statement):
        if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(part.name)
        elif isinstance(part, ast.Assign) and isinstance(part.value, ast.Lambda | ast.GeneratorExp):
            found += stores(part)
    return tuple(found)


def _may_move(statements: list[ast.stmt], tail: bool, bound: set[str]) -> bool:
    """Whether statements do in a function of their own what they do where they are."""
    for statement in statements:
        for part in outside_scopes(statement):
            if isinstance(part, _ESCAPING) or (isinstance(part, ast.Return) and not tail):
                return False
        for part in ast.walk(statement):
            outer = {*part.names} if isinstance(part, ast.Nonlocal) else set()
            if isinstance(part, ast.Global) or not outer <= bound:
                return False
            if isinstance(part, ast.Name) and part.id in _SEEING:
                return False
            name = getattr(part, "attr", getattr(part, "id", ""))
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                return False
    return not jumps(statements)


def _begins(node: Any) -> int:
    marks = getattr(node, "decorator_list", ())
    return min([getattr(node, "lineno", 0), *(m.lineno for m in marks)])


def _ends(node: Any) -> int:
    return node.end_lineno or node.lineno


def _stars(code: types.CodeType) -> int:
    return bool(code.co_flags & 4) + bool(code.co_flags & 8)


def _deleted(node: ast.AST) -> set[str]:
    """The names that are deleted somewhere, as those of handled exceptions are."""
    parts = list(ast.walk(node))
    names = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Del)}
    return names | {p.name for p in parts if isinstance(p, ast.ExceptHandler) and p.name}
