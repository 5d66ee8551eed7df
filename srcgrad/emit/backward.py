"""Writing the backward part: statements, grouped under the forward lines they belong to."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from srcgrad.analysis.counting import count_uses
from srcgrad.analysis.ownership import trace
from srcgrad.analysis.plans import Names, Plan
from srcgrad.analysis.writes import harmful_writes
from srcgrad.emit.copies import (
    LIST_WRITES,
    WRITES,
    insert_copies,
    note_places,
    own_loop_inits,
    targets_of_block,
)
from srcgrad.emit.expressions import LINE, Expressions, to_text
from srcgrad.emit.naming import assign_names
from srcgrad.emit.places import Page
from srcgrad.emit.products import begins_negative, negated
from srcgrad.emit.rebinding import rename_rebound
from srcgrad.emit.schedule import schedule
from srcgrad.frontend.layout import Frame
from srcgrad.ir.nodes import (
    ADD_AT,
    INDEX_SET,
    LIST_APPEND,
    LIST_NEW,
    LIST_POP,
    LIST_SET,
    RECORD_ITEMS,
    Block,
    Carried,
    Const,
    Equation,
    If,
    Items,
    Loop,
    Merge,
    Value,
    Var,
    equations,
    uses,
    variables,
)
from srcgrad.transform.parts import FormulaBackward


class BackwardWriter:
    """Writes one backward block.

    Args:
        block: the statements, simplified.
        results: the values that are returned.
        expressions: writes the expressions.
        names: the names that are taken.
        fixed: names of variables that are given (parameters of the function).
        plan: where the forward values are found.
        split: whether it is a function of its own.
    """

    def __init__(
        self,
        block: Block,
        results: list[Value],
        expressions: Expressions,
        names: Names,
        fixed: dict[Var, str],
        plan: Plan,
        split: bool,
    ) -> None:
        self.split = split
        self.e = expressions
        self.plan = plan
        self.names = names
        self.page = Page()
        self.last: Any = None
        live = {v for r in results for v in variables(r)}
        self.counts = count_uses(block, results)
        block = self.protect(block, live)
        self.counts = count_uses(block, results)
        self.inline(block)
        block = schedule(block, self.stays, self.uses, self.e.inlined)
        block = self.protect(block, {w for v in live for w in self.expanded(v)})
        self.counts = count_uses(block, results)
        mine = [v for v in targets_of_block(block) if v not in self.e.inlined] + list(fixed)
        self.in_place = self.find_in_place(block, live)
        together = [(eq.targets[0], eq.args[0]) for eq in self.in_place]
        expanded_live = {w for v in live for w in self.expanded(v)}
        names.taken.update(getattr(eq.op.fn, "__name__", "") for eq in equations(block))
        self.e.names = assign_names(
            block,
            expanded_live,
            mine,
            self.uses,
            self.value_uses,
            together,
            names,
            fixed,  # type: ignore
        )
        self.block = block
        self.results = results
        self.renamed: dict[Frame, dict[str, str]] = {}

    # preparation

    def uses(self, eq: Equation) -> list[Var]:
        return [w for v in uses(eq) for w in self.expanded(v)]

    def value_uses(self, value: Value) -> list[Var]:
        return [w for v in variables(value) for w in self.expanded(v)]

    def expanded(self, var: Var) -> list[Var]:
        """The variables that reading a variable reads, if it is written in place."""
        eq = self.e.inlined.get(var)
        if eq is None:
            return [var]
        return [w for v in uses(eq) for w in self.expanded(v)]

    def written(self, found: Iterable[Var]) -> list[Var]:
        """The variables whose names are written where some variables are read."""
        out: list[Var] = []
        for var in found:
            eq = self.e.inlined.get(var) or self.e.again.get(var)
            out += [var] if eq is None else self.written(uses(eq))
        return out

    def protect(self, block: Block, live: set[Var]) -> Block:
        """Copy an array before a write that somebody else would see."""
        if not any(eq.op.fn in WRITES for eq in equations(block)):
            return block
        block = own_loop_inits(block)
        done: set[Var] = set()
        while True:
            bad = harmful_writes(
                block,
                live,
                self.uses,
                lambda eq: eq.op.fn in WRITES and eq.targets[0] not in done,
                self.value_uses,
            )
            if not bad:
                return block
            done.add(bad[-1].targets[0])
            block = insert_copies(block, {bad[-1]})

    def find_in_place(self, block: Block, live: set[Var]) -> list[Equation]:
        """The equations that write into their first argument."""
        found = [eq for eq in equations(block) if eq.op.fn in WRITES + LIST_WRITES]
        sums = [eq for eq in equations(block) if self.may_augment(eq)]
        expanded = {w for v in live for w in self.expanded(v)}
        arrays = {eq for eq in sums if eq.targets[0].type.kind != "scalar"}
        bad = set(
            harmful_writes(block, expanded, self.uses, lambda eq: eq in arrays, self.value_uses)
        )
        return found + [eq for eq in sums if eq not in bad]

    def may_augment(self, eq: Equation) -> bool:
        if eq.op.fn not in (operator.add, operator.sub) or eq.targets[0] in self.e.inlined:
            return False
        first = eq.args[0]
        return (
            isinstance(first, Var)
            and first not in self.e.inlined
            and first.name == eq.targets[0].name
            and first.named == eq.targets[0].named
            and first.type.kind in ("array", "scalar")
        )

    def inline(self, block: Block) -> None:
        """Choose the variables that are written where they are read."""
        position: dict[Var, tuple[int, int]] = {}
        use: dict[Var, Any] = {}
        writes: dict[int, list[tuple[int, Any]]] = {}
        note_places(block, position, use, writes, [0])
        roots = trace(block)
        sizes: dict[Var, int] = {}
        for eq in equations(block):
            if len(eq.targets) != 1:
                continue
            target = eq.targets[0]
            size = 3 + sum(sizes.get(v) or len(self.e.where.get(v, v.name)) + 3 for v in uses(eq))
            if eq.op.fn in WRITES + LIST_WRITES + (LIST_NEW, np.zeros_like, np.copy):
                continue
            if self.counts.get(target) != 1 or target not in use:
                continue
            reader, where = use[target]
            if where[0] != position[target][0] or not self.inlines(eq, reader):
                continue
            between = writes.get(where[0], [])
            over = [s for w, s in between if position[target][1] < w < where[1]]
            if any(self.disturbs(s, eq, roots) for s in over):
                continue
            if target.named and not self.continues(eq, reader):
                continue
            if (
                isinstance(reader, Equation)
                and reader.op.fn in WRITES
                and (reader.args[0] is target)
            ):
                continue
            if size > LINE - 36:
                continue
            sizes[target] = size
            self.e.inlined[target] = eq

    def inlines(self, eq: Equation, reader: Any) -> bool:
        """Whether an equation may be written inside of its reader at all."""
        return True

    def stays(self, eq: Equation) -> bool:
        """Whether nothing may be moved over an equation."""
        return eq.op.fn in WRITES + LIST_WRITES

    def disturbs(self, statement: Any, eq: Equation, roots: dict[Var, Any]) -> bool:
        """Whether a statement may write into what an equation reads."""
        if not isinstance(statement, Equation):
            return True
        base = statement.args[0]

        def of(var: Any) -> Any:
            return roots.get(var, frozenset([("external", var)]))

        read = [v for u in uses(eq) for v in self.expanded(u)]
        return any(of(v) & of(base) for v in read)

    def continues(self, eq: Equation, reader: Any) -> bool:
        """Whether a computation just goes on in the next equation of the same line."""
        return (
            isinstance(reader, Equation)
            and reader.op.fn in (operator.add, operator.sub, operator.mul, operator.neg)
            and reader.targets[0].name == eq.targets[0].name
            and _statement(reader) is _statement(eq)
        )

    # writing

    def write(self, indent: int) -> list[str]:
        """Return the lines of the block."""
        e = self.e
        self.names.taken |= set(e.names.values())
        self.renamed = rename_rebound(
            self.block, self.results, self.plan, e.where, e.again, self.written, self.names
        )
        self.write_block(self.block, indent)
        return self.page.lines

    def put(self, node: ast.AST, indent: int) -> None:
        for line in to_text(node, indent):
            self.page.add(" " * indent + line)

    def head(self, statement: Any, indent: int) -> None:
        """Quote the forward line that the next statements belong to."""
        origin = self.page.origin = statement.origin
        if origin is None or origin.statement is None or origin.statement is self.last:
            return
        self.last = origin.statement
        line = origin.source.line_of(origin.statement)
        if line is None:
            return
        text = f"# {origin.source.short_filename}:{line}  {origin.source.text_of(origin.statement)}"
        if len(text) + indent > LINE:
            text = text[: LINE - indent - 4] + " ..."
        self.page.add(" " * indent + text)

    def write_block(self, block: Block, indent: int) -> bool:
        count = len(self.page.lines)
        for statement in block:
            if isinstance(statement, Equation):
                self.equation(statement, indent)
            elif isinstance(statement, If):
                self.branch(statement, indent)
            else:
                self.loop(statement, indent)
        return len(self.page.lines) > count

    def name(self, var: Var) -> ast.Name:
        return ast.Name(self.e.names.get(var, "_"), ast.Store())

    def equation(self, eq: Equation, indent: int) -> None:
        if len(eq.targets) == 1 and eq.targets[0] in self.e.inlined:
            return
        self.head(eq, indent)
        fn = eq.op.fn
        if fn in WRITES:
            self.write_in_place(eq, indent)
            return
        if fn is LIST_APPEND:
            parts = [self.e.value(a) for a in eq.args[1:]]
            item = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
            self.settle(eq, indent)
            method = ast.Attribute(self.e.value(eq.targets[0]), "append", ast.Load())
            self.put(ast.Expr(ast.Call(method, [item], [])), indent)
            return
        if fn is LIST_SET:
            self.settle(eq, indent)
            place = ast.Subscript(
                self.e.value(eq.targets[0]), self.e.index(eq.args[1]), ast.Store()
            )
            self.put(ast.Assign([place], self.e.value(eq.args[2]), lineno=0), indent)
            return
        if fn is LIST_POP:
            self.settle(eq, indent)
            method = ast.Attribute(self.e.value(eq.targets[0]), "pop", ast.Load())
            targets = [self.name(t) for t in eq.targets[1:]]
            target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
            self.put(ast.Assign([target], ast.Call(method, [], []), lineno=0), indent)
            return
        if eq in self.in_place:
            kind = ast.Add() if fn is operator.add else ast.Sub()
            if self.e.names[eq.targets[0]] == self.e.names.get(eq.args[0]):  # type: ignore
                value = self.e.value(eq.args[1])
                if begins_negative(value):
                    kind = ast.Sub() if fn is operator.add else ast.Add()
                    value = negated(value)
                self.put(ast.AugAssign(self.name(eq.targets[0]), kind, value), indent)
                return
        targets = [
            self.name(t) if self.counts.get(t) else ast.Name("_", ast.Store()) for t in eq.targets
        ]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        if fn is RECORD_ITEMS:
            target = _nested(eq.args[0].type.element.template, iter(targets))  # type: ignore
        elif isinstance(fn, FormulaBackward):
            target = _nested(fn.template, iter(targets))
        self.put(ast.Assign([target], self.e.operation(eq), lineno=0), indent)

    def settle(self, eq: Equation, indent: int) -> None:
        """Make the name of an in-place write stand for the array that it writes into."""
        base, target = eq.args[0], eq.targets[0]
        if isinstance(base, Var) and self.e.names.get(base) == self.e.names.get(target):
            return
        self.put(ast.Assign([self.name(target)], self.e.value(base), lineno=0), indent)

    def write_in_place(self, eq: Equation, indent: int) -> None:
        self.settle(eq, indent)
        _, index, value = eq.args
        array = self.e.value(eq.targets[0])
        if eq.op.fn is ADD_AT:
            at = ast.Attribute(self.e.function(np.add), "at", ast.Load())
            call = ast.Call(at, [array, self.e.value(index), self.e.value(value)], [])
            self.put(ast.Expr(call), indent)
            return
        place = ast.Subscript(array, self.e.index(index), ast.Store())
        if eq.op.fn is INDEX_SET:
            self.put(ast.Assign([place], self.e.value(value), lineno=0), indent)
        else:
            written, kind = self.e.value(value), ast.Add()
            if begins_negative(written):
                written, kind = negated(written), ast.Sub()
            self.put(ast.AugAssign(place, kind, written), indent)

    def branch(self, node: If, indent: int) -> None:
        pad = " " * indent
        start = len(self.page.lines)
        test = self.e.value(node.test)
        self.page.origin = node.origin
        self.page.add(pad + "if " + to_text(ast.Expr(test), indent)[0] + ":")
        self.last = None
        self.unpack(node, 0, indent + 4)
        filled = self.write_block(node.then, indent + 4)
        self.page.origin = node.origin
        filled |= self.hand_on([(m.out, m.then) for m in node.merges], indent + 4)
        if not filled:
            self.page.lines[start] = (
                pad + "if " + to_text(ast.Expr(ast.UnaryOp(ast.Not(), test)), indent)[0] + ":"
            )
        else:
            self.page.add(pad + "else:")
        mark = len(self.page.lines)
        self.last = None
        self.unpack(node, 1, indent + 4)
        other = self.write_block(node.orelse, indent + 4)
        self.page.origin = node.origin
        other |= self.hand_on([(m.out, m.orelse) for m in node.merges], indent + 4)
        if not other and filled:
            self.page.cut(mark - 1)
        elif not other:
            self.page.cut(start)
        elif filled:
            self.page.join_branches(mark, indent)
        self.last = None

    def unpack(self, node: If, arm: int, indent: int) -> None:
        """Take what an arm of a branch inside a loop has kept off its list."""
        saved = self.plan.saved.get(node.frames[arm])
        if saved is not None:
            renamed = self.renamed.get(node.frames[arm], {})
            targets = ", ".join(renamed.get(name, name) for _, name in saved.entries)
            self.page.add(" " * indent + f"{targets} = {saved.name}.pop()")

    def hand_on(self, pairs: list[tuple[Var, Value]], indent: int) -> bool:
        """Assign values to variables, all at once where the order would matter."""
        moves = []
        for target, value in pairs:
            written = self.e.value(value)
            name = self.e.names.get(target)
            if name is None or (isinstance(written, ast.Name) and written.id == name):
                continue
            moves.append((name, written))
        if not moves:
            return False
        tangled = any(
            name in {n.id for n in ast.walk(written) if isinstance(n, ast.Name)}
            for k, (name, _) in enumerate(moves)
            for written in [w for _, w in moves[k + 1 :]]
        )
        if tangled:
            targets = ast.Tuple([ast.Name(n, ast.Store()) for n, _ in moves], ast.Store())
            values = ast.Tuple([w for _, w in moves], ast.Load())
            self.put(ast.Assign([targets], values, lineno=0), indent)
        else:
            for name, written in moves:
                self.put(ast.Assign([ast.Name(name, ast.Store())], written, lineno=0), indent)
        return True

    def loop(self, node: Loop, indent: int) -> None:
        from srcgrad.emit.headers import backward_header

        self.page.origin = node.origin
        self.hand_on([(c.param, c.init) for c in node.carried], indent)
        before, head, first = backward_header(self, node)
        pad = " " * indent
        for line in [*before, head, *["    " + line for line in first]]:
            self.page.add(pad + line)
        self.last = None
        filled = self.write_block(node.body, indent + 4)
        self.page.origin = node.origin
        filled |= self.hand_on([(c.param, c.next) for c in node.carried], indent + 4)
        if not filled and not first:
            self.page.add(pad + "    pass")
        self.hand_on([(c.out, c.param) for c in node.carried], indent)
        self.last = None


def _statement(eq: Equation) -> Any:
    return eq.origin.statement if eq.origin is not None else None


__all__ = ["BackwardWriter", "Carried", "Const", "Items", "Merge"]


def _nested(template: Any, targets: Iterator[ast.expr]) -> ast.expr:
    """Return nested tuples of the targets of an assignment."""
    if isinstance(template, tuple):
        return ast.Tuple([_nested(part, targets) for part in template], ast.Store())
    return next(targets)
