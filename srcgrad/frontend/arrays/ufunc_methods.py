"""The methods ``outer``, ``reduce``, ``accumulate`` and ``reduceat`` of any ufunc with a formula.

They are written in Python, ``runtime.numpy.folds``, and go through f entry by entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.recursion import call_own
from srcgrad.ir.nodes import Const, Known, Value
from srcgrad.library.attributes import plainly
from srcgrad.program import facts
from srcgrad.registry import find_formula
from srcgrad.runtime.numpy.folds import accumulate, outer, reduce, reduceat
from srcgrad.transformation.library_names import qualified_name

_FOLDS = {"outer": outer, "reduce": reduce, "accumulate": accumulate, "reduceat": reduceat}


def lower_fold(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call of a method of a ufunc; None where it has a formula of its own."""
    ufunc = plainly(fn, "__self__")
    if not isinstance(ufunc, np.ufunc) or find_formula(ufunc) is None or ufunc.nin != 2:
        return None
    fold = _FOLDS.get(fn.__name__)
    place = {reduceat: 3, outer: 4}.get(fold, 2)  # of dtype, behind self; then comes out
    if fold is None or _has_formula(fn, len(args) >= place, options) or b.formula is not None:
        return None
    if options.get("out", Const(None)) != Const(None) or len(args) > place + 1:
        raise b.refuse(node, f"out= of {qualified_name(fn)}", "assign the result")
    masked = options.get("where", Const(True)) != Const(True)
    start = options.get("initial", Const(ufunc.identity))
    if masked and start == Const(None):
        raise b.refuse(
            node, f"where= of {qualified_name(fn)} without initial=", "NumPy needs it, too"
        )
    given = {name: value for name, value in options.items() if name != "out"}
    return call_own(b, fold, (Known(ufunc, "self"), *args), given, node)


def _has_formula(fn: Any, casts: bool, options: dict[str, Value]) -> bool:
    """Whether a method has a formula of its own, with these options, and maybe a dtype."""
    formula = find_formula(fn)
    if formula is None:
        return False
    parameters = facts.signature(formula).parameters
    given = [*options, *(("dtype",) if casts else ())]
    return all(name in parameters or name == "out" for name in given)
