"""Calls of splines that were made elsewhere, of numbers that are constant.

A call is one of a function of the spline's arrays, which has a formula; its text stays as it is.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import parameters_if_any
from srcgrad.frontend.arrays.operands import as_arguments, nodes_of
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.forms import Spline
from srcgrad.ir.nodes import Const, Op, Value, Var, is_active
from srcgrad.ir.types import INTEGER, Type
from srcgrad.program import facts
from srcgrad.registry import find_formula, form_of


def call_known_spline(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower the call of an object that is a spline; None where it is none, or nothing moves."""
    plain = form_of(fn)
    if plain is None or b.formula is not None or not isinstance(node, cst.Call):
        return None
    if not any(map(is_active, (*args, *options.values()))):
        return None
    read = functools.partial(facts.attribute, fn)
    if np.iscomplexobj(read("c")):
        raise b.refuse(node, "a spline of complex numbers", "make two of real ones")
    beyond = read("extrapolate")
    extrapolate = "periodic" if beyond == "periodic" else bool(beyond)
    form = replace(plain, extrapolate=extrapolate, axis=read("axis"))
    items = []
    for name in form.names:
        text = cst.Attribute(node.func, cst.Name(name))
        b.source.derive(node.func, text)
        held = read(name)
        type_ = INTEGER if isinstance(held, int) else Type("array", (None,) * held.ndim, "f")
        item = b.opaque(text, [], type_)
        if isinstance(item, Var) and isinstance(node.func, cst.Name):
            b.layout.roles[item] = f"{node.func.value}_{name}"
        items.append(item)
    names = [p.name for p in parameters_if_any(form.cls.__call__)][1:]  # behind self
    given = dict(zip(names, args, strict=False)) | options
    if len(args) > len(names) or not set(given) <= set(names) or names[0] not in given:
        raise b.refuse(node, "this call of a spline", "check its arguments")
    points, nu = given.pop(names[0]), given.pop("nu", Const(0))
    extrapolate = given.pop("extrapolate", Const(None))
    if extrapolate == Const(None):
        extrapolate = Const(form.extrapolate)
    for name, value in (("nu", nu), ("extrapolate", extrapolate)):
        if not isinstance(value, Const):
            raise b.refuse(node, f"the option {name}=, not written out,", "write it as a literal")
    settings = {"nu": nu, "extrapolate": extrapolate, "axis": Const(form.axis)}
    defaults = {"nu": Const(0), "extrapolate": Const(True), "axis": Const(0)}
    used = tuple((k, v) for k, v in settings.items() if v != defaults[k])
    formula = find_formula(form.evaluate)
    assert formula is not None
    parameters = parameters_if_any(formula)
    nodes = nodes_of(args, options, node)
    operands = as_arguments(b, form.evaluate, formula, parameters, (*items, points), nodes)
    type_ = Type("array", _shape(b, form, operands[0], operands[-1]), "f")
    return b.emit(Op(form.evaluate), operands, node, used, type_=type_)


def _shape(b: Builder, form: Spline, coefficients: Value, points: Value) -> Any:
    """The shape of what a spline gives."""
    made, at = type_of(coefficients).shape, type_of(points).shape
    if not isinstance(made, tuple) or not isinstance(at, tuple):
        return b.context.lengths.fresh_shape()
    others = made[form.beside :]
    axis = form.axis % (len(others) + 1)
    return (*others[:axis], *at, *others[axis:])
