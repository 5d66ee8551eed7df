"""Spelling out ``x[i] *= v`` as ``x[i] = x[i] * v``, whose right side can be given a name.

That is the same for an array. A list or a dict gets another element by it, which is not what
``p["w"] *= v`` does to an array in a dict: what is changed has to be known first.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.desugar.expand import calls
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting
from srcgrad.frontend.text.operators import IN_PLACE
from srcgrad.ir.demands import What


def may_be_spelled_out(b: Builder, statement: Any) -> bool:
    """Whether a statement may have to be written as an assignment."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    small = statement.body[0]
    if not isinstance(small, cst.AugAssign) or not isinstance(small.target, cst.Subscript):
        return False
    return b.context.demands.asks_of(What.STATEMENTS, b.source)


def spell_out(b: Builder, node: cst.AugAssign) -> None:
    """Have a write into an array written as an assignment, in functions that need it."""
    if calls(node.target) or not may_be_spelled_out(b, b.statement):
        return
    raise as_assignment(node)


def as_assignment(node: cst.AugAssign) -> Rewriting:
    """Return what writes ``a += v`` as ``a = a + v``."""
    right = node.value
    if not isinstance(right, cst.Name | cst.Integer | cst.Float | cst.Subscript | cst.Call):
        right = right.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    read = node.target.deep_clone()  # each place of the text is a node of its own
    value = cst.BinaryOperation(read, IN_PLACE[type(node.operator)](), right)
    new = cst.Assign([cst.AssignTarget(node.target)], value)
    return Rewriting(lambda statement: [statement.with_changes(body=[new])])
