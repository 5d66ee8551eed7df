"""What a backward block reads of the forward part."""

from __future__ import annotations

import operator
import types
from typing import Any

import numpy as np

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.memory.clobber import Clobbered
from srcgrad.analysis.shapes.results import type_of
from srcgrad.effects import computes_only
from srcgrad.ir.metadata import METADATA, Metadata
from srcgrad.ir.nodes import (
    Block,
    Const,
    Equation,
    Function,
    If,
    Value,
    Var,
    equations,
    uses,
    variables,
)
from srcgrad.library.libraries import home
from srcgrad.library.tables import is_in
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


_COMPARED = {*ARITHMETIC, np.sum, np.expand_dims, np.linalg.det, operator.getitem}


def arithmetic(block: Block) -> dict[Var, Equation]:
    """What the forward part computes that the backward part is compared with, by what it gives."""
    found = {
        eq.targets[0]: eq
        for eq in equations(block)
        if is_in(eq.op.fn, _COMPARED) and len(eq.targets) == 1
    }
    return found | products(block, None)


def products(block: Block, given: set[Var] | None) -> dict[Var, Equation]:
    """The products of matrices that are there wherever both of their factors are.

    Args:
        block: statements of the forward part.
        given: what the iteration of a loop, or an arm of a branch, begins with; None for
            the function, all of whose statements are reached.
    """
    found: dict[Var, Equation] = {}
    here = set() if given is None else set(given)
    for statement in block:
        if isinstance(statement, Equation):
            fn = statement.op.fn
            factors = statement.args if fn is operator.matmul or fn is np.matmul else ()
            whole = bool(factors) and all(isinstance(f, Var) for f in factors)
            if whole and (given is None or not here.isdisjoint(factors)):
                found[statement.targets[0]] = statement
            here.update(statement.targets)
        elif isinstance(statement, If):
            found |= products(statement.then, set()) | products(statement.orelse, set())
            here.update(m.out for m in statement.merges)
        else:
            found |= products(statement.body, {c.param for c in statement.carried})
            here.update(c.out for c in statement.carried)
    return found


def repeated(function: Function) -> dict[Var, Value]:
    """Nameless values of the forward part that it has computed before, and what these are.

    Args:
        function: the function, which may write into what a value is computed of.
    """
    found: dict[Var, Value] = {}
    clobbered = Clobbered(function)

    def walk(block: Block, seen: dict[Any, Var]) -> None:
        for statement in block:
            if isinstance(statement, If):
                walk(statement.then, dict(seen))
                walk(statement.orelse, dict(seen))
            elif not isinstance(statement, Equation):
                walk(statement.body, dict(seen))
            elif _gives_the_same(statement) and not any(map(clobbered, uses(statement))):
                given = [*statement.args, *(v for _, v in statement.options)]
                operands = [found.get(a, a) if isinstance(a, Var) else repr(a) for a in given]
                names = [name for name, _ in statement.options]
                target = statement.targets[0]
                known = seen.setdefault((statement.op.fn, *operands, *names), target)
                if known is not target:
                    found[target] = known

    walk(function.body, {})
    return found


def _gives_the_same(eq: Equation) -> bool:
    """Tell whether an operation without a name gives the same for the same numbers and arrays."""
    fn, operands = eq.op.fn, (*eq.args, *(v for _, v in eq.options))
    if len(eq.targets) != 1 or eq.targets[0].named or not eq.targets[0].type.is_number:
        return False
    if not all(isinstance(a, Const) or (isinstance(a, Var) and a.type.is_number) for a in operands):
        return False
    library = isinstance(fn, np.ufunc) or home(fn) in _PURE
    return library and computes_only(fn, eq.args, dict(eq.options))


_PURE = ("numpy", "scipy", "math", "_operator")  # whose functions may give the same each time


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
