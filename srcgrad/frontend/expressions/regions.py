"""Lowering of code that is executed under a condition, and the merging after it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.memory.list_versions import changes_of_lists, is_list
from srcgrad.analysis.shapes.models import note_merge
from srcgrad.analysis.shapes.results import type_of
from srcgrad.frontend.arrays import views
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.returned import RETURN
from srcgrad.frontend.state.rewriting import reaches
from srcgrad.frontend.text.unnamed import is_named, kind_of
from srcgrad.ir.layout import Frame
from srcgrad.ir.nodes import (
    Block,
    Carried,
    Closure,
    Compound,
    Const,
    If,
    Items,
    Known,
    Merge,
    Statement,
    Struct,
    Value,
    Var,
    variables,
)
from srcgrad.ir.types import BOOLEAN, INTEGER, OPTIONAL, Type, join
from srcgrad.ir.unassigned import LOST, UNDEFINED, holds_perhaps, is_perhaps, perhaps


def run_arm(
    b: Builder, body: Callable[[Builder], Any], frame: Frame | None
) -> tuple[tuple[Statement, ...], Any, dict[str, Value]]:
    """Lower one arm of a branch; the builder's names are restored afterwards.

    Returns:
        The statements, what ``body`` returned, and the names at the arm's end.
    """
    block, env, outer = b.block, dict(b.env), b.frame
    b.block = []
    if frame is not None:
        b.frame = frame
    else:
        b.conditional += 1
    with b.context.lengths.uncertain():
        value = body(b)
    statements, after = tuple(b.block), b.env
    b.block, b.env, b.frame = block, env, outer
    if frame is None:
        b.conditional -= 1
    return statements, value, after


def branch(
    b: Builder,
    test: Value,
    then: Callable[[Builder], Value],
    orelse: Callable[[Builder], Value],
    node: Any,
) -> Value:
    """Lower a conditional expression."""
    number = b.layout.tick()
    frames = [b.layout.new_frame("arm", b.frame, branch=(number, k), node=node) for k in range(2)]
    results: list[Any] = []

    def lower_arms() -> None:
        for body, frame in ((then, frames[0]), (orelse, frames[1])):
            b.conditional += 1
            results.append(run_arm(b, body, frame))
            b.conditional -= 1

    if not reaches(b, lower_arms):
        return (then if results else orelse)(b)
    merges: list[Merge] = []
    left, right = results[0][1], results[1][1]
    if _is_given(b, node, apart=False):
        left, right = _with_none(b, left, right)
    value = merge_values(b, left, right, "value", merges, node)
    names = merge_names(b, results[0][2], results[1][2], merges)
    for merge in merges:  # of views, the arrays are merged, and the text is that of the view
        b.define(merge.out, node if len(merges) == 1 and merge.out is value else None)
    b.block.append(
        If(test, results[0][0], results[1][0], tuple(merges), b.origin(node), tuple(frames))  # type: ignore[arg-type]
    )
    b.layout.tick()
    b.block += b.rereads
    b.rereads = []
    for name, merged in names.items():
        if not is_named(name):
            b.env[name] = merged
        else:
            b.bind(name, merged, write=False)
    freeze_merged(b, merges)
    return value


def may_be_given(b: Builder, value: Value, node: Any) -> bool:
    """Whether an expression may have a value: what may be None, names and returns may be given."""
    if is_perhaps(value):
        return _is_given(b, node, apart=False)
    return not holds_perhaps(value) or _is_given(b, node, apart=True)


def _is_given(b: Builder, node: Any, apart: bool) -> bool:
    """Whether an expression is what a statement returns, or gives to names.

    Args:
        b: the lowering.
        node: the expression.
        apart: whether the statement has to take it apart, if it does not return it.
    """
    small = b.statement.body[0] if isinstance(b.statement, cst.SimpleStatementLine) else None
    if isinstance(small, cst.Return):
        return _gives(small.value, node, True)
    if not isinstance(small, cst.Assign):
        return False
    parts = cst.Tuple | cst.List
    taken = all(isinstance(t.target, parts) for t in small.targets)
    named = all(isinstance(t.target, cst.Name | parts) for t in small.targets)
    return (taken if apart else named) and _gives(small.value, node, taken)


def _gives(whole: Any, node: Any, apart: bool) -> bool:
    """Whether an expression is another one, or gives it in one of its cases, or as a part."""
    parts: list[Any] = []
    if isinstance(whole, cst.IfExp):
        parts = [whole.body, whole.orelse]
    elif isinstance(whole, cst.Tuple) and apart:
        parts = [element.value for element in whole.elements]
    return whole is node or any(_gives(part, node, apart) for part in parts)


def merge_arms(
    b: Builder, node: Any, test: Value, arms: Sequence[tuple[Any, Any, dict[str, Value], Frame]]
) -> None:
    """Append the branch that a statement is, and let names stand for what they hold behind it."""
    merges: list[Merge] = []
    (then, _, left, one), (orelse, _, right, other) = arms
    changed = merge_names(b, left, right, merges)
    b.block.append(If(test, then, orelse, tuple(merges), b.origin(node), (one, other)))
    b.layout.tick()
    b.block += b.rereads
    b.rereads = []
    for merge in merges:
        b.define(merge.out, None)
    for name, value in changed.items():
        if not is_named(name):
            b.env[name] = value
        else:
            b.bind(name, value, write=False)
    freeze_merged(b, merges)


def merge_names(
    b: Builder, then: dict[str, Value], orelse: dict[str, Value], merges: list[Merge]
) -> dict[str, Value]:
    """Merge what the names stand for at the ends of two arms; return the changed ones."""
    changed: dict[str, Value] = {}
    for name in [*then, *(n for n in orelse if n not in then)]:
        left, right = then.get(name, UNDEFINED), orelse.get(name, UNDEFINED)
        if kind_of(name) == "array" and UNDEFINED in (left, right):
            continue
        label = name if is_named(name) else "value"
        if kind_of(name) in ("array", "argument") and isinstance(left, Var):
            label = left.name
        again = name != RETURN  # forward mode returns its tangents inside of the arms
        if is_named(name) or name == RETURN:
            left, right = _with_none(b, left, right, name == RETURN or b.source.is_generated)
        merged = merge_values(b, left, right, label, merges, None, again=again)
        if merged is not b.env.get(name):
            changed[name] = merged
    return changed


def merge_values(
    b: Builder,
    left: Value,
    right: Value,
    name: str,
    merges: list[Merge],
    node: Any,
    *,
    again: bool = True,
) -> Value:
    """Return the value that is ``left`` in one arm and ``right`` in the other."""
    if left is right or same_constant(left, right):
        return left
    if left is LOST or right is LOST:
        return LOST
    if is_perhaps(left) is not is_perhaps(right):
        return LOST
    if isinstance(left, Struct) and isinstance(right, Struct) and left.form == right.form:
        names = [str(n) for n in left.form.names]
        return _merge_objects(b, left, right, merges, node, names, again)
    if isinstance(left, Items) and isinstance(right, Items):
        if len(left.items) == len(right.items):
            if left.is_list and right.is_list:
                names = [name] * len(left.items)
                return _merge_objects(b, left, right, merges, node, names, again)
            pairs = zip(left.items, right.items, strict=True)
            return left.like(
                merge_values(b, p, q, name, merges, node, again=again) for p, q in pairs
            )
    for absent, present in ((left, right), (right, left)):
        if not _is_absent(b, absent):
            continue
        if isinstance(present, Compound):
            parts = [
                merge_values(b, UNDEFINED, p, _called(p, name), merges, node)
                if present is right
                else merge_values(b, p, UNDEFINED, _called(p, name), merges, node)
                for p in present.items
            ]
            return present.like(parts)
        if isinstance(present, Var) and present.type in (INTEGER, BOOLEAN):
            left, right = (UNDEFINED, right) if present is right else (left, UNDEFINED)
            break
    simple = (Var, Const)
    if not isinstance(left, simple) or not isinstance(right, simple):
        return LOST
    view = view_of_merged(b, left, right, merges) if again else None
    if view is not None:
        return view
    type_ = join_values(b, left, right)
    named = bool(node is None)
    out = Var(name, type_, named)
    for merge in merges:
        if merge.then is left and merge.orelse is right:
            return merge.out
    for marked in (b.frozen, b.handed):
        if left in marked or right in marked:
            marked.add(out)
    if UNDEFINED in (left, right) or left in b.partial or right in b.partial:
        b.partial.add(out)
    elif {left, right} & (b.begun | b.derived):
        b.derived.add(out)
    merges.append(Merge(out, left, right))
    note_merge(b.context.lengths, out, left, right)
    b.define(out, None)
    return out


def _called(part: Value, otherwise: str) -> str:
    return part.name if isinstance(part, Var) and part.named else otherwise


def _with_none(
    b: Builder, left: Value, right: Value, returned: bool = False
) -> tuple[Value, Value]:
    """Return what a name stands for in two arms, in one form where it is None in one of them.

    What is returned in a loop has no value in other iterations; and generated text reads
    nothing that has none.
    """
    if isinstance(left, Items) and isinstance(right, Items) and returned and not left.is_list:
        if len(left.items) == len(right.items):
            pairs = zip(left.items, right.items, strict=True)
            rows = [_with_none(b, p, q, True) for p, q in pairs]
            return left.like(p for p, _ in rows), right.like(q for _, q in rows)
    if not may_be_either(left, right):
        return left, right
    return as_perhaps(b, left, UNDEFINED, returned), as_perhaps(b, right, UNDEFINED, returned)


def may_be_either(one: Value, other: Value) -> bool:
    """Whether something that is one of two values may be None, or else has parts."""
    values = (one, other)
    some = any(isinstance(v, Compound) for v in values)
    none = any(is_perhaps(v) or v == Const(None) for v in values)
    told = all(isinstance(v, Compound) or v == Const(None) for v in values)
    return some and none and told and not all(map(is_perhaps, values))


def as_perhaps(b: Builder, value: Value, nothing: Value, assigned: bool = False) -> Value:
    """Return a value as one that may be None; ``nothing`` are the parts that None has."""
    if is_perhaps(value):
        return value
    if not isinstance(value, Compound):
        return perhaps(nothing)
    if not assigned and {*variables(value)} & (b.partial | b.begun | b.derived):
        return perhaps(LOST)  # it may be unassigned, or of an iteration before
    b.freeze(value)
    return perhaps(replace(value, token=None))


def view_of_merged(b: Builder, left: Value, right: Value, merges: list[Merge]) -> Value | None:
    """Take a view after a branch, of whichever array it was taken in its arms."""
    (one, steps), (other, others) = views.chain(b, left), views.chain(b, right)
    if not steps or not views.same_steps(steps, others):
        return None
    assert isinstance(one, Var)
    known = len(merges)
    root = merge_values(b, one, other, one.name, merges, None)
    if not isinstance(root, Var):
        return None
    if len(merges) > known and b.context.lengths.same(root.type, one.type):
        root.named = False  # until a name stands for it, too
        b.context.shaped_as[root] = one
    block, b.block = b.block, b.rereads
    if root is one:  # nothing has written into it, but neither arm's view is there in the other
        value = views.again(b, steps, one)
    else:
        value = views.rebase(b, left, {one: root})
    b.block = block
    return None if value is left else value


def _merge_objects(
    b: Builder,
    left: Compound,
    right: Compound,
    merges: list[Merge],
    node: Any,
    names: list[str],
    again: bool,
) -> Value:
    """Merge two objects; where several names hold them, these hold one object afterwards too."""
    key = (id(left), id(right))
    if key not in b.merged:
        rows = zip(left.items, right.items, names, strict=True)
        parts = tuple(merge_values(b, p, q, n, merges, node, again=again) for p, q, n in rows)
        token = left.token if left.token is right.token else None
        if token is None:  # which of the two objects it is, is not known
            b.freeze(left, right)
        b.merged[key] = left, right, replace(left, items=parts, token=token)
    return b.merged[key][2]


def _is_absent(b: Builder, value: Value) -> bool:
    """Whether an arm leaves a name unassigned, or gives it a placeholder in generated code."""
    if value is UNDEFINED:
        return True
    if not isinstance(value, Const) or not b.source.is_generated:
        return False
    return value == Const(0.0) or (isinstance(value.value, float) and math.isnan(value.value))


def same_constant(left: Value, right: Value) -> bool:
    """Whether two values are the same constant or known object."""
    if isinstance(left, Const) and isinstance(right, Const):
        return left == right
    if isinstance(left, Known) and isinstance(right, Known):
        return left.object is right.object
    if isinstance(left, Closure) and isinstance(right, Closure):
        return left.node is right.node and left.derivatives == right.derivatives
    return False


def may_be_none(type_: Type) -> bool:
    """Whether None may stand in the place of a value of a type: of a number or an array."""
    return type_.is_number and type_.element in (None, OPTIONAL)


def join_values(b: Builder, left: Value, right: Value) -> Type:
    """The type of a value that is one of two; a value that may be unassigned joins as the other."""
    if left is UNDEFINED:
        return type_of(right)
    if right is UNDEFINED:
        return type_of(left)
    for absent, present in ((left, right), (right, left)):
        if absent == Const(None) and may_be_none(type_of(present)):
            return replace(type_of(present), element=OPTIONAL)
    lengths = b.context.lengths
    lengths.agree(type_of(left), type_of(right))
    return join(*(replace(t, shape=lengths.resolve(t.shape)) for t in map(type_of, (left, right))))


def freeze_merged(b: Any, merges: Iterable[Merge]) -> None:
    """Allow no more writes to lists that have several names behind a branch."""
    _freeze(b, [(m.out, (m.then, m.orelse)) for m in merges])


def freeze_carried(b: Any, carried: Iterable[Carried], body: Block, node: Any) -> None:
    """Do the same behind a loop; refuse one that writes to a list which got another name in it."""
    lists = [c for c in carried if is_list(c.out)]
    if not lists:
        return
    held = _held(b)
    for c in lists:
        same = [d.param for d in lists if d is not c and d.next is c.next]
        again = c.init is not UNDEFINED and c.next is not c.param and (same or c.next in held)
        if again and changes_of_lists(body, [c.param, *same]):
            raise b.refuse(
                node, "a list that gets another name in a loop", "let each name keep its list"
            )
    _freeze(b, [(c.out, (c.init, c.next)) for c in lists])


def _freeze(b: Any, joined: list[tuple[Value, tuple[Value, ...]]]) -> None:
    made: dict[Var, set[Var]] = {}
    for out, sides in joined:
        for side in sides if isinstance(out, Var) and is_list(out) else ():
            if isinstance(side, Var):
                made.setdefault(side, set()).add(out)  # type: ignore[arg-type]
    if not made:
        return
    held = _held(b)
    for side, outs in made.items():
        if len(outs) > 1 or side in held or side in b.frozen:
            b.frozen |= {side, *outs}


def _held(b: Any) -> set[Var]:
    """The lists that names, and the objects behind them, stand for."""
    return {v for value in b.env.values() for v in variables(value) if is_list(v)}
