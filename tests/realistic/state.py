"""What a program can change beside its result: its module, its classes, what it closes over."""

from __future__ import annotations

import contextlib
import copy
import enum
import functools
import inspect
import logging
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.realistic.trees import attributes, is_number, parts

_CODE = (
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, logging.Logger,
    np.ufunc, property, staticmethod, classmethod, functools.cached_property, enum.Enum,
    types.MethodType, functools.partial,
)  # fmt: skip
_saved: dict[str, dict[tuple[Any, str], Any]] = {}


def _is_data(name: str, value: Any) -> bool:
    known = not name.startswith(("__", "_abc_")) and not isinstance(value, _CODE)
    home = type(value).__module__.partition(".")[0]
    plain = home in ("builtins", "numpy", "collections", "random", "tests")
    return known and plain and not inspect.isdatadescriptor(value)


def _places(module: str) -> list[tuple[Any, str]]:
    home = sys.modules[module]
    classes = [c for c in vars(home).values() if isinstance(c, type) and c.__module__ == module]
    owners = [home, *(c for c in classes if not issubclass(c, enum.Enum))]
    return [(o, name) for o in owners for name, v in vars(o).items() if _is_data(name, v)]


def reset(module: str) -> None:
    """Put what a module and its classes hold back to what it was when this was first called."""
    home = sys.modules[module]
    if module not in _saved:
        _saved[module] = {p: copy.deepcopy(vars(p[0])[p[1]]) for p in _places(module)}
    for value in vars(home).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
    saved = _saved[module]
    for owner, name in _places(module):
        if (owner, name) not in saved:
            delattr(owner, name)
    for (owner, name), value in saved.items():
        _put_back(owner, name, copy.deepcopy(value))


@contextlib.contextmanager
def restored(module: str) -> Iterator[None]:
    """Put back afterwards what a module and its classes hold, functions too."""
    reset(module)
    owners = {home for home, _ in _places(module)} | {sys.modules[module]}
    owners |= {c for c in vars(sys.modules[module]).values() if isinstance(c, type)}
    owners = {o for o in owners if getattr(o, "__module__", module) == module}
    before = {o: dict(vars(o)) for o in owners}
    held = [f for space in before.values() for f in space.values()]
    functions = {f: _inside(f) for f in held if isinstance(f, types.FunctionType)}
    try:
        yield
    finally:
        for owner, space in before.items():
            for name in [n for n in vars(owner) if n not in space]:
                delattr(owner, name)
            for name, value in space.items():
                if vars(owner).get(name) is not value:
                    setattr(owner, name, value)
        for function, inside in functions.items():
            for name, value in inside.items():
                setattr(function, name, value)
        reset(module)


def _inside(function: types.FunctionType) -> dict[str, Any]:
    names = ("__code__", "__defaults__", "__kwdefaults__")
    return {name: getattr(function, name) for name in names}


def _put_back(owner: Any, name: str, value: Any) -> None:
    now = vars(owner).get(name)
    if type(now) is dict and type(value) is dict:
        now.clear()
        now.update(value)
    elif type(now) is list and type(value) is list:
        now[:] = value
    elif isinstance(now, np.ndarray) and isinstance(value, np.ndarray) and now.shape == value.shape:
        if now.flags.writeable:
            now[...] = value
    elif type(now) is type(value) and attributes(now) is not None and hasattr(now, "__dict__"):
        vars(now).clear()
        vars(now).update(vars(value))
    elif isinstance(now, (int, float, str, tuple, type(None))) and now == value:
        pass
    else:
        setattr(owner, name, value)


def state_of(module: str, fn: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    """Return everything that a call may have changed."""
    found = {f"{getattr(o, '__name__', o)}.{n}": vars(o)[n] for o, n in _places(module)}
    found["arguments"] = args
    while isinstance(fn, functools.partial):
        found["partial"] = (fn.args, fn.keywords)
        fn = fn.func
    found["self"] = getattr(fn, "__self__", None)
    found["callable"] = fn if attributes(fn) is not None else None
    cells = getattr(fn, "__closure__", None) or ()
    found["cells"] = [c.cell_contents for c in cells]
    return found


def difference(a: Any, b: Any, where: str = "", seen: set[tuple[int, int]] | None = None) -> str:
    """Return where two states differ, in words; an empty text if they do not."""
    seen = set() if seen is None else seen
    if a is b or (id(a), id(b)) in seen:
        return ""
    seen.add((id(a), id(b)))
    if is_number(a) or isinstance(a, np.ndarray):
        return "" if _same_numbers(a, b) else f"{where}: {_short(a)} and {_short(b)}"
    if type(a) is not type(b):
        return f"{where}: {type(a).__name__} and {type(b).__name__}"
    if isinstance(a, np.random.Generator):
        same = a.bit_generator.state == b.bit_generator.state
        return "" if same else f"{where}: another state of the generator"
    mine, theirs = parts(a), parts(b)
    if mine is None or theirs is None:
        known = isinstance(a, (int, str, bool, bytes, set, frozenset, enum.Enum))
        return f"{where}: {_short(a)} and {_short(b)}" if known and a != b else ""
    if len(mine) != len(theirs):
        return f"{where}: {len(mine)} parts and {len(theirs)}"
    for (key, x), (other, y) in zip(mine, theirs, strict=True):
        if type(key) is not type(other):
            return f"{where}: key {_short(key)} and {_short(other)}"
        found = difference(x, y, f"{where}.{key}", seen)
        if found:
            return found
    return ""


def _same_numbers(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) != isinstance(b, np.ndarray):
        return False
    if not isinstance(b, np.ndarray) and not is_number(b):
        return False
    if np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
        return False
    if isinstance(a, np.ndarray) and a.dtype.kind not in "fc":
        return a.dtype == object or bool(np.all(a == b))
    scale = float(np.max(np.abs(a), initial=0.0))
    return bool(np.allclose(a, b, rtol=1e-9, atol=1e-12 * scale, equal_nan=True))


def _short(x: Any) -> str:
    return f"{type(x).__name__} {x!r}"[:60].replace("\n", " ")
