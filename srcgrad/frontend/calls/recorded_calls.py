"""Calls of functions that no code can be generated for: these alone are recorded.

A refusal in a called function names that function; the derivative is generated anew, and
its calls become equations of their own kind, which stand in the text as calls of
``recorded``. What the call gives is taken to be a number or an array, or what it turned
out to be; ``recorded`` tests it.
"""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportCallIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import libcst as cst

from srcgrad.errors import MissingFormulaError, ResultError, SrcgradError
from srcgrad.frontend.checks.changed_state import writes_only_its_own
from srcgrad.frontend.checks.foreign_values import gives_foreign
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.data_lists import may_change
from srcgrad.ir.forms import Dataclass, Form, NamedTuple, Object
from srcgrad.ir.nodes import (
    RECORDED,
    Closure,
    Compound,
    Const,
    Equation,
    Items,
    Known,
    Method,
    Op,
    Pullback,
    Struct,
    Super,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.structures import form_of, name_for
from srcgrad.ir.types import Type
from srcgrad.ir.unassigned import is_open
from srcgrad.late import late
from srcgrad.library.attributes import plainly

_MOST = 8  # functions of one derivative that are recorded
_LEAVES = 24  # what is differentiated in the arguments of one call
_FORMS = (Form, NamedTuple, Dataclass, Object)


@dataclass(frozen=True, eq=False)
class RecordedCall:
    """A call that is recorded.

    Attributes:
        name: the name of the function.
        wrt: the arguments and parts of arguments that are differentiated, and
        gives: what the result is, see ``srcgrad.tape.regions.recorded``.
        given: which operands of the equation the differentiated ones are, and which of
            their leaves.
        with_receiver: whether a method is called as a function of its object, too.
        reason: why no code can be generated, and where.
        recorder: the function that records it.
    """

    name: str
    wrt: tuple[Any, ...]
    gives: Any
    given: tuple[tuple[int, int], ...]
    with_receiver: bool
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
    if plainly(function, "__srcgrad_generated__") is not None or gives_foreign(function):
        return
    if writes_only_its_own(b.context):
        error.callee = function


def lower_recorded(
    b: Builder, callee: Value, args: Any, options: Any, node: Any, style: str
) -> Value | None:
    """Lower a call of a function that is recorded; None if the function is not."""
    context = b.context
    if not isinstance(callee, Known) or not isinstance(callee.object, types.FunctionType):
        return None
    apart = getattr(callee.object, "__srcgrad_apart__", None)
    if apart is not None and apart.refusal is not None and context.program is not None:
        context.recorded.setdefault(callee.object, (apart.refusal, apart.gives))
    if callee.object not in context.recorded:
        return None
    refusal, gives = context.recorded[callee.object]
    wrt = _wrt(b, args, options, node, style)
    if wrt is None or (apart is None and not writes_only_its_own(b.context)):
        raise refusal
    if apart is None:
        seen = context.results.of(callee.object) if context.results is not None else None
        if seen is not None or type(gives) is int:  # which need not be that of every call
            gives = seen
    name = callee.object.__name__
    may_change(b)
    receiver = any(k == 0 for k, _, _ in wrt) and style == "method"
    label = tuple(place for _, _, place in wrt)
    given = tuple((k, leaf) for k, leaf, _ in wrt)
    operands = tuple(v for v in (*args, *options.values()))
    call = RecordedCall(name, label, gives, given, receiver, _reason(refusal), late("recorded"))
    b.layout.impure.add(id(node))
    if gives is None:
        type_ = Type("numeric", context.lengths.fresh_shape(), "f")
        return b.emit(Op(RECORDED, style, name), operands, node, (), type_, True, call)
    targets: list[Var] = []

    def build(part: Any, label: str, path: tuple[Any, ...]) -> Value:
        form = form_of(part)
        if form is not None:
            names = [name_for(key, label) for key in form.names]
            rows = enumerate(form.parts(part))
            items = [build(p, names[k], (*path, form.access(k))) for k, p in rows]
            return Struct(form, tuple(items))
        if isinstance(part, tuple | list):
            items = [build(p, f"{label}_{k}", (*path, k)) for k, p in enumerate(part)]
            return Items(tuple(items), isinstance(part, list))
        if part is None:
            return Const(None)
        targets.append(b.define(Var(label, _type(part)), node, path))
        return targets[-1]

    value = build(gives, name, ())
    op = Op(RECORDED, style, name)
    b.block.append(Equation(tuple(targets), op, operands, (), b.origin(node), call))
    return value


def _type(rank: int | type) -> Type:
    """Return the type of a leaf of a result."""
    if isinstance(rank, type):
        return Type("scalar", (), "b" if rank is bool else "i")
    type_ = Type("array", (None,) * rank, "f") if rank else Type("scalar", (), "f")
    return type_.with_active(True)


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
) -> list[tuple[int, int, Any]] | None:
    """Where what is differentiated stands: operand, leaf of it, and what it is called.

    None where the text of the call does not show the arguments one by one, or where they
    hold what cannot be told by keys and attributes.
    """
    if b.formula is not None or b.context.inferring or style not in ("call", "method"):
        return None
    if not isinstance(node, cst.Call) or not _is_path(node.func):
        return None
    if any(arg.star for arg in node.args):
        return None
    bound = style == "method"
    count = sum(arg.keyword is None for arg in node.args)
    named = {arg.keyword.value for arg in node.args if arg.keyword is not None}
    if len(args) - bound != count or named != set(options) or named & {"wrt", "gives"}:
        return None
    shift = int(bound and not is_active(args[0]))  # the receiver is an argument where it moves
    if bound and not shift and not isinstance(node.func, cst.Attribute):
        return None
    places = [*range(-shift, len(args) - shift), *options]
    found: list[tuple[int, int, Any]] = []
    for k, (value, place) in enumerate(zip((*args, *options.values()), places, strict=True)):
        if isinstance(value, Closure | Pullback | Method):
            return None
        if any(is_open(part) for part, _ in _leaves(value)):
            return None  # it may be differentiated
        if not is_active(value):
            continue
        for leaf, (part, path) in enumerate(_leaves(value)):
            if not is_active(part):
                continue
            if path is None or not isinstance(part, Var) or not part.type.is_number:
                return None
            if part.type.dtype not in ("f", "?") or part.type.element is not None:
                return None
            found.append((k, leaf, [place, *path] if path else place))
    return found if 0 < len(found) <= _LEAVES else None


def _leaves(value: Value, path: tuple[Any, ...] | None = ()) -> Iterator[tuple[Value, Any]]:
    """Go through the leaves of an argument, with the keys and attributes that lead there."""
    if not isinstance(value, Compound):
        yield value, path
        return
    form = getattr(value, "form", None)
    steps = range(len(value.items)) if form is None else form.names
    if (form is not None and type(form) not in _FORMS) or type(value) is Super:
        path = None
    for step, item in zip(steps, value.items, strict=True):
        yield from _leaves(item, None if path is None else (*path, step))


def _is_path(node: Any) -> bool:
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)
