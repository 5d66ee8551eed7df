"""Local functions and lambdas: definitions, and what they capture."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.builder import UNDEFINED, Builder
from srcgrad.frontend.normalise import names_in
from srcgrad.frontend.walking import children
from srcgrad.ir.nodes import Closure, Items, Value


def make_closure(b: Builder, node: cst.FunctionDef, lower: Any) -> Closure:
    """Lower the definition of a local function; its defaults are evaluated here."""
    defaults: dict[str, Value] = {}
    parameters = node.params
    for param in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params):
        if param.default is not None:
            defaults[param.name.value] = lower(b, param.default)
    b.local_functions[id(node)] = defaults
    b.source.kept.append(node)
    return Closure(node, b.source, (), node.name.value)


def captured_names(node: cst.FunctionDef) -> set[str]:
    """The names that a definition reads from outside of itself."""
    return names_in(node.body) - local_names(node)


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
        stack.extend(children(item))
    return found


def _targets(node: Any, found: set[str]) -> None:
    if isinstance(node, cst.Name):
        found.add(node.value)
    elif isinstance(node, cst.Tuple | cst.List):
        for element in node.elements:
            _targets(element.value, found)
    elif isinstance(node, cst.Subscript):
        _targets(node.value, found)


def capture(b: Builder, value: Value) -> Value:
    """Return a value with the captures of local functions filled in as of now."""
    if isinstance(value, Items):
        return Items(tuple(capture(b, item) for item in value.items), value.is_list)
    if not isinstance(value, Closure) or id(value.node) not in b.local_functions:
        return value
    if value.captured:
        return value
    seen: list[tuple[str, Value]] = []
    for name in sorted(captured_names(value.node)):
        held = b.env.get(name)
        if held is None or held is UNDEFINED or held is value:
            continue
        if isinstance(held, Closure) and held.node is value.node:
            continue
        seen.append((name, capture(b, held)))
    return Closure(value.node, value.source, tuple(seen), value.name)
