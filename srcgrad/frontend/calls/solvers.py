"""Calls of library functions that take a function: solvers, minimisers, integrals.

What is solved for depends on the data that the function is given, and its derivative
needs derivatives of the function. These are generated here for the types of the call,
in the same way as for ``grad`` inside of a function. The call becomes an equation of
a function of ``srcgrad.runtime.scipy.solvers`` that has a formula; its text stays as it is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import parameters_if_any
from srcgrad.frontend.arrays.operands import array_of, nodes_of
from srcgrad.frontend.arrays.splines import call_known_spline, make_spline
from srcgrad.frontend.calls.leaf_functions import of_leaves
from srcgrad.frontend.calls.solved import Derivatives
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.outer_names import rely_on
from srcgrad.ir.nodes import (
    Closure,
    Const,
    Items,
    Known,
    Method,
    Op,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.recipes import Recipe, SplineRecipe
from srcgrad.ir.types import REAL, Parts, Type
from srcgrad.library.attributes import plainly
from srcgrad.registry import find_solver
from srcgrad.runtime.scipy.solvers import columns_of_path, path, roots
from srcgrad.transformation.library_names import qualified_name


def lower_solver(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call of a function that takes a function; None where it is no such call."""
    recipe = find_solver(fn)
    if recipe is None:
        return call_known_spline(b, fn, args, options, node)
    if isinstance(recipe, SplineRecipe):
        return make_spline(b, recipe, fn, args, options, node)
    nodes, plain = nodes_of(args, options, node), (args, options)
    args = tuple(capture(b, v) for v in args)
    options = {k: capture(b, v) for k, v in options.items()}
    if not any(map(is_active, (*args, *options.values()))):
        return None
    given = _bound(b, fn, args, options, node)
    if "y0" in given:
        start = nodes.get(id(_bound(b, fn, *plain, node)["y0"]))
        given["y0"] = array_of(b, given["y0"], start)
    bounds = given.pop("bounds", Const(None)) if recipe.between else Const(None)
    if given.get("tfirst", Const(False)) != Const(False):
        if given["tfirst"] != Const(True):
            raise b.refuse(node, "the option tfirst=, not written out,", "write it as a literal")
        recipe = replace(recipe, before_state=True)
    if bounds != Const(None):
        _check_bounds(b, bounds, node)
        recipe = replace(recipe, stand_in=recipe.between[0], derived=recipe.between[1])
    function, given_args = given.pop(next(iter(given))), given.pop("args", Items(()))
    _check_options(b, fn, recipe, given, node)
    if not isinstance(given_args, Items):
        given_args = Items((given_args,))
    if not isinstance(function, Known | Closure | Struct | Method):
        raise b.refuse(
            node,
            f"a function in {qualified_name(fn)} that is not known",
            "write a function that calls it, and pass that",
        )
    follows = recipe.stand_in in (path, columns_of_path)
    named = (("t", "y") if recipe.before_state else ("y", "t")) if follows else ("x",)
    x = Var("x", _type_of_state(recipe))
    lead = (x,)
    if follows:
        _check_path(b, fn, given, node)
        lead = (Var("t", REAL), x) if recipe.before_state else (x, Var("t", REAL))
    function, passed = of_leaves(b, function, (lead, given_args.items), named, node, follows)
    given_args = Items(passed)
    derivatives = Derivatives(b, function, (lead, given_args.items), recipe, given, node)
    if recipe.stand_in is roots and not recipe.before and derivatives.is_of_numbers():
        raise b.refuse(
            node,
            f"a function in {qualified_name(fn)} that gives a number",
            "give an array of as many equations as unknowns",
        )
    ends: list[Value] = [given.pop(name) for name in recipe.ends]
    if recipe.stand_in in (path, columns_of_path):
        ends.append(Items(tuple(given.pop(name) for name in derivatives.when)))
    moving = Items(tuple(v for v in derivatives.data if is_active(v)))
    still = Items(tuple(v for v in derivatives.data if not is_active(v)))
    rest = Items(tuple(v for value in given.values() for v in variables(value)))
    type_: Any = x.type if recipe.form is None else Parts.of(recipe.form, (x.type,))
    if recipe.stand_in in (path, columns_of_path):
        states = Type("array", (None, None), "f")
        type_ = states if recipe.form is None else Parts.of(recipe.form, (states,))
    elif recipe.rank is None:
        type_ = derivatives.type_of_integral(), REAL
    elif not moving.items:  # what it starts from has no influence
        return b.opaque(node, [*args, *options.values()], type_)
    derived = map(derivatives.make, recipe.derived)
    operands = (*derived, *ends, moving, still, rest)
    if bounds != Const(None):
        operands = (*operands, bounds)
    return b.emit(Op(recipe.stand_in), operands, node, type_=type_)


def _type_of_state(recipe: Recipe) -> Type:
    vector = recipe.rank == 1 or recipe.stand_in in (path, columns_of_path)
    return Type("array", (None,), "f") if vector else REAL


def _bound(b: Builder, fn: Any, args, options, node) -> dict[str, Value]:
    """The arguments of the call by the names of the parameters."""
    parameters = parameters_if_any(fn)
    names = [p.name for p in parameters if p.kind is not p.VAR_KEYWORD]
    others = [name for name in options if name not in names]
    if len(args) > len(names) or (others and len(names) == len(parameters)):
        raise b.refuse(node, f"this call of {qualified_name(fn)}", "check its arguments")
    found = dict(zip(names, args, strict=False)) | options
    if names[0] not in found:
        raise b.refuse(node, f"this call of {qualified_name(fn)}", "pass its function")
    return {name: found[name] for name in (*names, *others) if name in found}


def _check_options(b: Builder, fn: Any, recipe: Recipe, given: dict[str, Value], node) -> None:
    """Refuse options with which the call would mean something else."""
    defaults = {p.name: p.default for p in parameters_if_any(fn)}
    for name, value in given.items():
        if name in recipe.fixed and is_active(value):
            raise b.refuse(
                node,
                f"an active value as {name} of {qualified_name(fn)}",
                "pass an inactive value or wrap it in stop_gradient",
            )
        if name in recipe.plain:
            continue
        if isinstance(value, Const) and value.value in (defaults.get(name), False, None):
            continue
        if isinstance(value, Items) and not value.items and defaults.get(name) == ():
            continue
        raise b.refuse(
            node,
            f"the option {name}= of {qualified_name(fn)}",
            recipe.refused.get(name, f"leave it out (options known: {sorted(recipe.plain)})"),
        )
    guess = given.get(recipe.guess)
    if guess is not None and recipe.rank is not None:
        known = type_of(guess) if isinstance(guess, Var | Const) else None
        if recipe.rank == 0 and (known is None or not known.is_scalar):
            raise b.refuse(
                node,
                f"{qualified_name(fn)} from what is not known to be a number",
                "call the derivative with a number, or solve for each number by itself",
            )
        if known is not None and (known.ndim or 0) > 1:
            raise b.refuse(node, f"{qualified_name(fn)} of more than a vector", "use a vector")
    points = given.get("points")
    if points is not None and points != Const(None):
        known = isinstance(points, Items) and all(isinstance(p, Const) for p in points.items)
        if not known:
            raise b.refuse(
                node,
                f"the option points= of {qualified_name(fn)}, not written out,",
                "write them as numbers, or integrate up to each of them and from it on",
            )
    if given.get("jac") == Const(True):
        raise b.refuse(node, "the option jac=True", "give two functions, one for the derivative")


def _check_path(b: Builder, fn: Any, given: dict[str, Value], node: Any) -> None:
    """Refuse what the path of a differential equation has no derivative formula for."""
    start = given.get("y0")
    known = type_of(start) if isinstance(start, Var) else None
    if known is None or known.ndim != 1:
        raise b.refuse(
            node,
            f"{qualified_name(fn)} from what is not known to be a vector",
            "pass an array of one dimension as y0",
        )
    if "t_span" in given and isinstance(given.get("t_eval"), Const | None):
        raise b.refuse(node, f"{qualified_name(fn)} without t_eval", "give the times")
    for name in ("rtol", "atol"):
        value = given.get(name)
        if not isinstance(value, Const | Var | None) or type_of(value).ndim:  # type: ignore
            raise b.refuse(
                node,
                f"the option {name}= with a number for each variable",
                "give one number",
                "The derivative follows more variables than the path.",
            )
    method = given.get("method")
    if not isinstance(method, Const | None) and not _is_own_method(method):
        raise b.refuse(node, "the option method=, not written out,", "write it as a literal")


def _is_own_method(method: Value | None) -> bool:
    """Whether a value is a class of SciPy's integrators."""
    from scipy import integrate

    thing = method.object if isinstance(method, Known) else None
    name = plainly(thing, "__name__", "")
    return isinstance(thing, type) and getattr(integrate, name, None) is thing


def _check_bounds(b: Builder, bounds: Value, node: Any) -> None:
    """Refuse bounds that move, and such as cannot be told from what they are now."""
    if is_active(bounds):
        raise b.refuse(
            node,
            "an active value as bounds of scipy.optimize.minimize",
            "write the variables in terms of others between fixed bounds: low + (high - low) * x",
            "There is no formula for the slope in a bound.",
        )
    listed = isinstance(bounds, Known) and isinstance(bounds.object, tuple | list)
    if not listed and not isinstance(bounds, Items):
        array = isinstance(bounds, Var) and bounds.type.kind == "array"
        if not array:
            raise b.refuse(
                node,
                "bounds= that is no list of pairs",
                "write a pair for each variable: [(0, None), (0, 1)]",
            )
    rely_on(b, bounds)
