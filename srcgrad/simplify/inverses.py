"""Systems of equations with a matrix whose inverse is computed anyway.

The derivative of the logarithm of a determinant is an inverse. Where it is known, solving
another system with the same matrix is a product with it, which costs less.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.blocks import with_blocks
from srcgrad.ir.nodes import Block, Equation, Op, Value, Var


def with_known_inverses(block: Block) -> Block:
    """Multiply with inverses that a block computes, in the place of solving systems.

    Args:
        block: statements; those inside of loops and branches are looked at by themselves.

    Returns:
        The statements, with inverses in front of what is multiplied with them.
    """
    made = {t: eq for eq in block if isinstance(eq, Equation) for t in eq.targets}
    inverses = {eq.args[0]: eq for eq in made.values() if _is_plain(eq, np.linalg.inv, 1)}
    out: list[Any] = []
    placed: set[Equation] = set()
    for statement in block:
        if not isinstance(statement, Equation):
            out.append(with_blocks(statement, with_known_inverses))
            continue
        if statement in placed:
            continue
        if _is_plain(statement, np.linalg.solve, 2):
            matrix, right = statement.args
            turned = made.get(matrix)  # type: ignore[arg-type]
            if turned is not None and _is_plain(turned, np.transpose, 1):
                inverse = inverses.get(turned.args[0])
            else:
                turned, inverse = None, inverses.get(matrix)
            if inverse is not None and type_of(right).ndim in (1, 2):
                (factor,) = inverse.targets
                factor.name = "inverse"
                if inverse not in placed and inverse not in out:
                    out.append(replace(inverse, origin=statement.origin))
                    placed.add(inverse)
                if turned is not None:
                    flipped = Var("turned", turned.targets[0].type)
                    out.append(Equation((flipped,), turned.op, (factor,), (), statement.origin))
                    factor = flipped
                statement = replace(statement, op=Op(operator.matmul), args=(factor, right))
        out.append(statement)
    return tuple(out)


def _is_plain(eq: Equation, fn: Any, count: int) -> bool:
    """Whether an equation is a call of a function of matrices, without options."""
    matrix: Value | None = eq.args[0] if eq.op.fn is fn and eq.args else None
    known = isinstance(matrix, Var) and type_of(matrix).ndim == 2
    return known and len(eq.args) == count and not eq.options and eq.op.style != "method"
