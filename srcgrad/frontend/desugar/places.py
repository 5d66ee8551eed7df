"""A name that stands for one of two places which are written through it: a branch around these.

``t = lo if v < c else hi`` with ``t[0] += v`` behind it becomes ``if v < c:`` with
``lo[0] += v``, and ``else:`` with ``hi[0] += v``. In each arm it is known what is written.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections import Counter
from typing import Any

import libcst as cst

from srcgrad.frontend.text.exits import Statements, block
from srcgrad.frontend.text.names import bound_names, names_written_into
from srcgrad.frontend.text.source import Source
from srcgrad.frontend.text.templates import substituted
from srcgrad.frontend.text.trees import below

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
        given = [_assigned(arm[0]) if len(arm) == 1 else None for arm in arms]
    else:
        made = _assigned(statement)
        if made is None or not isinstance(made[1], cst.IfExp):
            return None
        test, given = made[1].test, [(made[0], part) for part in (made[1].body, made[1].orelse)]
    names = {pair[0] for pair in given if pair is not None}
    places = [pair[1].value for pair in given if pair and isinstance(pair[1], cst.Name)]
    if len(places) < 2 or len(names) > 1 or len({*places, *names}) < 3:
        return None
    return names.pop(), test.with_changes(lpar=(), rpar=()), places


def _assigned(statement: Any) -> tuple[str, Any] | None:
    """The name that a statement gives something, and what that is."""
    small = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    if not isinstance(small, cst.Assign) or len(small.targets) > 1:
        return None
    target = small.targets[0].target
    return (target.value, small.value) if isinstance(target, cst.Name) else None


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
