"""What a backward block reads of the forward part."""

from __future__ import annotations

import operator
import types

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.metadata import METADATA, Metadata
from srcgrad.ir.nodes import Block, Equation, Value, Var, equations, uses, variables
from srcgrad.runtime import cast_like, unbroadcast
from srcgrad.simplify.algebra import ARITHMETIC
from srcgrad.simplify.numbers import is_modulus, number


def forward_uses(block: Block, results: list[Value], mine: set[Var]) -> list[Var]:
    """The forward variables that a backward block reads."""
    return [var for var in count_uses(block, results) if var not in mine]


def light(block: Block) -> dict[Var, Equation]:
    """Nameless forward variables that are as well written where they are read."""
    found: dict[Var, Equation] = {}
    for eq in equations(block):
        if len(eq.targets) == 1 and not eq.targets[0].named:
            fn, args = eq.op.fn, eq.args
            scaled = fn is operator.mul and number(args[0]) is not None
            turned = fn is operator.neg or (fn is np.transpose and len(args) == 1)
            if turned or (scaled and all(type_of(a).is_scalar for a in args)):
                found[eq.targets[0]] = eq
    return found


def moduli(block: Block) -> dict[Var, Equation]:
    """The absolute values of complex numbers in the forward part."""
    return {
        eq.targets[0]: eq
        for eq in equations(block)
        if is_modulus(eq.op.fn) and type_of(eq.args[0]).dtype == "c"
    }


def arithmetic(block: Block) -> dict[Var, Equation]:
    """What the forward part computes that the backward part is compared with, by what it gives."""
    return {
        eq.targets[0]: eq
        for eq in equations(block)
        if any(
            eq.op.fn is fn
            for fn in (*ARITHMETIC, np.sum, np.expand_dims, np.linalg.det, operator.getitem)
        )
        and len(eq.targets) == 1
    }


def called_names(block: Block) -> set[str]:
    """The names of functions that are called by their bare names."""
    found = {eq.op.fn for eq in equations(block) if isinstance(eq.op.fn, types.FunctionType)}
    return {fn.__name__ for fn in found if not (fn.__module__ or "").startswith("numpy")}


def shaped_of(block: Block) -> set[Var]:
    """The variables of which a block reads nothing but the shape, for zeros."""
    fns = (np.zeros_like, METADATA["shape"])
    return {v for eq in equations(block) if eq.op.fn in fns for v in uses(eq)}


_OUTLINED = (
    (np.zeros_like, 0),
    (np.ones_like, 0),
    (np.full_like, 0),
    (unbroadcast, 1),
    (cast_like, 1),
)


def outlined_of(block: Block) -> list[Var]:
    """The variables of which shape and element type are read, once for each time."""
    found: list[Var] = []
    for eq in equations(block):
        if isinstance(eq.op.fn, Metadata):
            found += uses(eq)
        for fn, k in _OUTLINED:
            if eq.op.fn is fn:
                found += variables(eq.args[k])
    return found
