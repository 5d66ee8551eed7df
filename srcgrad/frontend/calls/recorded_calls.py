"""Calls of functions that no code can be generated for: these alone are recorded.

A refusal in a called function names that function; the derivative is generated anew, and
its calls become equations of their own kind, which stand in the text as calls of
``recorded``. What the call gives is taken to be a number or an array, or what it turned
out to be; ``recorded`` tests it.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.errors import MissingFormulaError, ResultError, SrcgradError
from srcgrad.frontend.checks.foreign_values import gives_foreign
from srcgrad.frontend.checks.harmless import is_harmless
from srcgrad.frontend.state.builder import Builder
from srcgrad.ir.nodes import RECORDED, Closure, Known, Method, Op, Pullback, Value, Var, is_active
from srcgrad.ir.types import Type
from srcgrad.late import late

_MOST = 8  # functions of one derivative that are recorded


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """A call that is recorded.

    Attributes:
        name: the name of the function.
        wrt: the positions and names of the arguments that are differentiated.
        given: which operands of the equation these are.
        gives: the numbers of axes of the result, see ``srcgrad.tape.regions.recorded``.
        reason: why no code can be generated, and where.
        recorder: the function that records it.
    """

    name: str
    wrt: tuple[int | str, ...]
    given: tuple[int, ...]
    gives: Any
    reason: str
    recorder: Any


def note_callee(
    b: Builder, error: SrcgradError, callee: Value, args: Any, options: Any, node: Any, style: str
) -> None:
    """Note in a refusal the called function that it is about, if that can be recorded alone."""
    context = b.context
    if error.callee is not None or not error.recordable or context.program is None:
        return
    if isinstance(error, MissingFormulaError | ResultError) or len(context.recorded) >= _MOST:
        return
    if not isinstance(callee, Known) or not isinstance(callee.object, types.FunctionType):
        return
    function = callee.object
    if function in context.recorded or function is context.program:
        return
    if _wrt(b, args, options, node, style) is None:
        return
    if hasattr(function, "__srcgrad_generated__") or gives_foreign(function):
        return
    if _is_harmless(b):
        error.callee = function


def lower_recorded(
    b: Builder, callee: Value, args: Any, options: Any, node: Any, style: str
) -> Value | None:
    """Lower a call of a function that is recorded; None if the function is not."""
    context = b.context
    if not isinstance(callee, Known) or not isinstance(callee.object, types.FunctionType):
        return None
    if callee.object not in context.recorded:
        return None
    refusal, gives = context.recorded[callee.object]
    wrt = _wrt(b, args, options, node, style)
    if wrt is None or not _is_harmless(b):
        raise refusal
    name = callee.object.__name__
    places = tuple(k for k, _ in wrt)
    label = tuple(place for _, place in wrt)
    call = RecordedCall(name, label, places, gives, _reason(refusal), late("recorded"))
    operands = tuple(v for v in (*args, *options.values()))
    type_ = tuple(map(_type, gives)) if isinstance(gives, tuple) else _type(gives)
    if type_ == Type("numeric", None, "f"):
        type_ = Type("numeric", context.lengths.fresh_shape(), "f")
    b.layout.impure.add(id(node))
    return b.emit(Op(RECORDED, style, name), operands, node, (), type_, True, call)


def _is_harmless(b: Builder) -> bool:
    """Whether the program may be run again, and writes into nothing that a call may hold."""
    context = b.context
    if context.harmless is None:
        known = context.purity is not None
        context.harmless = known and is_harmless(context.program, context.purity)
    return context.harmless


def _type(rank: int | None) -> Type:
    if rank is None:
        return Type("numeric", None, "f")
    return Type("array", (None,) * rank, "f") if rank else Type("scalar", (), "f")


def _reason(refusal: SrcgradError) -> str:
    text = " ".join(refusal.what.split())
    if not refusal.spots:
        return text
    spot = refusal.spots[0]
    file = spot.filename.replace("\\", "/").rsplit("/", 1)[-1]
    note = f": {spot.note}" if spot.note else ""
    return f"{text}{note} ({file}:{spot.lineno})"


def _wrt(
    b: Builder, args: Any, options: Any, node: Any, style: str
) -> list[tuple[int, int | str]] | None:
    """Where the differentiated arguments of a call stand: among all of them, and in the text.

    None where the text of the call does not show them one by one.
    """
    if b.formula is not None or b.context.inferring or style not in ("call", "method"):
        return None
    if not isinstance(node, cst.Call) or not _is_path(node.func):
        return None
    if any(arg.star for arg in node.args):
        return None
    shift = style == "method"
    count = sum(arg.keyword is None for arg in node.args)
    named = {arg.keyword.value for arg in node.args if arg.keyword is not None}
    if len(args) - shift != count or named != set(options) or named & {"wrt", "gives"}:
        return None
    found: list[tuple[int, int | str]] = []
    places = [*range(-shift, count), *options]
    for k, (value, place) in enumerate(zip((*args, *options.values()), places, strict=True)):
        if isinstance(value, Closure | Pullback | Method):
            return None
        if not is_active(value):
            continue
        if place == -1 or not isinstance(value, Var) or not value.type.is_number:
            return None
        if value.type.dtype not in ("f", "?") or value.type.element is not None:
            return None
        found.append((k, place))
    return found or None


def _is_path(node: Any) -> bool:
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)
