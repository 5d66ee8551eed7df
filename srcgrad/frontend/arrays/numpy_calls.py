"""Calls of NumPy that are others by what they are given, or are written in other words.

``np.log(x, out=z, where=m)`` is

    z[...] = np.where(m, np.log(np.where(m, x, 0.5)), z)

so that the entries that are left out are not computed, neither they nor their slopes: 0 times
an infinite slope would be no number. What is joined is joined by ``np.concatenate``.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays.formula_calls import call_formula
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import fresh_name, in_place_of, instead, way_of
from srcgrad.frontend.text.templates import expression, statements, text_of
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import Const, Items, Known, Value, Var, is_active
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


_SAFE = {np.arccosh: "1.5"}  # numbers in the domain; 0.5 is in that of all others


def masked(b: Builder, fn: Any, args: Any, node: cst.Call) -> Exception:
    """Return what writes a call of a ufunc with ``out=`` and ``where=`` in other words."""
    plain = [a.value for a in node.args if a.keyword is None]
    given = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
    if set(given) != {"where", "out"} or len(plain) != fn.nin or fn.signature:
        return b.refuse(
            node,
            f"this call of {fn.__name__} with where=",
            "give it out=, and the arrays by position, or use np.where",
            "Without out=, what it leaves out would be whatever was in memory.",
        )
    numpy = _numpy(b, node, fn.__name__, fn)
    way = way_of(b, node, f"where= of {fn.__name__}", "use np.where")
    names, lines = {}, []
    for option, label in (("where", "mask"), ("out", "out")):
        name = given[option]
        held = isinstance(name, cst.Name) and name.value in b.env
        names[option] = name.value if held else fresh_name(b, label)
        lines += [] if held else [f"{names[option]} = {text_of(name)}"]
    mask, out = names["where"], names["out"]
    operands = []
    for operand, value in zip(plain, args, strict=False):
        whole = isinstance(value, Var) and type_of(value).dtype in ("i", "b")
        safe = "1" if whole else _SAFE.get(fn, "0.5")
        text = text_of(operand)
        constant = isinstance(value, Const)
        operands.append(text if constant else f"{numpy}.where({mask}, {text}, {safe})")
    call = f"{text_of(node.func)}({', '.join(operands)})"
    lines.append(f"{out}[...] = {numpy}.where({mask}, {call}, {out})")
    if any(isinstance(outer, cst.Expr) and outer.value is node for outer in way):
        return instead(*statements("\n".join(lines)))
    return in_place_of(node, cst.Name(out), statements("\n".join(lines)))


def lower_block(b: Builder, args, options, node) -> Value | None:
    """``np.block`` of lists that are written out, the innermost along the last axis."""
    if len(args) != 1 or options or not isinstance(args[0], Items) or not is_active(args[0]):
        return None
    numpy, depth, first = _numpy(b, node, "block", np.block), 0, args[0]
    while isinstance(first, Items):
        depth, first = depth + 1, first.items[0] if first.items else Const(None)
    ranks = [type_of(leaf).ndim for leaf in leaves(args[0])]
    known = [rank for rank in ranks if rank is not None]
    most = max([depth, *known])
    if len(known) < len(ranks) or (most > 2 and min(known) < most):
        what = "np.block of arrays whose numbers of dimensions differ or are not known"
        raise b.refuse(node, what, "use np.concatenate")
    left = iter(known)

    def joined(display: Any, level: int) -> str:
        if level == 0:
            whole = next(left) == most
            return text_of(display) if whole else f"{numpy}.atleast_{most}d({text_of(display)})"
        if not isinstance(display, cst.List | cst.Tuple) or not display.elements:
            what = "np.block of lists that are not written out"
            raise b.refuse(node, what, "use np.concatenate")
        parts = [joined(element.value, level - 1) for element in display.elements]
        if len(parts) == 1:
            return parts[0]
        if most == 2:  # beside each other, then below each other
            return _joined(f"{numpy}.{'hstack' if level == 1 else 'vstack'}", parts)
        return _joined(f"{numpy}.concatenate", parts, f", axis={most - level}")

    raise in_place_of(node, expression(joined(node.args[0].value, depth)))


def lower_joined(b: Builder, node: cst.Subscript, lower: Any) -> None:
    """``np.r_[x, y]`` and ``np.c_[x, y]`` of numbers, vectors and ranges."""
    joiner: Any = node.value
    if not isinstance(joiner, cst.Attribute) or joiner.attr.value not in ("r_", "c_"):
        return
    module, name = lower(b, joiner.value), joiner.attr.value
    entries = [element.slice for element in node.slice]
    if not isinstance(module, Known) or module.object is not np:
        return
    if not any(_is_active(b, entry, lower) for entry in entries):
        return
    rows, numpy, parts = name == "r_", text_of(joiner.value), []
    for entry in entries:
        value = lower(b, entry.value) if isinstance(entry, cst.Index) else None
        if value is not None and entry.star:
            raise b.refuse(node, f"a star in np.{name}", "write its parts")
        rank = None if value is None else 0 if isinstance(value, Const) else type_of(value).ndim
        if value is None and not _is_active(b, entry, lower):
            parts.append(_range(entry, numpy))
        elif not _may_be_joined(value, rank, rows):
            raise b.refuse(node, f"this form of np.{name}", "use np.concatenate")
        else:
            parts.append(text_of(entry) if rank or not rows else f"[{text_of(entry)}]")
    made = _joined(f"{numpy}.{'concatenate' if rows else 'column_stack'}", parts)
    raise in_place_of(node, expression(made))


def _may_be_joined(value: Any, rank: int | None, rows: bool) -> bool:
    """Tell whether what stands in the brackets is an array of a known rank, or a number."""
    if isinstance(value, Const):
        return rows and not isinstance(value.value, str)
    return rank is not None and (rows or 1 <= rank <= 2)


def _range(entry: Any, numpy: str) -> str:
    """The numbers that a slice stands for between these brackets."""
    if entry.upper is None or (entry.step is not None and "j" in text_of(entry.step)):
        return f"{numpy}.r_[{text_of(entry)}]"
    first = "0" if entry.lower is None else text_of(entry.lower)
    step = "" if entry.step is None else f", {text_of(entry.step)}"
    return f"{numpy}.arange({first}, {text_of(entry.upper)}{step})"


def _joined(function: str, parts: list[str], axis: str = "") -> str:
    comma = "," if len(parts) == 1 else ""
    return f"{function}(({', '.join(parts)}{comma}){axis})"


def _numpy(b: Builder, node: Any, name: str, meant: Any) -> str:
    """Return the text that stands for NumPy in front of a name."""
    func = node.func
    if isinstance(func, cst.Attribute) and getattr(np, func.attr.value, None) is meant:
        return text_of(func.value)
    raise b.refuse(node, f"np.{name} under a name of its own", f"write np.{name}")


def _is_active(b: Builder, entry: Any, lower: Any) -> bool:
    plain = isinstance(entry, cst.Index)
    parts = [entry.value] if plain else [entry.lower, entry.upper, entry.step]
    return any(part is not None and is_active(lower(b, part)) for part in parts)
