"""Rewriting a function's text so that control flow becomes structure.

A numbered list of small rewrites from libcst to libcst. Each gives an equivalent
Python function; most functions pass through unchanged.

1. Every suite is an indented block with one statement a line; what is said of the types of
   attributes and items is left out.
2. A ``while`` whose test assigns (walrus) becomes ``while True`` with a break.
3. The ``else`` of a loop becomes code after the loop.
4. A ``return`` inside a loop becomes a break with a flag.
5. An exit that is buried under conditions, with code after them, becomes a flag.
6. What follows an early ``return`` moves into the other branch.

After this an exit (break, continue, return) ends the arm of an ``if``, and what
follows that ``if`` is executed exactly when the other arm was.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from srcgrad.frontend.desugar.arms import (
    mentions,
    with_branch_inside,
    with_choice_inside,
    with_places_in_arms,
)
from srcgrad.frontend.desugar.checkpointed import with_steps
from srcgrad.frontend.text.exits import (
    EXITS,
    LOOPS,
    Statements,
    always_exits,
    arms_of,
    arms_of_try,
    block,
    ends,
    exit_of,
    holds_loop,
    is_simple,
    map_suites,
    may_exit,
    parse,
    replace_exits,
    returns_a_value,
)
from srcgrad.frontend.text.names import assigns, names_in
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.trees import negated


def normalise(source: Source, tree: cst.FunctionDef, handed: bool = False) -> cst.FunctionDef:
    """Return an equivalent function whose exits are structured.

    Returns:
        The rewritten definition.
    """
    return _Normaliser(source, tree, handed).function(tree)


class _Normaliser:
    def __init__(self, source: Source, tree: cst.FunctionDef, handed: bool) -> None:
        self.source, self.handed = source, handed
        self.taken = set(names_in(tree))
        self.mentions = mentions(tree)
        self.loops = 0

    def function(self, tree: cst.FunctionDef) -> cst.FunctionDef:
        body = self.flatten(tree.body.body)
        tree_of_body = tree.with_changes(body=block(body), decorators=())
        body = with_steps(self.source, tree_of_body, self.handed)
        body = self.with_return(tree, body)
        body = self.returns_in_loops(body)
        body = self.settle(body, physical=True)
        new = tree.with_changes(body=block(body), decorators=(), leading_lines=())
        self.source.derive(tree, new)
        return new

    def with_return(self, tree: cst.FunctionDef, body: Statements) -> Statements:
        """Spell out that a function that only has effects gives back None."""
        if returns_a_value(tree) or always_exits(body):
            return body
        last = parse("return None")
        self.source.derive(body[-1] if body else tree, last)
        return [*body, last]

    def fresh(self, wanted: str) -> str:
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted

    def change(self, node, **changes):
        new = node.with_changes(**changes)
        self.source.derive(node, new)
        return new

    # 1, 2, 3
    def flatten(self, body: Sequence[Any]) -> Statements:
        """One statement a line; rewritten loops; nothing unreachable; all of it recursively."""
        out: Statements = []
        for statement in body:
            if isinstance(statement, cst.BaseSmallStatement):
                out.append(self.untyped(self.line(statement, statement)))
            elif isinstance(statement, cst.SimpleStatementLine):
                if len(statement.body) == 1:
                    made = [statement]
                    if not self.loops:
                        made = with_choice_inside(self.source, statement, self.fresh)
                    out += made if len(made) > 1 else [self.untyped(statement)]
                    continue
                for k, part in enumerate(statement.body):
                    line = self.line(part, part)
                    if k == 0:
                        line = self.change(line, leading_lines=statement.leading_lines)
                    out.append(self.untyped(line))
            elif isinstance(statement, LOOPS):
                out.extend(self.flatten_loop(statement))
            elif isinstance(statement, cst.If | cst.With | cst.Try):
                made = [statement]
                if isinstance(statement, cst.If) and not self.loops:
                    made = with_branch_inside(self.source, statement, self.fresh)
                last = made[-1]
                inner = last if last is not statement else self.map_suites(last, self.flatten)
                out += [*made[:-1], inner]
            else:
                out.append(statement)
            if always_exits(out):  # what stands behind it is never reached
                break
        return with_places_in_arms(self.source, out, self.mentions)

    def untyped(self, line: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
        """Write ``self.x: float = v`` as ``self.x = v``; a name keeps its type."""
        small = line.body[0]
        if not isinstance(small, cst.AnnAssign) or isinstance(small.target, cst.Name):
            return line
        new: cst.BaseSmallStatement = cst.Pass()
        if small.value is not None:
            new = cst.Assign([cst.AssignTarget(small.target)], small.value)
        return self.change(line, body=[new])

    def line(self, part: cst.BaseSmallStatement, origin) -> cst.SimpleStatementLine:
        copy = part.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        self.source.copies[id(copy)] = self.source.copies.get(id(part), part)
        new = cst.SimpleStatementLine([copy])
        self.source.derive(origin, new)
        return new

    def flatten_loop(self, node: cst.For | cst.While) -> Statements:
        self.loops += 1  # where each iteration may keep a function of its own
        body, orelse = self.flatten(node.body.body), node.orelse
        self.loops -= 1
        if isinstance(node, cst.While) and assigns(node.test):
            stop = cst.If(negated(node.test), block([cst.SimpleStatementLine([cst.Break()])]))
            self.source.derive(node, stop)
            body, test = [stop, *body], cst.Name("True")
            if orelse is not None:
                flag = self.fresh("completed")
                leave = [parse(f"{flag} = True"), cst.SimpleStatementLine([cst.Break()])]
                body[0] = self.change(stop, body=block(leave))
                loop = self.change(node, test=test, body=block(body), orelse=None)
                after = self.after_if(flag, self.flatten(orelse.body.body), node)
                return [parse(f"{flag} = False"), loop, after]
            return [self.change(node, test=test, body=block(body))]
        if orelse is None:
            return [self.change(node, body=block(body))]
        rest = self.flatten(orelse.body.body)
        if not any(may_exit(s, cst.Break) for s in body):
            return [self.change(node, body=block(body), orelse=None), *rest]
        flag = self.fresh("completed")
        body = replace_exits(body, {cst.Break: [parse(f"{flag} = False"), exit_of(cst.Break)]})
        loop = self.change(node, body=block(body), orelse=None)
        return [parse(f"{flag} = True"), loop, self.after_if(flag, rest, node)]

    def after_if(self, flag: str, body: Statements, origin) -> cst.If:
        new = cst.If(cst.Name(flag), block(body))
        self.source.derive(origin, new)
        return new

    # 4
    def returns_in_loops(self, body: Statements) -> Statements:
        """Turn a return inside a loop into a break, and return after the loop."""
        out: Statements = []
        for statement in body:
            if type(statement) is cst.SimpleStatementLine:
                out.append(statement)
            elif isinstance(statement, cst.If | cst.With | cst.Try):
                out.append(self.map_suites(statement, self.returns_in_loops))
            elif isinstance(statement, LOOPS) and may_exit(statement, cst.Return):
                flag, value = self.fresh("returned"), self.fresh("value")
                endless = isinstance(statement, cst.While) and _is_true(statement.test)
                endless = endless and not any(may_exit(s, cst.Break) for s in statement.body.body)
                loop = self.leave_loop(statement, flag, value)
                out += [parse(f"{flag} = False"), loop]
                back = parse(f"return {value}")
                self.source.derive(statement, back)
                if endless:
                    out.append(back)
                    return out
                out.append(self.after_if(flag, [back], statement))
            else:
                out.append(statement)
        return out

    def leave_loop(self, loop, flag: str, value: str):
        body: Statements = []
        for statement in loop.body.body:
            if isinstance(statement, LOOPS) and may_exit(statement, cst.Return):
                body.append(self.leave_loop(statement, flag, value))
                body.append(self.after_if(flag, [exit_of(cst.Break)], statement))
            else:
                body.append(self.leave_nested(statement, flag, value))
        body = self.replace_returns(body, flag, value)
        return self.change(loop, body=block(body))

    def leave_nested(self, statement, flag: str, value: str):
        """Rewrite loops that stand inside the branches of a loop's body."""

        def left(arm: Statements) -> Statements:
            made = self.leave_loop(cst.While(cst.Name("True"), block(arm)), flag, value)
            return list(made.body.body)

        return (
            self.map_suites(statement, left)
            if isinstance(statement, cst.If | cst.Try)
            else statement
        )

    def replace_returns(self, body: Statements, flag: str, value: str) -> Statements:
        def leave(node: cst.Return, line) -> Statements:
            result = node.value or cst.Name("None")
            assign = cst.SimpleStatementLine(
                [cst.Assign([cst.AssignTarget(cst.Name(value))], result)],
                leading_lines=line.leading_lines,
                trailing_whitespace=line.trailing_whitespace,
            )
            self.source.derive(line, assign)
            return [assign, parse(f"{flag} = True"), exit_of(cst.Break)]

        return replace_exits(body, {cst.Return: leave}, self)

    # 5, 6
    def settle(self, body: Statements, physical: bool) -> Statements:
        """Bring every exit into the position that the module's text describes."""
        out: Statements = []
        for k, statement in enumerate(body):
            rest = body[k + 1 :]
            if type(statement) is cst.SimpleStatementLine:
                if ends(statement):
                    return [*out, statement]  # what follows an exit is never executed
            elif isinstance(statement, LOOPS):
                inner = self.settle(list(statement.body.body), physical=False)
                statement = self.change(statement, body=block(inner))
            elif isinstance(statement, cst.With):
                if rest and may_exit(statement, *EXITS[:3]):
                    if always_exits(list(statement.body.body)):
                        rest = []
                    else:
                        return out + self.flagged(statement, rest, physical)
                inner = self.settle(list(statement.body.body), physical=physical)
                statement = self.change(statement, body=block(inner))
            elif isinstance(statement, cst.Try):
                if may_exit(statement, *EXITS[:3]):
                    if rest and all(always_exits(list(h.body.body)) for h in statement.handlers):
                        last = [*arms_of_try(statement)[0][len(statement.body.body) :], *rest]
                        statement = self.change(statement, orelse=cst.Else(block(last)))
                        rest = []
                    return out + self.left_by_flags(statement, rest, physical)
                statement = self.map_suites(statement, self.settle_suite)
            elif isinstance(statement, cst.If) and may_exit(statement, *EXITS):
                if rest and not is_simple(statement):
                    return out + self.flagged(statement, rest, physical)
                if physical and rest and any(always_exits(arm) for arm in arms_of(statement)):
                    return [*out, self.nest(statement, rest)]
                statement = self.map_suites(statement, lambda arm: self.settle(arm, physical))
            elif isinstance(statement, cst.If) and holds_loop(statement):
                statement = self.map_suites(statement, lambda arm: self.settle(arm, physical))
            out.append(statement)
        return out

    def nest(self, node: cst.If, rest: Statements) -> cst.If:
        """Move what follows an ``if`` into the arm that does not exit."""
        arms = arms_of(node)
        if always_exits(arms[0]) and always_exits(arms[1]):
            return self.map_suites(node, lambda arm: self.settle(arm, True))
        if always_exits(arms[0]):
            then, orelse = arms[0], [*arms[1], *rest]
        else:
            then, orelse = [*arms[0], *rest], arms[1]
        then, orelse = self.settle(then, True), self.settle(orelse, True)
        return self.change(node, body=block(then), orelse=cst.Else(block(orelse)))

    def flagged(self, node: cst.If | cst.With, rest: Statements, physical: bool) -> Statements:
        """Replace exits buried in an ``if`` by flags that are tested after it."""
        flags: Statements = []
        tests: Statements = []
        if isinstance(node, cst.With):
            body = self.settle(list(node.body.body), True)
            inner = self.change(node, body=block(body))
        else:
            inner = self.map_suites(node, lambda arm: self.settle(arm, True))
        if may_exit(node, cst.Return):
            flag, value = self.fresh("returned"), self.fresh("value")
            flags.append(parse(f"{flag} = False"))
            inner = self.replace_returns_in_place([inner], flag, value)[0]
            tests.append(self.after_if(flag, [parse(f"return {value}")], node))
        for kind, name in ((cst.Break, "stopped"), (cst.Continue, "skipped")):
            if may_exit(node, kind):
                flag = self.fresh(name)
                flags.append(parse(f"{flag} = False"))
                inner = replace_exits([inner], {kind: [parse(f"{flag} = True")]})[0]
                tests.append(self.after_if(flag, [exit_of(kind)], node))
        self.source.derive(node, inner)
        return [*flags, inner, *self.settle([*tests, *rest], physical)]

    def left_by_flags(self, node: cst.Try, rest: Statements, physical: bool) -> Statements:
        """Replace the exits of a ``try`` statement by flags that its arms set at their ends.

        These tell at the same time which arm was taken.
        """
        inner = self.map_suites(node, self.settle_suite)
        value = self.fresh("value") if may_exit(node, cst.Return) else ""
        back = parse(f"return {value}")
        self.source.derive(node, back)
        if value and physical and not rest and always_exits([node]):
            return [self.replace_returns_in_place([inner], "", value)[0], back]
        tests: Statements = []
        for kind, name in zip(EXITS, ("stopped", "skipped", "returned"), strict=False):
            if not may_exit(node, kind):
                continue
            flag = self.fresh(name)
            leave = [back] if kind is cst.Return else [exit_of(kind)]
            tests.append(self.after_if(flag, leave, node))

            def replace(body: Statements, kind=kind, flag=flag) -> Statements:
                if kind is cst.Return:
                    return self.replace_returns_in_place(body, flag, value)
                return replace_exits(body, {kind: [parse(f"{flag} = True")]}, self)

            inner = self.flag_arms(inner, kind, flag, replace)
        self.source.derive(node, inner)
        return [inner, *self.settle([*tests, *rest], physical)]

    def settle_suite(self, body: Statements) -> Statements:
        return self.settle(body, physical=any(may_exit(s, *EXITS[:3]) for s in body))

    def flag_arms(self, node: cst.Try, kind: type, flag: str, replace) -> cst.Try:
        """Let each arm of a ``try`` statement say whether it is left in a way."""

        def arm(suite) -> Statements:
            body, unset = list(suite.body), parse(f"{flag} = False")
            others = any(may_exit(s, k) for s in body for k in EXITS[:3] if k is not kind)
            if not any(may_exit(s, kind) for s in body):
                if always_exits(body):  # by raising, or by an exit that becomes a flag as well
                    return [unset, *body] if others else body
                return [*body, unset]
            made = replace(body)
            return made if always_exits(body) and not others else [unset, *made]

        handlers = [h.with_changes(body=block(arm(h.body))) for h in node.handlers]
        body, orelse = list(node.body.body), node.orelse
        if orelse is None:
            body = arm(node.body)
        elif any(may_exit(s, kind) for s in body):
            body, last = arm(node.body), replace(list(orelse.body.body))
            guard = cst.If(negated(cst.Name(flag)), block(last))
            self.source.derive(node, guard)
            orelse = orelse.with_changes(body=block([guard]))
        else:
            orelse = orelse.with_changes(body=block(arm(orelse.body)))
        return self.change(node, body=block(body), handlers=handlers, orelse=orelse)

    def replace_returns_in_place(self, body, flag: str, value: str) -> Statements:
        def leave(node: cst.Return, line) -> Statements:
            result = node.value or cst.Name("None")
            assign = cst.Assign([cst.AssignTarget(cst.Name(value))], result)
            new = line.with_changes(body=[assign])
            self.source.derive(line, new)
            return [new, parse(f"{flag} = True")] if flag else [new]

        return replace_exits(body, {cst.Return: leave}, self)

    def map_suites(self, node: cst.If | cst.With | cst.Try, rewrite):
        new = map_suites(node, rewrite)
        self.source.derive(node, new)
        return new


def _is_true(test: cst.BaseExpression) -> bool:
    return (isinstance(test, cst.Name) and test.value == "True") or (
        isinstance(test, cst.Integer) and test.value != "0"
    )
