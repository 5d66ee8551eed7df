"""Calls of NumPy that are others, by what they are given."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import call_formula
from srcgrad.frontend.arrays.other_words import masked
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import Const, Items, Value, Var, is_active
from srcgrad.ir.types import Contents
from srcgrad.library.attributes import plainly
from srcgrad.registry import find_formula
from srcgrad.runtime.choosing import choose_row
from srcgrad.runtime.scipy.special import unit
from srcgrad.runtime.transposes import gradient_along

REWRITTEN = frozenset({np.block, getattr(np, "unstack", np.block)})  # these need no formula


def of_rows(fn: Any, of_lists: Any = None) -> Any:
    """The rule of functions of a list of arrays: a single array in its place is refused."""

    def rule(b: Builder, args, options, node) -> Value | None:
        rows = args[0] if args else None
        is_array = isinstance(rows, Var) and rows.type.kind in ("array", "numeric")
        if b.formula is not None or not is_array or not is_active(rows):
            return of_lists(b, args, options, node) if of_lists is not None else None
        name = plainly(fn, "__name__", "")
        ways = "list(x)" if of_lists is not None else "[x[0], x[1]]"
        raise b.refuse(
            node, f"np.{name} of an array", f"pass a list of its rows: np.{name}({ways})"
        )

    return rule


def lower_choose(b: Builder, args, options, node) -> Value | None:
    """``np.choose`` from an array, which holds the choices along its first axis."""
    if b.formula is None and len(args) > 1 and isinstance(args[1], Var) and is_active(args[1]):
        if args[1].type.kind != "list":
            formula = find_formula(choose_row)
            return call_formula(b, choose_row, formula, args, options, node)
    return None


def lower_sign(b: Builder, args, options, node) -> Value | None:
    """``np.sign`` of complex numbers, which turns with them; that of real ones is constant."""
    complex_one = len(args) == 1 and is_active(args[0]) and type_of(args[0]).dtype == "c"
    if b.formula is not None or not complex_one:
        return None
    return call_formula(b, unit, find_formula(unit), args, options, node)


def lower_gradient(b: Builder, args, options, node) -> Value | None:
    """``np.gradient`` along an axis whose coordinates are given."""
    if any(isinstance(type_of(v).element, Contents) for v in args[1:] if isinstance(v, Var)):
        raise b.refuse(node, "np.gradient with a range of coordinates", "make it an array")
    if not any(isinstance(v, Var) and type_of(v).ndim == 1 for v in args[1:]):
        return None
    if not any(is_active(v) for v in args):
        return None
    rank, axis = type_of(args[0]).ndim, options.get("axis", Const(None))
    if len(args) > 2:
        raise b.refuse(node, "np.gradient with several spacings", "give it one axis at a time")
    if isinstance(axis, Const) and axis.value is None and rank == 1:
        options = {**options, "axis": Const(0)}
    elif not (isinstance(axis, Const) and isinstance(axis.value, int)):
        return None
    return call_formula(b, gradient_along, find_formula(gradient_along), args, options, node)


_CASTING = {np.cov, np.corrcoef, np.trace}


def require_usual_options(
    b: Builder, fn: Any, args: Any, options: dict[str, Value], node: Any
) -> None:
    """Refuse options that change what a call gives; ``where=`` of ufuncs is put in other words."""
    if b.formula is not None or not isinstance(node, cst.Call):
        return
    name = plainly(fn, "__name__", "")
    if fn is np.fft.hfft and "out" in options:
        raise b.refuse(node, "out= of hfft", "assign the result", "NumPy does not write there.")
    is_ufunc = isinstance(fn, np.ufunc)
    if not is_ufunc and not (isinstance(fn, Hashable) and fn in _CASTING):
        return
    if not is_active(Items((*args, *options.values()))):
        return
    if options.get("dtype", Const(None)) != Const(None):
        raise b.refuse(node, f"dtype= of {name}", "cast the arrays with astype")
    if is_ufunc and fn.nout > 1 and "out" in options:
        raise b.refuse(node, f"several arrays as out= of {name}", "assign the results")
    if is_ufunc and options.get("where", Const(True)) != Const(True):
        raise masked(b, fn, args, node)
