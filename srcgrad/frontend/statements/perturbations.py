"""Zeros that are added to values of names, which derivatives are taken with respect to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.frontend.arrays.views import parent, stands_for
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.names import bound_names
from srcgrad.ir.nodes import PERTURB, Const, Equation, Op, Perturbation, Var
from srcgrad.ir.types import REAL, Type

# Of any shape: what is added up over iterations may be the number 0 at first.
_ANYWHERE = Type("numeric", None, "f", True)


def perturb(b: Builder, statement: Any) -> None:
    """Add a zero to what a statement has given a name, where that is differentiated."""
    names = bound_names(statement)
    for wanted in b.context.perturbed:
        line = b.source.line_of(statement)
        if wanted.name in names and wanted.holds(b.source.name, wanted.name, line):
            _perturb_name(b, wanted, statement)


def _perturb_name(b: Builder, wanted: Any, statement: Any) -> None:
    value = b.env.get(wanted.name)
    real = isinstance(value, Const) and type(value.value) is float
    known = isinstance(value, Var) and value.type.is_number and value.type.dtype not in ("i", "b")
    if value is None or (not real and not known):
        raise b.refuse(
            statement,
            f"a derivative with respect to {wanted.name!r}, which is no array and no number here,",
            "choose a name of an array of floating-point numbers, or of a number",
        )
    type_ = value.type if isinstance(value, Var) else REAL
    new = b.define(Var(wanted.name, type_.with_active(True), True), None)
    zero = perturbation(b, wanted, type_.dtype)
    of_view = parent(b, value) is not None
    b.block.append(Equation((new,), Op(PERTURB), (value, zero), (), b.origin(None), of_view))
    if isinstance(value, Var):
        stands_for(b, value, new, wanted.name)
    else:
        b.bind(wanted.name, new, write=False)


def perturbation(b: Builder, wanted: Any, dtype: str) -> Perturbation:
    """Return the zero that is added to what a name stands for; a function has it as a parameter."""
    found = b.perturbed.get(wanted)
    if found is None:
        type_ = replace(_ANYWHERE, dtype="c" if dtype == "c" else "f")
        found = b.perturbed[wanted] = Perturbation(wanted.name, type_)
        frame, b.frame = b.frame, b.layout.function
        b.define(found, None)
        b.frame = frame
    return found
