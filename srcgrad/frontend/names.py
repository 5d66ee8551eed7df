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


def identifiers(node: cst.CSTNode) -> set[str]:
    """Return every name in a tree that stands for a variable; attributes do not."""
    found: set[str] = set()
    stack: list[cst.CSTNode] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, cst.Name):
            found.add(item.value)
        elif isinstance(item, cst.Attribute):
            stack.append(item.value)
        elif isinstance(item, cst.Arg):
            stack.append(item.value)
        else:
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
        elif isinstance(item, cst.Call) and isinstance(item.func, cst.Attribute):
            if item.func.attr.value in ("append", "pop"):
                _targets(item.func.value, found)
            elif item.func.attr.value == "at" and item.args:
                _targets(item.args[0].value, found)
        stack.extend(item.children)
    return found


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
        elif isinstance(item, cst.Call) and isinstance(item.func, cst.Attribute):
            if item.func.attr.value in ("append", "pop"):
                _targets(item.func.value, found)
            elif item.func.attr.value == "at" and item.args:
                _targets(item.args[0].value, found)
        stack.extend(item.children)
    return found
