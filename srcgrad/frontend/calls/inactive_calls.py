"""Calls of functions with source none of whose arguments is active: they stay as they are.

They are lowered all the same, to find out what they give, and what they write into.
"""

from __future__ import annotations

from dataclasses import replace
from types import FunctionType
from typing import Any

import libcst as cst

from srcgrad.analysis.memory.ownership import origin, roots_of, trace
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import InternalError, SrcgradError
from srcgrad.frontend.arrays import views
from srcgrad.frontend.calls.pairs import Pair, pair_for
from srcgrad.frontend.checks.changed_state import is_harmless
from srcgrad.frontend.containers.effects import forget
from srcgrad.frontend.containers.parameters import bind_arguments, parameters_of
from srcgrad.frontend.state import kept_text, recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import is_text_alone
from srcgrad.frontend.state.data_lists import as_data, may_be_relied_on
from srcgrad.frontend.state.handed import may_hold
from srcgrad.frontend.state.outer_names import note_changed
from srcgrad.ir.leaves import leaves, parts_of
from srcgrad.ir.nodes import (
    Closure,
    Compound,
    Const,
    Equation,
    Function,
    Items,
    Known,
    MemoryNote,
    Struct,
    Value,
    Var,
    equations,
    variables,
)
from srcgrad.ir.types import UNKNOWN, Contents, Parts, Type
from srcgrad.program import facts
from srcgrad.transformation.derived import resting


def note_writes(b: Builder, callee, args, options, node) -> None:
    """Note the inactive arrays that a call, none of whose arguments is active, may write into."""
    found = inactive_pair(b, callee, args, options, node)
    everything = [*args, *options.values()]
    if found is None and _changes_nothing(b, callee):
        forget(b, callee, *everything)  # it may give back what it was given
        return
    given = everything
    if found is not None:
        pair, values = found
        given = pair.arrays(values) if pair.function is not None else values
    if any(leaves(value) for value in given):
        b.layout.impure.add(id(node))
    for value in given:
        for leaf in leaves(value):
            views.may_write(b, leaf, None if found is None else node)
    if found is None:
        forget(b, callee, *everything)
        if isinstance(callee, Known) and kept_text.text_writes(b, callee.object):
            note_changed(b, None, node)
    function = None if found is None else found[0].function
    if function is None or any(eq.payload == MemoryNote.KEPT for eq in equations(function.body)):
        kept_text.note_kept(b, everything)
    if function is None or writes_outside(function) is not None:
        b.layout.impure.add(id(node))
        views.may_write_outside(b)


def _changes_nothing(b: Builder, callee: Value) -> bool:
    """Whether a function that cannot be lowered writes into nothing that was there before."""
    if not isinstance(callee, Known) or type(callee.object) is not FunctionType:
        return False
    return b.context.purity is not None and is_harmless(callee.object, b.context.purity)


def writes_outside(function: Function) -> Equation | None:
    """A write of a function into arrays that may be neither its own nor its arguments."""
    writes = [eq for eq in equations(function.body) if eq.may_write]
    if not writes:
        return None
    roots = trace(function.body)
    given = {("external", v) for _, p in function.params for v in variables(p)}
    for eq in writes:
        into = {origin(root) for root in roots_of(eq.args[0], roots)} - given
        if any(root[0] in ("external", "hidden") for root in into):
            return eq
    return None


@recursion.inactive_type.define
def inactive_type(b: Builder, callee, args, options, node) -> Any:
    """The type of a call's result, whether it is differentiated or not, if it can be told.

    Of numbers and arrays, of tuples of them, and of lists of these. Of what a generated function
    gives, whatever it is put together of: it is read and not changed.
    """
    found = inactive_pair(b, callee, args, options, node)
    if found is None or found[0].function is None:
        return None
    result = found[0].shown
    if isinstance(result, Var) and result.type.kind == "list":
        return as_data(b, result.type.element)
    if isinstance(result, Var) and isinstance(result.type.element, Contents):
        return result.type if may_be_relied_on(b) else None
    made = isinstance(callee, Known) and facts.is_made(callee.object)
    if not made and found[0].holding is not None:
        return None  # what it holds may change under another name
    if not made and isinstance(result, Items) and result.is_list:
        return Type("opaque", element=Contents(UNKNOWN, is_list=True))
    apart = made or (isinstance(result, Items) and not result.is_list)
    parts = [part for part in leaves(result) if part != Const(None)] if apart else [result]
    if not parts or not all(isinstance(p, Var | Const) and type_of(p).is_number for p in parts):
        return None
    return _inactive_template(result)


def function_given(b: Builder, callee, args, options, node) -> Value | None:
    """Return the function that a call gives a name, where it is known which, and its text is all.

    The call itself stays in a statement of its own, with what else it does.
    """
    line = getattr(b.statement, "body", ())
    small = line[0] if isinstance(line, tuple | list) and len(line) == 1 else None
    if not isinstance(small, cst.Assign) or small.value is not node:
        return None
    found = inactive_pair(b, callee, args, options, node)
    result = found[0].shown if found is not None and found[0].function is not None else None
    if isinstance(result, Closure):
        return result if is_text_alone(result) else None
    return result if isinstance(result, Known) and callable(result.object) else None


def _inactive_template(value: Any) -> Any:
    """The types of the parts of a result; names of unknown shapes mean nothing to its caller."""
    if isinstance(value, Compound):
        parts = map(_inactive_template, value.items)
        if isinstance(value, Items) and not value.is_list:
            return tuple(parts)
        return Parts.of(value.form if isinstance(value, Struct) else list, parts)
    type_ = type_of(value).with_active(False)
    return replace(type_, shape=None) if isinstance(type_.shape, str) else type_


def gives_own(b: Builder, callee, args, options, node) -> MemoryNote | None:
    """What is known of the memory that a call gives, none of whose arguments is active.

    Returns:
        ``OWN`` if it is always new, ``HIDDEN`` if it may be one that is reached in other
        ways too, None if it is new or an argument's.
    """
    found = inactive_pair(b, callee, args, options, node)
    function = found[0].function if found is not None else None
    if found is None or function is None:
        return MemoryNote.HIDDEN
    memory = trace(function.body)
    result = found[0].shown
    roots = roots_of(result, memory)
    bound = zip(function.params, found[1], strict=True)
    passed = [p for (_, p), value in bound if not isinstance(value, Known)]  # others are defaults
    given = {("external", v) for p in passed for v in variables(p)}
    if all(root[0] in ("array", "list") for root in map(origin, roots)):
        parts = [roots_of(leaf, memory) for leaf in leaves(result)]
        apart = sum(map(len, parts)) == len(roots)
        return MemoryNote.OWN if apart else None
    known = all(r[0] in ("array", "list") or r in given for r in map(origin, roots))
    return None if known else MemoryNote.HIDDEN


def holds_no_argument(b: Builder, callee, args, options, node) -> bool:
    """Whether what a call gives, none of whose arguments is active, holds no object of these."""
    found = inactive_pair(b, callee, args, options, node)
    if found is None or found[0].function is None or found[0].holding is not None:
        return False
    for part in parts_of([found[0].shown]):
        if isinstance(part, Closure) or (isinstance(part, Var) and may_hold(part.type)):
            return False
    return True


def inactive_pair(b: Builder, callee, args, options, node) -> tuple[Pair, list[Value]] | None:
    """A called function for inactive arguments, and these arguments, if it can be lowered."""
    given = args, options
    args = tuple(map(resting, args))
    options = {k: resting(v) for k, v in options.items()}
    identity = id(callee.node) if isinstance(callee, Closure) else id(callee.object)
    if identity in b.context.inferring:
        return None
    b.context.inferring.add(identity)
    try:
        parameters, name = parameters_of(b, callee)
        bound = bind_arguments(b, parameters, args, options, node, name)
        pair, extras = pair_for(b, callee, name, bound, node)
        bound = bind_arguments(b, parameters, *given, node, name)
    except InternalError:
        raise
    except SrcgradError:
        return None
    finally:
        b.context.inferring.discard(identity)
    return pair, [v for _, v, _ in bound] + [extras[e] for e, _, _ in pair.extras]
