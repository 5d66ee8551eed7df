"""Lists of data, whose elements are of known kinds as long as nothing changes.

A list that is not differentiated is not taken apart. Of one among the arguments, the kind of
its elements is part of the signature instead; of one from outside, it is a fact; of one that a
called function gives, it is known from its text. Whatever may put another element into such a
list has code generated again, for lists of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import libcst as cst

from srcgrad.frontend.checks.purity import MUTATORS
from srcgrad.frontend.text.trees import below
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Compound, Value, Var
from srcgrad.ir.rebuilding import rebuilt
from srcgrad.ir.types import UNKNOWN, Contents, Parts, Type

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder


def are_among(values: Iterable[Value]) -> bool:
    """Tell whether there are lists of data among some values."""
    return any(is_list_of_data(leaf) for value in values for leaf in leaves(value))


def is_list_of_data(value: Any) -> bool:
    """Tell whether a value is a list or tuple of which it is known what it holds."""
    return isinstance(value, Var) and isinstance(value.type.element, Contents)


def without_contents(value: Value) -> Value:
    """Return what an argument stands for, with no more known of lists of data than their class."""
    if isinstance(value, Compound):
        return rebuilt(value, without_contents)
    if not isinstance(value, Var) or not is_list_of_data(value):
        return value
    return Var(value.name, replace(value.type, element=None), value.named)


def may_change(b: Builder, value: Value | None = None) -> None:
    """Note that something may be put into a list, or into any where none is given.

    Raises:
        Specialise: where lists are known by what they hold.
    """
    tracked = isinstance(value, Compound)
    if isinstance(value, Var):
        tracked = value.type.active or value.type.kind in _NO_LISTS
    if tracked:
        return
    b.context.data.changes = True
    if b.context.data.relied_on and b.context.demands.may_ask(What.CONTENTS):
        raise Specialise(What.CONTENTS)


def may_change_by(b: Builder, node: Any) -> None:
    """Note that a piece of kept text may put something into a list.

    Raises:
        Specialise: where lists are known by what they hold.
    """
    if node is None or b.context.data.changes:
        return
    for part in (node, *below(node)):
        if isinstance(part, cst.Attribute) and part.attr.value in MUTATORS:
            may_change(b)
        if isinstance(part, cst.Name) and part.value == getattr.__name__:
            may_change(b)


def may_be_relied_on(b: Builder) -> bool:
    """Rely on what lists hold that are no arguments; return whether that can be done."""
    data = b.context.data
    if data.changes or b.formula is not None or not b.context.demands.may_ask(What.CONTENTS):
        return False
    data.relied_on = True
    return True


def as_data(b: Builder, element: Any) -> Type | None:
    """Return the type of a list that the program has made, given that of an element.

    It is a list that is kept as text, and known by what it holds.
    """
    made = _as_element(element)
    if made == UNKNOWN or not may_be_relied_on(b):
        return None
    return Type("opaque", element=Contents(made, is_list=True))


def _as_element(element: Any) -> Type:
    is_list = getattr(element, "form", None) is list
    if element is None or (isinstance(element, Parts) and not is_list):
        return UNKNOWN
    if isinstance(element, tuple):
        parts = tuple(map(_as_element, element))
        return Type("opaque", element=Contents(UNKNOWN, parts, is_list=is_list))
    if not element.is_number or element.active or element.element is not None:
        return UNKNOWN
    shape = element.shape
    if isinstance(shape, tuple):  # the names of lengths are those of one iteration
        shape = tuple(n if isinstance(n, int) else None for n in shape)
    return replace(element, shape=None if isinstance(shape, str) else shape)


# kinds of values that are no lists among the arguments
_NO_LISTS = ("array", "scalar", "shape", "slice", "list")
