"""Leaving out names for old values whose own names turn out to be free.

``h_0 = h`` keeps what ``h`` is before the function assigns it again. Where nobody
reads what is assigned then, that statement is not there any more, and neither name
nor line is needed.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportReturnType=false

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import libcst as cst

from srcgrad.analysis.kept.plans import Plan
from srcgrad.frontend.text.names import assigned_names, names_in
from srcgrad.frontend.text.trees import assigned, kinds_in, nodes_in, per_node


def without_spare_copies(
    body: list[Any], backward: list[str], plan: Plan
) -> tuple[list[Any], list[str]]:
    """Drop such names from a forward part, and from the lines of the backward part."""
    added = {line.partition(" = ")[0] for *_, line in plan.copies}
    kept = list(body)
    holding = Counter(name for statement in body for name in names_in(statement))
    for statement in body:
        pair = _copy(statement)
        if pair is None or pair[0] not in added or pair[1] in plan.rebound():
            continue
        new, old = pair
        if holding[new] > 1:
            continue
        place = next(k for k, other in enumerate(kept) if other is statement)
        if any(old in _rebound(s) for s in kept[place + 1 :]):
            continue
        del kept[place]
        holding.subtract(names_in(statement))
        word = re.compile(rf"\b{new}\b")
        backward = [word.sub(old, line) for line in backward]
    return kept, backward


@per_node
def _rebound(statement: Any) -> frozenset[str]:
    """The names that a statement assigns, writes into or deletes."""
    found = set(assigned_names(statement))
    if cst.Del in kinds_in(statement):
        found.update(*(names_in(part) for part in nodes_in(statement) if type(part) is cst.Del))
    return frozenset(found)


def _copy(statement: Any) -> tuple[str, str] | None:
    """The two names of ``a = b``."""
    target, value = assigned(statement)
    plain = isinstance(target, cst.Name) and isinstance(value, cst.Name)
    return (target.value, value.value) if plain else None
