"""Lowering of what the user puts into the backward part: ``backward_of`` and ``on_backward``."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.effects import gives_new
from srcgrad.errors import SrcgradError
from srcgrad.frontend.arrays.views import parent, stands_for
from srcgrad.frontend.expressions.lowering import lower
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.rewriting import Rewriting, fresh_name, put_in_place, restore, snapshot
from srcgrad.frontend.text.names import bound_names, identifiers, names_written_into
from srcgrad.frontend.text.trees import below, children, replaced
from srcgrad.ir.demands import Specialise
from srcgrad.ir.interception import Interception
from srcgrad.ir.nodes import INTERCEPT, Const, Equation, Items, Known, Op, Value, Var
from srcgrad.ir.types import bar_type_of
from srcgrad.ir.unassigned import is_open
from srcgrad.runtime.intercepting import backward_of, on_backward

# functions that neither keep nor write what they are given
_READING = (print, float, int, complex, bool, len, abs, str, repr, format, isinstance, type)
_METHODS = frozenset(  # of arrays, which give new ones
    ("all", "any", "copy", "cumsum", "dot", "item", "max", "mean", "min", "std", "sum", "tolist")
)
_READERS = (
    *(cst.BinaryOperation, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget),
    cst.FormattedStringExpression,
)
_METADATA = frozenset({"shape", "ndim", "size", "dtype"})


def is_backward_block(b: Builder, node: cst.With) -> bool:
    """Tell whether a statement is ``with backward_of(h) as h_bar:``."""
    call = node.items[0].item
    return isinstance(call, cst.Call) and _is_called(b, call, backward_of)


def leave_out(b: Builder) -> None:
    """Leave the statement that is lowered out of the forward part; others quote it."""
    old, new = b.statement, cst.SimpleStatementLine([cst.Pass()])
    b.source.quote(new, b.source.text_of(old))
    put_in_place(b, old, [new])
    b.frame.statements[-1] = (new, b.statement_position)
    b.statement = new


def lower_backward_block(b: Builder, node: cst.With) -> None:
    """Lower ``with backward_of(h) as h_bar:``."""
    call: Any = node.items[0].item
    if len(node.items) > 1 or len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        raise b.refuse(node, "this form of backward_of", "write: with backward_of(h) as h_bar:")
    target = node.items[0].asname
    name = fresh_name(b, "h_bar") if target is None else getattr(target.name, "value", None)
    if not isinstance(name, str):
        raise b.refuse(node, "unpacking a cotangent", "give it one name: as h_bar")
    value = _value(b, call.args[0].value)
    _require_its_own(b, node, name)
    if value is not None:
        statements = tuple(node.body.body)
        if isinstance(node.body, cst.SimpleStatementSuite):
            statements = (cst.SimpleStatementLine(statements),)
        copies = any(_may_keep(b, statement, name) for statement in statements)
        checks = name in bound_names(node.body) and not _fits(b, statements, name, value)
        label = call.args[0].value.value
        intercept(b, value, label, Interception(name, (), statements, copies, checks), node)


def lower_on_backward(b: Builder, args: Any, options: Any, node: cst.Call) -> Value | None:
    """Lower ``on_backward(h, fn)``, which gives ``h``; the name stands for that from there on."""
    texts = [arg.value for arg in node.args if arg.keyword is None and not arg.star]
    texts += [a.value for a in node.args if a.keyword is not None and a.keyword.value == "fn"]
    if len(args) + len(options) != 2 or len(texts) != 2:
        raise b.refuse(node, "this form of on_backward", "write: on_backward(h, fn)")
    value = _of_number(b, args[0], node)
    if value is None:
        return args[0]
    fn = args[1] if len(args) > 1 else options["fn"]
    copies = not (isinstance(fn, Known) and any(fn.object is one for one in _READING))
    made = Interception("", (), (_in_brackets(texts[1]),), copies, True, called=True)
    return intercept(b, value, getattr(texts[0], "value", ""), made, node)


def is_on_backward(b: Builder, call: cst.Call) -> bool:
    """Tell whether a call that stands by itself is one of ``on_backward``."""
    return _is_called(b, call, on_backward)


def _in_brackets(node: Any) -> Any:
    if isinstance(node, cst.Name | cst.Attribute | cst.Call):
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _is_called(b: Builder, call: cst.Call, fn: Any) -> bool:
    callee = _known(b, call.func)
    return callee is not None and callee.object is fn


def _known(b: Builder, node: Any) -> Known | None:
    """What a name from outside, or an attribute of one, stands for."""
    root = node
    while isinstance(root, cst.Attribute):
        root = root.value
    if not isinstance(root, cst.Name) or root.value in b.env:
        return None
    state = snapshot(b)
    try:
        found = lower(b, node)
    except SrcgradError:
        found = None
    restore(b, state)
    return found if isinstance(found, Known) else None


def _value(b: Builder, node: Any) -> Var | None:
    """The value whose cotangent is meant; None where it has none."""
    if not isinstance(node, cst.Name):
        raise b.refuse(node, "backward_of what has no name of its own", "give it a name before")
    return _of_number(b, lower(b, node), node)


def _of_number(b: Builder, value: Value, node: Any) -> Var | None:
    if isinstance(value, Var) and value.type.is_number:
        return value if value.type.active else None
    if isinstance(value, Const):
        return None
    what = "the cotangent of what is no array and no number"
    raise b.refuse(node, what, "take the arrays in it one by one")


def _require_its_own(b: Builder, node: cst.With, name: str) -> None:
    """Refuse a body that leaves the backward part, or changes what is the function's."""
    for item in below(node.body, {cst.FunctionDef, cst.Lambda}):
        if isinstance(item, cst.Return | cst.Global | cst.Nonlocal | cst.Yield | cst.Await):
            word = type(item).__name__.lower()
            raise b.refuse(item, f"{word} in the backward part", "put it behind the block")
    rest = replaced(b.source.tree, {id(node): cst.SimpleStatementLine([cst.Pass()])})
    outside = identifiers(_without_blocks(rest))
    taken = sorted(((bound_names(node.body) | {name}) & outside) - {"_"})
    if taken:
        raise b.refuse(
            node,
            f"a name in the backward part that the function has, too ({taken[0]!r}),",
            "choose another name",
        )
    written = names_written_into(node.body) & set(b.env) - {name}
    numbers = [n for n in sorted(written) if isinstance(b.env[n], Var) and b.env[n].type.is_number]
    if numbers:
        raise b.refuse(
            node,
            f"a write into {numbers[0]!r}, which the function has, in the backward part",
            "write into an array or a list of its own",
        )


def _without_blocks(node: Any) -> Any:
    """A function without what stands in its other blocks of the backward part."""
    found: dict[int, Any] = {}
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        call = item.items[0].item if isinstance(item, cst.With) else None
        func = call.func if isinstance(call, cst.Call) else None
        if getattr(getattr(func, "attr", func), "value", "") == "backward_of":
            found[id(item)] = cst.SimpleStatementLine([cst.Pass()])
        else:
            stack += children(item)
    return replaced(node, found) if found else node


def _fits(b: Builder, statements: tuple[Any, ...], name: str, value: Var) -> bool:
    """Whether what a text makes of a cotangent is known to have its shape."""
    state = snapshot(b)
    given = bar_type_of(value.type).with_active(False)
    try:
        b.env[name] = Var(name, given, True)
        recursion.lower_block(b, list(statements))
        made = b.env[name]
        same = isinstance(made, Var) and made.type.kind == given.kind
        return same and made.type.dtype == given.dtype and b.context.lengths.same(made.type, given)
    except (SrcgradError, Rewriting, Specialise):
        return False
    finally:
        restore(b, state)


def _may_keep(b: Builder, node: Any, name: str) -> bool:
    """Whether a text may write into the array that a name stands for, or keep it."""
    if _is(node, name):
        return True
    if isinstance(node, cst.AugAssign) and _is(node.target, name):
        return True
    if isinstance(node, cst.Attribute) and _is(node.value, name):
        return node.attr.value not in _METADATA
    parts = children(node)
    if isinstance(node, cst.Assign) and all(isinstance(t.target, cst.Name) for t in node.targets):
        parts = [node.value]
    elif isinstance(node, _READERS):
        parts = [part for part in parts if not _is(part, name)]
    elif isinstance(node, cst.Call):
        args = [arg.value for arg in node.args]
        func = node.func
        method = isinstance(func, cst.Attribute) and _is(func.value, name)
        known = None if method else _known(b, func)
        if method and func.attr.value in _METHODS:
            parts = args
        elif known is not None and _only_reads(known.object, node):
            parts = [arg for arg in args if not _is(arg, name)]
    return any(_may_keep(b, part, name) for part in parts)


def _is(node: Any, name: str) -> bool:
    """Whether an expression is a name, or may be a view of what it stands for."""
    if isinstance(node, cst.Subscript):
        return _is(node.value, name)
    return isinstance(node, cst.Name) and node.value == name


def _only_reads(fn: Any, call: cst.Call) -> bool:
    plain = all(arg.keyword is None or arg.keyword.value != "out" for arg in call.args)
    return plain and (any(fn is one for one in _READING) or gives_new(fn))


def intercept(b: Builder, value: Var, name: str, text: Interception, node: Any) -> Var:
    """Let a text stand where the way back comes to a value.

    Of an array it is that under all names, of a number that under one.

    Returns:
        The value, from there on.
    """
    used: set[str] = set().union(*map(identifiers, text.statements))
    own = frozenset({text.name}).union(*map(bound_names, text.statements))
    names = [n for n in sorted(used - own) if b.env.get(n) is not None]
    held = []
    for label in names:
        found = b.env[label]
        if not isinstance(found, Var | Const | Items | Known) or is_open(found):
            raise b.refuse(
                node,
                f"{label!r}, which is no array and no number, in the backward part",
                "give what is needed of it a name before",
            )
        held.append(found)
    made = replace(text, reads=tuple(names), of_view=parent(b, value) is not None)
    new = b.define(Var(value.name, value.type, value.named), None)
    origin = b.origin(None)
    b.block.append(Equation((new,), Op(INTERCEPT), (value, *held), (), origin, made))
    stands_for(b, value, new, name)
    return new
