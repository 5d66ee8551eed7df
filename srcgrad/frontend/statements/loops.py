"""Lowering of loops: what is iterated over, and what an iteration hands to the next."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportAttributeAccessIssue=false

from __future__ import annotations

from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.flow.counting import count_uses
from srcgrad.analysis.memory.list_versions import changes_of_lists, is_list
from srcgrad.analysis.shapes.joins import joined
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MutationError, SrcgradError
from srcgrad.frontend.arrays.carrying import (
    CarriedMemory,
    Iterable,
    hold_iterated,
    with_arrays_behind,
)
from srcgrad.frontend.containers.comparisons import truth
from srcgrad.frontend.containers.effects import forget
from srcgrad.frontend.containers.handed_objects import objects_in
from srcgrad.frontend.containers.lists import let_vary, lists_that_vary, read_at_any_place
from srcgrad.frontend.containers.structures import any_objects, names_of_objects
from srcgrad.frontend.desugar.checkpointed import steps_in
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.iterables import (
    Header,
    describe_header,
    element_of,
    is_empty,
    iterable_of,
)
from srcgrad.frontend.expressions.lowering import condition
from srcgrad.frontend.expressions.regions import (
    as_perhaps,
    freeze_carried,
    may_be_either,
    may_be_none,
    same_constant,
)
from srcgrad.frontend.expressions.unrolling import leaves_early, unrolling
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import OPAQUE_TYPE, Builder
from srcgrad.frontend.state.handed import handed_on
from srcgrad.frontend.state.rewriting import (
    NotUniform,
    loop_written_out,
    reaches,
    restore,
    snapshot,
)
from srcgrad.frontend.statements.carried_types import note_last, note_lengths, totals
from srcgrad.frontend.statements.lowering import assign, lower_block
from srcgrad.frontend.text.exits import binds_only_when_leaving
from srcgrad.frontend.text.names import (
    assigned_names,
    bound_names,
    names_in,
    names_of_module,
    names_read,
    names_written_into,
)
from srcgrad.frontend.text.trees import below
from srcgrad.frontend.text.unnamed import is_named
from srcgrad.ir.forms import NamedTuple
from srcgrad.ir.leaves import leaves, parts_of
from srcgrad.ir.nodes import (
    LIST_SET,
    Block,
    Carried,
    Closure,
    Compound,
    Const,
    Items,
    Known,
    Loop,
    Method,
    Pullback,
    Struct,
    Value,
    Var,
    is_active,
)
from srcgrad.ir.types import INTEGER, OPAQUE, OPTIONAL, Type
from srcgrad.ir.unassigned import CHANGES, LOST, UNDEFINED, is_open, is_perhaps


@recursion.lower_loop.define
def lower_loop(b: Builder, node: cst.For | cst.While) -> None:
    """Lower a loop, finding the types of the variables it carries."""
    state = None if b.loops else snapshot(b)
    reaches(b, lambda: _lower(b, node))
    if b.later and state is not None:  # what was left out is never reached, or cannot be told
        restore(b, state)
        b.leaves_out = False
        _lower(b, node)
        b.leaves_out = True


def _lower(b: Builder, node: cst.For | cst.While) -> None:
    statement, position = b.statement, b.statement_position
    iterable = None
    before = {name: held for name, held in b.env.items() if isinstance(held, Items)}
    lists = lists_that_vary(b, node)
    if isinstance(node, cst.For):
        state = snapshot(b) if lists else None
        try:
            iterable = iterable_of(b, node.iter, writes=not leaves_early(node.body))
        except NotUniform as found:
            raise unrolling(b, node, found, bool(b.loops)) from None
        if state is not None:
            restore(b, state)
            let_vary(b, lists, node)
            iterable = iterable_of(b, node.iter)
        if is_empty(iterable):
            return
        if _forget_rows(b, iterable):
            # the statements of the body stay, whatever the names that they write under
            written = (p for p in below(node.body) if isinstance(p, cst.Assign | cst.AugAssign))
            b.layout.impure |= {id(part.value) for part in written}
    elif truth(condition(b, node.test)) is False:
        return
    if isinstance(node, cst.While):
        let_vary(b, lists, node)
    bound = bound_names(node, augmented=False)
    names = assigned_names(node) | names_of_objects(b, names_written_into(node))
    listed = read_at_any_place(b, node, bound, names)
    through = {} if iterable is None else hold_iterated(b, iterable)
    types: dict[tuple[str, int], Type] = {}
    fixed: set[Any] = set()  # names, and places of numbers among the parts of names
    apart: set[Value] = set()
    unknown: dict[Any, bool] = {}
    handed: set[Any] = set()
    begun: dict[str, Value] = {}
    ends: dict[str, Value] = {}
    mixed: set[str] = set()
    unread = "" if "_" in names_read(b.source.tree) else "_"  # may be another thing each time
    for _ in range(12):
        state = snapshot(b)
        b.handed |= handed
        for held in objects_in(b.env.values()):
            if held.token in unknown:
                known_lists.let_go(b, [(held, unknown[held.token])], node)
        names = with_arrays_behind(b, names, bound)
        new = bound_names(node) - set(b.env) - names_of_module(b.source.tree)
        known = sorted(names & set(b.env)) + sorted(new)
        start = {n: b.env.get(n, UNDEFINED) if n != unread else UNDEFINED for n in known}
        start |= begun | dict.fromkeys(mixed, LOST)
        forgotten = len(unknown)
        b.statement, b.statement_position = statement, position
        there = {held.token for held in objects_in(b.env.values())}
        b.loops.append((there, set(bound), set(b.env) - set(bound)))
        try:
            memory = CarriedMemory(b, bound, apart, unknown, begun, mixed)
            outcome = _attempt(b, node, iterable, through, start, types, fixed, memory, handed)
            ends = memory.last
        except SrcgradError as error:  # the iteration before has assigned what this one reads
            final = ends.get(error.later or "", UNDEFINED)
            if error.later is None or error.later in begun or is_open(final):
                raise
            begun[error.later] = _unassigned_like(b, node, error.later, final)
            kinds = {(error.later, k): type_of(leaf) for k, leaf in enumerate(leaves(final))}
            outcome = set(), types | kinds, set()
        except NotUniform as found:
            b.env |= before  # their elements are known again
            raise unrolling(b, node, found, len(b.loops) > 1) from None
        finally:
            b.loops.pop()
        if outcome is None:
            for name in through.values():
                del b.env[name]
            for made, items in listed.values():  # whose elements are known again
                b.env |= {name: items for name, value in b.env.items() if value is made}
            return
        newly_fixed, newer, written = outcome
        if any(newer[key] != types.get(key) and newer[key] is not CHANGES for key in newer):
            newly_fixed = set()  # what was a constant may have hidden statements
        types, fixed, names = newer, fixed | newly_fixed, names | written
        if len(unknown) > forgotten:
            types = {}  # by places among the parts of names, which are others now
            fixed = {name for name in fixed if not isinstance(name, tuple)}
            begun.clear()
        restore(b, state)
    raise b.refuse(node, "a loop whose variables change their kind", "keep their kinds")


# what is gone through itself; all else is a way to go through others
_VALUES = Items | Const | Var | Known | Struct | Closure | Method | Pullback


def _forget_rows(b: Builder, iterable: Any) -> bool:
    """Know nothing of objects that a loop goes through one by one, and may write into."""
    found = False
    for part in iterable.parts:
        if isinstance(part, Items) and not is_active(part) and any(map(any_objects, part.items)):
            forget(b, *part.items)
            found = True
        elif not isinstance(part, _VALUES):
            found |= _forget_rows(b, part)
    return found


def _attempt(b, node, iterable, through, start, types, fixed, memory: CarriedMemory, handed):
    """Lower the loop with assumed types.

    Returns:
        None when the assumptions hold; otherwise the names, and numbers in what they stand for,
        that the loop leaves as they are, better types, and the names of arrays that it writes too.
    """
    outer, before, known = dict(b.env), set(b.handed), len(b.rewritten)
    steps = steps_in(b.source, node)
    frame = b.layout.new_frame("loop", b.frame, node=node, suite=node.body, steps=steps)
    statement, position = b.statement, b.statement_position
    b.statement_position = b.layout.position
    index = Var("i", INTEGER)
    params: dict[str, Value] = {}
    slots: dict[tuple[str, int], Var] = {}
    apart, unknown = set(memory.apart), dict(memory.unknown)
    begun, mixed = set(memory.begun), set(memory.mixed)
    objects: dict[int, Compound] = {}
    saved_block, saved_frame = b.block, b.frame
    b.block, b.frame = [], frame
    try:
        b.define(index, None)
        for name, value in memory.in_order(start):
            if name in fixed:
                continue
            params[name] = _parameter(b, name, value, types, slots, objects, memory, fixed)
            b.env[name] = params[name]
            if is_named(name) and (name in memory.begun or not is_open(value)):
                b.attach(name, params[name], ())
        if iterable is None:
            b.conditional += 1  # evaluated once more than the body
            condition(b, node.test)
            b.conditional -= 1
        else:
            element = element_of(b, iterable.now(b, through), index, node.iter)
            assign(b, node.target, element)
        with b.context.lengths.uncertain():
            lower_block(b, node.body.body)
        body, after = tuple(b.block), b.env
    finally:
        b.block, b.frame = saved_block, saved_frame
        b.env = outer
    memory.last = after
    b.statement, b.statement_position = statement, position
    unchanged, newer, carried = set(), dict(types), []
    written = {
        name
        for name, value in outer.items()
        if name not in params and _changes(b, memory, value, after.get(name))
    }
    there = objects_in([*outer.values(), *params.values()])
    writes = not {held.token for held in there}.isdisjoint(b.rewritten[known:])
    early = isinstance(node, cst.While) or leaves_early(node.body)
    sums = {} if early else totals(b, iterable, start, params, after, body)
    finals: dict[str, Value] = {}
    ends: dict[int, Any] = {}
    forgotten: dict[tuple[str, int], Type] = {}
    for name, param in params.items():
        final = after.get(name, UNDEFINED)
        if final is param and not is_open(final):
            unchanged.add(name)
            continue
        if param is LOST or any(leaf is LOST for leaf in leaves(final)):
            memory.mixed.add(name)
            finals[name] = LOST
            continue
        newly = name in memory.begun or start[name] == Const(None)
        if writes and (newly or is_perhaps(param)):
            _require_own(b, node, name, final)
        either = start[name] is not UNDEFINED and may_be_either(start[name], final)
        if either and not is_perhaps(param):
            held = final.items[0] if is_perhaps(final) else final
            like = UNDEFINED if final == Const(None) else _unassigned_like(b, node, name, held)
            memory.begun[name] = as_perhaps(b, start[name], like)
            kinds = ((k, type_of(leaf)) for k, leaf in enumerate(leaves(final)))
            newer |= {(name, k): kind for k, kind in kinds}
            continue
        if is_perhaps(param):
            like = _unassigned_like(b, node, name, param.items[0])
            final = as_perhaps(b, final, like)
        if start[name] is UNDEFINED and _may_be_earlier(b, node, name, final):
            memory.begun[name] = _unassigned_like(b, node, name, final)
            kinds = ((k, type_of(leaf)) for k, leaf in enumerate(leaves(final)))
            newer |= {(name, k): kind for k, kind in kinds}
            continue
        finals[name] = _carry(
            b,
            name,
            start[name],
            param,
            final,
            newer,
            slots,
            carried,
            ends,
            memory,
            forgotten,
            sums,
            fixed,
            unchanged,
        )
    if not any(_is_roused(newer[key], slots.get(key)) for key in newer):
        newer |= forgotten
    if unchanged or newer != types or written:
        return unchanged, newer, written
    late = handed_on(b, outer, params) - before
    handed |= late
    if late or memory.apart != apart or memory.unknown != unknown:
        return unchanged, newer, written
    if set(memory.begun) != begun or memory.mixed != mixed:
        return unchanged, newer, written
    if iterable is not None:
        _require_unchanged(b, node, iterable, carried, body)
    _require_carried(b, node, slots, carried, body)
    if not early:
        note_lengths(b, iterable, carried, body)
        if iterable is not None and _in_order(iterable):
            note_last(b, carried, body, index)
    kind, values = describe_header(iterable)
    b.block.append(
        Loop(tuple(carried), body, index, Header(kind, values, node), b.origin(node), frame)
    )
    b.layout.tick()
    for name, value in memory.after(finals).items():
        if not is_named(name):
            b.env[name] = value
        else:
            b.bind(name, value, write=False)
    freeze_carried(b, carried, body, node)
    return None


def _require_own(b: Builder, node: Any, name: str, final: Value) -> None:
    """Refuse a name that may keep an object of an iteration, where a later one writes into it."""
    if is_perhaps(final):
        final = final.items[0]
    if any(isinstance(part, Compound) and _may_be_written(part) for part in parts_of([final])):
        what = f"{name!r}, which keeps an object that the loop may write into under another name,"
        raise b.refuse(node, what, "keep the numbers that it holds")


def _may_be_written(held: Compound) -> bool:
    """Whether something is no tuple, also none whose parts have names."""
    if isinstance(held, Struct):
        return not isinstance(held.form, NamedTuple)
    return isinstance(held, Items) and held.is_list


def _may_be_earlier(b: Builder, node: Any, name: str, final: Value) -> bool:
    """Tell whether a name that a loop brings into being may be read before it is assigned again."""
    if not is_named(name) or final is UNDEFINED or name not in names_in(b.source.originals[0]):
        return False  # what a rewritten exit gives a name is read behind the loop, which it leaves
    if name not in names_read(b.source.tree):
        return False
    if name in b.read_again:
        return True
    left = any(leaf in b.partial for leaf in leaves(final))
    return left and not binds_only_when_leaving(list(node.body.body), name)


def _unassigned_like(b: Builder, node: Any, name: str, final: Value) -> Value:
    """Return a value of which nothing is assigned yet, of the form that an iteration gives it."""
    if isinstance(final, Items | Struct):
        b.freeze(final)
        parts = tuple(_unassigned_like(b, node, name, part) for part in final.items)
        return replace(final, items=parts, token=None)
    if not isinstance(final, Var | Const):
        raise b.refuse(node, f"reading {name!r} where it may be unassigned", "assign it before")
    return UNDEFINED


def _is_roused(found: Any, param: Var | None) -> bool:
    """Tell whether what was a constant at the start of an iteration is active at its end.

    What follows from its being a constant is not known of it then: an expression of constants
    is kept as text, of which less is known than of one that is differentiated.
    """
    return isinstance(found, Type) and found.active and param is not None and not param.type.active


def _require_carried(
    b: Builder, node: Any, slots: dict[Any, Var], carried: list[Carried], body: Block
) -> None:
    """Refuse a loop that reads what no iteration can hand on to the next one."""
    entered = {var: name for (name, _), var in slots.items()}
    for entry in carried:
        entered.pop(entry.param, None)
    counts = count_uses(body, [c.next for c in carried]) if entered else {}
    for var, name in entered.items():
        if counts.get(var):
            raise b.refuse(
                node,
                f"{name!r}, which a loop reads and makes anew as something of another kind,",
                "give the new one another name",
            )


def _require_unchanged(b: Builder, node: Any, iterable: Any, carried: Any, body: Any) -> None:
    """Refuse a loop that changes a list of varying length that it goes through."""
    lists = {v for v in iterable.values() if is_list(v)}
    again = [c.param for c in carried if c.init in lists and c.next is not c.param]
    made = [eq for param in again for eq in changes_of_lists(body, [param])]
    if any(eq.op.fn is not LIST_SET for eq in made):
        raise MutationError(
            "a list is changed by the loop that goes through it",
            spots=[b.source.spot(node.iter)],
            why="Which elements the loop reads is known while it runs, and not before.",
            fixes=["go through a copy, list(rows), or its places, range(len(rows))"],
        )


def _changes(b: Builder, memory: CarriedMemory, value: Value, after: Value | None) -> bool:
    """Whether an iteration changed what a name holds that it did not carry."""
    if memory.changes(value, after):
        return True
    held = isinstance(value, Compound) or (isinstance(value, Var) and value.type.kind == "list")
    read = isinstance(after, Var) and after in b.listed  # it was made a list to be indexed
    return held and after is not value and not read


def _parameter(b: Builder, name, value, types, slots, objects, memory, fixed) -> Value:
    """Make the values that a carried name has at the start of an iteration."""
    count = 0
    label = name

    def walk(part: Value) -> Value:
        nonlocal count
        if isinstance(part, Items) and part.token is None:
            return part.like(walk(p) for p in part.items)
        if isinstance(part, Compound):
            return known(part)
        if part is UNDEFINED and name in memory.begun:
            var = Var(label, types[name, count], named=True)
            slots[name, count] = var
            count += 1
            b.define(var, None)
            b.begun.add(var)
            return var
        if is_open(part):
            return part
        key = (name, count)
        count += 1
        if key in fixed:
            return part
        if not isinstance(part, Var | Const) or _static(part):
            changes = types.get(key)
            if changes is None or changes is CHANGES:
                return part if changes is None else Const(CHANGES)
        again = memory.enter(name, part)
        if again is not None:
            return again
        hidden = not is_named(name)
        own = part.name if hidden and isinstance(part, Var) else label
        var = Var(own, types.get(key, type_of(part)), named=not hidden)
        b.define(var, None)
        for marked in (b.frozen, b.handed, b.of_known_start):
            if part in marked:
                marked.add(var)
        slots[key] = var
        memory.carry(name, part, var)
        return var

    def known(part: Compound) -> Compound:
        nonlocal label
        if id(part) not in objects:  # it is one object under all of its names
            items = []
            names = part.form.names if isinstance(part, Struct) else part.items
            for own, item in zip(names, part.items, strict=True):
                label = str(own) if str(own).isidentifier() else name
                items.append(walk(item))
            label = name
            objects[id(part)] = part.like(items)
        return objects[id(part)]

    return walk(value)


def _spoken(value: Value) -> str:
    return repr(value.value) if isinstance(value, Const) else "a function"


def _static(part: Value) -> bool:
    return isinstance(part, Const) and not isinstance(part.value, int | float | complex)


def _carry(
    b: Builder, name, init, param, final, types, slots, carried, ends, memory, forgotten, sums,
    fixed, unchanged,
) -> Value:  # fmt: skip
    """Match start and end of an iteration; note types that do not fit; return the value after."""
    count = 0
    outside = {held.token for held in objects_in(b.env.values())}

    def changing() -> Exception:
        error = b.refuse(None, f"{name!r}, which changes its structure in a loop,", "keep it")
        return loop_written_out(b, frozenset(), error)

    def walk(first: Value, before: Value, last: Value) -> Value:
        nonlocal count
        if isinstance(before, Items) and before.token is None:
            if not isinstance(last, Items) or len(last.items) != len(before.items):
                raise changing()
            if before.is_list:
                b.freeze(last)  # the name that the loop gives it is another one
            parts = zip(first.items, before.items, last.items, strict=True)
            return before.like(walk(*p) for p in parts)
        if isinstance(before, Compound):
            return carry_object(first, before, last)
        if before is LOST:
            return LOST
        if is_open(before):
            return appear(last)
        key = (name, count)
        count += 1
        if key in fixed:
            if last is not before:
                raise changing()
            return last
        if memory.is_seen(name, first, before):
            return memory.leave(first, before, last)
        if not isinstance(before, Var):
            return constant(key, before, last)
        if slots.get(key) is not before:
            return UNDEFINED if last is not before else last
        if is_open(last) or not isinstance(last, Var | Const):
            return UNDEFINED
        type_ = before.type
        if last is before and before is not param and type_.is_immutable:
            unchanged.add(key)
        if last != Const(None) or type_.element is not OPTIONAL:
            number = isinstance(first, Const) and not _static(first)
            began = type_of(first) if number and type_.ndim else type_
            type_ = sums.get(before) or _join(b.context.lengths, began, type_of(last))
        if before.type.ndim is not None and type_.ndim is None and type_.is_number:
            forgotten[key] = type_
            dtype = type_.dtype if before.type.dtype in "ib" else before.type.dtype
            type_ = replace(before.type, active=type_.active, dtype=dtype)
        if type_ != before.type:
            types[key] = type_
        out = Var(before.name, type_, named=before.named)
        b.define(out, None)
        carried.append(Carried(before, first, last, out))
        memory.done(before, last, out)
        if first is UNDEFINED or first in b.partial:
            b.partial.add(out)
        elif first in b.begun or first in b.derived:
            b.derived.add(out)
        return out

    def constant(key: Any, before: Value, last: Value) -> Value:
        """What is known when code is generated, and may be something else after an iteration."""
        if last is before or same_constant(before, last):
            return last
        if before == Const(None) and isinstance(last, Var) and may_be_none(last.type):
            types[key] = replace(last.type, element=OPTIONAL)
            return UNDEFINED
        if isinstance(last, Const) and not is_open(last) and isinstance(before, Const):
            if before.value is not CHANGES:
                types[key] = OPAQUE
                return UNDEFINED
        if before is not param:
            raise b.refuse(
                None,
                f"a part of {name!r} that is {_spoken(before)} before a loop, and changes in it,",
                "give it a value of the same kind before the loop",
            )
        types[key] = CHANGES
        return UNDEFINED

    def carry_object(first: Any, before: Compound, last: Value) -> Value:
        same = type(last) is type(before) and len(last.items) == len(before.items)
        if not same or getattr(last, "form", None) != getattr(before, "form", None):
            known = not isinstance(last, Var) or last.type != OPAQUE_TYPE
            grows = known and b.active(before, last)
            itself = isinstance(last, Var) or getattr(last, "token", None) is before.token
            if before.token is not None and itself and (isinstance(before, Items) or not grows):
                memory.unknown[before.token] = grows
                return UNDEFINED
            raise changing()
        if id(before) not in ends:
            parts = zip(first.items, before.items, last.items, strict=True)
            items = tuple(walk(*p) for p in parts)
            token = last.token if last.token is before.token else None
            if token is None:
                b.freeze(before, last)
            ends[id(before)] = before, last, replace(last, items=items, token=token)
        _, other, after = ends[id(before)]
        if last is not other and (last.token is None or last.token is not other.token):
            raise changing()  # its names are those of several objects from then on
        return after

    def appear(last: Value) -> Value:
        """A name that the loop itself brings into being."""
        if isinstance(last, Compound) and last.token in outside:
            return UNDEFINED  # another name of what the loop was given
        if isinstance(last, Compound):
            b.freeze(last)
            return replace(last, items=tuple(appear(p) for p in last.items), token=None)
        if not isinstance(last, Var | Const) or is_open(last):
            return UNDEFINED if not isinstance(last, Known) else last
        out = Var(name, type_of(last), named=True)
        b.define(out, None)
        carried.append(Carried(Var(name, type_of(last), named=True), UNDEFINED, last, out))
        b.partial.add(out)
        return out

    return walk(init, param, final)


def _in_order(iterable: Iterable) -> bool:
    """Whether a loop goes through one list, from its first element to its last one."""
    inner = iterable.parts[0] if iterable.kind == "enumerate" else iterable
    return inner.kind == "value"


def _join(lengths: Lengths, a: Type, c: Type) -> Type:
    found = joined(lengths, a, c)
    same = found.kind != "list" and lengths.same(found, a)
    return a if same and found == replace(a, shape=found.shape) else found
