"""Splines on a tape: what is made of recorded values is recorded, and so are its calls.

SciPy makes an object of a spline. Its arrays, and what it gives at some points, are
functions of arrays that have formulas.
"""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad import registry
from srcgrad.errors import MissingFormulaError
from srcgrad.tape.calls import call
from srcgrad.tape.formulas import has_box
from srcgrad.tape.recording import raw, unboxed
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
    if others or given.get("k", 3) < 2:
        raise MissingFormulaError(
            f"the formula for {fn.__name__} does not differentiate {(others or ['k < 2'])[0]}",
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
    return Recorded(arrays, recipe.form, extrapolate, given.get("axis", 0))


class Recorded:
    """A spline whose coefficients are recorded.

    Args:
        arrays: what its form calls for: coefficients, and where its pieces end.
        form: which function of these its calls stand for.
        extrapolate: what it is beyond its ends.
        axis: where the axes of points stand in what it gives.
    """

    def __init__(self, arrays: Any, form: Any, extrapolate: Any, axis: int) -> None:
        self.arrays, self.form = arrays, form
        self.extrapolate, self.axis = extrapolate, axis

    def __call__(self, points: Any, nu: int = 0, extrapolate: Any = None) -> Any:
        beyond = self.extrapolate if extrapolate is None else extrapolate
        return call(
            self.form.evaluate, *self.arrays, points, nu=nu, extrapolate=beyond, axis=self.axis
        )


def evaluate(session: Session, fn: Any, args: Any, options: Any) -> Any:
    """Call a spline of constants: where its points are recorded, so is the call."""
    if not has_box((args, options)):
        return fn(*args, **options)
    form = registry.form_of(fn)
    arrays = [getattr(fn, name) for name in form.names]
    extrapolate = fn.extrapolate if fn.extrapolate == "periodic" else bool(fn.extrapolate)
    points, *rest = args
    return Recorded(arrays, form, extrapolate, fn.axis)(points, *unboxed(rest), **options)


HANDLERS = {"makes_spline": makes_spline, "make_spline": make, "evaluate_spline": evaluate}
