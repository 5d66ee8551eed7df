"""Naming the computed defaults of local functions and lambdas.

A default is evaluated once, where the function is defined. Its value gets a name
there, so that it is at hand where the function is called, whatever has become of
the names in its expression by then.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from srcgrad.frontend.text.names import assigned_names
from srcgrad.frontend.text.trees import children

Fresh = Callable[[str], str]
_SOMETIMES = {cst.GeneratorExp, cst.ListComp, cst.IfExp, cst.BooleanOperation}
_LITERALS = (cst.Integer, cst.Float, cst.SimpleString, cst.UnaryOperation)


def name_defaults(
    statement: Any, rebound: set[str], fresh: Fresh
) -> tuple[list[cst.SimpleStatementLine], Any]:
    """Give the computed defaults inside a statement names.

    Returns:
        The lines that must stand before the statement, and the new statement.
    """
    before: list[cst.SimpleStatementLine] = []
    replace: dict[int, cst.BaseExpression] = {}
    for owner, param in _defaults(statement):
        if _is_fixed(param.default, rebound):
            continue
        name = fresh(f"{owner}_{param.name.value}")
        target = cst.AssignTarget(cst.Name(name))
        before.append(cst.SimpleStatementLine([cst.Assign([target], param.default)]))
        replace[id(param)] = cst.Name(name)
    if not before:
        return [], statement
    before[0] = before[0].with_changes(leading_lines=statement.leading_lines)
    new = statement.visit(_Replace(replace))
    return before, new.with_changes(leading_lines=())


def rebound_names(tree: cst.FunctionDef) -> set[str]:
    """The names whose values may differ from what a parameter of that name had."""
    return assigned_names(tree.body)


def _is_fixed(node: Any, rebound: set[str]) -> bool:
    """Whether an expression gives the same wherever it is evaluated."""
    if isinstance(node, cst.Name):
        return node.value not in rebound
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.expression, _LITERALS)
    if isinstance(node, cst.Tuple):
        return all(_is_fixed(e.value, rebound) for e in node.elements)
    return isinstance(node, (*_LITERALS, cst.Attribute))


def _defaults(statement: cst.CSTNode) -> list[tuple[str, cst.Param]]:
    """The parameters with defaults of the functions that are certainly defined."""
    found: list[tuple[str, cst.Param]] = []
    stack: list[Any] = [statement]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is cst.FunctionDef or kind is cst.Lambda:
            owner = node.name.value if kind is cst.FunctionDef else "default"
            params = node.params
            every = (*params.posonly_params, *params.params, *params.kwonly_params)
            found += [(owner, param) for param in every if param.default is not None]
        elif kind not in _SOMETIMES:
            stack += reversed(children(node))
    return found


class _Replace(cst.CSTTransformer):
    def __init__(self, replace: dict[int, cst.BaseExpression]) -> None:
        self.replace = replace

    def leave_Param(self, original_node: cst.Param, updated_node: cst.Param) -> cst.Param:
        default = self.replace.get(id(original_node))
        return updated_node if default is None else updated_node.with_changes(default=default)
