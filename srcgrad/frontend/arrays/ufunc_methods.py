"""The methods ``outer``, ``reduce``, ``accumulate`` and ``reduceat`` of any ufunc with a formula.

``np.f.outer(x, y)`` is f of x, with as many axes of length 1 behind it as y has, and y. The
others apply f to one entry after the other.
"""

from __future__ import annotations

import operator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import call_formula
from srcgrad.frontend.arrays.operands import as_operands
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.recursion import call_own
from srcgrad.ir.nodes import Const, Items, Known, Op, Value, is_active
from srcgrad.library.attributes import plainly
from srcgrad.program import facts
from srcgrad.registry import find_formula
from srcgrad.runtime.numpy.folds import accumulate, reduce, reduceat
from srcgrad.transformation.library_names import qualified_name


def lower_outer(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call of the method ``outer`` of a ufunc; None where it is no such call."""
    ufunc = plainly(fn, "__self__")
    if not isinstance(ufunc, np.ufunc) or fn.__name__ != "outer" or find_formula(fn) is not None:
        return None
    formula = find_formula(ufunc)
    if not any(map(is_active, args)) or formula is None or len(args) != 2 or b.formula is not None:
        return None
    if options:
        raise b.refuse(node, f"the option {next(iter(options))}= of outer", "leave it out")
    if not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
        raise b.refuse(node, f"this call of {qualified_name(fn)}", "pass two arrays")
    x, y = as_operands(b, args, [a.value for a in node.args])
    rank = type_of(y).ndim
    if rank is None or not type_of(x).is_number:
        raise b.refuse(
            node,
            f"{qualified_name(fn)} of an array whose rank is not known",
            "call the derivative with arrays, or write the axes out: x[:, None]",
        )
    if rank and type_of(x).ndim != 0:
        x = _with_axes(b, x, rank, node.args[0].value)
    return call_formula(b, ufunc, formula, (x, y), {}, node)


_FOLDS = {"reduce": reduce, "accumulate": accumulate, "reduceat": reduceat}


def lower_fold(
    b: Builder, fn: Any, args: tuple[Value, ...], options: dict[str, Value], node: Any
) -> Value | None:
    """Lower a call of a method of a ufunc; None where it has a formula of its own."""
    ufunc = plainly(fn, "__self__")
    if not isinstance(ufunc, np.ufunc) or find_formula(ufunc) is None or ufunc.nin != 2:
        return None
    fold = _FOLDS.get(fn.__name__)
    place = 3 if fold is reduceat else 2  # of dtype, behind self; then comes out
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


def _with_axes(b: Builder, x: Value, count: int, text: Any) -> Value:
    """An array with more axes of length 1 behind it."""
    axes = ", ".join(["...", *["None"] * count])
    simple = isinstance(text, cst.Name | cst.Attribute | cst.Subscript | cst.Call)
    shown = (
        text.deep_clone()
        if simple
        else text.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    )
    new = cst.parse_expression(f"x[{axes}]").with_changes(value=shown)
    b.source.derive(text, new)
    index = Items((Const(...), *[Const(None)] * count))
    return b.emit(Op(operator.getitem), (x, index), new)
