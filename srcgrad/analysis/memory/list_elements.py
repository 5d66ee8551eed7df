"""What is active in the elements of a list: one answer for all versions of the list.

A list may start out empty or with constants and receive active values later. The lists of
cotangents and of tangents beside it hold the same parts from the first version to the last. So
all versions agree on which parts of their elements are active, and with them the lists that a
branch or a loop makes one of, and those that are put into the same list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from srcgrad.analysis.memory.list_versions import is_list
from srcgrad.ir.blocks import carried_of, merges_of, statements
from srcgrad.ir.leaves import is_target, leaves
from srcgrad.ir.nodes import (
    LIST_APPEND,
    LIST_INSERT,
    LIST_ITEM,
    LIST_NEW,
    LIST_POP,
    LIST_REVERSED,
    LIST_SET,
    LIST_TAKE,
    LIST_WRITES,
    PAIR,
    Block,
    Equation,
    Function,
    Var,
    equations,
)
from srcgrad.ir.types import Type, flat_types, like
from srcgrad.runtime import add_lists

_PARTS: dict[Any, Callable[[Equation], Any]] = {  # the leaves that go into or come out of elements
    LIST_NEW: lambda eq: eq.args,
    LIST_APPEND: lambda eq: eq.args[1:],
    LIST_INSERT: lambda eq: eq.args[2:],
    LIST_SET: lambda eq: leaves(eq.args[2]),
    LIST_ITEM: lambda eq: eq.targets,
    LIST_POP: lambda eq: eq.targets[1:],
    LIST_TAKE: lambda eq: eq.targets[1:],
}
_ALIKE = (*LIST_WRITES, LIST_REVERSED, list, add_lists)  # what they give is like what they take


def settle_elements(function: Function) -> Equation | None:
    """Let all versions of each list of a function agree on what is active in its elements.

    The types of the variables are changed in place.

    Returns:
        A call of a function for which other parts of the elements are active of a list that it
        is given or gives back, if there is one.
    """
    alike = [(a, b) for a, b in _alike(function.body) if is_list(a) and is_list(b)]
    held = [row for eq in equations(function.body) for row in _held(eq)]
    again = bool(alike or held)
    while again:
        again = False
        for a, b in (*alike, *reversed(alike)):
            again |= _agree(a, b)
        for whole, k, part in (*held, *reversed(held)):
            again |= _agree_on_part(whole, k, part)
    return next((eq for eq in equations(function.body) if _differs(eq)), None)


def _alike(block: Block, calls: frozenset[Function] = frozenset()) -> Iterator[tuple[Any, Any]]:
    """The values that must agree where they are lists; not what some calls give back."""
    for eq in equations(block):
        if eq.op.fn in _ALIKE:
            taken = eq.args if eq.op.fn is add_lists else eq.args[:1]
            yield from ((eq.targets[0], arg) for arg in taken)
        elif eq.op.fn is PAIR:
            yield from _given_back(eq, calls)
    for statement in statements(block):
        for m in merges_of(statement):
            yield from ((m.out, m.then), (m.out, m.orelse))
        for c in carried_of(statement):
            yield from ((c.param, value) for value in (c.init, c.next, c.out))


def _given_back(eq: Equation, calls: frozenset[Function]) -> Iterator[tuple[Any, Any]]:
    """The lists that a call may give back of those that it is given, with these."""
    given, results = _arguments(eq), _results(eq)
    function = eq.payload.pair.function
    if function in calls or not any(map(is_list, given)) or not any(map(is_list, results)):
        return
    alike = list(_alike(function.body, calls | {function}))
    for param, value in given.items():
        same = {param}
        while more := {v for pair in alike if same & {*pair} for v in pair} - same:
            same |= more
        yield from ((target, value) for own, target in results.items() if own in same)


def _arguments(eq: Equation) -> dict[Any, Any]:
    """The leaves of the parameters of a called function, with what it is given for them."""
    pair = eq.payload.pair
    params = pair.params if pair.function is None else pair.function.params
    found: dict[Any, Any] = {}
    for (_, param), value in zip(params, eq.args, strict=False):
        found |= zip(leaves(param), leaves(value), strict=True)
    return found


def _results(eq: Equation) -> dict[Any, Any]:
    """The leaves of what a called function gives, with the variables that they become."""
    function = eq.payload.pair.function
    if function is None:  # it calls itself
        return {}
    return dict(zip(filter(is_target, leaves(function.result)), eq.targets, strict=True))


def _held(eq: Equation) -> Iterator[tuple[Var, int, Var]]:
    """The lists that an equation puts into a list, or takes out of it: it, which part, and they."""
    fn = eq.op.fn
    if fn not in _PARTS:
        return
    whole = eq.args[0] if fn in (LIST_ITEM, LIST_POP, LIST_TAKE) else eq.targets[0]
    width = max(len(flat_types(whole.type.element)), 1) if isinstance(whole, Var) else 1
    for k, part in enumerate(_PARTS[fn](eq)):
        if is_list(part):
            yield whole, k % width, part  # type: ignore[misc]


def _agree(a: Var, b: Var) -> bool:
    """Let two lists agree; return whether that is new."""
    elements = a.type.element, b.type.element
    if not any(t.active for element in elements for t in flat_types(element)):
        return False
    a.type = replace(a.type, element=_with(*elements))
    b.type = replace(b.type, element=_with(*reversed(elements)))
    return (a.type.element, b.type.element) != elements


def _agree_on_part(whole: Var, k: int, part: Var) -> bool:
    """Let a list agree with one that holds it; return whether that is new."""
    elements = whole.type.element, part.type.element
    flat = flat_types(whole.type.element)
    if not flat:
        return False
    active = any(t.active for t in flat_types(part.type.element))
    flat[k] = _with(flat[k], part.type.with_active(active))
    part.type = replace(part.type, element=_with(part.type.element, flat[k].element))
    whole.type = replace(whole.type, element=_filled(whole.type.element, iter(flat)))
    return (whole.type.element, part.type.element) != elements


def _with(a: Any, b: Any) -> Any:
    """What is known of elements, with what is active in others."""
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, tuple):
        return like(a, (_with(p, q) for p, q in zip(a, b, strict=True)))
    element = _with(a.element, b.element) if a.kind == b.kind == "list" else a.element
    return replace(a, active=a.active or b.active, element=element)


def _filled(element: Any, flat: Iterator[Type]) -> Any:
    """Elements of the structure of others, with other leaves."""
    if isinstance(element, tuple):
        return like(element, (_filled(part, flat) for part in element))
    return next(flat)


def _differs(eq: Equation) -> bool:
    """Whether other parts are active in a called function of a list that it has in common."""
    if eq.op.fn is not PAIR:
        return False
    pairs = [*_arguments(eq).items(), *_results(eq).items()]
    elements = [(p.type.element, q.type.element) for p, q in pairs if is_list(p) and is_list(q)]
    active = [(a, b) for a, b in elements if any(t.active for t in flat_types(a))]
    return any(_with(a, b) != a or _with(b, a) != b for a, b in active)
