"""Functions that are defined in both arms of a branch: one function with the branch inside.

``if x > 0:`` with ``def h(v): return v**2``, and ``def h(v): return v**3`` behind ``else:``,
becomes ``cond = x > 0`` and ``def h(v):`` with ``if cond: return v**2`` and
``else: return v**3``. Not in loops, where the test may be another one when the function of an
iteration is called.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import block, statements_in
from srcgrad.frontend.text.names import free_names, local_names
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import assignment, bracketed, expression, text_of
from srcgrad.frontend.text.trees import kinds_in

_OTHER = (cst.Yield, cst.Nonlocal, cst.Global, cst.Await)


def with_branch_inside(source: Source, node: cst.If, fresh: Callable[[str], str]) -> list[Any]:
    """Return a branch as it is, or the function that both of its arms define.

    Args:
        source: the function around it.
        node: the branch.
        fresh: gives a name that is not taken.
    """
    chosen = _lambdas_in(node)
    if chosen is not None:
        target, lambdas = chosen
        made = _one_lambda(source, node, node.test, target, lambdas, fresh)
        return made or [node]
    arms = [node.body, node.orelse.body] if isinstance(node.orelse, cst.Else) else []
    both = [_function_in(arm) for arm in arms]
    if len(both) < 2 or None in both:
        return [node]
    first, second = both
    if first.name.value != second.name.value or text_of(first.params) != text_of(second.params):
        return [node]
    if any(not kinds_in(f.body).isdisjoint(_OTHER) or _has_defaults(f) for f in both):
        return [node]
    if free_names(first) & local_names(second) or free_names(second) & local_names(first):
        return [node]
    name, line = _named(node.test, fresh)
    choice = cst.If(
        cst.Name(name),
        block(statements_in(first.body)),
        cst.Else(block(statements_in(second.body))),
    )
    made = first.with_changes(body=block([choice]), leading_lines=())
    out = [line.with_changes(leading_lines=node.leading_lines), made]
    for old, new in ((node, line), (node, choice), (first, made)):
        source.derive(old, new)
    return out


def with_choice_inside(
    source: Source, line: cst.SimpleStatementLine, fresh: Callable[[str], str]
) -> list[Any]:
    """Return ``h = (lambda v: a) if t else (lambda v: b)`` as one lambda, other lines as they are.

    Args:
        source: the function around it.
        line: the statement.
        fresh: gives a name that is not taken.
    """
    small = line.body[0]
    value = small.value if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
    if not isinstance(value, cst.IfExp):
        return [line]
    lambdas = [value.body, value.orelse]
    if not all(isinstance(part, cst.Lambda) for part in lambdas):
        return [line]
    return _one_lambda(source, line, value.test, small.targets[0].target, lambdas, fresh) or [line]


def _lambdas_in(node: cst.If) -> tuple[Any, list[Any]] | None:
    """The name that both arms give a lambda, and these, None for other branches."""
    arms = [node.body, node.orelse.body] if isinstance(node.orelse, cst.Else) else []
    found: list[Any] = []
    for arm in arms:
        line = arm.body[0] if len(arm.body) == 1 else None
        small = line.body[0] if isinstance(line, cst.SimpleStatementLine) else line
        alone = isinstance(small, cst.Assign) and len(small.targets) == 1
        if not alone or not isinstance(small.value, cst.Lambda):
            return None
        found.append((small.targets[0].target, small.value))
    names = {target.value for target, _ in found if isinstance(target, cst.Name)}
    return (found[0][0], [part for _, part in found]) if len(names) == 1 == len(found) - 1 else None


def _one_lambda(
    source: Source, origin: Any, test: Any, target: Any, lambdas: list[Any], fresh: Any
) -> list[Any] | None:
    first, second = lambdas
    if text_of(first.params) != text_of(second.params) or _has_defaults(first):
        return None
    name, line = _named(test, fresh)
    loose = isinstance(first.body, cst.IfExp | cst.Lambda)
    then = bracketed(first.body) if loose else first.body
    body = expression(f"_a if {name} else _b", _a=then, _b=second.body)
    made = assignment(target, first.with_changes(body=body, lpar=(), rpar=()))
    out = [line.with_changes(leading_lines=origin.leading_lines), made]
    for new in out:
        source.derive_all(origin, new)
    return out


def _named(test: Any, fresh: Callable[[str], str]) -> tuple[str, Any]:
    """A name for whether a test holds, and the statement that gives it one."""
    negated = isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
    truth = negated or isinstance(test, cst.Comparison)  # which nothing changes later
    plain = test.with_changes(lpar=(), rpar=())
    name = fresh("cond")
    return name, assignment(name, plain if truth else expression("bool(_t)", _t=plain))


def _function_in(arm: Any) -> Any:
    """The function whose definition is all that an arm does, None for any other arm."""
    found = arm.body[0] if len(arm.body) == 1 else None
    plain = isinstance(found, cst.FunctionDef) and not found.decorators
    return found if plain and not found.asynchronous else None


def _has_defaults(node: cst.FunctionDef | cst.Lambda) -> bool:
    params = node.params
    return any(p.default is not None for p in (*params.params, *params.kwonly_params))
