"""Lowering of statements."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false

from __future__ import annotations

import contextlib
import importlib
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from srcgrad.analysis.memory.fresh import is_fresh
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import InternalError
from srcgrad.formulas import load_used
from srcgrad.frontend.arrays import views
from srcgrad.frontend.arrays.stacking import as_array
from srcgrad.frontend.arrays.views import mutation, parent
from srcgrad.frontend.containers import indexing, objects, spreading
from srcgrad.frontend.containers.comparisons import truth
from srcgrad.frontend.containers.effects import settle
from srcgrad.frontend.containers.overloading import has_operator
from srcgrad.frontend.containers.structures import (
    is_dict,
    key_of,
    read_part,
    require_known_key,
    sequence,
    write_part,
)
from srcgrad.frontend.expressions import known_lists
from srcgrad.frontend.expressions.interceptions import (
    is_backward_block,
    is_on_backward,
    leave_out,
    lower_backward_block,
)
from srcgrad.frontend.expressions.iterables import gives_generator, going_through, take_generator
from srcgrad.frontend.expressions.iterators import held_still
from srcgrad.frontend.expressions.known_lists import may_use_lists
from srcgrad.frontend.expressions.lowering import (
    apply_operator,
    condition,
    lower,
    names_of_some,
    names_used,
    read_here,
    some_there,
)
from srcgrad.frontend.expressions.messages import call_message
from srcgrad.frontend.expressions.mutators import call_mutator, lower_at
from srcgrad.frontend.expressions.regions import merge_arms, run_arm
from srcgrad.frontend.expressions.writes import (
    as_assignment,
    augment_array,
    augmented_part,
    delete,
    may_be_spelled_out,
    spell_out,
    store_at,
    store_into,
)
from srcgrad.frontend.state import kept_text, recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import holds_function, make_closure
from srcgrad.frontend.state.data_lists import is_list_of_data
from srcgrad.frontend.state.outer_names import outer_value
from srcgrad.frontend.state.recursion import lower_loop
from srcgrad.frontend.state.returned import RETURN, check_given, require_called
from srcgrad.frontend.state.rewriting import (
    Rewriting,
    choice_written_out,
    fresh_name,
    held,
    instead,
    may_be_rewritten,
    put_in_place,
    reaches,
    restore,
    snapshot,
)
from srcgrad.frontend.statements.attempted import lower_try, require_whole
from srcgrad.frontend.statements.perturbations import perturb
from srcgrad.frontend.statements.unread_writes import (
    is_global_write,
    is_unread_history,
    is_unread_write,
)
from srcgrad.frontend.text.exits import arms_of, exit_kind, may_exit
from srcgrad.frontend.text.operators import BINARY, IN_PLACE
from srcgrad.frontend.text.templates import (
    assignment,
    expression,
    is_path,
    statement_held_together,
    statements,
    text_of,
)
from srcgrad.frontend.text.trees import below, replaced
from srcgrad.ir.nodes import (
    INDEX_ADD,
    INDEX_SET,
    OPAQUE,
    Const,
    Equation,
    Items,
    Known,
    Op,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.unassigned import is_perhaps
from srcgrad.library.attributes import plainly
from srcgrad.library.families import CHANGING_METHODS
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING


@recursion.lower_block.define
def lower_block(b: Builder, statements: Sequence[Any]) -> None:
    """Lower the statements of one region."""
    for k, statement in enumerate(statements):
        state = snapshot(b) if b.formula is None and _may_be_rewritten(b, statement) else None
        rest = list(statements[k + 1 :])
        try:
            if lower_statement(b, statement, rest):
                return
        except Rewriting as rewriting:
            if state is None or rewriting.missed:
                rewriting.missed = True  # it is no other words for a statement around this one
                raise
            restore(b, state)
            new = [statement_held_together(line) for line in rewriting.make(statement)]
            put_in_place(b, statement, new)
            lower_block(b, [*new, *rest])
            return


def _may_be_rewritten(b: Builder, statement: Any) -> bool:
    if b.careful or may_be_rewritten(statement) or may_use_lists(b, statement):
        return True
    return may_be_spelled_out(b, statement)


def lower_statement(b: Builder, statement: Any, rest: list[Any]) -> bool:
    """Lower a statement; return whether ``rest`` was lowered inside of it."""
    b.source.unsplice(statement)
    b.statement = statement
    b.statement_position = b.layout.tick()
    b.looked_up = []
    b.frame.statements.append((statement, b.statement_position))
    kind = type(statement)
    if kind is cst.SimpleStatementLine:
        for part in statement.body:
            _lower_small(b, part)
        if b.context.perturbed and b.formula is None:
            perturb(b, statement)
    elif kind is cst.If:
        return lower_if(b, statement, rest)
    elif kind is cst.For or kind is cst.While:
        lower_loop(b, statement)
    elif kind is cst.With:
        _lower_with(b, statement)
    elif kind is cst.Try:
        lower_try(b, statement)
    elif kind is cst.FunctionDef:
        if statement.decorators:
            raise b.refuse(
                statement.decorators[0], "a decorator of a local function", "define it outside"
            )
        closure = make_closure(b, statement, lower)
        again = statement.name.value in b.source.steps
        b.bind(statement.name.value, replace(closure, again=True) if again else closure)
    else:
        raise b.refuse(statement, f"this statement ({kind.__name__})", "rewrite it")
    return False


def lower_if(b: Builder, node: cst.If, rest: list[Any]) -> bool:
    """Lower an ``if``; return whether ``rest`` was lowered inside of it."""
    statement, position = b.statement, b.statement_position
    test = condition(b, node.test)
    then, orelse = arms_of(node)
    leaves = [exit_kind(then), exit_kind(orelse)]
    for arm, leaf in ((then, leaves[0]), (orelse, leaves[1])):
        goes_on = leaf is None and rest and b.formula is None
        if goes_on and any(may_exit(s, cst.Break, cst.Continue, cst.Return) for s in arm):
            raise InternalError("an exit is buried in a branch that goes on")
    known = truth(test)
    if known is None and b.formula is not None:
        raise b.formula.undecided()
    if known is None and cst.Raise in leaves:
        known = leaves[0] is not cst.Raise
    if known is not None:
        return _lower_one_arm(b, node, known, rest)
    moved = any(leaves) and bool(rest)
    if any(leaf in (cst.Break, cst.Continue) for leaf in leaves):
        b.frame.note_exit(position)
    if moved:
        if leaves[0] is None:
            then = [*then, *rest]
        elif leaves[1] is None:
            orelse = [*orelse, *rest]
    if b.formula is None:
        known_lists.let_vary(b, node)
    state = snapshot(b) if known_lists.are_held(b) else None
    results, frames = [], []

    def lower_arms() -> None:
        results.clear()
        frames.clear()
        number = b.layout.tick()
        for arm, body in enumerate((then, orelse)):
            suite = node.body if arm == 0 else node.orelse
            frame = b.layout.new_frame("arm", b.frame, branch=(number, arm), suite=suite, node=node)
            frames.append(frame)
            some = names_of_some(b, node.test, arm == 0)

            def lower_arm(_: Builder, body: Any = body, some: list[str] = some) -> None:
                with some_there(b, some):
                    lower_block(b, body)

            results.append(run_arm(b, lower_arm, frame))

    while True:
        if not reaches(b, lower_arms):
            return _lower_one_arm(b, node, bool(results), rest)
        varying = state and known_lists.that_differ(b, [ends for _, _, ends in results])
        if not varying:
            break
        restore(b, state)
        known_lists.let_go(b, varying, node)
    b.statement, b.statement_position = statement, position
    merge_arms(b, node.test, test, [(*made, f) for made, f in zip(results, frames, strict=True)])
    return moved


def _lower_one_arm(b: Builder, node: cst.If, first: bool, rest: list[Any]) -> bool:
    """Lower an ``if`` of which one arm is not reached, with what stands behind it."""
    kept = arms_of(node)[0 if first else 1]
    lower_block(b, [*kept, *rest] if exit_kind(kept) is None else kept)
    return True


def _lower_with(b: Builder, node: cst.With) -> None:
    if b.formula is None and is_backward_block(b, node):
        leave_out(b)
        lower_backward_block(b, node)
        return
    managers: list[Value] = []
    for item in node.items:
        value = lower(b, item.item)
        if is_active(value):
            raise b.refuse(item.item, "a context manager made of active values", "rewrite it")
        callee = None
        if isinstance(item.item, cst.Call):
            callee = objects.as_method(lower(b, item.item.func))
        require_whole(b, item.item, value, callee)
        if callee is None or not kept_text.is_from_library(callee):
            managers.append(value)
            b.layout.impure.add(id(item.item))  # entering and leaving it may do anything
        known_lists.forget(b, value)  # entering and leaving it may change it
        if item.asname is not None:
            assign(b, item.asname.name, b.opaque(item.item, [value]))
    kept_text.note_all(b, managers)
    lower_block(b, node.body.body)
    kept_text.note_all(b, managers)


def _lower_small(b: Builder, node: Any) -> None:
    kind = type(node)
    if kind is cst.Assign:
        value = lower(b, node.value)
        for target in node.targets:
            place = target.target
            if isinstance(place, cst.Name) and place.value in b.source.iterated:
                value = held_still(b, value, node.value)
            kept = isinstance(place, cst.Attribute) and is_unread_write(b, place, value, node)
            if not kept and not is_global_write(b, place, value, node):
                assign(b, place, value)
    elif kind is cst.AnnAssign:
        if node.value is not None:
            assign(b, node.target, lower(b, node.value))
    elif kind is cst.AugAssign:
        _augmented(b, node)
    elif kind is cst.Return:
        value = Const(None) if node.value is None else lower(b, node.value)
        require_called(b, value, node.value)
        if holds_function(value) and b.formula is None:
            fix = "call it here, or define it outside"
            raise b.refuse(node.value, "returning a local function", fix)
        if not b.context.lowering:
            check_given(b, value, node.value)
        b.env[RETURN] = value
        if isinstance(value, Var) and not value.named:
            b.layout.roles[value] = "value"
    elif kind is cst.Expr:
        _expression_statement(b, node)
    elif kind is cst.Del:
        targets = node.target.elements if isinstance(node.target, cst.Tuple) else [node.target]
        for target in targets:
            delete(b, target.value if isinstance(target, cst.Element) else target)
    elif kind is cst.Break:
        b.frame.note_exit(b.statement_position)
    elif kind is cst.Assert:
        settle(b, node, names_used(b, node))
    elif kind is cst.Import or kind is cst.ImportFrom:
        lower_import(b, node)
    elif kind not in (cst.Pass, cst.Raise, cst.Continue, cst.Global):
        raise b.refuse(node, f"this statement ({kind.__name__})", "rewrite it")


@recursion.assign.define
def assign(b: Builder, target: Any, value: Value, later: frozenset[str] = frozenset()) -> None:
    """Lower an assignment; the names in ``later`` are assigned again by the same statement."""
    if isinstance(target, cst.Name):
        if isinstance(value, Var) and value in b.some:
            value = read_here(b, value, None)
        if target.value not in later:  # of "_, _, c = f(x)", no name holds the first part
            b.bind(target.value, value)
    elif isinstance(target, cst.Tuple | cst.List):
        if is_perhaps(value):  # taking None apart is an error of the program
            value = value.items[0]
            b.some |= set(variables(value))
        _unpack(b, target, value, later)
    elif is_perhaps(value):
        raise b.refuse(target, "writing what is None or not", "test it before")
    elif isinstance(target, cst.Subscript):
        index = indexing.lower_index(b, target.slice, lower)
        store_at(b, target, index, value, Op(INDEX_SET))
    elif isinstance(target, cst.Attribute) and isinstance(owner := lower(b, target.value), Struct):
        objects.write_attribute(b, owner, target.attr.value, value, target)
    elif isinstance(target, cst.Attribute) and _may_be_reshaped(b, target):
        assignment: Any = b.statement
        node, array = assignment.body[0].value, text_of(target.value)
        raise instead(*statements("x = x.reshape(s)", x=array, s=node))
    else:
        raise mutation(b, target, "an attribute is written", "return the new value instead")


def _may_be_reshaped(b: Builder, target: cst.Attribute) -> bool:
    """Whether ``x.shape = s`` is about a new array that no other name stands for."""
    small = b.statement.body[0] if isinstance(b.statement, cst.SimpleStatementLine) else None
    whole = isinstance(small, cst.Assign) and [t.target for t in small.targets] == [target]
    if not whole or target.attr.value != "shape" or not isinstance(target.value, cst.Name):
        return False
    array = lower(b, target.value)
    made = b.made.get(array) if isinstance(array, Var) else None
    names = [name for name, held in b.env.items() if array in set(variables(held))]
    return made is not None and is_fresh(made) and names == [target.value.value]


def _by_places(b: Builder, target: Any, value: Any, star: int) -> Exception:
    """Write ``a, *rest = rows`` as ``a = rows[0]`` and ``rest = rows[1:]``."""
    names = [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
    one_side = star in (0, len(names) - 1)  # the others are there, or it is an error
    if len({*names}) < len(target.elements) or not one_side:
        return b.refuse(target, "unpacking with a star into something", "unpack it into names")
    lines, rows = held(b, value)
    if isinstance(rows, cst.Name) and rows.value in names:
        kept = fresh_name(b, "items")
        lines, rows = [assignment(kept, rows)], cst.Name(kept)
    behind = len(names) - star - 1
    for k, name in enumerate(names):
        place = f"_r[{k if k < star else k - len(names)}]"
        if k == star:
            place = f"_r[{star or ''}:{-behind or ''}]"
            if _count_of(b, name) < 2:
                continue  # nobody reads it
        lines.append(assignment(name, expression(place, _r=rows)))
    return instead(*lines)


def _count_of(b: Builder, name: str) -> int:
    """How often a name occurs in the function."""
    parts = below(b.source.tree)
    return sum(isinstance(part, cst.Name) and part.value == name for part in parts)


def _unpack(b: Builder, target: Any, value: Value, later: frozenset[str]) -> None:
    elements = target.elements
    starred = [k for k, e in enumerate(elements) if isinstance(e, cst.StarredElement)]
    items = sequence(value)
    if starred and items is None:
        items = spreading.elements(b, value)
    lines: Any = b.statement.body if isinstance(b.statement, cst.SimpleStatementLine) else [None]
    small = lines[0]
    whole = isinstance(small, cst.Assign) and small.targets[0].target is target
    if whole and isinstance(value, Struct) and gives_generator(value):
        raise going_through(b, value, small.value)
    if whole:
        take_generator(b, small.value)
        _require_no_views(b, elements, small.value, items)
    if starred and items is not None:
        k, extra = starred[0], len(items) - len(elements) + 1
        middle = Items(items[k : k + extra], True, object())
        parts = (*items[:k], middle, *items[k + extra :])
    elif starred:
        if whole and isinstance(value, Var) and value.type.kind == "list":
            raise _by_places(b, target, small.value, starred[0])
        raise b.refuse(
            target, "unpacking with a star what has no known length", "write a, rest = x[0], x[1:]"
        )
    else:
        parts = unpack(b, value, len(elements), target)
    names = [e.value.value for e in elements if isinstance(e.value, cst.Name)]
    for name in names:  # all are assigned at once, whichever of them is read first
        b.layout.write(name, b.frame)
    for k, (element, part) in enumerate(zip(elements, parts, strict=True)):
        behind = frozenset().union(*(targets_of(e.value) for e in elements[k + 1 :]))
        assign(b, element.value, part, later | behind)


def _require_no_views(b: Builder, targets: Any, value: Any, items: Any) -> None:
    """Take views before ``a[i], a[j] = a[j], a[i]``, and write one array after the other."""
    written = any(isinstance(e.value, cst.Subscript) for e in targets)
    if not written or not isinstance(value, cst.Tuple) or items is None:
        return
    if not any(parent(b, item) for item in items[1:]):
        return
    names = [fresh_name(b, f"right_{k}") for k in range(len(items))]
    before = [assignment(n, e.value) for n, e in zip(names, value.elements, strict=True)]
    lines = [assignment(e.value, cst.Name(n)) for e, n in zip(targets, names, strict=True)]
    raise instead(*before, *lines)


def targets_of(target: Any) -> frozenset[str]:
    """Return the names that a target of an assignment binds."""
    if isinstance(target, cst.Name):
        return frozenset({target.value})
    if isinstance(target, cst.Tuple | cst.List):
        return frozenset().union(*(targets_of(e.value) for e in target.elements))
    return frozenset()


def unpack(b: Builder, value: Value, count: int, node: Any) -> tuple[Value, ...]:
    """Take a value apart into a known number of parts."""
    items = sequence(value)
    if items is not None:
        if len(items) != count:
            raise b.refuse(
                node, f"unpacking {len(items)} values into {count} names", "match the numbers"
            )
        return items
    known = indexing.parts_of_known(b, value)
    if known is not None and len(known) == count:
        return known
    if not isinstance(value, Var):
        raise b.refuse(node, "unpacking this value", "give its parts names")
    return tuple(indexing.read_item(b, value, Const(k), None) for k in range(count))


def _may_change(b: Builder, old: Value, fn: Any, value: cst.BaseExpression) -> bool:
    """Whether an operator may change what stands on its left, which is no number and no array."""
    name = f"__i{fn.__name__.strip('_')}__"
    if isinstance(old, Struct | Known):
        cls = old.form.cls if isinstance(old, Struct) else facts.class_of(old.object)
        return facts.in_class(cls, name) is not facts.MISSING
    if not isinstance(old, Var) or old.type.kind != "opaque":
        return False
    if old.type.element is not None and not is_list_of_data(old):
        return False
    purity = b.context.purity
    is_text = isinstance(value, cst.FormattedString | cst.ConcatenatedString) or (
        isinstance(value, cst.SimpleString) and "b" not in value.prefix.lower()
    )
    return (
        not is_text
        or purity is None
        or any(facts.in_class(cls, name) is not facts.MISSING for cls in purity.classes)
    )


def _augmented(b: Builder, node: cst.AugAssign) -> None:
    fn = BINARY[IN_PLACE[type(node.operator)]]
    if isinstance(node.target, cst.Name):
        old = b.lookup(node.target.value, node.target)
        value = lower(b, node.value)
        if is_global_write(b, node.target, value, node):
            return
        if known_lists.augmented(b, node, fn, old, value):
            return
        if is_dict(old) and fn is operator.or_:
            raise instead(*statements("_d.update(_v)", _d=node.target, _v=node.value))
        if _may_change(b, old, fn, node.value):
            raise b.refuse(node, "changing an object by an operator", "call a method of it")
        if has_operator(old, fn):
            raise as_assignment(node)
        if isinstance(old, Var) and old.type.kind in ("array", "numeric"):
            augment_array(b, node, fn, old, value)
            return
        b.bind(node.target.value, apply_operator(b, fn, (old, value), node))
        return
    if isinstance(node.target, cst.Attribute):
        owner = lower(b, node.target.value)
        old = lower(b, node.target) if isinstance(owner, Struct) else None
        value = lower(b, node.value)
        if is_unread_write(b, node.target, value, node):
            return
        if isinstance(owner, Struct):
            _require_unchanged(b, node, owner)
            objects.require_plain_attribute(b, owner, node.target.attr.value, node.target)
            part = augmented_part(b, node, fn, old, value)
            if part is not None:
                objects.write_attribute(b, owner, node.target.attr.value, part, node.target)
            return
    if not isinstance(node.target, cst.Subscript):
        raise mutation(b, node.target, "an attribute is written", "return the new value instead")
    base = lower(b, node.target.value)
    index = indexing.lower_index(b, node.target.slice, lower)
    value = lower(b, node.value)
    _require_unchanged(b, node, base)
    if isinstance(base, Struct):
        if key_of(index) is NotImplemented:
            require_known_key(b, node.target)
        part = augmented_part(b, node, fn, read_part(b, base, index, None), value)
        if part is not None:
            write_part(b, base, index, part, node.target)
        return
    in_list = isinstance(base, Items) or type_of(base).kind == "list"
    numbers = not in_list or getattr(type_of(base).element, "kind", "") == "scalar"
    if numbers and is_active(Items((base, value))) and b.formula is None:
        spell_out(b, node)
    value = value if in_list else as_array(b, value)
    signed = is_active(value) or b.formula is not None  # so that it may be negated
    adds = fn is operator.add or (fn is operator.sub and signed)
    if adds and type_of(base).kind == "array":
        if fn is operator.sub:
            value = apply_operator(b, operator.neg, (value,), None)
        store_into(b, node.target, base, index, value, Op(INDEX_ADD))
        return
    old = indexing.read_item(b, base, index, None)
    if isinstance(base, Items) and isinstance(old, Var) and old.type.kind == "array":
        augment_array(b, node, fn, old, value)
        return
    if in_list and type_of(old).shape != ():
        error = mutation(b, node.target, "an array in a list is written", "replace it: t[k] = ...")
        raise choice_written_out(b, b.made[old], error)
    result = apply_operator(b, fn, (old, value), None)
    store_into(b, node.target, base, index, result, Op(INDEX_SET))


def _require_unchanged(b: Builder, node: cst.AugAssign, base: Value) -> None:
    """Refuse what changes, by its value, the container or object that it writes into."""
    holder = node.target.value  # type: ignore[union-attr]
    if not isinstance(base, Items | Struct) or isinstance(node.value, cst.Name | cst.BaseNumber):
        return
    if is_path(holder) and lower(b, holder) is not base:
        what = "what is written in place is changed by the value that it gets"
        raise mutation(b, node.target, what, "compute the value in a line of its own")


def _expression_statement(b: Builder, node: cst.Expr) -> None:
    if not isinstance(node.value, cst.Call):
        if not isinstance(node.value, cst.SimpleString | cst.ConcatenatedString | cst.Ellipsis):
            lower(b, node.value)
        return
    call = node.value
    if isinstance(call.func, cst.Attribute | cst.Name):
        callee = _reporter(b, call.func)
        if callee is not None:
            b.layout.impure.add(id(call))
            settle(b, call, names_used(b, call))
            return
    if is_unread_history(b, call) or call_mutator(b, call, lower):
        return
    if b.formula is None:
        _require_one_receiver(call)
    if b.context.messages is not None and call_message(b, call, lower):
        return
    if lower_at(b, call, lower):
        return
    if b.formula is None and is_on_backward(b, call) and len(b.statement.body) == 1:
        leave_out(b)
    before = len(b.block)
    lower(b, call)
    last = b.block[-1] if len(b.block) > before else None
    if isinstance(last, Equation) and last.op.fn is OPAQUE:
        _may_have_written(b, last)


_KEYS = cst.SimpleString | cst.Integer


def _require_one_receiver(call: cst.Call) -> None:
    """Write ``(a if p else b).append(v)`` as a branch, so that one list is changed in each arm."""
    func: Any = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in CHANGING_METHODS:
        return
    choice = next((part for part in below(func.value) if isinstance(part, cst.IfExp)), None)
    if choice is None:
        return
    arms = (choice.body, choice.orelse)
    if not all(is_path(arm) or isinstance(arm, _KEYS) for arm in arms):
        return
    one, other = (replaced(call, {id(choice): arm}).deep_clone() for arm in arms)
    raise instead(*statements("if _p:\n    _a\nelse:\n    _b", _p=choice.test, _a=one, _b=other))


def _may_have_written(b: Builder, equation: Equation) -> None:
    """A call made for its effect may have written into the arrays it was given."""
    for var in equation.args:
        views.may_write(b, var)


def _reporter(b: Builder, func: Any) -> Any:
    """Return the callee if it is print or a logging function."""
    if isinstance(func, cst.Name):
        return print if func.value == "print" and "print" not in b.env else None
    root = func.value
    while isinstance(root, cst.Attribute):
        root = root.value
    if isinstance(root, cst.Name) and root.value not in b.env:
        value = outer_value(b, root.value, root)
        if isinstance(value, Known):
            module = plainly(value.object, "__name__") or ""
            if module == "logging" or type(value.object).__module__ == "logging":
                return value.object
    return None


_TEXT = cst.Module([]).code_for_node


def is_at_the_top(tree: cst.FunctionDef, node: Any) -> bool:
    """Tell whether an import stands in the body of a function itself, and names its module."""
    if isinstance(node, cst.ImportFrom):
        if node.relative or isinstance(node.names, cst.ImportStar):
            return False
    return any(small is node for small in _statements(tree))


def imported_modules(tree: cst.FunctionDef) -> set[str]:
    """Return the names of modules that a function imports in its body."""
    imports = [small for small in _statements(tree) if isinstance(small, cst.Import)]
    return {_bound_by(alias) for node in imports for alias in node.names}


def _statements(tree: cst.FunctionDef) -> list[Any]:
    lines = [line for line in tree.body.body if isinstance(line, cst.SimpleStatementLine)]
    return [small for line in lines for small in line.body]


def _bound_by(alias: cst.ImportAlias) -> str:
    """The name that a part of an import binds."""
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return alias.asname.name.value
    return _TEXT(alias.name).partition(".")[0]


def lower_import(b: Builder, node: cst.Import | cst.ImportFrom) -> None:
    """Bind the names of an import to what they stand for."""
    assert not isinstance(node.names, cst.ImportStar)
    within = node.module if isinstance(node, cst.ImportFrom) else None
    for alias in node.names:
        path, name = _TEXT(alias.name), _bound_by(alias)
        found: Any = MISSING
        with contextlib.suppress(ImportError):
            found = importlib.import_module(path if within is None else _TEXT(within))
            if within is not None:
                found = facts.attribute(found, path)
            elif alias.asname is None:
                found = importlib.import_module(name)
        if found is MISSING:
            raise b.refuse(node, f"the import of {path!r}, which cannot be found,", "install it")
        load_used()  # the import may be the first one of its library
        b.bind(name, Known(found, name))
