"""Which names a piece of syntax contains, and which of them it assigns."""

from __future__ import annotations

from typing import Any

import libcst as cst


def names_in(node: cst.CSTNode) -> set[str]:
    """Return every name that occurs in a tree."""
    found: set[str] = set()
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            found.add(item.value)
        stack.extend(item.children)
    return found


def local_names(node: cst.FunctionDef) -> set[str]:
    """The names that are local to a definition: parameters and assigned names."""
    parameters = node.params
    found = {
        p.name.value
        for p in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    }
    if isinstance(parameters.star_arg, cst.Param):
        found.add(parameters.star_arg.name.value)
    return found | assigned_names(node.body)


def assigned_names(node: cst.CSTNode) -> set[str]:
    """The names that the code of a node assigns (not inside nested functions)."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Lambda | cst.ListComp | cst.GeneratorExp | cst.SetComp):
            continue
        if isinstance(item, cst.FunctionDef):
            if item is not node:
                found.add(item.name.value)
                continue
        elif isinstance(
            item, cst.AssignTarget | cst.AugAssign | cst.NamedExpr | cst.AnnAssign | cst.For
        ):
            _targets(item.target, found)
        elif isinstance(item, cst.AsName):
            _targets(item.name, found)
        elif isinstance(item, cst.Call):
            _changed_by(item, found)
        stack.extend(item.children)
    return found


def _changed_by(call: cst.Call, found: set[str]) -> None:
    """The names whose arrays or lists a call changes."""
    if isinstance(call.func, cst.Attribute):
        name = call.func.attr.value
        if name in ("append", "pop", "sort", "fill"):
            _targets(call.func.value, found)
        elif name in ("at", "copyto", "fill_diagonal") and call.args:
            _targets(call.args[0].value, found)
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == "out":
            _targets(arg.value, found)


def _targets(node: Any, found: set[str]) -> None:
    if isinstance(node, cst.Name):
        found.add(node.value)
    elif isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            _targets(element.value, found)
    elif isinstance(node, cst.Subscript):
        _targets(node.value, found)


def assigns(node: cst.CSTNode) -> bool:
    """Whether an expression assigns a name (``:=``)."""
    return isinstance(node, cst.NamedExpr) or any(assigns(child) for child in node.children)


def names_written_into(node: cst.CSTNode) -> set[str]:
    """The names whose arrays or lists the code of a node writes into."""
    found: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.AugAssign) or (
            isinstance(item, cst.AssignTarget) and not isinstance(item.target, cst.Name)
        ):
            _targets(item.target, found)
        elif isinstance(item, cst.Call):
            _changed_by(item, found)
        stack.extend(item.children)
    return found
