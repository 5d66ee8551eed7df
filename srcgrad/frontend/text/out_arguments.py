"""Arrays that are given by position to have results written into them: ``np.sum(x, 0, None, o)``.

They are taken for ``out=o``.
"""

from __future__ import annotations

import functools
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.ir.nodes import Const
from srcgrad.library.attributes import plainly
from srcgrad.program import facts

_OF_METHODS = {
    "reduce": ("dtype", "out"),
    "accumulate": ("dtype", "out"),
    "reduceat": ("dtype", "out"),
}
_NUMPYS = ("np", "numpy", "cp", "cupy")


def _names(fn: Any) -> tuple[str, ...]:
    """The names of what a function takes by position, ``out`` the last but for a few."""
    if isinstance(fn, np.ufunc):
        return (*(f"x{k}" for k in range(fn.nin)), "out") if fn.nout == 1 else ()
    if isinstance(plainly(fn, "__self__"), np.ufunc):
        first = ("x", "indices", "axis") if fn.__name__ == "reduceat" else ("x", "axis")
        return (*first, *_OF_METHODS.get(fn.__name__, ()))
    try:
        found = facts.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in found if p.kind <= p.POSITIONAL_OR_KEYWORD)


def _place(fn: Any) -> int | None:
    """Which positional argument is ``out``; None where there is none."""
    names = _names(fn)
    return names.index("out") if "out" in names else None


@functools.cache
def _places() -> dict[str, int]:
    """By the names of NumPy's functions, which positional argument is ``out``."""
    functions = {n: f for n, f in vars(np).items() if callable(f) and not isinstance(f, type)}
    made = {name: _place(fn) for name, fn in functions.items()}
    made |= {name: _place(getattr(np.add, name)) for name in _OF_METHODS}
    return {name: place for name, place in made.items() if place is not None}


def perhaps_written(call: cst.Call) -> list[Any]:
    """The positional arguments of a call that may be written into, by its name alone."""
    func: Any = call.func
    place = _places().get(func.attr.value) if isinstance(func, cst.Attribute) else None
    if place is None:
        return []
    root = func.value
    while isinstance(root, cst.Attribute):
        root = root.value
    # a method is not given the array that it is a method of
    of_module = isinstance(root, cst.Name) and root.value in _NUMPYS
    given = [arg.value for arg in call.args if arg.keyword is None]
    return [given[k] for k in ((place,) if of_module else (place - 1, place)) if k < len(given)]


def out_by_name(fn: Any, args: Any, options: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the arguments of a call with ``out`` by name, where it is given by position."""
    try:
        place = _place(fn)
    except TypeError:  # an unhashable callable
        return args, options
    if place is None or len(args) <= place or args[place] == Const(None):
        return args, options
    behind = dict(zip(_names(fn)[place:], args[place:], strict=False))
    if len(behind) < len(args) - place:
        return args, options
    return args[:place], {**behind, **options}


def without_out(b: Any, node: Any, fn: Any, receivers: int = 0) -> Any:
    """The text of a call without ``out``, for where the derivative reads what it computes."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return None
    plain = [arg for arg in node.args if arg.keyword is None]
    named = out_by_name(fn, (*[None] * receivers, *plain), {})[1]
    texts = {id(arg): name for name, arg in named.items()}
    nothing = cst.SimpleWhitespace("")
    kept = []
    for arg in node.args:
        name = texts.get(id(arg), arg.keyword.value if arg.keyword is not None else "")
        if id(arg) in texts:
            arg = arg.with_changes(keyword=cst.Name(name), equal=cst.AssignEqual(nothing, nothing))
        kept += [] if name == "out" else [arg]
    if len(kept) == len(node.args):
        return None
    if kept:
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    call = node.with_changes(args=kept)
    b.source.derive(node, call)
    return call
