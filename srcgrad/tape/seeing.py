"""Functions that look at the world through a tape.

NumPy asks its arguments what to do; ``math.sin``, ``float`` and functions with a
formula that are written in Python do not. So a function runs with global names
that are looked up as always, and then replaced by what records the call.
"""

from __future__ import annotations

import builtins
import copy
import dis
import functools
import types
from collections import ChainMap
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.libraries import home
from srcgrad.registry import find_formula, find_solver, form_of, is_nondifferentiable
from srcgrad.tape.boxes import call, dispatched
from srcgrad.tape.recording import nodes_in


class Globals(dict):
    """The globals of a function, each seen through the tape when it is looked up.

    Args:
        names: the function's own globals, which stay live.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        super().__init__(__builtins__=builtins)
        self.names = ChainMap(names, vars(builtins))

    def __missing__(self, name: str) -> Any:
        return seen(self.names[name])


class Seen:
    """A module or a function, seen through the tape.

    Args:
        thing: the module or the function.
    """

    def __init__(self, thing: Any) -> None:
        self.__srcgrad_raw__ = thing
        if thing in (float, int, bool):
            self.dtype = np.dtype(thing)

    def __getattr__(self, name: str) -> Any:
        return seen(getattr(self.__srcgrad_raw__, name))

    def __call__(self, *args: Any, **options: Any) -> Any:
        fn = self.__srcgrad_raw__
        return (_extremum if fn in (max, min) else dispatched)(fn, args, options)


def _extremum(fn: Any, args: Any, options: Any) -> Any:
    """``max(a, b, c)`` is taken two by two; with a key, it is one of them."""
    parts = list(args[0]) if len(args) == 1 else args
    if "key" in options or not nodes_in(parts):
        return fn(parts, **options)
    parts = [float(x) if type(x) is int else x for x in parts]  # it may be the result
    return functools.reduce(lambda x, y: call(fn, (x, y)), parts)


def seen(thing: Any) -> Any:
    """Return what stands for an object in a function that is recorded."""
    from srcgrad.tape.derivatives import stand_in

    if not _is_seen(thing):
        return thing
    thing = stand_in(thing)
    if isinstance(thing, types.MethodType):
        return types.MethodType(seen(thing.__func__), thing.__self__)
    if isinstance(thing, functools.partial):
        return functools.partial(seen(thing.func), *thing.args, **thing.keywords)
    spline = _spline(thing)
    if spline is not None:
        return spline
    if thing in _UNSEEN:
        return thing
    library = home(thing) in ("numpy", "math") and not isinstance(thing, type)
    known = isinstance(thing, types.ModuleType | np.ufunc) or is_nondifferentiable(thing)
    if known or library or find_formula(thing) is not None:
        return Seen(thing)
    return _rebuilt(thing) if isinstance(thing, types.FunctionType) else thing


def _spline(thing: Any) -> Any:
    """Return what stands for a spline, or for what makes one; None for anything else."""
    from srcgrad.tape.splines import Evaluated, Made

    recipe, form = find_solver(thing), form_of(thing)
    if form is not None:
        return Evaluated(thing, form)
    return Made(thing, recipe) if hasattr(getattr(recipe, "form", None), "evaluate") else None


_FOLDER = str(Path(__file__).parent)  # its functions see tapes, and are not seen through one

# What works on boxes as it is
_UNSEEN = (sum, copy.copy, copy.deepcopy)


def _is_seen(thing: Any) -> bool:
    return isinstance(thing, types.ModuleType) or (callable(thing) and not isinstance(thing, Seen))


_building: dict[Any, Any] = {}


def _rebuilt(function: Any) -> Any:
    """Return a function with the same code, for which all it refers to is seen."""
    own = function.__code__.co_filename.startswith(_FOLDER)
    if own or isinstance(function.__globals__, Globals):
        return function
    if function in _building:
        return _building[function]
    if _writes_globals(function.__code__):
        raise UnsupportedSyntaxError(
            f"{function.__name__} writes to a global name", fixes=["return the value"]
        )
    closure = function.__closure__ or ()
    cells = tuple(types.CellType() if _is_seen(_content(own)) else own for own in closure)
    names, defaults = Globals(function.__globals__), tuple(map(seen, function.__defaults__ or ()))
    made = types.FunctionType(function.__code__, names, function.__name__, defaults, cells)
    made.__module__, made.__kwdefaults__ = function.__module__, function.__kwdefaults__
    _building[function] = made  # it may be in a cell of its own
    try:
        for cell, own in zip(cells, closure, strict=True):
            if cell is not own:
                cell.cell_contents = seen(own.cell_contents)
    finally:
        del _building[function]
    return made


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not filled yet
        return None


@functools.lru_cache(maxsize=1024)
def _writes_globals(code: types.CodeType) -> bool:
    inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    found = any(step.opname == "STORE_GLOBAL" for step in dis.get_instructions(code))
    return found or any(map(_writes_globals, inner))
