"""How products are written: one sign, one number, and then the factors from left to right."""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass, field
from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.ir.nodes import Equation, Value, Var
from srcgrad.simplify.numbers import may_move, number


@dataclass
class Product:
    """A product of values."""

    # the product of its numbers, with the sign; None without any
    coefficient: float | int | None = None
    negative: bool = False  # whether there is a minus sign
    # the others, in the order in which they are written
    factors: list[Value] = field(default_factory=list)


def product(e: Any, eq: Equation) -> Product:
    """Take a multiplication apart, through the operands that are written inside of it.

    Numbers are drawn together, and where all factors that are no numbers have one
    shape, scalars come first: they are multiplied with each other before any array is.
    A sign stands before a floating-point number: unsigned whole numbers have none, and
    what has been computed with whole numbers stays as it is, since that may wrap around.
    """
    found = Product()
    _gather(e, eq, found)
    target = eq.targets[0]
    arrays = [v for v in found.factors if not type_of(v).is_scalar]
    if type_of(target).ndim and all(e.context.lengths.alike(v, target) for v in arrays):
        scalars = [v for v in found.factors if type_of(v).is_scalar]
        found.factors = scalars + arrays
    real = any(isinstance(v, Var) and is_inexact(v) for v in found.factors)
    if found.coefficient in (1, -1) and real and not makes_number(eq, found.factors):
        found.negative ^= found.coefficient == -1
        found.coefficient = None
    if found.negative and real and found.coefficient is None and not leads(e, found.factors[0]):
        first = next((v for v in found.factors if leads(e, v)), None)
        if first is None:
            found.coefficient = 1.0
        else:
            found.factors = [first, *(v for v in found.factors if v is not first)]
    return found


def leads(e: Any, value: Value) -> bool:
    """Whether what is written first of a value is a number that has a sign."""
    eq = e.written(value)
    while eq is not None and eq.op.fn in (operator.mul, operator.truediv, operator.matmul):
        value = eq.args[0]
        if eq.op.fn is operator.mul:
            parts = product(e, eq)
            if parts.coefficient is not None or parts.negative:
                return True
            value = parts.factors[0]
        eq = e.written(value)
    return not isinstance(value, Var) or is_inexact(value)


def makes_number(eq: Equation, factors: list[Value]) -> bool:
    """Whether a product with a number makes a number of an array without dimensions."""
    alone = len(factors) == 1 and isinstance(factors[0], Var)
    return alone and eq.targets[0].type.is_immutable and not type_of(factors[0]).is_immutable


def is_inexact(value: Var) -> bool:
    """Whether a value certainly holds real or complex numbers."""
    return value.type.dtype in ("f", "c") or value.type.active


def _gather(e: Any, eq: Equation, found: Product) -> None:
    for k, value in enumerate(eq.args):
        inner = e.written(value)
        known = number(value)
        if known is not None and not isinstance(known, bool):
            known *= 1 if found.coefficient is None else found.coefficient
        if known is not None and not isinstance(known, bool) and may_move(known):
            found.coefficient = known
        elif inner is None or inner.options or not is_inexact(inner.targets[0]):
            found.factors.append(value)
        elif inner.op.fn is operator.neg:
            found.negative = not found.negative
            _gather(e, Equation(inner.targets, inner.op, inner.args), found)
        elif inner.op.fn is operator.mul and (k == 0 or flat(e, inner, eq)):
            _gather(e, inner, found)
        else:
            found.factors.append(value)


def flat(e: Any, inner: Equation, outer: Equation) -> bool:
    """Whether a factor that is a product may be multiplied out from left to right."""
    arrays = [v for eq in (inner, outer) for v in eq.args if not type_of(v).is_scalar]
    if not arrays:
        return True
    same = all(e.context.lengths.alike(v, arrays[0]) for v in arrays)
    return same or any(number(v) is not None for v in inner.args)


def negated(node: ast.expr) -> ast.expr:
    """Write the minus sign of a product at its first factor."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.MatMult):
        return ast.BinOp(negated(node.left), node.op, node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return node.operand
    return ast.UnaryOp(ast.USub(), node)


def begins_negative(node: ast.expr) -> bool:
    """Whether a product begins with a minus sign."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.MatMult):
        node = node.left
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)


def sum_of(left: ast.expr, right: ast.expr, minus: bool) -> ast.expr:
    """Write a sum or a difference with no sign behind its operator."""
    if begins_negative(right):
        minus, right = not minus, negated(right)
    elif begins_negative(left) and not minus:
        minus, left, right = True, right, negated(left)
    return ast.BinOp(left, ast.Sub() if minus else ast.Add(), right)


def is_quotient(node: ast.expr) -> bool:
    """Whether an expression is a division by something."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)


def scaled(number: ast.expr, node: ast.expr) -> ast.expr:
    """Write a number in front of the numerator of a quotient."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        return ast.BinOp(scaled(number, node.left), node.op, node.right)
    return ast.BinOp(number, ast.Mult(), node)
