"""Branches that say what a name stands for: around what is written through it, or inside of it.

``if x > 0:`` with ``def h(v): return v**2``, and ``def h(v): return v**3`` behind ``else:``,
becomes ``cond = x > 0`` and ``def h(v):`` with ``if cond: return v**2`` and
``else: return v**3``. Not in loops, where the test may be another one when the function of an
iteration is called.

``t = lo if v < c else hi`` with ``t[0] += v`` behind it becomes ``if v < c:`` with
``lo[0] += v``, and ``else:`` with ``hi[0] += v``. In each arm it is known what is written.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false
# pyright: reportOptionalMemberAccess=false

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import Statements, block, statements_in
from srcgrad.frontend.text.names import bound_names, free_names, local_names, names_written_into
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import assignment, expression, substituted, text_of
from srcgrad.frontend.text.trees import assigned, below, kinds_in

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
    target, value = assigned(line)
    if not isinstance(value, cst.IfExp):
        return [line]
    arms = [block([assignment(target, v)]) for v in (value.body, value.orelse)]
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
    name, value = assigned(found)
    if isinstance(name, cst.Name) and isinstance(value, cst.Lambda):
        body = block([cst.SimpleStatementLine([cst.Return(value.body)])])
        made = cst.FunctionDef(name, value.params, body)
        source.derive_all(found, made)
        return made
    plain = isinstance(found, cst.FunctionDef) and not found.decorators
    return found if plain and not found.asynchronous else None


def _has_defaults(node: cst.FunctionDef | cst.Lambda) -> bool:
    params = node.params
    return any(p.default is not None for p in (*params.params, *params.kwonly_params))


_LONGEST = 6  # statements that read well in both arms


def with_places_in_arms(source: Source, body: Statements, known: Counter[str]) -> Statements:
    """Return the statements of a suite, with what is written through such names in both arms.

    ``known``: how often the function mentions each name.
    """
    for k, statement in enumerate(body):
        choice = _choice(statement)
        if choice is None:
            continue
        name, test, places = choice
        last = max((j for j, s in enumerate(body) if mentions(s)[name]), default=k)
        uses = body[k + 1 : last + 1]
        if not _is_written_through(name, places, uses, known, mentions(statement)):
            continue
        then, orelse = ([_with_place(source, use, name, place) for use in uses] for place in places)
        made = cst.If(test, block(then), cst.Else(block(orelse)))
        made = made.with_changes(leading_lines=statement.leading_lines)
        source.derive(statement, made)
        rest = with_places_in_arms(source, body[last + 1 :], known)
        return [*body[:k], made, *rest]
    return body


def _choice(statement: Any) -> tuple[str, Any, list[str]] | None:
    """The name, the test and the two names in ``t = a if p else b``, None for other statements.

    So it is where the arms of an ``if`` give the name to one of them, and do nothing else.
    """
    if isinstance(statement, cst.If) and isinstance(statement.orelse, cst.Else):
        test, arms = statement.test, [statement.body.body, statement.orelse.body.body]
        given = [assigned(arm[0]) if len(arm) == 1 else (None, None) for arm in arms]
    else:
        target, value = assigned(statement)
        if not isinstance(value, cst.IfExp):
            return None
        test, given = value.test, [(target, part) for part in (value.body, value.orelse)]
    if not all(isinstance(part, cst.Name) for pair in given for part in pair):
        return None
    (name, other), places = zip(*((t.value, v.value) for t, v in given), strict=True)
    if name != other or len({name, *places}) < 3:
        return None
    return name, test.with_changes(lpar=(), rpar=()), list(places)


def _is_written_through(
    name: str, places: list[str], uses: Statements, known: Counter[str], own: Counter[str]
) -> bool:
    """Whether statements write through a name, which is mentioned nowhere else."""
    if not 0 < len(uses) <= _LONGEST:
        return False
    if not any(name in names_written_into(use) for use in uses):
        return False
    if any({name, *places} & bound_names(use) for use in uses):
        return False
    parts = [part for use in uses for part in below(use)]
    if any(isinstance(part, cst.FunctionDef | cst.Lambda | cst.NamedExpr) for part in parts):
        return False
    return known[name] == own[name] + sum(mentions(use)[name] for use in uses)


def mentions(node: Any) -> Counter[str]:
    """Return how often some code mentions each name."""
    return Counter(p.value for p in below(node, variables=True) if type(p) is cst.Name)


def _with_place(source: Source, use: Any, name: str, place: str) -> Any:
    """A statement with a place in the place of a name."""
    made = substituted(use, {name: cst.Name(place)})
    source.derive_all(use, made)
    return made
