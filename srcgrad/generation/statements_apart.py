"""Statements that no code can be generated for: which of a function are recorded alone.

A refusal names a line. The smallest statement around it that may be a function of its own is
made one, ``generation.outlining``, and the call of that function is recorded as others
are. What it gives has to be known when code is generated; that is looked at while the whole
function is recorded, once, in the first call.
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from srcgrad.calling.transformed import UNSEEN
from srcgrad.errors import SrcgradError
from srcgrad.frontend.checks.changed_state import changes_nothing
from srcgrad.frontend.checks.foreign_values import gives_foreign
from srcgrad.generation.outlining import Region, candidates
from srcgrad.program.syntax_trees import functions_at

if TYPE_CHECKING:
    from srcgrad.calling.transformed import Transform
    from srcgrad.ir.demands import Demands
    from srcgrad.transformation.context import Context

_MOST = 6  # regions of one derivative, and
_TRIES = 12  # how many are tried


def region_for(
    transform: Transform, arguments: Any, context: Context, error: SrcgradError
) -> Region | None:
    """Return the next statement to record alone, because of a refusal.

    Returns:
        None where there is none, or where it is not known what they give.
    """
    demands, known = context.demands, arguments is not None and bool(error.spots)
    if not known or not error.recordable or len(demands.tried) >= _TRIES:
        return None
    unseen = []
    for region in _around(transform, demands, _places(context, error)):
        if region.key in demands.tried:
            continue
        if gives_foreign(region.function):
            continue
        if not changes_nothing(context, region.function, region.numbers):
            continue
        gives = transform.seen(region.key, arguments or ())
        if gives is UNSEEN:
            unseen.append(region)
        elif gives is not None and not unseen:
            own = [r for r in demands.regions if not r.meets(region)]
            return region if len(own) < _MOST else None
    error.unseen = tuple(unseen)
    return None


def _places(context: Context, error: SrcgradError) -> Iterator[tuple[types.FunctionType, int]]:
    """The functions and lines that a refusal is about: its own, and those of the calls to it."""
    spot = error.spots[0]
    owners = [f for f in context.prepared if _holds(f, spot.filename, spot.lineno)]
    if owners:
        yield min(owners, key=_length), spot.lineno
    yield from (call for call in error.calls if call[0] in context.prepared)


def _around(transform: Transform, demands: Demands, places: Any) -> Iterator[Region]:
    """Go through the regions around lines, joined with those of the function that they touch."""
    taken = frozenset(r.function.__name__ for r in demands.regions)
    for owner, line in places:
        for region in candidates(owner, line, line, taken):
            touched = [r for r in demands.regions if r.meets(region)]
            if not touched:
                yield transform.regions.setdefault(region.key, region)
                continue
            first = min(r.first for r in (region, *touched))
            last = max(r.last for r in (region, *touched))
            for joined in itertools.islice(candidates(owner, first, last, taken), 2):
                yield transform.regions.setdefault(joined.key, joined)


def _length(function: types.FunctionType) -> int:
    node: Any = functions_at(function.__code__, function.__globals__)[0]
    return node.end_lineno - node.lineno


def _holds(function: types.FunctionType, filename: str, line: int) -> bool:
    """Tell whether a line stands in a function."""
    if hasattr(function, "__srcgrad_generated__") or function.__code__.co_filename != filename:
        return False
    nodes = functions_at(function.__code__, function.__globals__)
    return len(nodes) == 1 and nodes[0].lineno <= line <= nodes[0].end_lineno  # type: ignore
