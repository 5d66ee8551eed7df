"""Writing out zeros, where a zero cotangent must exist at run time."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.forms import NamedTuple, Registered
from srcgrad.ir.nodes import LIST_NEW, Const, Known, Op, Perturbation, Value, Var
from srcgrad.ir.types import OPAQUE, Parts, Type, bar_type_of, flat_types
from srcgrad.runtime import zeros_in, zeros_of_active


def zero(b: Builder, var: Var, origin: Any) -> Value:
    """Return a zero in the shape of a variable.

    A variable without dimensions has the zero ``0.0``.
    """
    b.fixed_origin = origin
    if var.type.kind == "list":
        return _zero_list(b, var)
    if var.type.is_scalar or var.type.kind == "scalar" or isinstance(var, Perturbation):
        return Const(0.0)
    type_ = cotangent_type(var)
    like = var if var.named else b.context.template(var)
    plain = like is var and not var.named and not b.context.precisions  # zeros are float64
    if plain and _is_written_out(var.type.shape):
        of_complex = (("dtype", Known(np.complex128, "np.complex128")),)
        options = of_complex if type_.dtype == "c" else ()
        return b.emit(Op(np.zeros), (Const(var.type.shape),), None, options, type_=type_)
    return zeros_like(b, like, type_)


def zero_of_cotangent(b: Builder, bar: Var, origin: Any) -> Value:
    """Return a zero in the shape of a cotangent; the elements of a list's have no parts."""
    if bar.type.kind != "list":
        return zero(b, bar, origin)
    b.fixed_origin = origin
    return b.emit(Op(zeros_in), (bar,), None, type_=bar.type)


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


def _zero_list(b: Builder, var: Var) -> Value:
    """Return a list of zeros, one for each element of a list."""
    whole = var.type.element
    if not flat_types(whole):
        return b.emit(Op(LIST_NEW), (), None, type_=Type("list", active=True, element=None))
    made, count = cotangent_type(var), len(flat_types(whole))
    active = active_parts(whole)
    plain = (active == (True,) * count and count > 1) or active is True
    if plain and not _has_names(active):
        return b.emit(Op(zeros_in), (var,), None, type_=made)
    return b.emit(Op(zeros_of_active), (var, Const(active)), None, type_=made)


def active_parts(element: Any) -> Any:
    """What an element of a list is made of, as ``zeros_of_active`` is told it."""
    form: Any = element.form if isinstance(element, Parts) else list
    if form is not list and not isinstance(form, NamedTuple):
        names = form.names
        if isinstance(form, Registered) or not all(type(name) is str for name in names):
            raise UnsupportedSyntaxError(
                "a list is differentiated whose elements are not read by name",
                fixes=["keep their parts in lists of their own"],
            )
        return tuple((n, active_parts(part)) for n, part in zip(names, element, strict=True))
    if isinstance(element, tuple):
        return tuple(active_parts(part) for part in element)
    if element.kind == "list" and element.active and element.element is not None:
        return [active_parts(element.element)]
    return element.active


def _has_names(active: Any) -> bool:
    """Whether some elements are objects or dicts, whose parts are read by name."""
    if isinstance(active, tuple | list):
        return any(type(part) is str or _has_names(part) for part in active)
    return False


def cotangent_type(value: Value) -> Type:
    """The type of a value's cotangent."""
    return bar_type_of(type_of(value))
