"""Telling a function of the user's of each gradient, as soon as it is final."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses, defined
from srcgrad.analysis.memory.ownership import Roots, roots_of, trace
from srcgrad.ir.layout import path_text
from srcgrad.ir.leaves import parts_with_paths
from srcgrad.ir.nodes import (
    FINAL,
    Block,
    Equation,
    Function,
    Op,
    Statement,
    Value,
    Var,
    equations,
    uses,
)
from srcgrad.ir.types import Type
from srcgrad.transform.parts import Reversed


@dataclass(frozen=True, eq=False)
class Final:
    """What is told of a gradient."""

    label: str  # what it is the gradient of, as an expression: ``params["W"]``
    fn: Callable[[str, Any], Any]  # the function that is told


def leaves_of(value: Value, label: str) -> list[tuple[Var, str]]:
    """Return the active leaves of an argument with their expressions, given that of it all."""
    return [
        (part, label + path_text(path or ()))
        for path, part in parts_with_paths(value)
        if isinstance(part, Var) and part.type.active
    ]


def with_finals(
    function: Function, part: Reversed, block: Block, results: list[Value], told: Any
) -> tuple[Block, list[Value]]:
    """Put calls into a backward part, each where a result is complete.

    An argument may be written there: nothing behind it reads that, or what shares its memory.

    Args:
        function: the forward part.
        part: the backward part, for what calls have kept.
        block: its statements.
        results: the gradients.
        told: the leaves of the arguments, with their expressions, and what is called; what that
            gives takes the place of the gradient.
    """
    leaves, fn = told
    roots = trace((*function.body, *block))
    kept = {var: eq.args for eq, var in part.residuals.items()}
    kept |= {var: eq.args for eq, (_, hidden) in part.hidden.items() for var in hidden}
    reads = [_reads(statement, kept, roots) for statement in block]
    made_at = {v: k for k, statement in enumerate(block) for v in defined((statement,))}
    counts = count_uses(block, results)
    behind: dict[int, list[Equation]] = {}
    made: list[Value] = []
    for value, (leaf, label) in zip(results, leaves, strict=True):
        place = made_at.get(value, -1) if isinstance(value, Var) else -1
        own = roots_of(leaf, roots)
        place = max([place, *(k for k, found in enumerate(reads) if found & own)])
        origin = block[place].origin if place >= 0 else None
        added = behind.setdefault(place, [])
        given = value
        if isinstance(value, Var) and counts[value] > 1 and not value.type.is_immutable:
            given = Var(value.name, value.type, value.named)  # it is read later as well
            added.append(Equation((given,), Op(np.copy), (value,), (), origin))
        label_ = f"{label}_bar" if label.isidentifier() else f"{leaf.name}_bar"
        new = Var(label_, Type("opaque"), True)
        added.append(Equation((new,), Op(FINAL), (given,), (), origin, Final(label, fn)))
        made.append(new)
    out: list[Statement] = [*behind.get(-1, ())]
    for k, statement in enumerate(block):
        out += [statement, *behind.get(k, ())]
    return tuple(out), made


def _reads(statement: Statement, kept: dict[Var, Any], roots: dict[Var, Roots]) -> Roots:
    """The memory of the forward part that a statement reads."""
    found: Roots = frozenset()
    for eq in equations((statement,)):
        for var in uses(eq):
            for value in kept.get(var, (var,)):
                found |= roots_of(value, roots)
    return found
