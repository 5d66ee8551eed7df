"""The options ``where=`` and ``dtype=`` of ufuncs, and ``dtype=`` of covariances and traces.

A call with them is written in other words: ``np.log(x, out=z, where=m)`` is

    z[...] = np.where(m, np.log(np.where(m, x, 0.5)), z)

so that the entries that are left out are not computed, neither they nor their slopes:
0 times an infinite slope would be no number. With ``dtype=`` the operands are arrays of
that type before.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes import type_of
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.rewriting import NeedsExpansion, Rewriting, fresh_name, way_to
from srcgrad.frontend.trees import replaced
from srcgrad.ir.nodes import Const, Items, Known, Value, Var, is_active

_SAFE = {np.arccosh: "1.5"}  # numbers in the domain; 0.5 is in that of all others
# how many of their arguments become arrays of the type that is given as dtype=
_CASTING = {np.cov: 2, np.corrcoef: 2, np.trace: 1}


def lower_options(b: Builder, fn: Any, args: Any, options: dict[str, Value], node: Any) -> None:
    """Write a call of a ufunc with ``where=`` or ``dtype=`` in other words, if it is one.

    Raises:
        Rewriting: with the statement in other words.
        UnsupportedSyntaxError: where that cannot be done.
    """
    if b.formula is not None or not isinstance(node, cst.Call):
        return
    if fn is np.fft.hfft and "out" in options:
        raise b.refuse(node, "out= of hfft", "assign the result", "NumPy does not write there.")
    is_ufunc = isinstance(fn, np.ufunc)
    if not is_ufunc and not (isinstance(fn, Hashable) and fn in _CASTING):
        return
    where, dtype = options.get("where", Const(True)), options.get("dtype", Const(None))
    masked = is_ufunc and where != Const(True)
    cast = dtype != Const(None)
    if not (masked or cast) or not is_active(Items((*args, *options.values()))):
        return
    name = getattr(fn, "__name__", "")
    if not isinstance(node.func, cst.Attribute) or any(a.star for a in node.args):
        raise b.refuse(node, f"where= or dtype= of {name} here", "write np." + name)
    plain = [a for a in node.args if a.keyword is None]
    count = fn.nin if is_ufunc else min(_CASTING[fn], len(plain))
    if not is_ufunc and "y" in options:
        raise b.refuse(node, f"dtype= of {name} here", "pass the arrays by position")
    if len(plain) < count or (is_ufunc and (fn.nout > 1 or fn.signature)):
        raise b.refuse(node, f"where= or dtype= of {name} here", "write np.where around the call")
    operands = [a.value for a in plain[:count]]
    mask = _given(node, "where")
    if masked and not (isinstance(mask, cst.Name) and mask.value in b.env):
        mask = cst.Name(fresh_name(b, "mask"))
    wrapped: dict[int, Any] = {}
    for operand, value in zip(operands, args, strict=False):
        if isinstance(value, Const):
            continue
        new = operand
        if cast:
            _require_inexact(b, dtype, value, node)
            new = _call(node.func, "asarray", [new], {"dtype": _given(node, "dtype")})
        if masked:
            safe = cst.Float(_SAFE.get(fn, "0.5"))
            new = _call(node.func, "where", [mask, new, safe], {})
        wrapped[id(operand)] = new
    dropped = {"dtype", "where", "out"} if masked else {"dtype"}
    kept = [a for a in node.args if a.keyword is None or a.keyword.value not in dropped]
    if masked:
        kept = [a for a in kept if a.keyword is not None or a in plain[:count]]
    kept = [a.with_changes(value=wrapped.get(id(a.value), a.value)) for a in kept]
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    new = node.with_changes(args=kept)
    if not masked:
        raise Rewriting(lambda statement: [replaced(statement, {id(node): new})])
    out = _given(node, "out") or (plain[count].value if len(plain) > count else None)
    if out is None:
        raise b.refuse(
            node,
            f"where= of {name} without out=",
            "give it out=, or use np.where",
            "Where it is False, the result would be whatever was in memory.",
        )
    raise _into(b, node, new, out, mask)


def _into(b: Builder, node: Any, new: Any, out: Any, where: cst.Name) -> Rewriting:
    """Write what a call computes into the array that ``out=`` names, or into a new one."""
    way = way_to(b.statement, node)
    loops = cst.While | cst.IfExp | cst.BooleanOperation | cst.ListComp | cst.GeneratorExp
    if way is None or any(isinstance(outer, loops | cst.Lambda | cst.DictComp) for outer in way):
        raise NeedsExpansion(b.source, node)
    before = []
    if where.value not in b.env:
        before.append(_line(f"{where.value} = 0", _given(node, "where")))
    if isinstance(out, cst.Tuple) and len(out.elements) == 1:
        out = out.elements[0].value
    if not isinstance(out, cst.Name):
        name = fresh_name(b, "out")
        before.append(_line(f"{name} = 0", out))
        out = cst.Name(name)
    value = _call(node.func, "where", [where, new, out], {})
    before.append(_line(f"{out.value}[...] = 0", value))

    def make(statement: Any) -> list[Any]:
        first = before[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
        lines = [first, *before[1:]]
        body = getattr(statement, "body", ())
        if isinstance(body, tuple | list) and len(body) == 1 and isinstance(body[0], cst.Expr):
            if body[0].value is node:
                return lines
        changed = replaced(statement, {id(node): cst.Name(out.value)})
        return [*lines, changed.with_changes(leading_lines=())]

    return Rewriting(make)


def _line(text: str, value: Any) -> Any:
    """A statement that assigns an expression."""
    line: Any = cst.parse_statement(text)
    return line.with_changes(body=[line.body[0].with_changes(value=value.deep_clone())])


def _given(node: cst.Call, name: str) -> Any:
    """The expression of a keyword argument."""
    found = [a.value for a in node.args if a.keyword is not None and a.keyword.value == name]
    return found[0] if found else None


def _call(func: Any, name: str, args: list[Any], options: dict[str, Any]) -> Any:
    """A call of another function of the same module."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    nothing = cst.SimpleWhitespace("")
    made = [cst.Arg(a.deep_clone(), comma=comma) for a in args]
    for keyword, value in options.items():
        equal = cst.AssignEqual(nothing, nothing)
        made.append(cst.Arg(value.deep_clone(), cst.Name(keyword), equal, comma))
    made[-1] = made[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return cst.Call(func.with_changes(attr=cst.Name(name)), made)


def _require_inexact(b: Builder, dtype: Value, value: Value, node: Any) -> None:
    """Refuse what NumPy does not cast to, and what has no derivative."""
    given = dtype.object if isinstance(dtype, Known) else getattr(dtype, "value", None)
    try:
        kind = np.dtype(given).kind  # type: ignore[arg-type]
    except TypeError:
        kind = ""
    loses = kind == "f" and isinstance(value, Var) and type_of(value).dtype == "c"
    if kind not in ("f", "c") or loses:
        raise b.refuse(node, "this value of dtype=", "use a type of floating-point numbers")
