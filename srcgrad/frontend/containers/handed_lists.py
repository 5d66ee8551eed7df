"""Lists of varying length that a called function is given, changes or gives back.

Such a list is one variable, in the caller as in the called function. What the function
has made of it is handed back with the result, as for objects (`handed_objects.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from srcgrad.analysis.memory.list_versions import is_list, list_versions
from srcgrad.errors import MutationError
from srcgrad.frontend.containers.handed_objects import HandBack, new_leaves
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Compound, Function, Value, Var
from srcgrad.ir.rebuilding import with_leaves


def changeable_lists(b: Builder, values: list[Value]) -> tuple[bool, ...]:
    """For each leaf of some arguments, whether it is a list that the call may change.

    That is one that the caller may change itself, and that is given under one name only.
    """
    found: list[tuple[Value, bool]] = []

    def walk(value: Value, own: bool) -> None:
        if isinstance(value, Compound):
            inside = value.token is not None and value.token not in b.frozen
            for item in value.items:
                walk(item, inside)
        else:
            found.append((value, own))

    for value in values:
        walk(value, True)
    places = Counter(id(value) for value, _ in found)
    return tuple(
        own and places[id(v)] == 1 and is_list(v) and v not in b.frozen for v, own in found
    )


def activated(function: Function, lists: Iterable[Var]) -> bool:
    """Let the lists be active, in place, into which a function puts what is differentiated.

    Returns:
        Whether there are any, so that the function must be lowered again.
    """
    ends = {before: end for before, end in function.objects if isinstance(before, Var)}
    changed = False
    for var in lists:
        end = ends.get(var)
        if not isinstance(end, Var) or not end.type.active or var.type.active:
            continue
        var.type = replace(var.type, active=True)
        changed = True
    return changed


def lists_given_back(
    b: Builder, function: Function, shown: Value, value: Value, values: list[Value], ends: list[Var]
) -> Value:
    """The result of a call, with the caller's lists where it gives back some of them."""
    lists = [(p, q) for p, q in zip(leaves(shown), leaves(value), strict=True) if is_list(p)]
    if not lists:
        return value
    back = HandBack(b, function, values, ends, None)
    known = {**back.given, **dict(zip(new_leaves(function), ends, strict=True))}
    same = list_versions(function.body, back.given)
    new: dict[int, Value] = {}
    for inner, outer in lists:
        if inner in known:
            new[id(outer)] = known[inner]
            continue
        shared = [back.given[var] for var in same.get(inner, ())]  # type: ignore[arg-type]
        if shared:  # which of them it is, is not known
            b.frozen |= {outer, *shared, *ends}
    return with_leaves(value, new) if new else value


def changed_unseen(b: Builder) -> MutationError:
    """The error for a list that a function changes, while its caller cannot tell which it is."""
    return MutationError(
        "a list is changed in place that may have another name",
        spots=[b.source.spot(b.source.tree)],
        why="What is read under the other name afterwards depends on whether it is the same "
        "list, which is not known when code is generated.",
        fixes=["change a copy: t = list(t)", "build a new list instead"],
    )
