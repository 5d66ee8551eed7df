"""The option ``where=`` of ufuncs, in other words; other options that change results are refused.

``np.log(x, out=z, where=m)`` is

    z[...] = np.where(m, np.log(np.where(m, x, 0.5)), z)

so that the entries that are left out are not computed, neither they nor their slopes:
0 times an infinite slope would be no number.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, way_to
from srcgrad.frontend.text.trees import replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.nodes import Const, Items, Value, Var, is_active

_CASTING = {np.cov, np.corrcoef, np.trace}
_SAFE = {np.arccosh: "1.5"}  # numbers in the domain; 0.5 is in that of all others
_TEXT = cst.Module([]).code_for_node


def lower_options(b: Builder, fn: Any, args: Any, options: dict[str, Value], node: Any) -> None:
    """Write a call of a ufunc with ``where=`` in other words, if it is one."""
    if b.formula is not None or not isinstance(node, cst.Call):
        return
    name = getattr(fn, "__name__", "")
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
        raise _in_other_words(b, fn, args, node)


def _in_other_words(b: Builder, fn: Any, args: Any, node: cst.Call) -> Exception:
    plain = [a.value for a in node.args if a.keyword is None]
    given = {a.keyword.value: a.value for a in node.args if a.keyword is not None}
    func = node.func
    usual = isinstance(func, cst.Attribute) and getattr(np, func.attr.value, None) is fn
    if not usual or set(given) != {"where", "out"} or len(plain) != fn.nin or fn.signature:
        return b.refuse(
            node,
            f"this call of {fn.__name__} with where=",
            "give it out=, and the arrays by position, or use np.where",
            "Without out=, what it leaves out would be whatever was in memory.",
        )
    way = way_to(b.statement, node)
    loops = cst.While | cst.IfExp | cst.BooleanOperation | cst.ListComp | cst.GeneratorExp
    if way is None or any(isinstance(outer, loops | cst.Lambda | cst.DictComp) for outer in way):
        return Specialise(What.STATEMENTS, b.source, node)
    numpy = _TEXT(func.value)  # type: ignore[union-attr]
    held, before = {}, []
    for option, label in (("where", "mask"), ("out", "out")):
        name = given[option]
        if not isinstance(name, cst.Name) or name.value not in b.env:
            name = cst.Name(fresh_name(b, label))
            before.append(f"{name.value} = {_TEXT(given[option])}")
        held[option] = name.value
    where, out = held["where"], held["out"]
    operands = []
    for operand, value in zip(plain, args, strict=False):
        whole = isinstance(value, Var) and type_of(value).dtype in ("i", "b")
        safe = "1" if whole else _SAFE.get(fn, "0.5")
        masked = f"{numpy}.where({where}, {_TEXT(operand)}, {safe})"
        operands.append(_TEXT(operand) if isinstance(value, Const) else masked)
    call = f"{_TEXT(func)}({', '.join(operands)})"
    before.append(f"{out}[...] = {numpy}.where({where}, {call}, {out})")
    lines: list[Any] = [cst.parse_statement(line) for line in before]

    def make(statement: Any) -> list[Any]:
        lines[0] = lines[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
        body = getattr(statement, "body", ())
        if isinstance(body, tuple | list) and len(body) == 1 and isinstance(body[0], cst.Expr):
            if body[0].value is node:
                return lines
        changed = replaced(statement, {id(node): cst.Name(out)})
        return [*lines, changed.with_changes(leading_lines=())]

    return Rewriting(make)
