"""What a comprehension is about: functions, objects, or arrays that may be written into later."""

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.frontend.containers.constructors import is_made_by_init
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.names import names_written_into
from srcgrad.ir.nodes import Known, Var
from srcgrad.program import facts


def makes_functions(node: Any) -> bool:
    """Whether the elements of a comprehension are functions, or tuples with functions."""
    element = node.value if isinstance(node, cst.DictComp) else node.elt
    if isinstance(element, cst.Tuple | cst.List):
        return any(isinstance(e.value, cst.Lambda) for e in element.elements)
    return isinstance(element, cst.Lambda)


def makes_objects(b: Builder, node: Any) -> bool:
    """Whether the elements of a comprehension are new objects of a class of the user's."""
    element = node.value if isinstance(node, cst.DictComp) else node.elt
    if not isinstance(element, cst.Call) or not isinstance(element.func, cst.Name):
        return False
    label = element.func.value
    held = b.env.get(label) or facts.read_name(b.source.cells.get(label, b.source.globals), label)
    return is_made_by_init(held.object if isinstance(held, Known) else held)


def targets_of(b: Builder, node: Any) -> list[Any]:
    """What a statement assigns that does nothing else than to make this comprehension."""
    line = getattr(b.statement, "body", ())
    small = line[0] if isinstance(line, tuple | list) and len(line) == 1 else None
    if not isinstance(small, cst.Assign) or small.value is not node:
        return []
    return [target.target for target in small.targets]


def may_be_written(b: Builder, node: Any, active: bool) -> bool:
    """Whether a comprehension is a list that is kept, and its arrays may be written into later."""
    targets = targets_of(b, node)
    if not targets or not isinstance(node, cst.ListComp):
        return False
    by_others = any(isinstance(target, cst.Attribute) for target in targets)
    return active or by_others or bool(names_written_into(b.source.tree))


def is_array(sample: Any) -> bool:
    """Whether an element of a comprehension is an array, or may be one."""
    if not isinstance(sample, Var) or sample.type.is_scalar:
        return False
    return sample.type.kind == "array" or (sample.type.is_number and sample.type.dtype == "f")
