"""The options ``where=`` and ``dtype=`` of ufuncs, and ``dtype=`` of covariances and traces.

A call with them is written in other words: ``np.log(x, out=z, where=m)`` is

    z[...] = np.where(m, np.log(np.where(m, x, 0.5)), z)

so that the entries that are left out are not computed, neither they nor their slopes:
0 times an infinite slope would be no number. With ``dtype=`` the operands are arrays of
that type before.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false, reportCallIssue=false

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
from srcgrad.ir.nodes import Const, Items, Known, Value, Var, is_active

_SAFE = {np.arccosh: "1.5"}  # numbers in the domain; 0.5 is in that of all others
_MIXED = {np.ldexp}  # with an operand that stays one of whole numbers
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
    several = is_ufunc and fn.nout > 1 and "out" in options
    if not (masked or cast or several) or not is_active(Items((*args, *options.values()))):
        return
    numpy = _numpy(b, fn, node)
    plain = [a for a in node.args if a.keyword is None]
    count = _count_operands(b, fn, plain, options, node)
    if masked and fn.signature:
        raise b.refuse(node, "where= of " + fn.__name__, "leave it out", "NumPy does not have it.")
    mask = _given(node, "where") if masked else None
    if masked and not (isinstance(mask, cst.Name) and mask.value in b.env):
        mask = cst.Name(fresh_name(b, "mask"))
    wrapped: dict[int, Any] = {}
    for operand, value in zip([a.value for a in plain[:count]], args, strict=False):
        if isinstance(value, Const):
            continue
        new = operand
        whole = isinstance(value, Var) and type_of(value).dtype in ("i", "b")
        if cast and not (whole and fn in _MIXED):
            _require_inexact(b, dtype, value, node)
            new = _call(numpy, "asarray", [new], {"dtype": _given(node, "dtype")})
        if masked:
            safe = cst.Integer("1") if whole else cst.Float(_SAFE.get(fn, "0.5"))
            new = _call(numpy, "where", [mask, new, safe], {})
        wrapped[id(operand)] = new
    dropped = {"dtype", "where", "out"} if masked or several else {"dtype"}
    kept = [a for a in node.args if a.keyword is None or a.keyword.value not in dropped]
    if masked or several:
        kept = [a for a in kept if a.keyword is not None or a in plain[:count]]
    kept = [a.with_changes(value=wrapped.get(id(a.value), a.value)) for a in kept]
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    new = node.with_changes(args=kept)
    if not masked and not several:
        raise Rewriting(lambda statement: [replaced(statement, {id(node): new})])
    outs = _outs(b, fn, [a.value for a in plain[count:]], node)
    raise _into(b, node, new, outs, mask, numpy)


def _count_operands(
    b: Builder, fn: Any, plain: list[Any], options: dict[str, Value], node: Any
) -> int:
    """How many arguments of a call are operands, all of which are given by position."""
    count = fn.nin if isinstance(fn, np.ufunc) else min(_CASTING[fn], len(plain))
    by_name = fn in _CASTING and "y" in options
    if any(a.star for a in node.args) or len(plain) < count or by_name:
        name = getattr(fn, "__name__", "")
        raise b.refuse(node, f"where= or dtype= of {name} here", "pass the arrays by position")
    return count


def _outs(b: Builder, fn: Any, rest: list[Any], node: cst.Call) -> list[Any]:
    """The arrays that a ufunc writes into, one for each of its results."""
    given = _given(node, "out")
    outs = rest if given is None else [given]
    if len(outs) == 1 and isinstance(outs[0], cst.Tuple):
        outs = [element.value for element in outs[0].elements]
    if not outs:
        raise b.refuse(
            node,
            f"where= of {fn.__name__} without out=",
            "give it out=, or use np.where",
            "Where it is False, the result would be whatever was in memory.",
        )
    if len(outs) != fn.nout or any(isinstance(o, cst.Name) and o.value == "None" for o in outs):
        raise b.refuse(node, "this value of out=", "pass an array for each result")
    return outs


def _numpy(b: Builder, fn: Any, node: cst.Call) -> Any:
    """The name of NumPy, or of a library like it, in the text around a call."""
    func = node.func
    if isinstance(func, cst.Attribute) and getattr(np, func.attr.value, None) is fn:
        return func.value
    names = [name for name, value in b.source.globals.items() if value is np]
    free = [name for name in names if name not in b.locals]
    if not free:
        name = getattr(fn, "__name__", "")
        raise b.refuse(node, f"where= or dtype= of {name} here", "import numpy as np beside it")
    return cst.Name("np" if "np" in free else free[0])


def _into(
    b: Builder, node: Any, new: Any, outs: list[Any], where: cst.Name | None, numpy: Any
) -> Rewriting:
    """Write what a call computes into the arrays that ``out=`` names, or into new ones."""
    way = way_to(b.statement, node)
    loops = cst.While | cst.IfExp | cst.BooleanOperation | cst.ListComp | cst.GeneratorExp
    if way is None or any(isinstance(outer, loops | cst.Lambda | cst.DictComp) for outer in way):
        raise Specialise(What.STATEMENTS, b.source, node)
    before = []
    if where is not None and where.value not in b.env:
        before.append(_line(f"{where.value} = 0", _given(node, "where")))
    made: list[str] = []
    for out in outs:
        made.append(out.value if isinstance(out, cst.Name) else fresh_name(b, "out", made))
        if not isinstance(out, cst.Name):
            before.append(_line(f"{made[-1]} = 0", out))
    parts = [new]
    if len(made) > 1:
        together = fresh_name(b, "parts")
        before.append(_line(f"{together} = 0", new))
        parts = [cst.parse_expression(f"{together}[{k}]") for k in range(len(made))]
    for name, part in zip(made, parts, strict=True):
        value = part
        if where is not None:
            value = _call(numpy, "where", [where, part, cst.Name(name)], {})
        before.append(_line(f"{name}[...] = 0", value))
    result = cst.parse_expression(made[0] if len(made) == 1 else f"({', '.join(made)})")

    def make(statement: Any) -> list[Any]:
        first = before[0].with_changes(leading_lines=getattr(statement, "leading_lines", ()))
        lines = [first, *before[1:]]
        body = getattr(statement, "body", ())
        if isinstance(body, tuple | list) and len(body) == 1 and isinstance(body[0], cst.Expr):
            if body[0].value is node:
                return lines
        changed = replaced(statement, {id(node): result})
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


def _call(numpy: Any, name: str, args: list[Any], options: dict[str, Any]) -> Any:
    """A call of a function of NumPy."""
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    nothing = cst.SimpleWhitespace("")
    made = [cst.Arg(a.deep_clone(), comma=comma) for a in args]
    for keyword, value in options.items():
        equal = cst.AssignEqual(nothing, nothing)
        made.append(cst.Arg(value.deep_clone(), cst.Name(keyword), equal, comma))
    made[-1] = made[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return cst.Call(cst.Attribute(numpy.deep_clone(), cst.Name(name)), made)


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
