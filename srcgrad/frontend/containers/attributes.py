"""Lowering of attribute access."""

from __future__ import annotations

import enum
import functools
import math
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.constants import type_of_constant
from srcgrad.analysis.shapes.draws import GENERATORS
from srcgrad.analysis.shapes.results import type_of
from srcgrad.formulas import load_used
from srcgrad.formulas.numpy.arrays.methods import ATTRIBUTES
from srcgrad.frontend.checks.changed_state import changed_state
from srcgrad.frontend.checks.purity import of_program
from srcgrad.frontend.containers import objects
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.outer_names import (
    any_number,
    described_attribute,
    outer_attribute,
    outer_variable,
    type_held,
)
from srcgrad.frontend.state.recursion import call_own, require_formula
from srcgrad.frontend.text.names import attributes_written
from srcgrad.ir.demands import What
from srcgrad.ir.metadata import METADATA
from srcgrad.ir.nodes import (
    Closure,
    Const,
    Equation,
    Items,
    Known,
    MemoryNote,
    Method,
    Op,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.structures import is_object
from srcgrad.ir.types import COMMUNICATOR, FLOAT_LIMITS, GENERATOR, INTEGER, OPAQUE, REAL, Type
from srcgrad.library.communicators import COUNTING, is_communicator
from srcgrad.library.cupy_names import namesake
from srcgrad.program import facts, namespaces
from srcgrad.program.namespaces import MISSING


@recursion.lower_attribute.define
def lower_attribute(b: Builder, value: Value, name: str, node: Any) -> Value:
    """Lower ``value.name``."""
    if isinstance(value, Method) and name == "__self__":
        return value.receiver
    if isinstance(value, Struct):
        return objects.lower_attribute(b, value, name, node)
    if isinstance(value, Known):
        return _known_attribute(b, value, name, node)
    if isinstance(value, Const) and b.formula is not None and isinstance(value.value, int | float):
        of_a_number = {"ndim": Const(0), "shape": Items(()), "size": Const(1)}
        if name in of_a_number:  # a cotangent that is known
            return of_a_number[name]
    if isinstance(value, Items) and name in value.names:
        return value.items[value.names.index(name)]
    if isinstance(value, Closure | Items | Const):
        return Method(value, name)
    if not isinstance(value, Var):
        raise b.refuse(node, "this attribute access", "assign the object to a name first")
    kind = value.type.kind
    if kind in ("array", "numeric", "scalar"):
        if name in METADATA:
            return metadata(b, value, name, node)
        if name in ATTRIBUTES:
            fn = ATTRIBUTES[name]
            if is_active(value):
                require_formula(b, fn, (value,), node)
            return b.emit(Op(fn, "attribute", name), (value,), node)
        if is_active(value) and name in ("flat", "data", "ctypes", "base", "strides", "flags"):
            raise b.refuse(
                node, f"the attribute .{name} of an active array", "use .ravel() or indexing"
            )
    of_number = kind == "scalar" and is_active(value)  # another one may be a member of an enum
    if of_number or kind in ("list", "array") or _is_called(b, node):
        return Method(value, name)
    if is_active(value):
        raise b.refuse(node, f"the attribute .{name} of an active value", "take it apart first")
    kind = Type("numeric", None, "?")
    if value.type == COMMUNICATOR and name in COUNTING:
        kind = INTEGER
    elif value.type == FLOAT_LIMITS and name in _LIMITS:
        kind = REAL
    return b.opaque(node, [value], kind)


_LIMITS = {"eps", "epsneg", "max", "min", "tiny", "smallest_normal", "resolution"}


def _is_called(b: Builder, node: Any) -> bool:
    return b.callee is node


def metadata(b: Builder, value: Var, name: str, node: Any) -> Value:
    """Lower ``value.shape`` and its kind, folding what the type tells."""
    value = b.context.template(value)
    type_ = value.type
    if name == "ndim":
        if type_.ndim is not None and (b.formula is not None):
            return Const(type_.ndim)
        result = INTEGER
    elif name == "shape":
        if type_.is_scalar and b.formula is not None:
            return Items(())
        result = Type("shape", type_.shape)
    elif name in ("size", "itemsize", "nbytes"):
        if name == "size" and type_.is_scalar and b.formula is not None:
            return Const(1)
        result = INTEGER
    else:  # the dtype of a complex array makes other arrays complex
        result = replace(OPAQUE, dtype="c") if type_.dtype == "c" else OPAQUE
    op = Op(METADATA[name], "attribute", name)
    made = b.emit(op, (value,), node, type_=result, active=False)
    if name == "size" and type_.ndim == 1:
        b.context.lengths.values[made] = type_.shape[0]  # type: ignore[index]
    return made


def is_dtype_of_numbers(b: Builder, value: Value) -> bool:
    """Whether a value is the dtype of what is differentiated, which is never that of objects."""
    made = (s for s in reversed(b.block) if isinstance(s, Equation) and value in s.targets)
    asked = next((eq.args[0] for eq in made if eq.op.fn is METADATA["dtype"]), None)
    return asked is not None and is_active(asked)


def known_rank(b: Builder, value: Value) -> Value:
    """Return the number that a value is, where it is a known number of axes, or the value.

    The text counts the axes, whatever there are; which way it goes then is known.
    """
    if not isinstance(value, Var):
        return value
    made = (s for s in reversed(b.block) if isinstance(s, Equation) and value in s.targets)
    counted = next((eq.args[0] for eq in made if eq.op.fn is METADATA["ndim"]), None)
    rank = None if counted is None else type_of(counted).ndim
    return value if rank is None else Const(rank)


_BUILDERS = (np.mgrid, np.r_, np.c_)  # of arrays, by what stands in brackets


def _known_attribute(b: Builder, value: Known, name: str, node: Any) -> Value:
    owner = value.object
    first = facts.static(owner, name) if not b.in_formula else MISSING
    lazy = isinstance(first, functools.cached_property)
    if lazy and of_program(b.context, b.source.function).of_object(first.func):
        raise b.refuse(
            node, f"the attribute {name!r}, which has effects the first time,", "make it a method"
        )
    found = facts.attribute(owner, name) if not b.in_formula else getattr(owner, name, MISSING)
    if found is MISSING:
        raise b.refuse(
            node,
            f"the attribute {name!r}, which {value.name or owner!r} does not have,",
            "check its spelling",
        ) from None
    if found is facts.COMPUTED:
        return _computed(b, value, name, node)
    path = f"{value.name}.{name}" if value.name else name
    if is_communicator(found) and b.formula is None:
        return b.opaque(node, [], COMMUNICATOR)
    if type(found) in GENERATORS and b.formula is None:
        return b.opaque(node, [], Type("opaque", element=GENERATOR))
    found = namesake(b.context, found)
    if is_object(found) and b.formula is None:
        return Known(found, path)
    if found is None or isinstance(found, str | bool):
        return Const(found)
    asked = b.formula is None and b.context.demands.asks(What.OPTIONS)
    if asked and type(found) is int and name not in attributes_written(b.source.tree):
        return Const(facts.attribute(owner, name, exactly=True))
    if isinstance(found, int | float) and type(owner).__name__ == "module":
        if b.in_formula or found in (math.inf, -math.inf):
            return Const(found)  # the text that it goes into need not know the module
        if b.formula is None and facts.is_fixed(owner.__name__) and _is_spelled(b, value):
            made = outer_variable(b, path, type_of_constant(found))
            b.context.lengths.fixed[made] = found
            return made
        return b.opaque(node, [], _kind_of(b, owner, name, found))
    if type(found).__name__ == "module":
        load_used()  # reading the attribute may have imported it
        return Known(found, path)
    if callable(found) or isinstance(found, property) or any(found is each for each in _BUILDERS):
        return Known(found, path)
    held = described_attribute(b, owner, name, found)
    if held is not None:
        made = b.opaque(node, [], Type("opaque", element=held), MemoryNote.HIDDEN)
        return outer_attribute(b, owner, name, found, made)
    kind = _kind_of(b, owner, name, found)
    # the object is reached in other ways, also where the text names one that was made here
    made = b.opaque(node, [], kind, None if kind.is_immutable else MemoryNote.HIDDEN)
    if isinstance(found, enum.Enum) and isinstance(made, Var):
        b.members[made] = facts.attribute(owner, name, exactly=True)
    return made if b.in_formula else outer_attribute(b, owner, name, found, made)


def _is_spelled(b: Builder, module: Known) -> bool:
    """Tell whether a module is found under its name wherever the function is."""
    root, *rest = module.name.split(".")
    if root in b.env or root in b.source.cells:
        return False
    found = namespaces.read_name(b.source.globals, root)
    for part in rest:
        found = getattr(found, part, MISSING)
    return found is module.object


def _computed(b: Builder, value: Known, name: str, node: Any) -> Value:
    """Lower an attribute that is what code of the user's gives: that of a property is called."""
    found = facts.static(value.object, name)
    if not isinstance(found, property) or isinstance(value.object, type) or found.fget is None:
        raise b.refuse(
            node,
            f"the attribute {name!r}, which a descriptor or __getattr__ gives,",
            "make it an attribute, or a property",
        )
    style = "method" if isinstance(node, cst.Attribute) else "bound"
    return call_own(b, found.fget, (value,), {}, node, style)


def _kind_of(b: Builder, owner: Any, name: str, found: Any) -> Type:
    """Return the type of what an attribute is now; of any number, where it may be another."""
    known = type_of_constant(found) if b.in_formula else type_held(b, owner, name, found)
    if not known.is_number:
        return Type("numeric", None, "?")
    if b.in_formula:
        return known
    changed = changed_state(b.context)
    of_module = type(owner).__name__ == "module"
    kept = changed.keeps_name(name) if of_module else changed.keeps_attribute(name)
    return known if kept else any_number(known)
