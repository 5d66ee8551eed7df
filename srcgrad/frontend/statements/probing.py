"""``try`` statements around what is differentiated, written as a test and a branch.

Of a body that is one assignment without side effects it is enough to know whether it
raises: it is evaluated once in a ``try`` statement that only notes that, and the arm that
was taken is an arm of an ``if``, to be differentiated like any other.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.effects import WRITING_METHODS
from srcgrad.formulas.numpy.arrays.methods import METHODS
from srcgrad.frontend.expressions.unrolling import assignment
from srcgrad.frontend.state import kept_text
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import fresh_name
from srcgrad.frontend.text.trees import children


def is_probe(node: cst.Try) -> bool:
    """Whether a ``try`` statement does nothing but note whether something raises."""
    suites = [node.body, *(handler.body for handler in node.handlers)]
    rest = [part.body for part in (node.orelse, node.finalbody) if part is not None]
    if not all(isinstance(suite, cst.IndentedBlock) for suite in (*suites, *rest)):
        return False
    first = node.body.body[0]
    evaluated = _small(first) if isinstance(_small(first), cst.Expr) else None
    others = [s for suite in (*suites, *rest) for s in suite.body if s is not first]
    return evaluated is not None and all(map(_notes, others))


def _small(statement: Any) -> Any:
    plain = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
    return statement.body[0] if plain else None


def _notes(statement: Any) -> bool:
    """Whether a statement gives a name a constant."""
    small = _small(statement)
    if isinstance(small, cst.Pass):
        return True
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return False
    constant = isinstance(small.value, cst.Integer) or (
        isinstance(small.value, cst.Name) and small.value.value in ("True", "False")
    )
    return constant and isinstance(small.targets[0].target, cst.Name)


def as_branch(b: Builder, node: cst.Try) -> list[Any] | None:
    """Write a ``try`` statement as a test whether its body raises, and a branch.

    Returns:
        The statements; None where that would be something else.
    """
    body = _lines(node.body)
    small = _small(body[0])
    if len(body) != 1 or not isinstance(small, cst.Assign) or not node.handlers:
        return None
    if not all(map(_only_names, small.targets)) or not is_pure(b, small.value):
        return None
    if any(handler.name is not None or _raises_again(handler) for handler in node.handlers):
        return None
    flag = fresh_name(b, "failed")
    codes = [cst.Name("False"), cst.Name("True")]
    if len(node.handlers) > 1:
        codes = [cst.Integer(str(k)) for k in range(len(node.handlers) + 1)]
    evaluated = cst.SimpleStatementLine([cst.Expr(small.value.deep_clone())])
    handlers = [
        handler.with_changes(body=cst.IndentedBlock([assignment(cst.Name(flag), code)]))
        for handler, code in zip(node.handlers, codes[1:], strict=True)
    ]
    tried = cst.Try(
        cst.IndentedBlock([evaluated, assignment(cst.Name(flag), codes[0])]),
        handlers,
        leading_lines=node.leading_lines,
    )
    orelse = [] if node.orelse is None else _lines(node.orelse.body)
    branch: Any = cst.Else(cst.IndentedBlock([*body, *orelse]))
    for handler, code in reversed(list(zip(node.handlers, codes[1:], strict=True))):
        test: Any = cst.Name(flag)
        if len(node.handlers) > 1:
            test = cst.Comparison(test, [cst.ComparisonTarget(cst.Equal(), code)])
        branch = cst.If(test, cst.IndentedBlock(_lines(handler.body)), orelse=branch)
    if node.finalbody is None:
        return [tried, branch]
    return [cst.Try(cst.IndentedBlock([tried, branch]), finalbody=node.finalbody)]


def _lines(suite: Any) -> list[Any]:
    """The statements of a suite, one a line."""
    found: list[Any] = []
    for statement in suite.body:
        if isinstance(statement, cst.BaseSmallStatement):
            found.append(cst.SimpleStatementLine([statement]))
        elif isinstance(statement, cst.SimpleStatementLine) and len(statement.body) > 1:
            bare = [p.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for p in statement.body]
            found += [cst.SimpleStatementLine([part]) for part in bare]
        else:
            found.append(statement)
    return found


def _only_names(target: Any) -> bool:
    inner = target.target if isinstance(target, cst.AssignTarget) else target
    if isinstance(inner, cst.Tuple | cst.List):
        return all(_only_names(element.value) for element in inner.elements)
    return isinstance(inner, cst.Name)


def _raises_again(node: Any) -> bool:
    if isinstance(node, cst.Raise):
        return node.exc is None
    return any(map(_raises_again, children(node)))


def is_pure(b: Builder, node: Any) -> bool:
    """Whether evaluating an expression twice is as good as evaluating it once."""
    if isinstance(node, cst.NamedExpr | cst.Lambda | cst.Await | cst.Yield):
        return False
    if isinstance(node, cst.Call) and not _calls_pure(b, node):
        return False
    return all(is_pure(b, child) for child in children(node))


def _calls_pure(b: Builder, call: cst.Call) -> bool:
    func = call.func
    root = func
    while isinstance(root, cst.Attribute):
        root = root.value
    if not isinstance(root, cst.Name) or root.value in b.env:
        named = isinstance(func, cst.Attribute) and func.attr.value in METHODS
        written = any(arg.keyword is not None and arg.keyword.value == "out" for arg in call.args)
        return named and func.attr.value not in WRITING_METHODS and not written
    return kept_text.only_computes(b, call)
