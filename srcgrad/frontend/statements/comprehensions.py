"""Comprehensions over active values: written out, or as loops."""

# libcst types the parts of its trees as wide unions; what normalised code has is narrower.
# pyright: reportArgumentType=false, reportOptionalMemberAccess=false

from __future__ import annotations

import functools
import math
import types
from dataclasses import replace
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.results import type_of
from srcgrad.effects import computes_only, effects_of
from srcgrad.errors import SrcgradError
from srcgrad.frontend.checks.purity import OF_VALUES
from srcgrad.frontend.containers.comparisons import truth
from srcgrad.frontend.containers.constructors import is_made_by_init
from srcgrad.frontend.containers.effects import settle
from srcgrad.frontend.containers.lists import template
from srcgrad.frontend.containers.structures import key_of
from srcgrad.frontend.expressions.iterables import iterable_of, sample_element
from srcgrad.frontend.expressions.lowering import condition, lower
from srcgrad.frontend.expressions.unrolling import Elements, bind_target, elements_of, rebinds
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture, holds_function
from srcgrad.frontend.state.data_lists import as_data
from srcgrad.frontend.state.rewriting import (
    NotUniform,
    Rewriting,
    fresh_name,
    in_place_of,
    instead,
    restore,
    snapshot,
    way_of,
    way_to,
)
from srcgrad.frontend.statements.carried_types import is_entered
from srcgrad.frontend.statements.lowering import assign
from srcgrad.frontend.text.names import local_names, names_in, names_written_into
from srcgrad.frontend.text.templates import (
    assignment,
    is_path,
    spread,
    statements,
    substituted,
    text_of,
    two_by_two,
)
from srcgrad.frontend.text.trees import assigned, below, replaced
from srcgrad.ir.demands import Specialise, What
from srcgrad.ir.forms import key_text
from srcgrad.ir.nodes import Compound, Const, Items, Known, Struct, Value, Var, is_active
from srcgrad.ir.types import Type
from srcgrad.ir.unassigned import UNDEFINED
from srcgrad.library.families import UNKNOWN
from srcgrad.program import facts

_TAKING_ALL = (functools.reduce, math.fsum, math.prod)
_CONSUMERS = {"sum", "max", "min", "list", "tuple", "dict", "any", "all", "sorted"}


@recursion.lower_comprehension.define
def lower_comprehension(b: Builder, node: Any, values: list[Value]) -> Value:
    """Lower a comprehension or generator outside of formulas."""
    if node.for_in.asynchronous is not None:
        raise b.refuse(node, "async code", "write it without async")
    active = any(is_active(capture(b, v)) for v in values)
    rows = may_be_written(b, node, active)
    changed = _is_changed_dict(b, node)
    made = makes_functions(node) or makes_objects(b, node)
    loose = isinstance(node, cst.DictComp) and not (active or made)
    if not (active or rows or made or loose):
        return _kept_to_be_changed(b, node, values) or _kept(b, node, values, _example(b, node))
    state = snapshot(b)
    uses = [*_parts(node), *(c.test for c in node.for_in.ifs)]
    keyed = isinstance(node, cst.DictComp) or makes_objects(b, node) or _is_starred(b, node)
    found = elements_of(b, node.for_in.iter, uses, needed=(active or changed) and keyed)
    restore(b, state)
    apart = False  # whether its elements have to be written one by one
    try:
        sample = _sample(b, node) if active or found is not None else None
    except SrcgradError as error:
        restore(b, state)
        if error.later == "" and b.loops and b.leaves_out and not isinstance(node, cst.DictComp):
            b.later.append(error)  # no iteration so far has elements for it
            return Items((), True, object())
        if active and found is None and error.by_iterations:
            found = _elements_at_hand(b, node, uses)
        if active and found is None:
            raise
        sample, apart = None, error.by_iterations
    except NotUniform as error:
        sample, apart = None, bool(error.names & names_in(node.for_in.target))
    restore(b, state)
    if not active and found is None:
        if made and b.context.demands.may_ask(What.PARTS):
            raise Specialise(What.PARTS)
        return _kept_to_be_changed(b, node, values) or _kept(b, node, values, _example(b, node))
    plain = isinstance(sample, Var | Const | Items) and not holds_function(sample)
    known = changed and found is not None and not found.counted
    if loose and not known and not isinstance(sample, Struct):
        return _kept(b, node, values)
    if plain and not is_active(sample) and not known:
        if not rows or not is_array(sample) or found is None or found.counted:
            return _kept_to_be_changed(b, node, values) or _kept(b, node, values, sample)
    if isinstance(node, cst.SetComp):
        raise b.refuse(node, "a set of active values", "write a loop, or use arrays")
    error = _rewriting(b, node, found, sample, apart)
    if loose and not isinstance(error, Rewriting):
        return _kept(b, node, values)
    raise error


def _example(b: Builder, node: Any) -> Value | None:
    """An element of a list of data, to tell what it holds; None where it cannot be lowered."""
    if not isinstance(node, cst.ListComp | cst.GeneratorExp) or b.context.data.changes:
        return None
    state = snapshot(b)
    try:
        return _sample(b, node)
    except (SrcgradError, NotUniform, Specialise):
        return None
    finally:
        restore(b, state)


def _elements_at_hand(b: Builder, node: Any, uses: list[Any]) -> Elements | None:
    """The elements of what a comprehension goes through, as the call at hand tells them."""
    state = snapshot(b)
    found = elements_of(b, node.for_in.iter, uses, needed=True)
    restore(b, state)
    if found is None:
        for what in (What.OPTIONS, What.PARTS):
            if b.context.demands.may_ask(what):
                raise Specialise(what)
    return found


def _is_starred(b: Builder, node: Any) -> bool:
    """Whether it has to be known how many elements a comprehension has: they are arguments."""
    way = way_to(b.statement, node) or [None, node]
    return isinstance(way[-2], cst.Arg) and way[-2].star == "*"


@recursion.written_out.define
def written_out(b: Builder, node: Any) -> Exception | None:
    """What to raise for a list comprehension whose elements have to be known one by one."""
    if not isinstance(node, cst.ListComp):
        return None
    uses = [*_parts(node), *(c.test for c in node.for_in.ifs)]
    found = elements_of(b, node.for_in.iter, uses, needed=True)
    written = None if found is None else _written_out(b, node, found)
    if found is None or written is None:
        return None
    way_of(b, node, "a comprehension here", "compute it in a statement of its own")
    return in_place_of(node, written, found.assignments())


def _kept(b: Builder, node: Any, values: list[Value], sample: Value | None = None) -> Value:
    """Keep a comprehension as text."""
    _note_effects(b, node)
    settle(b, node, values)
    listed = isinstance(node, cst.ListComp | cst.GeneratorExp) and sample is not None
    type_ = as_data(b, template(sample)) if listed else None
    if type_ is not None and isinstance(node, cst.GeneratorExp):
        type_ = replace(type_, element=replace(type_.element, is_list=False))
    return b.opaque(node, values) if type_ is None else b.opaque(node, values, type_)


def _note_effects(b: Builder, node: Any) -> None:
    """Let a comprehension stay where nobody reads what it gives, if a call in it may act."""
    calls = (part for part in below(node) if isinstance(part, cst.Call))
    if not all(_only_computes(b, call.func) for call in calls):
        b.layout.impure.add(id(node))


def _only_computes(b: Builder, called: Any) -> bool:
    """Whether what is called in code that is kept gives a result, and does nothing else."""
    root, *rest = text_of(called).split(".")
    if root in b.locals or not all(name.isidentifier() for name in (root, *rest)):
        return bool(rest) and rest[-1] in OF_VALUES
    thing = facts.read_name(b.source.cells.get(root, b.source.globals), root)
    for name in rest:
        if not isinstance(thing, types.ModuleType):
            return name in OF_VALUES
        thing = facts.attribute(thing, name)
    return effects_of(thing) is not UNKNOWN and computes_only(thing, (), {})


def _kept_to_be_changed(b: Builder, node: Any, values: list[Value]) -> Value | None:
    """Keep a list of numbers as text, into which what is differentiated may be written later."""
    names = {t.value for t in targets_of(b, node) if isinstance(t, cst.Name)}
    if not isinstance(node, cst.ListComp) or not names & names_written_into(b.source.tree):
        return None
    state = snapshot(b)
    try:
        sample = _sample(b, node)
    except (SrcgradError, NotUniform):
        sample = None
    restore(b, state)
    if not isinstance(sample, Var | Const) or not type_of(sample).is_scalar:
        return None
    _note_effects(b, node)
    settle(b, node, values)
    return b.opaque(node, values, Type("list", element=type_of(sample).with_active(False)))


def _is_changed_dict(b: Builder, node: Any) -> bool:
    """Whether a dict comprehension is given a name, and other values at its keys later."""
    names = {t.value for t in targets_of(b, node) if isinstance(t, cst.Name)}
    return isinstance(node, cst.DictComp) and bool(names & names_written_into(b.source.tree))


def _rewriting(
    b: Builder, node: Any, found: Elements | None, sample: Value | None, apart: bool
) -> Exception:
    """Return what to raise for a comprehension over active values."""
    what, fix = "a comprehension over active values here", "compute it in a statement of its own"
    way = way_of(b, node, what, fix)
    consumer = _consumer(way)
    if consumer == "extend" and not _is_list(lower(b, way[-3].func.value)):
        consumer = None
    if isinstance(node, cst.GeneratorExp) and consumer not in (*_CONSUMERS, "unpack", "extend"):
        if isinstance(way[-2], cst.Arg) and (way[-2].star == "*" or _takes_all(b, way[-3])):
            return in_place_of(node, cst.ListComp(node.elt, node.for_in))
        if not b.context.demands.asks_of(What.ITERATORS, b.source):
            return Specialise(What.ITERATORS, b.source, node)
        return b.refuse(
            node,
            "a generator over active values here",
            "put it into sum, max, min, list or tuple, or make it a list",
        )
    functions = makes_functions(node) or (sample is not None and holds_function(sample))
    known = consumer in ("max", "min", "tuple", "unpack") or functions or makes_objects(b, node)
    known |= isinstance(node, cst.DictComp) or _is_starred(b, node) or apart
    if found is not None and (
        known or not (found.counted or (consumer == "sum" and _is_uniform(b, node)))
    ):
        head = node.for_in.iter
        new = replaced(head, {id(part): cst.Name(name) for name, part in found.given})
        asked = isinstance(node, cst.DictComp) or node.for_in.ifs  # keys and tests have to be known
        if new is not head and asked:
            return in_place_of(head, new, found.assignments())
        written = _written_out(b, node, found)
        if written is not None and _is_starred(b, node):
            call = spread(way[-3], node, [element.value for element in written.elements])
            return in_place_of(way[-3], call, found.assignments())
        if written is not None:
            return _place(way, node, written, found, consumer)
    if functions:
        return b.refuse(
            node,
            "a comprehension of functions whose number is not known",
            "go through a range of a number that is written out, or through a tuple",
        )
    if isinstance(node, cst.DictComp):
        for what in (What.OPTIONS, What.PARTS):
            if b.context.demands.may_ask(what):
                return Specialise(what)
        return b.refuse(
            node,
            "a dict comprehension whose keys are not known when code is generated",
            "go through the items of a dict, or through a tuple of strings",
        )
    scalar = isinstance(sample, Var | Const) and type_of(sample).is_scalar
    rows = isinstance(sample, Compound) or (sample is not None and type_of(sample).kind == "list")
    arrays = consumer == "sum" and _adds_arrays(b, node, sample)
    return _as_loop(b, node, way, consumer, scalar, rows, arrays)


def _is_uniform(b: Builder, node: Any) -> bool:
    """Whether a comprehension goes through a list of objects of one form."""
    head = node.for_in.iter
    parts = [a.value for a in head.args] if isinstance(head, cst.Call) else [head]
    state = snapshot(b)
    try:
        iterable_of(b, head, writes=True)
        held = [lower(b, part) for part in parts if is_path(part)]
    except (NotUniform, SrcgradError):
        return False
    finally:
        restore(b, state)
    lists = (value.items for value in held if isinstance(value, Items) and value.is_list)
    return any(isinstance(item, Struct) for items in lists for item in items)


def _adds_arrays(b: Builder, node: Any, sample: Value | None) -> bool:
    """Whether a sum of arrays is certain to have an element, and so to be an array."""
    loop = node.for_in
    if not isinstance(sample, Var) or sample.type.kind != "array" or not sample.type.ndim:
        return False
    if loop.ifs or loop.inner_for_in is not None:
        return False
    state = snapshot(b)
    try:
        return is_entered(b.context.lengths, iterable_of(b, loop.iter))
    except NotUniform:
        return False
    finally:
        restore(b, state)


def _takes_all(b: Builder, call: cst.Call) -> bool:
    """Whether a function that is called takes all that an iterator gives before it returns."""
    callee = lower(b, call.func)
    return isinstance(callee, Known) and any(callee.object is fn for fn in _TAKING_ALL)


def _require_early(b: Builder, node: Any, own: set[str]) -> None:
    """Refuse lambdas that read a name of the comprehension around them when they are called."""
    for part in (part for part in below(node) if isinstance(part, cst.Lambda)):
        bound = {p.name.value for p in part.params.params}
        late = sorted((names_in(part.body) - bound) & own)
        if late:
            raise b.refuse(
                part,
                f"a lambda that reads {late[0]!r}, a name of the comprehension around it,",
                f"write lambda ..., {late[0]}={late[0]}: ...",
                "When it is called, it would see the value for the last element.",
            )


def _sample(b: Builder, node: Any) -> Value | None:
    """What an element of a comprehension is; None where it is one itself."""
    try:
        loop = node.for_in
        while loop is not None:
            assign(b, loop.target, sample_element(b, loop.iter))
            loop = loop.inner_for_in
        return lower(b, node.value if isinstance(node, cst.DictComp) else node.elt)
    except Rewriting:
        return None


def _consumer(way: list[Any]) -> str | None:
    """What a comprehension is given to."""
    parent = way[-2]
    if isinstance(parent, cst.Arg):
        call = way[-3]
        if isinstance(call.func, cst.Attribute) and isinstance(way[-4], cst.Expr):
            return "extend" if call.func.attr.value == "extend" else None
        name = call.func.value if isinstance(call.func, cst.Name) else ""
        return name if name in _CONSUMERS and call.args[0] is parent else None
    target, value = assigned(parent)
    whole = "unpack" if isinstance(target, cst.Tuple | cst.List) else "assign"
    return None if value is None else whole


def _written_out(b: Builder, node: Any, found: Elements) -> Any:
    """The elements of a comprehension as a display; None where that cannot be done."""
    loop = node.for_in
    inner = _parts(node)
    own = names_in(loop.target).union(*(names_in(element) for element in found.nodes))
    if loop.inner_for_in is not None or any(rebinds(part, own) for part in inner):
        return None
    for part in inner:
        _require_early(b, part, names_in(loop.target))
    parts = []
    for element in found.nodes:
        names: dict[str, Any] = {}
        if not bind_target(loop.target, element, names):
            return None
        verdict = [_holds(b, substituted(c.test, names)) for c in loop.ifs]
        if None in verdict:
            return None
        if not all(verdict):
            continue
        if isinstance(node, cst.DictComp):
            key, value = substituted(node.key, names), substituted(node.value, names)
            parts.append(cst.DictElement(_known_key(b, key), value))
        else:
            parts.append(cst.Element(substituted(node.elt, names)))
    if isinstance(node, cst.DictComp):
        return cst.Dict(parts)
    return cst.List(parts)


def _parts(node: Any) -> list[Any]:
    """The expressions that a comprehension makes its elements of."""
    return [node.key, node.value] if isinstance(node, cst.DictComp) else [node.elt]


def _known_key(b: Builder, node: Any) -> Any:
    """A key as a literal, where it is known what it is."""
    key = key_of(lower(b, node))
    return node if key is NotImplemented else cst.parse_expression(key_text(key))


def _holds(b: Builder, test: Any) -> bool | None:
    return truth(condition(b, test))


def _place(way: Any, node: Any, written: Any, found: Elements, consumer: Any) -> Rewriting:
    """Put a display into the place of a comprehension."""
    call = way[-3] if consumer in _CONSUMERS else None
    if consumer in ("max", "min") and len(call.args) == 1:
        parts = [e.value for e in written.elements]
        written = (
            two_by_two(call.func, parts)
            if len(parts) > 1
            else cst.Call(call.func, [cst.Arg(written)])
        )
    elif consumer == "tuple":
        parts = written.elements
        if len(parts) == 1:
            parts = [parts[0].with_changes(comma=cst.Comma())]
        written = cst.Tuple(parts, lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    elif consumer != "list":
        call = None
    return in_place_of(node if call is None else call, written, found.assignments())


def _as_loop(
    b: Builder,
    node: Any,
    way: list[Any],
    consumer: str | None,
    scalar: bool,
    rows: bool,
    arrays: bool,
) -> Rewriting:
    """Write a comprehension as a loop that appends, or that adds up."""
    call = way[-3] if consumer in _CONSUMERS else None
    names = _renamed(b, node)
    elt = _rename(node.elt, names)
    if isinstance(elt, cst.ListComp | cst.List) and _becomes_array(b, way):
        elt = cst.Call(way[-3].func.deep_clone(), [cst.Arg(elt)])  # each row of it
    if isinstance(elt, cst.Tuple):
        elt = elt.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    if consumer == "extend" and isinstance(node, cst.GeneratorExp):
        push = statements("_t.append(_e)", _t=way[-3].func.value, _e=elt)[0]
        return instead(_loops(node.for_in, push, names, True))
    total = consumer == "sum" and (scalar or arrays)
    statement = way[-4] if total else way[-2]
    target = assigned(statement)[0] if total or consumer == "assign" else None
    owns = isinstance(target, cst.Name) and target.value not in names_in(statement.value)
    if total and owns:  # what the name stands for may be read meanwhile, or after a failure
        owns = b.env.get(str(target.value), UNDEFINED) is UNDEFINED
    name = str(target.value) if owns else fresh_name(b, "total" if total else "terms")
    start: Any = cst.List([])
    if total:
        start = call.args[1].value if len(call.args) > 1 else cst.Integer("0")
    added = f"{name} = {name} + _e" if arrays else f"{name} += _e"  # into a new array
    step = statements(added if total else f"{name}.append(_e)", _e=elt)[0]
    lines = [assignment(name, start), _loops(node.for_in, step, names, True)]
    if owns:
        return instead(*lines)
    if consumer in ("max", "min") and len(call.args) == 1 and not rows:
        return in_place_of(call, _largest(b, consumer, name, node), lines)
    whole = total or consumer == "list"
    return in_place_of(call if whole else node, cst.Name(name), lines)


def _is_list(value: Value) -> bool:
    if isinstance(value, Items):
        return value.is_list
    return isinstance(value, Var) and value.type.kind == "list"


def _becomes_array(b: Builder, way: list[Any]) -> bool:
    """Whether a comprehension is given to np.array."""
    call = way[-3] if isinstance(way[-2], cst.Arg) else None
    if not isinstance(call, cst.Call) or len(call.args) != 1:
        return False
    if not isinstance(call.func, cst.Attribute) or not isinstance(call.func.value, cst.Name):
        return False
    if call.func.value.value in b.locals:
        return False
    held = facts.read_name(b.source.globals, call.func.value.value)
    found = facts.attribute(held, call.func.attr.value)
    return found is np.array or found is np.asarray


def _largest(b: Builder, consumer: str, name: str, node: Any) -> Any:
    """The largest of a list as NumPy finds it."""
    module = next((n for n, v in b.source.globals.items() if v is np and n not in b.locals), None)
    if module is None:
        raise b.refuse(node, f"{consumer} of a list of active values", "use NumPy's function")
    return cst.parse_expression(f"{module}.{consumer}({module}.array({name}))")


def _loops(loop: cst.CompFor, body: Any, names: dict[str, Any], outermost: bool) -> Any:
    """The ``for`` and ``if`` clauses of a comprehension as statements around a body."""
    if loop.inner_for_in is not None:
        body = _loops(loop.inner_for_in, body, names, False)
    for test in reversed(loop.ifs):
        body = cst.If(_rename(test.test, names), cst.IndentedBlock([body]))
    target = _rename(loop.target, names)
    source = loop.iter if outermost else _rename(loop.iter, names)  # it knows no names of its own
    return cst.For(target, source, cst.IndentedBlock([body]))


def _renamed(b: Builder, node: Any) -> dict[str, Any]:
    """New names for what a comprehension calls its elements, where these names are taken."""
    own: set[str] = set()
    loop = node.for_in
    while loop is not None:
        own |= names_in(loop.target)
        loop = loop.inner_for_in
    around = [f.node.target for f in b.frame.ancestors() if isinstance(f.node, cst.For)]
    taken = local_names(b.source.tree).union(*(names_in(target) for target in around))
    hidden = own & (taken | set(b.source.cells) | set(b.source.globals))
    found = {}
    for name in sorted(hidden):
        found[name] = cst.Name(fresh_name(b, f"{name}_"))
    return found


def _rename(node: Any, names: dict[str, Any]) -> Any:
    if not names or not names_in(node) & set(names):
        return node.with_changes(lpar=(), rpar=()) if isinstance(node, cst.Tuple) else node
    return substituted(node, names)


def makes_functions(node: Any) -> bool:
    """Whether the elements of a comprehension are functions, or tuples with functions."""
    element = node.value if isinstance(node, cst.DictComp) else node.elt
    if isinstance(element, cst.Tuple | cst.List):
        return any(isinstance(e.value, cst.Lambda) for e in element.elements)
    return isinstance(element, cst.Lambda)


def makes_objects(b: Builder, node: Any) -> bool:
    """Whether the elements of a comprehension are new objects of a class of the user's."""
    element = node.value if isinstance(node, cst.DictComp) else node.elt
    if not isinstance(element, cst.Call) or not isinstance(element.func, cst.Name):
        return False
    label = element.func.value
    held = b.env.get(label) or facts.read_name(b.source.cells.get(label, b.source.globals), label)
    return is_made_by_init(held.object if isinstance(held, Known) else held)


def targets_of(b: Builder, node: Any) -> list[Any]:
    """What a statement assigns that does nothing else than to make this comprehension."""
    line = getattr(b.statement, "body", ())
    small = line[0] if isinstance(line, tuple | list) and len(line) == 1 else None
    if not isinstance(small, cst.Assign) or small.value is not node:
        return []
    return [target.target for target in small.targets]


def may_be_written(b: Builder, node: Any, active: bool) -> bool:
    """Whether a comprehension is a list that is kept, and its arrays may be written into later."""
    targets = targets_of(b, node)
    if not targets or not isinstance(node, cst.ListComp):
        return False
    by_others = any(isinstance(target, cst.Attribute) for target in targets)
    return active or by_others or bool(names_written_into(b.source.tree))


def is_array(sample: Any) -> bool:
    """Whether an element of a comprehension is an array, or may be one."""
    if not isinstance(sample, Var) or sample.type.is_scalar:
        return False
    return sample.type.kind == "array" or (sample.type.is_number and sample.type.dtype == "f")
