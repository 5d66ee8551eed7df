"""Writes into things from outside that nobody reads again: counters, histories, what is kept."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from typing import Any

import libcst as cst

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.checks.function_text import GROWING
from srcgrad.frontend.checks.purity import of_program
from srcgrad.frontend.checks.unread import Reads
from srcgrad.frontend.expressions.lowering import lower
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.outer_names import outer_value
from srcgrad.frontend.text.names import names_of_module
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Const, Known, Struct, Value, Var, is_active
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING


def is_unread_write(b: Builder, target: cst.Attribute, value: Value, node: Any) -> bool:
    """Keep ``owner.attribute = value`` as text where nobody reads the attribute.

    Returns:
        Whether that is so.
    """
    name = target.attr.value
    reads = _reads(b)
    if reads is None or not _is_fixed(value):
        return False
    counts = isinstance(node, cst.AugAssign)
    if not (reads.misses_count(name) if counts else reads.misses_attribute(name)):
        return False
    if not _is_elsewhere(b, lower(b, target.value), name):
        return False
    b.layout.impure.add(id(node.value))
    return True


_SAME = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)  # by a whole number, of a float


def is_global_write(b: Builder, target: Any, value: Value, node: Any) -> bool:
    """Keep ``calls += 1`` as text, where that is a number of the module.

    What is differentiated may only be kept there if nobody reads it. All else is read, where the
    name is declared to be that of the module, as what it is at that place.

    Returns:
        Whether the target is such a name.
    """
    if not isinstance(target, cst.Name) or target.value not in names_of_module(b.source.tree):
        return False
    name, reads = target.value, _reads(b)
    unread = reads is not None and reads.misses_name(name)
    own = not is_active(value) and reads is not None and reads.rebound[name] == 1
    fixed = _is_fixed(value) and not b.source.steps
    adds = isinstance(node, cst.AugAssign)
    if fixed and (adds or not unread):
        held = outer_value(b, name, target)
        kinds = {type_of(held).dtype, "i" if adds and isinstance(node.operator, _SAME) else ""}
        fixed = _is_fixed(held) and type_of(value).dtype in kinds
    if not fixed or not (unread or own):
        raise b.refuse(node, "this write to a name of the module", "return the value instead")
    b.layout.impure.add(id(node.value))
    return True


def is_unread_history(b: Builder, call: cst.Call) -> bool:
    """Keep ``rows.append(value)`` as text where nobody reads the list; tell whether that is so."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in GROWING:
        return False
    reads = _reads(b)
    if reads is None or len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return False
    if not _is_history(b, call.func.value, reads) or not _is_fixed(lower(b, call.args[0].value)):
        return False
    b.layout.impure.add(id(call))
    return True


def _reads(b: Builder) -> Reads | None:
    """What the program reads; None in formulas."""
    return None if b.formula is not None else of_program(b.context, b.source.function).reads


def _is_history(b: Builder, node: Any, reads: Reads) -> bool:
    if isinstance(node, cst.Name):
        if node.value in b.env or node.value in b.locals:
            return False
        held = outer_value(b, node.value, node)
        return isinstance(held, Known) and reads.misses_list(held.object, 0)
    if not isinstance(node, cst.Attribute) or not reads.misses_history(node.attr.value):
        return False
    return _is_elsewhere(b, lower(b, node.value), node.attr.value)


def _is_elsewhere(b: Builder, owner: Value, name: str) -> bool:
    """Whether an object is from outside, and its class lets an attribute simply be set."""
    if isinstance(owner, Struct):
        if owner.token is not None and owner.token not in b.frozen:
            return False
        return _sets_plainly(owner.form.cls, name)
    if isinstance(owner, Known):
        return _sets_plainly(facts.class_of(owner.object), name)
    unknown = isinstance(owner, Var) and not owner.type.active and owner.type.kind == "opaque"
    purity = b.context.purity
    return unknown and purity is not None and all(_sets_plainly(c, name) for c in purity.classes)


def _is_fixed(value: Value) -> bool:
    """Whether a value is made of numbers and text, which nobody can write into."""
    if isinstance(value, Const):
        return True
    parts = leaves(value)
    return bool(parts) and all(
        isinstance(part, Const) or (isinstance(part, Var) and part.type.kind == "scalar")
        for part in parts
    )


def _sets_plainly(cls: Any, name: str) -> bool:
    """Tell whether writing an attribute of an object of a class runs no code of the user's."""
    found = facts.in_class(cls, name)
    plain = found is MISSING or not hasattr(type(found), "__set__")
    return plain and facts.in_class(cls, "__setattr__") in (object.__setattr__, type.__setattr__)
