"""Splines: objects that are made of arrays, and then called.

What makes a spline becomes an equation that gives the spline's arrays, and a call of a
spline one of a function of these, both with a formula; the text of both stays as it is.
A spline that was made elsewhere, of numbers that are constant, can be called, too.
"""

from __future__ import annotations

import functools
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import parameters_if_any
from srcgrad.frontend.arrays.operands import as_arguments, nodes_of
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder, has_complex
from srcgrad.frontend.state.closures import capture
from srcgrad.ir.forms import Spline
from srcgrad.ir.nodes import Const, Items, Op, Struct, Value, Var, is_active
from srcgrad.ir.recipes import SplineRecipe
from srcgrad.ir.types import INTEGER, Parts, Type
from srcgrad.program import facts
from srcgrad.registry import find_formula, form_of
from srcgrad.transformation.library_names import qualified_name


def make_spline(
    b: Builder,
    recipe: SplineRecipe,
    fn: Any,
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
) -> Value | None:
    """Lower a call that makes a spline; None where it is kept as it is."""
    args = tuple(capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    active = any(map(is_active, (*args, *options.values())))
    names = [p.name for p in parameters_if_any(fn)]
    given = dict(zip(names, args, strict=False)) | options
    settings = [n for n in ("axis", "extrapolate") if not isinstance(given.get(n), Const | None)]
    known = len(args) <= len(names) and set(given) <= set(names) and set(recipe.data) <= set(given)
    if not active and (settings or not known):
        return None
    if not known:
        raise b.refuse(node, f"this call of {qualified_name(fn)}", "check its arguments")
    if settings:
        raise b.refuse(
            node, f"the option {settings[0]}=, not written out,", "write it as a literal"
        )
    for name, value in given.items():
        if name != recipe.values and is_active(value):
            raise b.refuse(
                node,
                f"an active value as {name} of {qualified_name(fn)}",
                "pass an inactive value or wrap it in stop_gradient",
                f"There is no formula for the slope in {name}.",
            )
    degree = given.get("k", Const(3))
    if degree in (Const(0), Const(1)) or not isinstance(degree, Const):
        if active:  # it may share the memory of the values
            raise b.refuse(
                node, "a spline whose degree is not known to be above 1", "use np.interp"
            )
        return None
    if has_complex((*args, *options.values())):
        if active:
            what = f"{qualified_name(fn)} of complex numbers"
            raise b.refuse(node, what, "make two of real ones")
        return None
    formula = find_formula(recipe.stand_in)
    assert formula is not None
    parameters = parameters_if_any(formula)
    data = tuple(given[name] for name in recipe.data)
    data = as_arguments(
        b, recipe.stand_in, formula, parameters, data, nodes_of(args, options, node)
    )
    used = [(name, given[name]) for name in recipe.options if name in given]
    form = _form(recipe, given)
    type_ = _parts(recipe, form, data, active)
    return b.emit(Op(recipe.stand_in), data, node, tuple(used), type_=type_, active=active)


def _form(recipe: SplineRecipe, given: dict[str, Value]) -> Spline:
    """The form of a spline that is made with these arguments."""

    def setting(name: str, default: Any) -> Any:
        value = given.get(name, default)
        return value.value if isinstance(value, Const) else value

    plain = recipe.form
    periodic = given.get("bc_type") == Const("periodic")
    extrapolate = setting("extrapolate", None)
    if extrapolate is None:
        extrapolate = "periodic" if periodic else True
    return Spline(
        plain.cls,
        plain.names,
        plain.constant,
        plain.evaluate,
        plain.beside,
        extrapolate,
        setting("axis", 0),
    )


def _parts(recipe: SplineRecipe, form: Spline, data: tuple[Value, ...], active: bool) -> Parts:
    """The types of the arrays of a spline."""
    values = data[recipe.data.index(recipe.values)]
    known = type_of(values) if isinstance(values, Var | Const | Items) else Type("numeric")
    shape = known.shape
    made = None
    if isinstance(shape, tuple) and -len(shape) <= form.axis < len(shape):
        axis = form.axis % len(shape)
        made = (*(None,) * form.beside, *shape[:axis], *shape[axis + 1 :])
    coefficients = Type("array", made, "?" if known.dtype == "?" else "f", active)
    ends = Type("array", (None,), "f")
    return Parts.of(form, (coefficients, ends, INTEGER)[: len(form.names)])


@recursion.call_spline.define
def call_spline(
    b: Builder, spline: Struct, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value:
    """Lower the call of a spline."""
    return _evaluate(b, spline.form, spline.items, args, options, node)


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
    form = Spline(
        plain.cls,
        plain.names,
        plain.constant,
        plain.evaluate,
        plain.beside,
        extrapolate,
        read("axis"),
    )
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
    return _evaluate(b, form, tuple(items), args, options, node)


def _evaluate(
    b: Builder,
    form: Spline,
    arrays: tuple[Value, ...],
    args: tuple[Value, ...],
    options: dict[str, Value],
    node: Any,
) -> Value:
    """Lower the call of a spline with these arrays."""
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
    operands = as_arguments(b, form.evaluate, formula, parameters, (*arrays, points), nodes)
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
