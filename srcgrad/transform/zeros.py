"""Writing out zeros, where a zero cotangent must exist at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analysis.shapes import type_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.builder import Builder
from srcgrad.ir.forms import FunctionForm
from srcgrad.ir.nodes import LIST_NEW, Const, Known, Op, Value, Var
from srcgrad.ir.records import bar_type_of
from srcgrad.ir.types import OPAQUE, Type, like
from srcgrad.runtime import zeros_in, zeros_of, zeros_of_active


def zero(b: Builder, var: Var, origin: Any) -> Value:
    """Return a zero in the shape of a variable.

    A variable without dimensions has the zero ``0.0``.
    """
    b.fixed_origin = origin
    if var.type.kind == "list":
        return _zero_list(b, var, origin)
    if var.type.kind == "record":
        return b.emit(Op(zeros_of), (var,), None, type_=bar_type_of(var.type))
    if var.type.is_scalar or var.type.kind == "scalar":
        return Const(0.0)
    type_ = cotangent_type(var)
    like = var if var.named else b.context.template(var)
    if like is var and not var.named and _is_written_out(var.type.shape):
        of_complex = (("dtype", Known(np.complex128, "np.complex128")),)
        options = of_complex if type_.dtype == "c" else ()
        return b.emit(Op(np.zeros), (Const(var.type.shape),), None, options, type_=type_)
    return zeros_like(b, like, type_)


def zeros_like(b: Builder, like: Value, type_: Type) -> Value:
    """Return zeros for a cotangent in the shape of an array, which may be real itself."""
    options: tuple[tuple[str, Value], ...] = ()
    if type_.dtype == "c" and b.context.perhaps_real:
        made = b.emit(Op(np.result_type), (like, Const(1j)), None, type_=OPAQUE, active=False)
        options = (("dtype", made),)
    return b.emit(Op(np.zeros_like), (like,), None, options, type_=type_)


def _is_written_out(shape: Any) -> bool:
    """Whether a shape is that of lists in lists; an array has lengths with names, or 1."""
    return (
        isinstance(shape, tuple)
        and all(isinstance(n, int) for n in shape)
        and {*shape} - {1} != set()
    )


def _zero_list(b: Builder, var: Var, origin: Any) -> Value:
    """Return a list of zeros, one for each element of a list."""
    whole = var.type.element
    _require_tuples(whole, origin)
    if not flat_types(whole):
        return b.emit(Op(LIST_NEW), (), None, type_=Type("list", active=True, element=None))
    if not any(t.active for t in flat_types(whole)):  # what it holds is to become active
        whole = _as_if_active(whole)
    flat = flat_types(whole)
    element = tuple(bar_type_of(t) if t.active else None for t in flat)
    made = Type("list", active=True, element=element)
    active = active_parts(whole)
    if (active == (True,) * len(flat) and len(flat) > 1) or active is True:
        return b.emit(Op(zeros_in), (var,), None, type_=made)
    return b.emit(Op(zeros_of_active), (var, Const(active)), None, type_=made)


def _require_tuples(element: Any, origin: Any) -> None:
    """Refuse lists of dicts and objects: their zeros are made of tuples at run time.

    Raises:
        UnsupportedSyntaxError: for an element with parts that have names only.
    """
    if not isinstance(element, tuple):
        return
    form = getattr(element, "form", None)
    if form is not None and not isinstance(form, FunctionForm) and not issubclass(form.cls, tuple):
        spots = []
        if origin is not None and origin.source is not None and origin.statement is not None:
            spots = [origin.source.spot(origin.statement)]
        raise UnsupportedSyntaxError(
            f"reading a part of a list of values of class {form.cls.__name__} is not supported",
            spots=spots,
            fixes=["use tuples or named tuples"],
        )
    for part in element:
        _require_tuples(part, origin)


def _as_if_active(element: Any) -> Any:
    if isinstance(element, tuple):
        return like(element, (_as_if_active(part) for part in element))
    return element.with_active(element.dtype not in ("i", "b"))


def active_parts(element: Any) -> Any:
    """What an element of a list is made of, as ``zeros_of_active`` is told it."""
    if isinstance(element, tuple):
        return tuple(active_parts(part) for part in element)
    if element.kind == "list" and element.active and element.element is not None:
        return [active_parts(element.element)]
    return element.active


def cotangent_type(value: Value) -> Type:
    """The type of a value's cotangent."""
    return bar_type_of(type_of(value))


def flat_types(element: Any) -> list[Type]:
    """The types of the leaves of a list's elements, in order."""
    if isinstance(element, tuple):
        return [leaf for part in element for leaf in flat_types(part)]
    return [element] if element is not None else []
