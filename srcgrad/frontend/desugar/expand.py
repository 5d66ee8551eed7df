"""Writing expressions as statements, where values inside them need names.

A conditional expression becomes an ``if`` statement, as does an ``and`` or ``or``
that assigns; the largest of several numbers is taken two by two.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import block, map_suites
from srcgrad.frontend.text.names import assigns, local_names, names_in, new_name
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import assignment, two_by_two
from srcgrad.frontend.text.trees import changed, children, replaced, rewritten, small_of


def expand_conditionals(source: Source, tree: cst.FunctionDef) -> cst.FunctionDef:
    """Return a function in which no statement holds a conditional expression."""
    new = rewritten(tree, _two_by_two(source, tree))
    assert isinstance(new, cst.FunctionDef)
    source.derive(tree, new)
    return _Expander(source, set(names_in(tree))).function(new)


def _two_by_two(source: Source, tree: cst.FunctionDef) -> Any:
    """The rule that writes ``max(a, b, c)`` as ``max(max(a, b), c)``."""
    hidden = local_names(tree) | set(source.cells)
    known = {"max": max, "min": min}
    names = {n for n, fn in known.items() if n not in hidden and source.globals.get(n, fn) is fn}

    def rule(node: Any, made: Any) -> Any:
        if isinstance(node, cst.BaseCompoundStatement | cst.SimpleStatementLine):
            if made is not None and made is not node:
                source.derive_all(node, made)
            return None
        func = made.func if isinstance(made, cst.Call) else None
        if not isinstance(func, cst.Name) or func.value not in names or len(made.args) < 3:
            return None
        if any(a.keyword is not None or a.star for a in made.args):
            return None
        return two_by_two(made.func, [a.value for a in made.args])

    return rule


class _Expander:
    def __init__(self, source: Source, taken: set[str]) -> None:
        self.source = source
        self.taken = taken

    def function(self, tree: cst.FunctionDef) -> cst.FunctionDef:
        new = tree.with_changes(body=block(self.suite(tree.body.body)))
        self.source.derive_all(tree, new)
        return new

    def suite(self, statements: Any) -> list[Any]:
        out: list[Any] = []
        for statement in statements:
            out += self.statement(statement)
        return out

    def statement(self, statement: Any) -> list[Any]:
        if isinstance(statement, cst.If):
            before, test = self.take_out(statement.test, statement)
            new = map_suites(changed(statement, test=test), self.suite)
            self.source.derive_all(statement, new)
            return [*before, new]
        if isinstance(statement, cst.With | cst.Try | cst.For | cst.While):
            before, statement = self.take_out_starred(statement)
            new = map_suites(statement, self.suite)
            self.source.derive_all(statement, new)
            return [*before, new]
        small = small_of(statement)
        value = getattr(small, "value", None)
        if value is None or not isinstance(
            small, cst.Assign | cst.AnnAssign | cst.AugAssign | cst.Return | cst.Expr
        ):
            return [statement]
        if isinstance(value, cst.IfExp) and isinstance(small, cst.Assign):
            return self.as_branch(
                value,
                statement,
                lambda v: statement.with_changes(body=[changed(small, value=v)], leading_lines=()),
            )
        before, new_value = self.take_out(value, statement)
        if not before:
            return [statement]
        new = statement.with_changes(body=[changed(small, value=new_value)])
        self.source.derive_all(statement, new)
        return [*before, new]

    def take_out_starred(self, statement: Any) -> tuple[list[Any], Any]:
        """Give a name to what ``for a, b in zip(*f(x))`` goes through."""
        head = statement.iter if isinstance(statement, cst.For) else None
        if not isinstance(head, cst.Call) or len(head.args) != 1 or not head.args[0].star:
            return [], statement
        value = head.args[0].value
        if not isinstance(value, cst.Call):
            return [], statement
        name = cst.Name(new_name("columns", self.taken))
        line = assignment(name, value).with_changes(leading_lines=statement.leading_lines)
        new = statement.with_changes(iter=replaced(head, {id(value): name}), leading_lines=())
        for made in (line, new):
            self.source.derive_all(statement, made)
        return [line], new

    def as_branch(self, node: cst.IfExp, origin: Any, assign: Any) -> list[Any]:
        """Write ``target = a if test else b`` as an ``if`` statement."""
        arms = []
        for k, value in enumerate((node.body, node.orelse)):
            line = assign(value)
            if k:  # each node stands in one place
                targets = [target.deep_clone() for target in line.body[0].targets]
                line = line.with_deep_changes(line.body[0], targets=targets)
            self.source.derive_all(origin, line)
            arms.append(block(self.statement(line)))
        before, test = self.take_out(node.test, origin)
        new = cst.If(
            test.with_changes(lpar=(), rpar=()) if hasattr(test, "lpar") else test,
            arms[0],
            cst.Else(arms[1]),
            leading_lines=getattr(origin, "leading_lines", ()),
        )
        self.source.derive_all(origin, new)
        return [*before, new]

    def take_out(self, node: Any, origin: Any) -> tuple[list[Any], Any]:
        """Replace the conditional expressions inside an expression by names."""
        before: list[Any] = []
        replace: dict[int, Any] = {}
        for found in _conditional(node, isinstance(origin, cst.If)):
            name = new_name("chosen", self.taken)
            target = [cst.AssignTarget(cst.Name(name))]
            if isinstance(found, cst.BooleanOperation):
                before += self.step_by_step(found, name, origin)
                replace[id(found)] = cst.Name(name)
                continue
            before += self.as_branch(
                found,
                origin,
                lambda v, target=target: cst.SimpleStatementLine([cst.Assign(target, v)]),
            )
            replace[id(found)] = cst.Name(name)
        if not replace:
            return [], node
        return before, replaced(node, replace)

    def step_by_step(self, node: cst.BooleanOperation, name: str, origin: Any) -> list[Any]:
        """Write ``name = a and b`` as an ``if`` statement."""
        lines = []
        for value in (node.left, node.right):
            before, new = self.take_out(value, origin)
            line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(cst.Name(name))], new)])
            self.source.derive_all(origin, line)
            lines.append([*before, line])
        test: Any = cst.Name(name)
        if isinstance(node.operator, cst.Or):
            test = cst.UnaryOperation(cst.Not(), test)
        branch = cst.If(test, block(lines[1]))
        self.source.derive_all(origin, branch)
        return [*lines[0], branch]


_VIEWS = frozenset(
    {"expand_dims", "flip", "moveaxis", "ravel", "reshape", "squeeze", "swapaxes", "transpose"}
)


def calls(node: cst.CSTNode) -> bool:
    """Whether evaluating an expression twice may have effects, or give another array."""
    if isinstance(node, cst.Call):
        func = node.func
        if not isinstance(func, cst.Attribute) or func.attr.value not in _VIEWS:
            return True
    return isinstance(node, cst.NamedExpr) or any(calls(c) for c in children(node))


_LATER = (cst.Lambda, cst.GeneratorExp, cst.ListComp)


def _conditional(node: Any, test: bool) -> list[Any]:
    """Return what is conditional in an expression; in a test, ``and`` and ``or`` may stay."""
    stays = isinstance(node, cst.BooleanOperation) and test and not assigns(node)
    if isinstance(node, cst.IfExp | cst.BooleanOperation) and not stays:
        return [node]
    parts = () if isinstance(node, _LATER) else children(node)
    return [found for part in parts for found in _conditional(part, test)]
