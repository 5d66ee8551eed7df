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
from srcgrad.frontend.text.templates import assignment, expression, text_of
from srcgrad.frontend.text.trees import kinds_in

_OTHER = (cst.Yield, cst.Nonlocal, cst.Global, cst.Await)


def with_branch_inside(source: Source, node: cst.If, fresh: Callable[[str], str]) -> list[Any]:
    """Return a branch as it is, or the function that both of its arms define.

    ``fresh``: gives a name that is not taken.
    """
    arms = [node.body, node.orelse.body] if isinstance(node.orelse, cst.Else) else []
    both = [_function_in(source, arm) for arm in arms]
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
    bodies = [block(statements_in(f.body)) for f in both]
    choice = cst.If(cst.Name(name), bodies[0], cst.Else(bodies[1]))
    made = first.with_changes(body=block([choice]), leading_lines=())
    out = [line.with_changes(leading_lines=node.leading_lines), made]
    for part in out:
        source.derive_all(node, part)
    return out


def with_choice_inside(
    source: Source, line: cst.SimpleStatementLine, fresh: Callable[[str], str]
) -> list[Any]:
    """Return ``h = (lambda v: a) if t else (lambda v: b)`` as one function, others as they are."""
    small = line.body[0]
    value = small.value if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
    if not isinstance(value, cst.IfExp):
        return [line]
    arms = [block([assignment(small.targets[0].target, v)]) for v in (value.body, value.orelse)]
    node = cst.If(value.test, arms[0], cst.Else(arms[1]), leading_lines=line.leading_lines)
    source.derive(line, node)
    made = with_branch_inside(source, node, fresh)
    return [line] if made == [node] else made


def _named(test: Any, fresh: Callable[[str], str]) -> tuple[str, Any]:
    """A name for whether a test holds, and the statement that gives it one."""
    negated = isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not)
    truth = negated or isinstance(test, cst.Comparison)  # which nothing changes later
    plain = test.with_changes(lpar=(), rpar=())
    name = fresh("cond")
    return name, assignment(name, plain if truth else expression("bool(_t)", _t=plain))


def _function_in(source: Source, arm: Any) -> Any:
    """The function that an arm defines, if that is all it does; a lambda as one with a name."""
    found: Any = arm.body[0] if len(arm.body) == 1 else None
    small = found.body[0] if isinstance(found, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Assign) and isinstance(small.value, cst.Lambda):
        names, value = [target.target for target in small.targets], small.value
        if len(names) == 1 and isinstance(names[0], cst.Name):
            body = block([cst.SimpleStatementLine([cst.Return(value.body)])])
            made = cst.FunctionDef(names[0], value.params, body)
            source.derive_all(found, made)
            return made
    plain = isinstance(found, cst.FunctionDef) and not found.decorators
    return found if plain and not found.asynchronous else None


def _has_defaults(node: cst.FunctionDef | cst.Lambda) -> bool:
    params = node.params
    return any(p.default is not None for p in (*params.params, *params.kwonly_params))
