"""Writing the backward part: statements, grouped under the forward lines they belong to."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.kept.otherwise import Again
from srcgrad.emit.preparing import Prepared
from srcgrad.emit.rebinding import rename_rebound
from srcgrad.emit.spent import deletions, is_large
from srcgrad.emit.words.headers import backward_header
from srcgrad.emit.words.interceptions import written
from srcgrad.emit.words.products import begins_negative, negated
from srcgrad.emit.words.text import LINE, to_text
from srcgrad.ir.nodes import (
    ADD_AT,
    FINAL,
    INDEX_SET,
    INTERCEPTED,
    LIST_APPEND,
    LIST_INSERT,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    LIST_TAKE,
    WRITES,
    Block,
    Equation,
    If,
    Loop,
    Value,
    Var,
    acts,
)
from srcgrad.runtime.intercepting import replacement

_IN_PLACE: dict[Any, type[ast.operator]] = {
    operator.add: ast.Add,
    operator.sub: ast.Sub,
    operator.mul: ast.Mult,
    operator.truediv: ast.Div,
}
_COLLECTING = (LIST_APPEND, LIST_REVERSED, LIST_POP)


class BackwardWriter(Prepared):
    """Writes one backward block; see ``Prepared`` for its arguments."""

    def write(self, indent: int) -> list[str]:
        """Return the lines of the block."""
        e = self.e
        self.names.taken |= set(e.names.values())
        self.renamed = rename_rebound(
            self.block, self.results, self.plan, e.where, e.again, self.written, self.names
        )
        for line in self.plan.told:
            self.page.add(f"{' ' * indent}# {line}")
        self.write_block(self.block, indent)
        self.delete_spent(indent)
        return self.page.lines

    def delete_spent(self, indent: int) -> None:
        """Delete names behind the last statements that read them, where that is asked for."""
        e, wishes = self.e, self.e.context.wishes
        if wishes is None or not wishes.deletes:
            return
        made = (eq for eq in self.block if isinstance(eq, Equation))
        spent = {
            e.names[eq.targets[0]]
            for eq in made
            if isinstance(eq.payload, Again) and eq.payload.note and eq.targets[0] in e.names
        }
        sure: set[str] = set()
        if wishes.budget is not None:
            arrays = {v: name for v, name in e.names.items() if is_large(v)}
            sure = set() if self.split else set(self.plan.certain)
            spent |= set(arrays.values()) | sure
            spent |= {saved.name for saved in self.plan.saved.values()} if not self.split else set()
            rows = self.plan.saved.items()
            sure |= spent & {
                saved.name for f, saved in rows if f.parent and f.parent.kind == "function"
            }
        given = [node for r in self.results for node in ast.walk(e.value(r))]
        spent -= {node.id for node in given if isinstance(node, ast.Name)}
        for place, line in deletions(self.page.lines, spent, sure):
            self.page.insert(place, f"{' ' * indent}{line}")

    def put(self, node: ast.AST, indent: int) -> None:
        for line in to_text(node, indent):
            self.page.add(" " * indent + line)

    def head(self, statement: Any, indent: int) -> None:
        """Quote the forward line that the next statements belong to."""
        origin = self.page.origin = statement.origin
        if origin is None or origin.statement is None:
            return
        line = origin.source.line_of(origin.statement)
        if line is None:
            self.last = None
            return
        text = f"# {origin.source.short_filename}:{line}  {origin.source.text_of(origin.statement)}"
        if text == self.last:
            return
        self.last = text
        if len(text) + indent > LINE:
            text = text[: max(LINE - indent - 4, 20)] + " ..."
        self.page.add(" " * indent + text)

    def write_block(self, block: Block, indent: int) -> bool:
        count = len(self.page.lines)
        for statement in block:
            if isinstance(statement, Equation):
                start = len(self.page.lines)
                self.equation(statement, indent)
                if isinstance(statement.payload, Again):
                    self.note(statement.payload.note, start, indent)
            elif isinstance(statement, If):
                self.branch(statement, indent)
            else:
                self.loop(statement, indent)
        return len(self.page.lines) > count

    def note(self, note: str, start: int, indent: int) -> None:
        """Say something of the statement that the last lines are."""
        if not note or start == len(self.page.lines):
            return
        text = f"{self.page.lines[start]}  # {note}"
        if len(self.page.lines) == start + 1 and len(text) <= LINE:
            self.page.lines[start] = text
        else:
            self.page.insert(start, f"{' ' * indent}# {note}")

    def name(self, var: Var) -> ast.Name:
        return ast.Name(self.e.names.get(var, "_"), ast.Store())

    def equation(self, eq: Equation, indent: int) -> None:
        if len(eq.targets) == 1 and eq.targets[0] in self.e.inlined:
            return
        payload: Any = eq.payload
        if isinstance(payload, Again):
            self.page.origin = eq.origin
        elif not (eq.op.fn in _COLLECTING and _is_of_loop(eq.origin)):  # which has its own head
            self.head(eq, indent)
        fn = eq.op.fn
        if fn in WRITES:
            self.write_in_place(eq, indent)
            return
        if fn is FINAL:
            told = ast.Name(self.e.external("on_final", eq.payload.fn), ast.Load())
            args = [ast.Constant(eq.payload.label), self.e.value(eq.args[0])]
            call = ast.Call(told, args, [])
            self.put(ast.Assign([self.name(eq.targets[0])], call, lineno=0), indent)
            return
        if fn is INTERCEPTED:
            self.intercepted(eq, indent)
            return
        if fn in (LIST_APPEND, LIST_INSERT):
            place = [] if fn is LIST_APPEND else [self.e.value(eq.args[1])]
            parts = [self.e.value(a) for a in eq.args[1 + len(place) :]]
            item = parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())
            self.settle(eq, indent)
            name = "insert" if place else "append"
            method = ast.Attribute(self.e.value(eq.targets[0]), name, ast.Load())
            self.put(ast.Expr(ast.Call(method, [*place, item], [])), indent)
            return
        if fn is LIST_SET:
            self.settle(eq, indent)
            place = ast.Subscript(
                self.e.value(eq.targets[0]), self.e.index(eq.args[1]), ast.Store()
            )
            self.put(ast.Assign([place], self.e.value(eq.args[2]), lineno=0), indent)
            return
        if fn in (LIST_POP, LIST_TAKE):
            self.settle(eq, indent)
            method = ast.Attribute(self.e.value(eq.targets[0]), "pop", ast.Load())
            targets: list[ast.expr] = [self.name(t) for t in eq.targets[1:]]
            target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
            where = [self.e.value(a) for a in eq.args[1:]]
            self.put(ast.Assign([target], ast.Call(method, where, []), lineno=0), indent)
            return
        if eq in self.again:
            self.write_again(eq, indent)
            return
        if eq in self.in_place:
            kind: ast.operator = _IN_PLACE[fn]()
            if self.e.names[eq.targets[0]] == self.e.names.get(eq.args[0]):  # type: ignore
                value = self.e.value(eq.args[1])
                if self.fuser is not None:
                    value = self.fuser.fused(eq, value)
                self.augment(self.name(eq.targets[0]), kind, value, indent)
                return
        targets: list[ast.expr] = [
            self.name(t) if self.counts.get(t) else ast.Name("_", ast.Store()) for t in eq.targets
        ]
        target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
        template = getattr(fn, "template", None)
        if template is not None:
            target = _nested(template, iter(targets))
        if acts(eq.op) and not any(self.counts.get(t) for t in eq.targets):
            self.put(ast.Expr(self.e.operation(eq)), indent)
            return
        value = self.e.operation(eq)
        if self.fuser is not None:
            value = self.fuser.fused(eq, value)
        self.put(ast.Assign([target], value, lineno=0), indent)

    def augment(self, array: ast.Name, kind: ast.operator, value: ast.expr, indent: int) -> None:
        if isinstance(kind, ast.Add | ast.Sub) and begins_negative(value):
            kind = ast.Sub() if isinstance(kind, ast.Add) else ast.Add()
            value = negated(value)
        self.put(ast.AugAssign(array, kind, value), indent)

    def write_again(self, eq: Equation, indent: int) -> None:
        """Write a result into the memory of an operand that nobody reads any more."""
        array, target = self.e.value(eq.args[0]), self.name(eq.targets[0])
        assert isinstance(array, ast.Name)
        value = self.e.tidy(eq.args[1], eq.args[0], self.e.value(eq.args[1]))
        self.augment(ast.Name(array.id, ast.Store()), _IN_PLACE[eq.op.fn](), value, indent)
        if array.id != target.id:
            self.put(ast.Assign([target], array, lineno=0), indent)

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

    def intercepted(self, eq: Equation, indent: int) -> None:
        """Write what the user does with a cotangent that is complete here."""
        text, target = eq.payload, eq.targets[0]
        bar, *values = (self.e.value(arg) for arg in eq.args)
        name, before, helper = self.e.names[target], "", ""
        if text.checks:
            made = self.e.function(replacement)
            assert isinstance(made, ast.Name)
            helper = made.id
        if text.checks and not text.called:
            before = self.names.fresh(f"{name}_0")
            self.put(ast.Assign([ast.Name(before, ast.Store())], bar, lineno=0), indent)
            bar = ast.Name(before, ast.Load())
        if text.copies and not target.type.is_immutable:
            bar = ast.Call(ast.Attribute(bar, "copy", ast.Load()), [], [])
        if not isinstance(bar, ast.Name) or bar.id != name:
            self.put(ast.Assign([ast.Name(name, ast.Store())], bar, lineno=0), indent)
        for line in written(text, name, values, helper):
            self.page.add(" " * indent + line if line else line)
        if before:
            self.page.add(f"{' ' * indent}{name} = {helper}({name}, {before})")

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


def _is_of_loop(origin: Any) -> bool:
    return origin is not None and isinstance(origin.statement, cst.For)


def _nested(template: Any, targets: Iterator[ast.expr]) -> ast.expr:
    """Return nested tuples of the targets of an assignment."""
    if isinstance(template, tuple):
        parts = [_nested(part, targets) for part in template]
        if parts and all(isinstance(part, ast.Name) and part.id == "_" for part in parts):
            return ast.Name("_", ast.Store())  # nothing of it is read, and it may be None
        return ast.Tuple(parts, ast.Store())
    return next(targets)
