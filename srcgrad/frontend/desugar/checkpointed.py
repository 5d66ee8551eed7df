"""Loops over ``checkpointed(...)``: their body as a function of the state that it hands on.

    for t in checkpointed(range(n)):         def step(t, x, v):
        v = v - dt * np.sin(x)                   v = v - dt * np.sin(x)
        x = x + dt * v               ->          x = x + dt * v
                                                 return v, x
                                             for t in range(n):
                                                 v, x = step(t, v, x)

The calls are made again in the backward part, as those of ``checkpoint(f)`` are, from states
of which some are kept and the others computed again.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.draws import DRAWS
from srcgrad.calling.repeating import checkpointed
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.text.definite_assignment import (
    Walk,
    jumps,
    loads,
    read_behind,
    stores,
    suites_of,
)
from srcgrad.frontend.text.exits import block, map_suites, may_exit, replace_exits
from srcgrad.frontend.text.names import local_names, names_in, new_name, parameters_in
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import statements, text_of
from srcgrad.frontend.text.trees import children, kinds_in, small_of
from srcgrad.ir.layout import Steps
from srcgrad.program import facts, namespaces

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)
_SEEING = frozenset({"super", "__class__", "locals", "vars", "eval", "exec", "globals", "dir"})
_PLAIN = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Attribute, ast.Subscript)
_PLAIN = (*_PLAIN, ast.Call, ast.operator, ast.unaryop, ast.expr_context)


def with_steps(source: Source, tree: cst.FunctionDef, handed: bool = False) -> list[Any]:
    """Return the body of a function whose loops over ``checkpointed(...)`` are such of calls.

    Args:
        source: the function that it belongs to.
        tree: the function, one statement a line.
        handed: whether calls in a step may change what they are given.
    """
    if not any(_options(source, tree, loop) is not None for loop in _loops(tree)):
        return list(tree.body.body)
    return _Writer(source, tree, handed).suite(tree.body.body)


def steps_in(source: Source, loop: Any) -> Steps | None:
    """Return the steps of a loop that was one over ``checkpointed(...)``."""
    call = getattr(small_of(loop.body.body[0]), "value", None)
    name = getattr(call.func, "value", None) if isinstance(call, cst.Call) else None
    return source.steps.get(name) if isinstance(name, str) else None


def _loops(tree: cst.FunctionDef) -> Iterator[cst.For]:
    """The ``for`` loops of a function, outside of local functions, in the order of the text."""
    waiting: list[Any] = [tree.body] if cst.For in kinds_in(tree.body) else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.For):
            yield node
        if not isinstance(node, cst.FunctionDef | cst.Lambda | cst.BaseExpression):
            waiting += reversed(children(node))


def _options(source: Source, tree: cst.FunctionDef, loop: cst.For) -> Any:
    """The arguments of ``checkpointed`` in the head of a loop; None for other loops."""
    call = loop.iter
    if not isinstance(call, cst.Call):
        return None
    owner = call.func.value if isinstance(call.func, cst.Attribute) else call.func
    if not isinstance(owner, cst.Name) or owner.value in local_names(tree):
        return None
    namespace = source.cells.get(owner.value, source.globals)
    thing = namespaces.read_name(namespace, owner.value)
    if isinstance(call.func, cst.Attribute):
        thing = namespaces.held_by(thing).get(call.func.attr.value)
    if thing is not checkpointed:
        return None
    held = facts.read_name(namespace, owner.value)
    if isinstance(call.func, cst.Attribute):
        facts.attribute(held, call.func.attr.value)
    return call.args


@dataclass(frozen=True, eq=False)
class _Names:
    """What the body of a loop does with names.

    Attributes:
        state: those that a step is given by the one before.
        given: those that it gives: these, and what is read behind the loop.
        leaves: whether it may leave the loop.
    """

    state: tuple[str, ...]
    given: tuple[str, ...]
    leaves: bool


class _Writer:
    """Writes the loops of a function anew."""

    def __init__(self, source: Source, tree: cst.FunctionDef, handed: bool) -> None:
        self.source, self.tree, self.handed = source, tree, handed
        self.taken = set(names_in(tree))
        self.local = local_names(tree)
        self.parameters = {p.name.value for p in parameters_in(tree)}
        self.whole = ast.parse(cst.Module([tree.with_changes(decorators=())]).code).body[0]
        found = [n for n in _in_order(self.whole) if isinstance(n, ast.For)]
        self.nodes = {id(a): b for a, b in zip(_loops(tree), found, strict=True)}

    def suite(self, body: Any) -> list[Any]:
        made: list[Any] = []
        for statement in body:
            if isinstance(statement, cst.For):
                options = _options(self.source, self.tree, statement)
                if options is not None:
                    made += self.loop(statement, options)
                    continue
            if isinstance(statement, cst.For | cst.While | cst.If | cst.With | cst.Try):
                new = map_suites(statement, self.suite)
                self.source.derive(statement, new)
                made.append(new)
            else:
                made.append(statement)
        return made

    def loop(self, loop: cst.For, options: Any) -> list[Any]:
        """The function of a step, and the loop that calls it."""
        node = self.nodes[id(loop)]
        iterable, saving = self.head(loop, options)
        names = self.names(loop, node)
        if not names.state:  # each step begins with the same
            new = loop.with_changes(iter=iterable)
            self.source.derive(loop, new)
            return [new]
        read = {n for statement in node.body for n in loads(statement)}
        target = loop.target.value
        if target == "_":
            target = new_name("i", self.taken)
        step = new_name("step", self.taken)
        done = new_name("done", self.taken) if names.leaves else ""
        results = ", ".join(names.given)
        passed = ", ".join([*([target] if target in read else []), *names.state])
        leaving = {
            cst.Continue: f"return {results}{', False' if done else ''}",
            cst.Break: f"return {results}, True",
        }

        def ending(small: Any, statement: Any) -> list[Any]:
            made = statements(leaving[type(small)])
            self.source.derive_all(statement, made[0])
            return made

        body = replace_exits(loop.body.body, dict.fromkeys(leaving, ending), self)
        text = f"def {step}({passed}):\n    pass\n"
        targets = results + (f", {done}" if done else "")
        text += f"for {target} in _i:\n    {targets} = {step}({passed})\n"
        text += f"    if {done}:\n        break\n" if done else ""
        made = statements(text, _i=iterable)
        body = block([*body, *statements(leaving[cst.Continue])])
        made[0] = made[0].with_changes(body=body, leading_lines=loop.leading_lines)
        for part in made:
            self.source.derive_all(loop, part)
        count = len(names.given) + bool(done)
        self.source.steps[step] = Steps(step, target, names.state, count, saving)
        return made

    def head(self, loop: cst.For, options: Any) -> tuple[Any, str]:
        """What a loop goes through, and the text of what its states are kept in."""
        given: dict[str, Any] = {}
        for name, option in zip(("iterable", "snapshots", "on_disk"), options, strict=False):
            if option.star:
                raise self.refused(loop, "a star in this call", "write its arguments out")
            given[option.keyword.value if option.keyword else name] = option.value
        over = ast.parse(text_of(given["iterable"]), mode="eval").body
        ranged = isinstance(over, ast.Call) and _called(over) == "range" and not over.keywords
        if not ranged or "range" in self.local:
            fix = "go through their places: checkpointed(range(len(rows)))"
            raise self.refused(loop, "a checkpointed loop over something else than a range", fix)
        for part in (p for a in over.args for p in ast.walk(a)):
            if not isinstance(part, _PLAIN) or _called(part) not in ("", "len"):
                fix = "give its bounds names before"
                raise self.refused(loop, "a checkpointed loop over a range that calls", fix)
        if not isinstance(loop.target, cst.Name) or loop.orelse is not None:
            fix = "write one name as the target, and no else"
            raise self.refused(loop, "a checkpointed loop in this form", fix)
        text = [text_of(given["iterable"])]
        for name in ("snapshots", "on_disk"):
            if name in given:
                self.require_plain(loop, given[name])
                text.append(f"{name}={text_of(given[name])}")
        return given["iterable"], ", ".join(text)

    def require_plain(self, loop: cst.For, option: Any) -> None:
        """Refuse an option of which it is not certain what it is before the loop."""
        if isinstance(option, cst.Integer):
            return
        if isinstance(option, cst.Name):
            name = option.value
            outside = name not in self.local and name not in self.source.cells
            if name == "None" or name in self.parameters or (outside and not self.source.nested):
                return
        fix = "write a number, a parameter of the function or a global name"
        raise self.refused(loop, "this number of snapshots", fix)

    def names(self, loop: cst.For, node: ast.For) -> _Names:
        """What the body of a loop does with names."""
        target = loop.target.value
        if target == "_" and "_" in {n for s in node.body for n in loads(s)}:
            raise self.refused(loop, "'_', which a checkpointed loop reads,", "give it a name")
        walk = Walk(frozenset())
        walk.bind(target)
        walk.suite(node.body)
        written = dict.fromkeys(root for s in node.body for root in _changed_in(s, self.handed))
        bound = [n for n in {**walk.order, **written} if n != target and n in self.local]
        for part in (p for s in node.body for p in ast.walk(s)):
            if isinstance(part, ast.Name) and part.id in _SEEING:
                raise self.refused(loop, f"{part.id} in a checkpointed loop", "call it outside")
            if isinstance(part, ast.Delete | ast.Import | ast.ImportFrom):
                raise self.refused(loop, "this statement in a checkpointed loop", "move it out")
        if any(may_exit(s, cst.Return) for s in loop.body.body):
            fix = "leave it by break, and return behind it"
            raise self.refused(loop, "a return in a checkpointed loop", fix)
        if target in {n for s in node.body for n in stores(s)}:
            fix = "give the other one another name"
            raise self.refused(loop, f"{target!r}, which a checkpointed loop assigns twice,", fix)
        self.require_own(loop, node, {*bound})
        outside = read_behind(_way_to(self.whole.body, node))
        certain = set() if jumps(node.body) else walk.inner
        read = {*walk.read, *(n for n in written if n not in walk.inner)}
        state = [n for n in bound if n in read or (n in outside and n not in certain)]
        before = Walk(frozenset(self.parameters | self.starred()), at=node)
        before.suite(self.whole.body)
        for name in state:
            if name not in before.found:
                what = f"{name!r}, which may have no value where a checkpointed loop reads it,"
                raise self.refused(loop, what, "give it a value before the loop")
        given = [*state, *(n for n in bound if n in outside and n not in state)]
        leaves = any(may_exit(s, cst.Break) for s in loop.body.body)
        return _Names(tuple(state), tuple(given), leaves)

    def starred(self) -> set[str]:
        """The names of the parameters that take several arguments."""
        params = self.tree.params
        stars = (params.star_arg, params.star_kwarg)
        return {star.name.value for star in stars if isinstance(star, cst.Param)}

    def require_own(self, loop: cst.For, node: ast.For, bound: set[str]) -> None:
        """Refuse names that a loop assigns, and that functions outside of it read when called."""
        inside = {id(p) for s in node.body for p in ast.walk(s)}
        for part in (p for p in ast.walk(self.whole) if id(p) not in inside):
            if isinstance(part, _SCOPES) and part is not self.whole:
                shared = bound & {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
                for name in sorted(shared):
                    what = f"{name!r}, which a local function reads and a loop here assigns,"
                    raise self.refused(loop, what, "hand it to the function as an argument")

    def refused(self, loop: cst.For, what: str, fix: str) -> UnsupportedSyntaxError:
        """The error for a loop of which no function of a step can be made."""
        return UnsupportedSyntaxError(
            f"{what} is not supported", spots=[self.source.spot(loop)], fixes=[fix]
        )


def _called(node: Any) -> str:
    """The name of the function that an expression calls; empty for other expressions."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.id if isinstance(node.func, ast.Name) else "?"


def _changed_in(statement: ast.stmt, handed: bool) -> Iterator[str]:
    """The names of what a statement writes into at an index, or draws random numbers from.

    And of what it gives to calls, where these may change that.
    """
    for node in ast.walk(statement):
        if handed and isinstance(node, ast.Call):
            given = (*node.args, *(k.value for k in node.keywords))
            yield from (arg.id for arg in given if isinstance(arg, ast.Name))
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            while isinstance(node, ast.Subscript):
                node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in DRAWS:
                continue
            node = node.func.value
        else:
            continue
        if isinstance(node, ast.Name):
            yield node.id


def _way_to(suite: list[Any], node: ast.For) -> list[tuple[list[Any], int]]:
    """The suites from the outermost to that of a statement, each with the place in it."""
    for place, statement in enumerate(suite):
        if statement is node:
            return [(suite, place)]
        for inner in suites_of(statement):
            way = _way_to(inner, node)
            if way:
                return [(suite, place), *way]
    return []


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function outside of local functions, in the order of the text."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            if not isinstance(child, _SCOPES):
                yield from _in_order(child)
