"""Systems of equations with a matrix whose inverse is computed anyway.

The derivative of the logarithm of a determinant is an inverse. Where it is known, solving
another system with the same matrix is a product with it, which costs less.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.blocks import with_blocks
from srcgrad.ir.nodes import Block, Equation, Op, Value, Var, equations, uses


def with_known_inverses(block: Block, solved: Mapping[Var, Equation]) -> Block:
    """Multiply with inverses that a block computes, in the place of solving systems.

    Args:
        block: statements; those inside of loops and branches are looked at by themselves.
        solved: the systems that the forward part solves for nothing but the block, by what
            they give; they need not be solved where the other side is read anyway.
    """
    return _Inverses(block, solved).block()


def systems(block: Block) -> dict[Var, Equation]:
    """Return the systems with a vector that a forward part solves, whose solutions have no name."""
    return {
        eq.targets[0]: eq
        for eq in equations(block)
        if _is_plain(eq, np.linalg.solve, 2)
        and not eq.targets[0].named
        and type_of(eq.args[1]).ndim == 1
    }


class _Inverses:
    def __init__(self, block: Block, solved: Mapping[Var, Equation]) -> None:
        self.statements = block
        self.solved = solved
        self.made = {t: eq for eq in block if isinstance(eq, Equation) for t in eq.targets}
        of_matrices = (eq for eq in self.made.values() if _is_plain(eq, np.linalg.inv, 1))
        self.inverses = {eq.args[0]: eq for eq in of_matrices}
        self.read = {v for eq in self.made.values() for v in uses(eq)} if self.inverses else set()
        self.out: list[Any] = []
        self.placed: set[Equation] = set()
        self.known: dict[Value, Value] = {}

    def block(self) -> Block:
        for statement in self.statements:
            if not isinstance(statement, Equation):
                inner = with_blocks(statement, lambda b: with_known_inverses(b, self.solved))
                self.out.append(inner)
            elif statement not in self.placed:
                self.out.append(self.equation(statement))
        return tuple(self.out)

    def equation(self, eq: Equation) -> Equation:
        for v in uses(eq) if self.inverses else ():
            system = self.solved.get(v)
            if system is not None and v not in self.known and system.args[1] in self.read:
                factor = self.inverse(system.args[0], eq.origin)
                if factor is not None:
                    self.known[v] = solution = Var(v.name, v.type)
                    args = (factor, system.args[1])
                    self.out.append(Equation((solution,), Op(operator.matmul), args, (), eq.origin))
        if any(isinstance(a, Var) and a in self.known for a in eq.args):
            args = tuple(self.known.get(a, a) if isinstance(a, Var) else a for a in eq.args)
            eq = replace(eq, args=args)
        if _is_plain(eq, np.linalg.solve, 2) and type_of(eq.args[1]).ndim in (1, 2):
            factor = self.inverse(eq.args[0], eq.origin)
            if factor is not None:
                return replace(eq, op=Op(operator.matmul), args=(factor, eq.args[1]))
        return eq

    def inverse(self, matrix: Value, origin: Any) -> Value | None:
        """The inverse of a matrix, in front of what is read of it; None where there is none."""
        if not isinstance(matrix, Var):
            return None
        turned = self.made.get(matrix)
        if turned is not None and _is_plain(turned, np.transpose, 1):
            inverse = self.inverses.get(turned.args[0])
        else:
            turned, inverse = None, self.inverses.get(matrix)
        if inverse is None:
            return None
        (factor,) = inverse.targets
        factor.name = "inverse"
        if inverse not in self.placed and inverse not in self.out:
            self.out.append(replace(inverse, origin=origin))
            self.placed.add(inverse)
        if turned is None:
            return factor
        flipped = Var("turned", turned.targets[0].type)
        self.out.append(Equation((flipped,), turned.op, (factor,), (), origin))
        return flipped


def _is_plain(eq: Equation, fn: Any, count: int) -> bool:
    """Whether an equation is a call of a function of matrices, without options."""
    matrix: Value | None = eq.args[0] if eq.op.fn is fn and eq.args else None
    known = isinstance(matrix, Var) and type_of(matrix).ndim == 2
    return known and len(eq.args) == count and not eq.options and eq.op.style != "method"
