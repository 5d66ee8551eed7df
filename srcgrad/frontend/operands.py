"""Lists and tuples of numbers in the place of arrays.

NumPy makes an array of them wherever it computes with them. The text of the call
stays; the derivative reads that array, which gets a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes import infer, type_of
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.lists import leaves
from srcgrad.ir.nodes import Items, Known, Value, Var, is_active
from srcgrad.ir.types import Type
from srcgrad.registry import takes_arrays


def as_operands(b: Builder, values: Sequence[Value], nodes: Sequence[Any]) -> tuple[Value, ...]:
    """Return the operands of an operation, with arrays in the place of lists of numbers.

    Args:
        b: the lowering.
        values: the operands.
        nodes: their expressions.
    """
    if not any(is_active(v) and type_of(v).is_number for v in values):
        return tuple(values)
    if b.formula is not None and not b.formula.user:
        return tuple(values)
    return tuple(_as_array(b, v, n) for v, n in zip(values, nodes, strict=True))


def as_arguments(b: Builder, fn: Any, values: tuple[Value, ...], node: Any) -> tuple[Value, ...]:
    """Return the positional arguments of a call, where these are arrays in the same way."""
    if node is None:  # a part of a call, whose text is not its own
        return values
    given = getattr(node, "args", ())
    if not takes_arrays(fn) or any(a.star or a.keyword for a in given):
        return values
    nodes = [a.value for a in given]
    if len(nodes) == len(values) - 1 and isinstance(node.func, cst.Attribute):
        nodes = [node.func.value, *nodes]  # of a method
    return as_operands(b, values, nodes) if len(nodes) == len(values) else values


def _type_of_array(b: Builder, value: Value) -> Type | None:
    """The type of the array that a list or tuple stands for, None where it stands for none."""
    if isinstance(value, Known) and isinstance(value.object, list | tuple):  # of the module
        try:
            array = np.asarray(value.object)
        except ValueError:
            return None
        return Type("array", (None,) * array.ndim, "?") if array.dtype.kind in "fiubc" else None
    if not isinstance(value, Items) or is_active(value) or not value.items:
        return None
    if not all(type_of(leaf).is_number for leaf in leaves(value)):
        return None
    return infer(b.context.lengths, np.asarray, (value,), ())


def _as_array(b: Builder, value: Value, node: Any) -> Value:
    type_ = _type_of_array(b, value)
    if type_ is None:
        return value
    space = b.source.globals
    hidden = set(b.env) | b.locals | set(b.source.cells)
    name = next((n for n, v in space.items() if v is np and n not in hidden), None)
    if name is None:
        raise b.refuse(node, "a list or tuple in the place of an array", "make it an array")
    call = cst.Call(cst.Attribute(cst.Name(name), cst.Name("asarray")), [cst.Arg(node)])
    b.source.derive(node, call)
    b.context.guards.name(space, name, np)
    made = b.opaque(call, [value], type_)
    if isinstance(made, Var):
        b.layout.roles[made] = f"{node.value}_array" if isinstance(node, cst.Name) else "array"
    return made
