"""Splines on a tape: what is made of recorded values is recorded, and so are its calls.

SciPy makes an object of a spline. Its arrays, and what it gives at some points, are
functions of arrays that have formulas.
"""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad import registry
from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call, unknown
from srcgrad.tape.formulas import has_box
from srcgrad.tape.recording import raw
from srcgrad.tape.session import Session


def makes_spline(fn: Any) -> bool:
    """Tell whether a function makes splines."""
    recipe = registry.find_solver(fn)
    return hasattr(getattr(recipe, "form", None), "evaluate")


def make(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Make a spline."""
    if not has_box((args, options)):
        return fn(*args, **options)
    recipe = registry.find_solver(fn)
    names = list(inspect.signature(fn).parameters)
    given = dict(zip(names, args, strict=False)) | options
    others = [name for name in given if name != recipe.values and has_box(given[name])]
    if given.get("k", 3) < 2:
        return unknown(session, fn, args, options)
    if others:
        raise MissingFormulaError(
            f"the formula for {fn.__name__} does not differentiate {others[0]}",
            fixes=["pass a constant, or use np.interp"],
        )
    settings = {name: given[name] for name in recipe.options if name in given}
    arrays = call(recipe.stand_in, *[given[name] for name in recipe.data], **settings)
    # where the pieces end is constant
    arrays = [
        part if name == "c" else raw(part)
        for name, part in zip(recipe.form.names, arrays, strict=False)
    ]
    ends, extrapolate = given.get("bc_type"), given.get("extrapolate")
    if extrapolate is None:
        extrapolate = "periodic" if isinstance(ends, str) and ends == "periodic" else True
    named = dict(zip(recipe.form.names, arrays, strict=False))
    cls = recipe.form.cls
    return call(cls.construct_fast, **named, extrapolate=extrapolate, axis=given.get("axis", 0))


def evaluate(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a spline: where its points or coefficients are recorded, so is the call."""
    form = registry.form_of(fn)
    arrays = [getattr(fn, name) for name in form.names]
    if not has_box((arrays, args, options)):
        return fn(*args, **options)
    return _evaluated(form, arrays, fn, *args, **options)


def _evaluated(
    form: Any, arrays: Any, fn: Any, points: Any, nu: int = 0, extrapolate: Any = None
) -> Any:
    beyond = fn.extrapolate if extrapolate is None else extrapolate
    beyond = beyond if isinstance(beyond, str) else bool(beyond)
    return call(form.evaluate, *arrays, points, nu=nu, extrapolate=beyond, axis=fn.axis)


HANDLERS = {"makes_spline": makes_spline, "make_spline": make, "evaluate_spline": evaluate}
