"""Objects that a called function is given and writes to.

Inside of the function such an object is what its parameter stands for, under a token
of its own. What the function has made of it is handed back with the result: the
caller's object has other parts from then on, under all of its names. A list of varying length is
one variable, in the caller as in the called function, and handed back in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from srcgrad.analysis.memory.list_versions import is_list, list_versions
from srcgrad.analysis.shapes.results import type_of
from srcgrad.errors import MutationError
from srcgrad.frontend.containers.lists import replace_everywhere
from srcgrad.frontend.containers.structures import replace_object
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.text.trees import below
from srcgrad.frontend.text.unnamed import Unnamed
from srcgrad.ir.forms import Bound, Dataclass, Object
from srcgrad.ir.leaves import leaves, parts_of
from srcgrad.ir.nodes import (
    Closure,
    Compound,
    Const,
    Function,
    Items,
    Known,
    Struct,
    Value,
    Var,
    is_active,
    variables,
)
from srcgrad.ir.rebuilding import rebuilt, with_leaves
from srcgrad.ir.unassigned import is_open


def objects_in(values: Iterable[Value]) -> list[Compound]:
    """The objects in some values that may be written to, each of them once."""
    found: dict[Any, Compound] = {}
    for part in parts_of(values):
        if isinstance(part, Compound) and part.token is not None:
            found.setdefault(part.token, part)
    return list(found.values())


def may_hold_others(result: Value) -> bool:
    """Whether a result contains an object of which it is not known whether it is a new one."""
    if not isinstance(result, Compound):
        return False
    own = isinstance(result, Items) and not result.is_list
    return (not own and result.token is None) or any(map(may_hold_others, result.items))


def gives_object(result: Value) -> bool:
    """Whether a result is or contains an object with attributes."""
    if isinstance(result, Struct) and isinstance(result.form, Object | Dataclass):
        return True
    return isinstance(result, Items) and any(map(gives_object, result.items))


def tokens_for(b: Builder, values: Iterable[Value]) -> dict[Any, Any]:
    """New tokens for the objects that a called function may write to."""
    held = objects_in(values)
    return {value.token: object() for value in held if value.token not in b.frozen}


def pattern_of(values: Iterable[Value]) -> tuple[int, ...]:
    """Which of the objects in some values may be written to, and which are one object."""
    numbers: dict[Any, int] = {None: -1}
    tokens = [part.token for part in parts_of(values) if isinstance(part, Compound)]
    return tuple(numbers.setdefault(token, len(numbers)) for token in tokens)


def changed_objects(
    b: Builder, params: list[tuple[str, Value]], objects: list[Compound | Var]
) -> tuple[tuple[Compound | Var, Value], ...]:
    """The objects that a function was given and has written to, with what they are at its end."""
    changed = []
    for k, before in enumerate(objects):
        end = b.env[Unnamed("object", k)]
        if end is not before and not (isinstance(end, Var) and end in b.listed):
            changed.append((before, end))
    held = {id(before) for before, _ in changed}
    for name, value in params:
        if held & {id(part) for part in (*objects_in([value]), *variables(value))}:
            b.layout.lasting.add(name)
    return tuple(changed)


def without_objects(result: Value, tokens: set[Any]) -> Value:
    """A result with None in the place of the objects that have one of some tokens."""
    if not isinstance(result, Compound):
        return result
    if result.token in tokens:
        return Const(None)
    return rebuilt(result, lambda item: without_objects(item, tokens))


def new_leaves(function: Function) -> tuple[Var, ...]:
    """What the objects hold at the end of a function that it was not given."""
    given = {var for _, value in function.params for var in variables(value)}
    given |= {written.end for written in function.written}
    found = (var for _, end in function.objects for var in variables(end))
    return tuple(var for var in dict.fromkeys(found) if var not in given)


_NOTHING: Mapping[int, Value] = {}


class HandBack:
    """What the caller's objects are after a call.

    Args:
        b: the lowering of the caller.
        function: the called function.
        values: the arguments of the call.
        ends: the caller's variables for what `new_leaves` gives.
        node: the call.
        arrays: the caller's arrays that were written, in the order of ``function.written``.
        local: the caller's values for the leaves of the parameters, by their identity: local
            functions are the caller's own.
    """

    def __init__(
        self,
        b: Builder,
        function: Function,
        values: list[Value],
        ends: list[Var],
        node: Any,
        arrays: Sequence[Value] = (),
        local: Mapping[int, Value] = _NOTHING,
    ) -> None:
        self.b, self.function, self.node = b, function, node
        self.local = local
        self.tokens: dict[Any, Any] = {None: None}
        self.outside: dict[Any, Compound] = {}
        self.leaves: dict[Any, Value] = dict(zip(new_leaves(function), ends, strict=True))
        self.leaves |= {w.end: v for w, v in zip(function.written, arrays, strict=False)}
        self.made: dict[Any, Value] = {}
        self.given: dict[Var, Value] = {}
        for (_, parameter), value in zip(function.params, values, strict=True):
            self._match(parameter, value)
        changed = [(v, end) for v, end in function.objects if isinstance(v, Compound)]
        self.ends = {before.token: end for before, end in changed}
        self.lists = [(v, end) for v, end in function.objects if isinstance(v, Var)]

    def _match(self, parameter: Value, value: Value) -> None:
        if isinstance(parameter, Var):
            self.given[parameter] = value
            self.leaves.setdefault(parameter, value)
        if not isinstance(parameter, Compound) or not isinstance(value, Compound):
            return
        if parameter.token is not None:
            self.tokens[parameter.token] = value.token
            self.outside[parameter.token] = value
        for inner, outer in zip(parameter.items, value.items, strict=True):
            self._match(inner, outer)

    def run(self) -> None:
        """Let all names of the caller's objects hold what these are after the call."""
        new = [(self.outside[token], self.object(token)) for token in self.ends]
        for before, end in self.lists:
            replace_everywhere(self.b, self.given[before], self._outer(end))  # type: ignore
        for old, value in new:
            replace_object(self.b, old, value)

    def result(self, value: Value) -> Value:
        """The result of the call, with the caller's objects where it holds some."""
        if isinstance(value, Compound) and value.token in self.outside:
            return self.object(value.token)
        if isinstance(value, Compound):
            return rebuilt(value, self.result)
        return value

    def object(self, token: Any) -> Value:
        """The caller's object behind one that the function was given."""
        if token not in self.made:
            end = self.ends.get(token)
            self.made[token] = self.outside[token] if end is None else self._outer(end, True)
        return self.made[token]

    def _outer(self, value: Value, itself: bool = False) -> Value:
        if isinstance(value, Compound):
            if not itself and value.token in self.outside:
                return self.object(value.token)
            token = self.tokens.setdefault(value.token, object())
            return replace(value, items=tuple(map(self._outer, value.items)), token=token)
        if isinstance(value, Var):
            return self.leaves[value]
        if isinstance(value, Const | Known) and not is_open(value):
            return value
        if isinstance(value, Closure) and id(value) in self.local:
            return self.local[id(value)]
        raise self.b.refuse(
            self.node,
            "a called function that keeps a function, or what may be unassigned, in an object",
            "keep it in the function that calls",
        )


def define_ends(b: Builder, function: Function, shapes: dict[str, Any]) -> list[Var]:
    """The caller's variables for what the objects hold after a call."""
    made = []
    for var in new_leaves(function):
        type_ = type_of(var)
        if isinstance(type_.shape, str):
            shape = shapes.get(type_.shape) or b.context.lengths.fresh_shape()
            type_ = replace(type_, shape=shape)
        made.append(b.define(Var(var.name, type_), None))
    return made


def require_read_later(b: Builder, function: Function, values: list[Value], node: Any) -> None:
    """Refuse a call that changes an object of which its statement has read a part before."""
    changed = {before.token for before, _ in function.objects if isinstance(before, Compound)}
    lists = {before for before, _ in function.objects if isinstance(before, Var)}
    outside: set[Any] = set()

    def match(parameter: Value, value: Value) -> None:
        if parameter in lists:
            outside.add(value)
        if isinstance(parameter, Compound) and isinstance(value, Compound):
            if parameter.token in changed:
                outside.add(value.token)
            for inner, outer in zip(parameter.items, value.items, strict=True):
                match(inner, outer)

    for (_, parameter), value in zip(function.params, values, strict=True):
        match(parameter, value)
    for place, held in b.looked_up:
        parts = {part.token for part in objects_in([held])} | {held}
        if parts & outside and not any(part is place for part in below(node)):
            raise b.refuse(
                node,
                "a call that changes an object which the same expression has read before",
                "put the two into statements of their own",
            )


def require_known(b: Builder, function: Function, name: str, node: Any) -> None:
    """Refuse functions that write to their arguments in a way that cannot be handed back."""
    for before, end in function.objects:
        if isinstance(before, Var | Items) and isinstance(end, Var) and end.type.kind == "list":
            continue
        same = type(before) is type(end) and isinstance(end, Items)
        if isinstance(before, Struct) and isinstance(end, Struct):
            same = end.form.cls is before.form.cls
        forgotten = isinstance(end, Var) and end.type.kind == "opaque" and not is_active(before)
        if not same and not forgotten:
            raise b.refuse(
                node,
                f"this call of {name}, after which it is not known what an argument holds,",
                "return the new object instead",
            )


def changeable_lists(b: Builder, values: list[Value]) -> tuple[bool, ...]:
    """For each leaf of some arguments, whether it is a list that the call may change.

    That is one that the caller may change itself, and that is given under one name only.
    """
    found: list[tuple[Value, bool]] = []

    def walk(value: Value, own: bool) -> None:
        if isinstance(value, Compound):
            inside = value.token is not None and value.token not in b.frozen
            if isinstance(value, Struct) and isinstance(value.form, Bound):
                inside = own  # it is one object's method, whoever holds that
            for item in value.items:
                walk(item, inside)
        else:
            found.append((value, own))

    for value in values:
        walk(value, True)
    places = Counter(id(value) for value, _ in found)
    return tuple(
        own and places[id(v)] == 1 and is_list(v) and v not in b.frozen for v, own in found
    )


def activated(function: Function, lists: Iterable[Var]) -> bool:
    """Let the lists be active, in place, into which a function puts what is differentiated.

    Returns:
        Whether there are any, so that the function must be lowered again.
    """
    ends = {before: end for before, end in function.objects if isinstance(before, Var)}
    changed = False
    for var in lists:
        end = ends.get(var)
        if not isinstance(end, Var) or not end.type.active or var.type.active:
            continue
        var.type = replace(var.type, active=True)
        changed = True
    return changed


def lists_given_back(
    b: Builder, function: Function, shown: Value, value: Value, values: list[Value], ends: list[Var]
) -> Value:
    """The result of a call, with the caller's lists where it gives back some of them."""
    lists = [(p, q) for p, q in zip(leaves(shown), leaves(value), strict=True) if is_list(p)]
    if not lists:
        return value
    back = HandBack(b, function, values, ends, None)
    known = {**back.given, **dict(zip(new_leaves(function), ends, strict=True))}
    same = list_versions(function.body, back.given)
    new: dict[int, Value] = {}
    for inner, outer in lists:
        if inner in known:
            new[id(outer)] = known[inner]
            continue
        shared = [back.given[var] for var in same.get(inner, ())]  # type: ignore[arg-type]
        if shared:  # which of them it is, is not known
            b.frozen |= {outer, *shared, *ends}
    return with_leaves(value, new) if new else value


def changed_unseen(b: Builder) -> MutationError:
    """The error for a list that a function changes, while its caller cannot tell which it is."""
    return MutationError(
        "a list is changed in place that may have another name",
        spots=[b.source.spot(b.source.tree)],
        why="What is read under the other name afterwards depends on whether it is the same "
        "list, which is not known when code is generated.",
        fixes=["change a copy: t = list(t)", "build a new list instead"],
    )
