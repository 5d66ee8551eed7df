"""Functions that look at the world through a tape.

NumPy asks its arguments what to do; ``math.sin``, ``float`` and functions with a
formula that are written in Python do not. So a function runs with global names
that are looked up as always, and then replaced by what records the call.
"""

from __future__ import annotations

import builtins
import functools
import types
from typing import Any

import numpy as np

from srcgrad.registry import find_formula, is_nondifferentiable
from srcgrad.tape.calls import boxes_in, call
from srcgrad.tape.recording import Tape, raw

_MADE = (np.zeros, np.ones, np.empty, np.full, np.eye, np.zeros_like, np.ones_like, np.empty_like)

running: list[Tape] = []


class Globals(dict):
    """The globals of a function, each seen through the tape when it is looked up.

    Args:
        names: the function's own globals, which stay live.
        boxing: whether arrays that the function makes are recorded, so that it
            may write recorded values into them.
    """

    def __init__(self, names: dict[str, Any], boxing: bool) -> None:
        super().__init__(__builtins__=names.get("__builtins__", builtins))
        self.names = names
        self.boxing = boxing

    def __getitem__(self, name: str) -> Any:
        if name in self.names:
            return seen(self.names[name], self.boxing)
        return seen(getattr(builtins, name), self.boxing) if hasattr(builtins, name) else {}[name]


class Module:
    """A module, each attribute of which is seen through the tape."""

    def __init__(self, module: Any, boxing: bool) -> None:
        self.module, self.boxing = module, boxing

    def __getattr__(self, name: str) -> Any:
        return seen(getattr(self.module, name), self.boxing)


class Class:
    """A class that is also a function with a formula, such as ``float``."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.dtype = np.dtype(cls)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return call(self.cls, args, options)

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(raw(value), self.cls)


def seen(thing: Any, boxing: bool = True) -> Any:
    """Return what stands for an object in a function that is recorded."""
    if isinstance(thing, types.ModuleType):
        return Module(thing, boxing)
    if isinstance(thing, type):
        return Class(thing) if find_formula(thing) is not None else thing
    if thing in _SPECIAL if isinstance(thing, types.BuiltinFunctionType) else False:
        return _SPECIAL[thing]
    if boxing and any(thing is fn for fn in _MADE):
        return functools.partial(_make, thing)
    if isinstance(thing, np.ufunc | types.BuiltinFunctionType) and (
        isinstance(thing, np.ufunc) or thing.__module__ == "builtins"
    ):
        return thing  # what has a protocol
    derivative = getattr(thing, "__srcgrad__", None)
    if derivative is not None:
        return _taped(derivative)
    thing = getattr(thing, "__srcgrad_primal__", thing)
    if callable(thing) and (find_formula(thing) is not None or is_nondifferentiable(thing)):
        return functools.partial(_dispatch, thing)
    if isinstance(thing, types.MethodType):
        return types.MethodType(seen(thing.__func__, boxing), thing.__self__)
    if isinstance(thing, functools.partial):
        return functools.partial(seen(thing.func, boxing), *thing.args, **thing.keywords)
    if isinstance(thing, types.FunctionType):
        if (thing.__module__ or "").split(".")[0] in ("numpy", "srcgrad"):
            return functools.partial(_dispatch, thing) if _is_numpy(thing) else thing
        return thing if isinstance(thing.__globals__, Globals) else _function(thing, boxing)
    if isinstance(thing, types.BuiltinFunctionType):
        return functools.partial(_dispatch, thing)
    return thing


def _is_numpy(thing: Any) -> bool:
    return (thing.__module__ or "").split(".")[0] == "numpy"


def _function(function: types.FunctionType, boxing: bool) -> Any:
    return rebuilt(function, Globals(function.__globals__, boxing))


def rebuilt(function: types.FunctionType, names: Globals) -> types.FunctionType:
    """Return a function with the same code and other globals."""
    cells = tuple(_cell(cell) for cell in function.__closure__ or ())
    made = types.FunctionType(function.__code__, names, function.__name__, None, cells)
    made.__defaults__, made.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    made.__module__ = function.__module__
    return made


def _cell(cell: Any) -> Any:
    try:
        held = cell.cell_contents
    except ValueError:  # not filled yet
        return cell
    changed = seen(held)
    return cell if changed is held else types.CellType(changed)


def _dispatch(fn: Any, *args: Any, **options: Any) -> Any:
    if any(True for _ in boxes_in((args, options))):
        return call(fn, args, options)
    return fn(*args, **options)


def _make(fn: Any, *args: Any, **options: Any) -> Any:
    """Make an array that recorded values can be written into."""
    from srcgrad.tape.boxes import box

    made = _dispatch(fn, *args, **options)
    if isinstance(made, np.ndarray) and made.dtype.kind == "f" and running:
        return box(made, running[-1], sources=())
    return made


def _extremum(fn: Any, whole: Any) -> Any:
    """``max(a, b, c)`` is taken two by two; ``max(x)`` of an array is its reduction."""

    def fold(*args: Any, **options: Any) -> Any:
        if options or not any(True for _ in boxes_in(args)):
            return fn(*args, **options)
        if len(args) == 1 and not isinstance(args[0], tuple | list):
            return call(whole, args, {})
        parts = args[0] if len(args) == 1 else args
        return functools.reduce(lambda x, y: _dispatch(fn, x, y), parts)

    return fold


def _isinstance(value: Any, classes: Any) -> bool:
    return isinstance(raw(value), classes)


def _taped(derivative: Any) -> Any:
    """Return what the tape has in the place of a derivative that srcgrad made."""
    from srcgrad.tape import derivatives

    made = getattr(derivatives, derivative.kind)
    return made(derivative.function, derivative.wrt, derivative.has_aux)


_SPECIAL = {max: _extremum(max, np.max), min: _extremum(min, np.min), isinstance: _isinstance}
