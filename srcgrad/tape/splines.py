"""Splines on a tape: what is made of recorded values is recorded, and so are its calls.

SciPy makes an object of a spline. Its arrays, and what it gives at some points, are
functions of arrays that have formulas.
"""

from __future__ import annotations

import inspect
from typing import Any

from srcgrad import registry
from srcgrad.errors import MissingFormulaError
from srcgrad.tape.boxes import call
from srcgrad.tape.recording import nodes_in


class Made:
    """A function that makes splines, seen through the tape.

    Args:
        fn: the function of SciPy's.
        recipe: what its calls stand for.
    """

    def __init__(self, fn: Any, recipe: Any) -> None:
        self.__srcgrad_raw__ = fn
        self.recipe = recipe

    def __call__(self, *args: Any, **options: Any) -> Any:
        fn, recipe = self.__srcgrad_raw__, self.recipe
        names = list(inspect.signature(fn).parameters)
        given = dict(zip(names, args, strict=False)) | options
        if not nodes_in((args, options)):
            made = fn(*args, **options)
            return Evaluated(made, registry.form_of(made)) if registry.form_of(made) else made
        others = [name for name in given if name != recipe.values and nodes_in(given[name])]
        if others or given.get("k", 3) < 2:
            raise MissingFormulaError(
                f"the formula for {fn.__name__} does not differentiate {(others or ['k < 2'])[0]}",
                fixes=["pass a constant, or use np.interp"],
            )
        settings = {name: given[name] for name in recipe.options if name in given}
        arrays = call(recipe.stand_in, [given[name] for name in recipe.data], settings)
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
        options = {"nu": nu, "extrapolate": beyond, "axis": self.axis}
        return call(self.form.evaluate, (*self.arrays, points), options)


class Evaluated:
    """A spline of constants: where its points are recorded, so is the call.

    Args:
        spline: the object of SciPy's.
        form: which function of its arrays its calls stand for.
    """

    def __init__(self, spline: Any, form: Any) -> None:
        self.__srcgrad_raw__ = spline
        self.form = form

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__srcgrad_raw__, name)

    def __call__(self, points: Any, *args: Any, **options: Any) -> Any:
        spline = self.__srcgrad_raw__
        if not nodes_in(points):
            return spline(points, *args, **options)
        arrays = [getattr(spline, name) for name in self.form.names]
        extrapolate = spline.extrapolate
        if extrapolate != "periodic":
            extrapolate = bool(extrapolate)
        return Recorded(arrays, self.form, extrapolate, spline.axis)(points, *args, **options)
