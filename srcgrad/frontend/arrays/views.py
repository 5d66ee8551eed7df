"""Views: which arrays share the memory of which, and what a write through one of them does.

A value that a slice, a transpose or a reshape gives is a view of its operand. A
write through a view is lowered as what it does to the array behind it: the view
with the new elements is put back where the view was taken from, step by step,
until the array that is no view is reached. All names that stand for it or for
one of its views are then read from its next version.
"""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.analysis.shapes.indices import is_plain, written_entries
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MutationError
from srcgrad.frontend.arrays.formula_calls import as_formula_arguments
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.data_lists import may_change
from srcgrad.frontend.state.handed import forget_handed
from srcgrad.frontend.state.versions import bound_anew
from srcgrad.frontend.text.unnamed import is_named, kind_of
from srcgrad.ir.leaves import leaves
from srcgrad.ir.nodes import (
    INDEX_SET,
    OPAQUE,
    Closure,
    Compound,
    Const,
    Equation,
    Function,
    Items,
    MemoryNote,
    Method,
    Op,
    Slice,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.rebuilding import rebuilt, substituted
from srcgrad.ir.types import Type
from srcgrad.registry import find_formula

WHOLE = Const(...)
FULL = Slice(Const(None), Const(None), Const(None))
_SAME = (np.real, np.asarray, np.asanyarray)  # of a real array: the array itself
_PARTS = (np.real, np.imag)  # of a complex array: every other number in its memory
_RESHAPES = (np.reshape, np.ravel, np.squeeze, np.expand_dims)
_COPYING = (np.reshape, np.ravel)  # these copy what is not contiguous
_ROW_MAJOR = (np.zeros, np.ones, np.empty, np.full, np.eye, np.arange, np.linspace)
_ALWAYS = (np.transpose, np.matrix_transpose, np.swapaxes, np.moveaxis, np.flip)


def parent(b: Builder, value: Value) -> Equation | None:
    """The equation that takes a view, if a value is one; its first operand is the array."""
    made = b.made.get(value) if isinstance(value, Var) else None
    if made is None or not _takes_view(made, value):  # type: ignore[arg-type]
        return None
    return None if _is_of_nobody(b, made) else made


def _is_of_nobody(b: Builder, made: Equation) -> bool:
    """Whether an array is made in an expression, to be brought into another shape at once."""
    if made.op.fn is operator.getitem or made.op.fn in _SAME:
        return False
    base = made.args[0]
    maker = b.made.get(base) if isinstance(base, Var) and not base.named else None
    return maker is not None and is_fresh(maker) and not is_held(b, base)  # type: ignore[arg-type]


def _takes_view(made: Equation, value: Var) -> bool:
    if not made.args or not isinstance(made.args[0], Var):
        return False
    if value.type.is_immutable or value.type.kind not in ("array", "numeric"):
        return False
    fn, base = made.op.fn, made.args[0]
    if fn is operator.getitem:
        index = made.args[1]
        known = base.type.kind == "array" or (base.type.kind == "numeric" and _slices(index))
        array = value.type.kind == "array" or _slices(index) or index == WHOLE
        return known and array and is_plain(index)
    if base.type.kind != "array" or made.op.name == "flatten":
        return False
    if fn in _SAME or (fn is np.imag and base.type.dtype == "c"):
        return len(made.args) == 1 and not made.options
    if fn is np.conjugate and made.op.style == "method" and base.type.dtype != "c":
        return True  # the array itself, where the function gives a copy
    if fn in _RESHAPES or fn in _ALWAYS:
        return not any(n in ("order", "copy") for n, _ in made.options)
    return False


def taken_by_call(
    b: Builder, function: Function, given: dict[Var, Value], node: Any
) -> Value | None:
    """Take the view of one of its arguments that a function returns and does nothing besides.

    Args:
        b: the builder.
        function: the function.
        given: what its parameters stand for in the call.
        node: the call, which is the text of the view.

    Returns:
        None where the function gives something else.
    """
    steps = [step for step in function.body if isinstance(step, Equation) and step.args]
    if not steps or len(steps) < len(function.body):
        return None
    operands: Any = steps[0].args
    value = operands[0]
    made = given.get(value) if isinstance(value, Var) else None
    for step in steps:
        if step.args[0] is not value or len(step.targets) != 1:
            return None
        value = step.targets[0]
        beside = (*step.args[1:], *(option for _, option in step.options))
        read = {part for arg in beside for part in variables(arg)}
        if not _takes_view(step, value) or not read <= given.keys():
            return None
    if value is not function.result or not isinstance(made, Var) or made.type.kind != "array":
        return None
    for step in steps:
        rest = [substituted(arg, given) for arg in step.args[1:]]
        last = node if step is steps[-1] else None
        options = tuple((name, substituted(option, given)) for name, option in step.options)
        made = b.emit(step.op, (made, *rest), last, options)
    return made


def _slices(index: Value) -> bool:
    """Whether an index fits arrays only, and takes arrays from them."""
    entries = index.items if isinstance(index, Items) else (index,)
    return any(isinstance(e, Slice) for e in entries)


def chain(b: Builder, value: Value) -> tuple[Value, list[Equation]]:
    """The array behind a view, and the steps from the view to it."""
    steps: list[Equation] = []
    while (made := parent(b, value)) is not None:
        steps.append(made)
        value = made.args[0]
    return value, steps


def same_steps(one: list[Equation], other: list[Equation]) -> bool:
    """Whether two chains take the same view."""
    return len(one) == len(other) and all(
        a.op.fn is c.op.fn and a.args[1:] == c.args[1:] and a.options == c.options
        for a, c in zip(one, other, strict=True)
    )


def rebase(b: Builder, value: Value, moved: dict[Any, Any]) -> Value:
    """Take a view again, of the next version of the array behind it."""
    if isinstance(value, Compound):
        return rebuilt(value, lambda part: rebase(b, part, moved), moved)
    if isinstance(value, Closure):
        held = tuple((name, rebase(b, part, moved)) for name, part in value.captured)
        same = all(p[1] is q[1] for p, q in zip(held, value.captured, strict=True))
        return value if same else replace(value, captured=held)
    if isinstance(value, Method):
        return bound_anew(b, value, rebase(b, value.receiver, moved))
    if not isinstance(value, Var):
        return value
    if value in moved:
        return moved[value]
    made = parent(b, value)
    if made is None:
        return value
    base = rebase(b, made.args[0], moved)
    if base is made.args[0] or _may_copy(b, made):
        return value
    b.layout.aliased.add(value)
    new = Var(value.name, value.type.with_active(is_active(base)))
    take(b, made, new, base)
    moved[value] = new
    b.context.shaped_as[new] = value
    return new


def again(b: Builder, steps: list[Equation], base: Var) -> Var:
    """Take a view once more."""
    for step in reversed(steps):
        old = step.targets[0]
        new = Var(old.name, old.type.with_active(is_active(base)))
        b.layout.aliased.add(old)
        take(b, step, new, base)
        b.context.shaped_as[new] = old
        base = new
    return base


def _as_formula_takes(step: Equation) -> tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]]:
    """What a view is taken with: the options by name, which may be active from here on."""
    if step.op.fn is operator.getitem or find_formula(step.op.fn) is None:
        return step.args[1:], step.options
    names = as_formula_arguments(step.op.fn, [""] * len(step.args))
    pairs = list(zip(names, step.args, strict=True))[1:]
    options = (*((name, value) for name, value in pairs if name), *step.options)
    return tuple(value for name, value in pairs if name == ""), options


def take(b: Builder, step: Equation, new: Var, base: Value) -> None:
    """Append the equation that takes a view as another one did."""
    b.define(new, None)
    args, options = _as_formula_takes(step)
    equation = Equation((new,), step.op, (base, *args), options, b.origin(None))
    b.made[new] = equation
    b.block.append(equation)


def refresh(b: Builder, old: Var, new: Var, only: str = "") -> None:
    """Let every name that sees an array see its next version.

    Args:
        b: the builder.
        old: the array before a write.
        new: the array behind it.
        only: the name that is certain to see it; the others, which nobody reads any
            more, do if it is an array and not a number.
    """
    b.layout.tick()
    moved: dict[Any, Any] = {old: new}
    changed: set[str] = set()
    for name, held in list(b.env.items()):
        fresh = rebase(b, held, moved)
        if fresh is held:
            continue
        b.env[name] = fresh
        changed.add(name)
        if is_named(name):
            b.layout.write(name, b.frame, in_place=True)
            if only in ("", name):
                b.attach(name, fresh, ())
    held = any(b.env[name] is new for name in changed if is_named(name))
    new.named = held
    if any(kind_of(name) == "argument" for name in changed):
        b.layout.tracked.add(new)


def is_held(b: Builder, var: Var) -> bool:
    """Whether a name stands for an array, itself or in a tuple."""
    return any(leaf is var for held in b.env.values() for leaf in leaves(held))


def hold(b: Builder, value: Value) -> None:
    """Keep track of the array behind a view, should it have no name."""
    root, steps = chain(b, value)
    if steps and isinstance(root, Var) and not is_held(b, root):
        b.env[b.hidden_name()] = root


def write(b: Builder, base: Var, index: Value, value: Value, op: Op, node: Any) -> Var:
    """Lower a write into an array, which may be a view.

    Returns:
        The next version of the array behind it.
    """
    may_change(b, base)
    hold(b, base)
    _, steps = chain(b, base)
    for step in steps:
        b.layout.aliased.add(step.targets[0])
        _require_one_layout(b, step)
    while steps and steps[0].op.fn is operator.getitem:
        combined = composed(steps[0].args[1], index)
        if combined is None:
            break
        base, index = steps[0].args[0], combined  # type: ignore[assignment]
        steps = steps[1:]
    if steps:
        if op.fn is not INDEX_SET or index != WHOLE or not _same_shape(base, value):
            value = _changed(b, base, index, value, op)
        for step in steps[:-1]:
            value = _put_back(b, step, value)
        op, index = Op(INDEX_SET), WHOLE
        base = steps[-1].args[0]  # type: ignore[assignment]
        if steps[-1].op.fn is operator.getitem:
            index = steps[-1].args[1]
    new = Var(base.name, _written(base, value))
    b.define(new, None)
    b.block.append(
        Equation((new,), op, (base, index, value), (), b.origin(node), MemoryNote.IN_PLACE)
    )
    replaced(b, base, new)
    if not new.named:
        b.context.shaped_as[new] = base  # its new version stands under no name
    return new


def _is_outside(b: Builder, root: Value) -> bool:
    """Whether a path from outside leads to a value."""
    while root not in b.reached:
        made = b.made.get(root) if isinstance(root, Var) else None
        if made is None or made.op.fn is not operator.getitem:
            return False
        root = made.args[0]
    return True


@recursion.may_write.define
def may_write(b: Builder, value: Value, call: Any = None) -> None:
    """Note that an inactive array may have been written by a call that it was given to."""
    if not isinstance(value, Var) or value.type.kind not in ("array", "numeric", "opaque", "list"):
        return
    may_change(b, value)
    hold(b, value)
    root, _ = chain(b, value)
    if isinstance(root, Var):
        root = _as_held(b, root)
        new = Var(root.name, root.type)
        b.define(new, None)
        b.block.append(
            Equation((new,), Op(OPAQUE), (root,), (), b.origin(call), MemoryNote.MAY_WRITE)
        )
        replaced(b, root, new)


@recursion.may_be_held.define
def may_be_held(b: Builder, value: Value) -> None:
    """Note that an inactive array may be reached from here on in ways that are not known."""
    kinds = ("array", "numeric", "opaque", "list")
    if not isinstance(value, Var) or value.type.active or value.type.kind not in kinds:
        return
    may_change(b, value)
    hold(b, value)
    root, _ = chain(b, value)
    if isinstance(root, Var) and not root.type.is_immutable:
        root = _as_held(b, root)
        new = Var(root.name, root.type)
        b.define(new, None)
        b.block.append(Equation((new,), Op(OPAQUE), (root,), (), b.origin(None), MemoryNote.KEPT))
        replaced(b, root, new)


def _as_held(b: Builder, root: Var) -> Var:
    """An array as it is after what was written into it, where a name has it."""
    newer: Var | None = root
    while newer is not None and not is_held(b, newer):
        newer = b.newer.get(newer)
    return root if newer is None else newer


def replaced(b: Builder, old: Var, new: Var, only: str = "") -> None:
    """Note that an array without a view step above it was written; see ``refresh``."""
    if new.type.active and _is_outside(b, old):
        # the next who goes there finds what was written, and is not told of its derivative
        what = "what is differentiated is written into an object that is reached from outside"
        origin = b.block[-1].origin
        node = b.statement if origin is None else origin.node or b.statement
        raise mutation(b, node, what, "keep it in a local array, list or dict")
    if old in b.made:
        b.made[new] = b.made[old]  # the memory is the same
    refresh(b, old, new, only)
    b.newer[old] = new
    forget_handed(b, old)
    for marked in (b.several, b.reached):
        if old in marked:
            marked.add(new)
    if old in b.outer.values() and not old.type.is_immutable:
        may_write_outside(b)


@recursion.may_write_outside.define
def may_write_outside(b: Builder) -> None:
    """Note that arrays may have been written that are neither local nor arguments."""
    may_change(b)
    some, new = (Var("outside", Type("numeric", None, "?")) for _ in range(2))
    for var, read, note in ((some, (), MemoryNote.HIDDEN), (new, (some,), MemoryNote.MAY_WRITE)):
        b.define(var, None)
        b.block.append(Equation((var,), Op(OPAQUE), read, (), b.origin(None), note))


def stands_for(b: Builder, old: Var, new: Var, name: str) -> None:
    """Let a variable stand for a value from here on that has nothing but that written into it.

    Args:
        b: the builder.
        old: what stood for the value. Of an array that is so under all of its names, and so are
            its views taken again, unless it is a view itself.
        new: what does from here on.
        name: of a number, the one name that is meant.
    """
    b.layout.tick()
    if old in b.made:
        b.made[new] = b.made[old]
    b.context.shaped_as[new] = old
    b.newer[old] = new
    if old in b.several:
        b.several.add(new)
    moved: dict[Any, Any] = {old: new}
    whole = parent(b, old) is None
    for label, held in list(b.env.items()):
        if old.type.is_immutable and label != name:
            continue
        fresh = rebase(b, held, moved) if whole else _exchanged(held, moved)
        if fresh is not held:
            b.env[label] = fresh
            if is_named(label):
                b.attach(label, fresh, ())


def _exchanged(held: Value, moved: dict[Any, Any]) -> Value:
    """What a name stands for, with another variable in the place of one."""
    if isinstance(held, Var):
        return moved.get(held, held)
    if isinstance(held, Compound):
        return rebuilt(held, lambda part: _exchanged(part, moved), moved)
    return held


def _same_shape(one: Value, other: Value) -> bool:
    shapes = [type_of(v).shape for v in (one, other)]
    return isinstance(shapes[0], tuple) and None not in shapes[0] and shapes[0] == shapes[1]


def _changed(b: Builder, base: Value, index: Value, value: Value, op: Op) -> Var:
    """The value of a view after a write into it, as a new array."""
    assert isinstance(base, Var)
    new = Var(base.name, _written(base, value))
    b.define(new, None)
    b.context.shaped_as[new] = base
    b.block.append(Equation((new,), op, (base, index, value), (), b.origin(None)))
    return new


def _written(base: Var, value: Value) -> Type:
    """The type of an array after a write; of the two that it may be, a number has no items.

    What is written into an array of integers is rounded, and has no derivative there.
    """
    kind = "array" if base.type.kind == "numeric" else base.type.kind
    active = is_active(base) or is_active(value)
    return replace(base.type, kind=kind, active=active and base.type.dtype not in ("i", "b"))


def _put_back(b: Builder, step: Equation, value: Value) -> Value:
    """The value of the array that a view was taken of, from the new value of the view."""
    if step.op.fn is operator.getitem:
        return _changed(b, step.args[0], step.args[1], value, Op(INDEX_SET))
    return value


def composed(outer: Value, inner: Value) -> Value | None:
    """The index that reads ``x[outer][inner]`` at once, where that is simple."""
    if inner in (WHOLE, FULL):
        return outer
    entries = written_entries(outer)
    if not is_plain(inner) or any(e in (WHOLE, Const(None)) for e in entries):
        return None
    if not all(e == FULL or _is_place(e) for e in entries):
        return None
    rest = list(inner.items) if isinstance(inner, Items) else [inner]
    if any(e in (WHOLE, Const(None)) for e in rest) and FULL in entries:
        return None
    out = [rest.pop(0) if e == FULL and rest else e for e in entries]
    return Items((*out, *rest))


def _is_place(entry: Value) -> bool:
    """Whether an entry of an index is certain to be a whole number, and no slice in a name."""
    if isinstance(entry, Const):
        return type(entry.value) is int
    return isinstance(entry, Var) and entry.type.kind == "scalar" and entry.type.dtype == "i"


def _require_one_layout(b: Builder, step: Equation) -> None:
    """Refuse a write through a view that lies in memory in another way than its array does."""
    fn, base = step.op.fn, step.args[0]
    if fn in _PARTS and type_of(base).dtype == "c":
        what = "a write into the real or imaginary part of a complex array"
        raise b.refuse(b.statement, what, "make the array anew: x + 1j * y")
    if fn is not operator.getitem and fn not in _SAME and fn is not np.conjugate:
        what = "an array is written through a transpose or a reshape of it"
        raise mutation(b, b.origin(None).statement, what, "write into the array itself")


def _may_copy(b: Builder, step: Equation) -> bool:
    """Whether a step may give a copy of an array, by how that lies in memory."""
    base = step.args[0]
    return step.op.fn in _COPYING and isinstance(base, Var) and not _row_major(b, base)


def _row_major(b: Builder, var: Var) -> bool:
    """Whether an array is known to be contiguous, row after row."""
    made = b.made.get(var)
    if made is None:
        return False
    if made.op.fn in _ROW_MAJOR or (made.op.fn is np.copy and made.op.style == "method"):
        return "order" not in dict(made.options)
    return var.type.ndim == 1 and is_fresh(made)


def mutation(b: Builder, node: Any, what: str, fix: str) -> MutationError:
    """Return the error for an in-place write."""
    return MutationError(
        f"{what}, which is not supported yet",
        spots=[b.source.spot(node)],
        why="Only arrays that the function itself made, and their views, may be written.",
        fixes=[fix],
    )
