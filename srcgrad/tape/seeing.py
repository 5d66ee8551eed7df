"""Functions that look at the world through a tape.

NumPy asks its arguments what to do; ``math.sin``, ``float`` and functions with a
formula that are written in Python do not. So a function runs with global names
that are looked up as always, and then replaced by what records the call.
"""

from __future__ import annotations

import builtins
import dis
import functools
import types
from pathlib import Path
from typing import Any

import numpy as np

from srcgrad.api import Differentiated
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.registry import find_formula, is_nondifferentiable
from srcgrad.tape.calls import boxes_in, call
from srcgrad.tape.recording import raw

_FOLDER = str(Path(__file__).parents[1])


class Globals(dict):
    """The globals of a function, each seen through the tape when it is looked up.

    Args:
        names: the function's own globals, which stay live.
        user: whether this is a user's function and not a formula.
    """

    def __init__(self, names: dict[str, Any], user: bool) -> None:
        super().__init__(__builtins__=names.get("__builtins__", builtins))
        self.names = names
        self.user = user

    def __getitem__(self, name: str) -> Any:
        if name not in self.names and not hasattr(builtins, name):
            raise KeyError(name)
        found = self.names[name] if name in self.names else getattr(builtins, name)
        return seen(found, self.user)


class Seen:
    """A module or a function, seen through the tape.

    Args:
        thing: the module or the function.
        user: whether arrays that the function makes are boxed, so that recorded
            values can be written into them.
    """

    def __init__(self, thing: Any, user: bool) -> None:
        self.__srcgrad_raw__, self.user = thing, user
        if thing in (float, int, bool):
            self.dtype = np.dtype(thing)

    def __getattr__(self, name: str) -> Any:
        return seen(getattr(self.__srcgrad_raw__, name), self.user)

    def __call__(self, *args: Any, **options: Any) -> Any:
        fn = self.__srcgrad_raw__
        if not any(True for _ in boxes_in((args, options))):
            return call(fn, args, options) if self.user else fn(*raw(args), **raw(options))
        if fn in (max, min) and not options:
            return _extremum(fn, args)
        if fn is sum and isinstance(args[0], tuple | list):
            return sum(*args)
        from srcgrad.tape.boxes import dispatched

        has_protocol = type(fn) is np.ufunc or hasattr(fn, "_implementation")
        return (dispatched if has_protocol else call)(fn, args, options)


def _extremum(fn: Any, args: Any) -> Any:
    """``max(a, b, c)`` is taken two by two; ``max(x)`` of an array is its reduction."""
    if len(args) == 1 and hasattr(args[0], "__srcgrad_box__"):
        return call(np.max if fn is max else np.min, args, {})
    parts = args[0] if len(args) == 1 else args
    parts = [float(x) if type(x) is int else x for x in parts]  # it may be the result
    return functools.reduce(lambda x, y: call(fn, (x, y), {}), parts)


def seen(thing: Any, user: bool = True) -> Any:
    """Return what stands for an object in a function that is recorded."""
    taped = _on_a_tape(thing)
    if taped is not None:
        return taped
    thing = getattr(thing, "__srcgrad_primal__", thing)
    if isinstance(thing, types.MethodType):
        return types.MethodType(seen(thing.__func__, user), thing.__self__)
    if isinstance(thing, functools.partial):
        return functools.partial(seen(thing.func, user), *thing.args, **thing.keywords)
    if isinstance(thing, Seen) or not (callable(thing) or isinstance(thing, types.ModuleType)):
        return thing
    known = isinstance(thing, types.ModuleType | np.ufunc) or is_nondifferentiable(thing)
    library = _home(thing) in ("numpy", "math") and not isinstance(thing, type)
    if known or library or find_formula(thing) is not None:
        return Seen(thing, user)
    if not isinstance(thing, types.FunctionType):
        return thing
    own = thing.__code__.co_filename.startswith(_FOLDER)
    return thing if own and user else _rebuilt(thing, user)


def _home(thing: Any) -> str:
    return (getattr(thing, "__module__", None) or "").partition(".")[0]


def _on_a_tape(thing: Any) -> Any:
    """Return what a tape has in the place of srcgrad's derivatives; None for anything else."""
    from srcgrad.tape import products

    if hasattr(thing, "__srcgrad__"):
        made = thing.__srcgrad__
        return getattr(products, made.kind)(made.function, made.wrt, made.has_aux)
    if hasattr(thing, "__srcgrad_of__"):
        kind, function, wrt = thing.__srcgrad_of__
        return getattr(products, kind)(function, wrt)
    if isinstance(thing, Differentiated):
        return products.decorated(thing)
    name = getattr(thing, "__name__", "")
    own = name in products.__all__ and _home(thing) == "srcgrad"
    return getattr(products, name) if own else None


_building: dict[Any, Any] = {}


@functools.lru_cache(maxsize=1024)
def _writes_globals(code: types.CodeType) -> bool:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    found = any(i.opname == "STORE_GLOBAL" for i in dis.get_instructions(code))
    return found or any(map(_writes_globals, inner))


def _rebuilt(function: Any, user: bool) -> Any:
    """Return a function with the same code, for which all it refers to is seen."""
    if isinstance(function.__globals__, Globals):
        return function
    if function in _building:
        return _building[function]
    if _writes_globals(function.__code__):
        raise UnsupportedSyntaxError(
            f"{function.__name__} writes to a global name",
            fixes=["return the value"],
        )
    names = Globals(function.__globals__, user)
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    made = types.FunctionType(function.__code__, names, function.__name__, None, cells)
    made.__module__, made.__kwdefaults__ = function.__module__, function.__kwdefaults__
    made.__defaults__ = tuple(seen(d, user) for d in function.__defaults__ or ())
    _building[function] = made
    try:
        for cell, own in zip(cells, function.__closure__ or (), strict=True):
            cell.cell_contents = seen(own.cell_contents, user)
    except ValueError:  # a cell that is not filled yet
        return function
    finally:
        del _building[function]
    return made
