"""What a program may change of the state outside of it while it runs.

What is read from outside when code is generated (a global, an attribute, an entry of a list or
dict) is the same while the program runs only if nothing in it puts something else there. All
functions that the program may call are gone through, and the names and attributes that they
assign are collected, whatever objects these are of. A callee of which nothing is known may be any
function that is named elsewhere than in front of the brackets of a call; these are gone through,
too.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.effects import computes_only
from srcgrad.errors import SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend.checks.effect_search import Effects, EffectSearch
from srcgrad.frontend.checks.iterating import holds_iterator
from srcgrad.frontend.checks.purity import Purity, is_own, of_program
from srcgrad.ir.nodes import Compound, Items, Struct, Value, Var
from srcgrad.ir.types import Type
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts
from srcgrad.program.namespaces import held_by


class ChangedState:
    """What a program may change outside of it while it runs.

    Args:
        entry: the function that the program begins with.
        purity: which functions it reaches.
        unknown: the names of the arguments of which nothing is known.
        runs_outside: whether there are iterators among the arguments, which run anything that was
            begun outside.
    """

    def __init__(
        self, entry: Any, purity: Any, unknown: frozenset[str], runs_outside: bool
    ) -> None:
        self._found = found = Effects(followed=False)
        seen: dict[int, Any] = {}
        if isinstance(entry, types.FunctionType):
            search = EffectSearch(entry, purity)
            self._found = found = search.widen()
            seen = search.seen
        self._all = not found.followed
        called = unknown & found.runs or (unknown and found.calls_given)
        self._runs_any = bool(called or runs_outside)
        others = [f for key, f in seen.items() if key not in purity.seen]
        reached = Purity([], others).seen.values() if others else ()
        self._reached = [*purity.seen.values(), *reached]
        self._names = found.names | found.attributes if found.modules else found.names

    def keeps_name(self, name: str) -> bool:
        """Tell whether nothing assigns a name that is not local."""
        return not self._all and not self._runs_any and name not in self._names

    def keeps_attribute(self, name: str) -> bool:
        """Tell whether nothing assigns an attribute with a name of what is no module."""
        return not self._all and not self._runs_any and name not in self._found.attributes

    def keeps_items(self, kind: type | None = None) -> bool:
        """Tell whether nothing changes a list or dict, or one of a kind, that was there before."""
        changed = self._found.items if kind is None else self._found.items & {kind}
        return not self._all and not self._runs_any and not changed

    def first_of(self, found: facts.Facts) -> str | None:
        """Return something that code relies on and that may change, None where there is none."""
        if self._all or (self._runs_any and found.names | found.attributes | found.descriptors):
            return "what it reads from outside"
        names = sorted(found.names & self._names)
        own = self._found
        attributes = found.attributes & own.attributes | found.descriptors & own.of_classes
        unknown = found.descriptors & own.of_unknown
        if unknown and (own.classes or any(map(_holds_classes, self._reached))):
            attributes |= unknown
        return repr(names[0]) if names else f"'.{min(attributes)}'" if attributes else None

    def first_table(self, relied_on: dict[int, Any]) -> str | None:
        """Return a list or dict from outside that code relies on and that may change, or None.

        ``relied_on``: those whose contents are in the code, by identity.
        """
        found = self._found
        changed = list(found.handed.values() if found.items else ())
        names = found.held_under | (found.handed_under if found.items else set())
        for thing in self._reached if names and relied_on else ():
            held = {} if isinstance(thing, types.ModuleType) else held_by(thing)
            changed += [part for name, part in held.items() if name in names]
        of_kinds = {k for k, t in relied_on.items() if type(t) in {*found.items, tuple}}
        any_table = self._all or self._runs_any
        for things, known in ((found.tables.values(), relied_on.keys()), (changed, of_kinds)):
            any_table = any_table or any(_tables_in(thing) & known for thing in things)
        return "what a list or dict from outside holds" if any_table and relied_on else None

    def first_object(self, classes: set[type]) -> str | None:
        """Return something from outside, of some classes, that may change; None if nothing is."""
        found = self._found
        for thing in [*self._reached, *found.handed.values()]:
            cls = type(thing)
            if cls in (list, dict):
                handed = cls in found.items and id(thing) in found.handed
                changed = cls in found.items_outside or handed
            else:
                own = isinstance(thing, type | types.FunctionType | types.ModuleType)
                changed = not own and bool(held_by(thing).keys() & found.attributes)
            if changed and classes & {cls, object}:
                return f"an argument, which may be the {cls.__name__} from outside"
        return None


def changed_state(context: Any) -> ChangedState:
    """Return what the program of a transformation may change, found once for each of them."""
    if context.changed_state is None:
        context.changed_state = _found(context)
    return context.changed_state


def _found(context: Any) -> ChangedState:
    purity = of_program(context, context.entry)
    return ChangedState(context.entry, purity, context.unknown, context.runs_outside)


def require_kept(context: Any, values: Iterable[Value]) -> None:
    """Require that what the code of a program relies on stays what it is while it runs.

    ``values``: the arguments. One of them may be an object from outside that is changed.

    Raises:
        SrcgradError: otherwise.
    """
    if context.entry is None:
        return
    changed = changed_state(context)
    name = changed.first_of(context.facts) or changed.first_table(context.relied_on)
    name = name or changed.first_object({*_classes_of(values)})
    if name is not None:
        raise _changing(name)


def _classes_of(values: Iterable[Value]) -> Iterator[type]:
    """The classes of the objects, dicts and lists that arguments are, or hold."""
    for value in values:
        if isinstance(value, Struct):
            cls = getattr(value.form, "cls", None)
            yield dict if cls is None else cls
        elif isinstance(value, Items) and value.is_list:
            yield list
        elif isinstance(value, Var) and _may_be_anything(value.type):
            yield object
        if isinstance(value, Compound):
            yield from _classes_of(value.items)


def _may_be_anything(type_: Type) -> bool:
    unknown = type_.kind == "numeric" and type_.dtype == "?" and not type_.active
    return unknown or type_.kind in ("opaque", "list")


def _changing(name: str) -> SrcgradError:
    return UnsupportedSyntaxError(
        f"{name}, which the program may change while it runs, and which its code depends on",
        fixes=["pass it as an argument"],
    )


def _holds_classes(thing: Any) -> bool:
    """Tell whether a list, a dict or an object holds a class of the user's."""
    if isinstance(thing, type | types.FunctionType | types.ModuleType):
        return False
    if type(thing) in (list, dict, tuple):
        parts = thing.values() if type(thing) is dict else thing
    else:
        parts = held_by(thing).values()
    return any(isinstance(part, type) and is_own(part) for part in parts)


def _tables_in(thing: Any, depth: int = 4) -> set[int]:
    """Return the identities of the lists and dicts that something is, or holds."""
    if type(thing) not in (list, dict, tuple):
        parts = () if isinstance(thing, type | types.ModuleType) else held_by(thing).values()
        own: set[int] = set()
    else:
        parts = thing.values() if type(thing) is dict else thing
        own = {id(thing)}
    return own.union(*(_tables_in(part, depth - 1) for part in parts)) if depth else own


def is_harmless(function: types.FunctionType, purity: Purity) -> bool:
    """Tell whether calling a function changes nothing that was there before.

    What the answer depends on is recorded as facts.
    """
    return _computes(function, purity)


def changes_nothing(context: Any, function: types.FunctionType, numbers: Iterable[str]) -> bool:
    """Tell whether a call of a function changes nothing, whatever the program around it does."""
    return _computes(function, of_program(context, function), numbers, around=False)


def _computes(
    function: types.FunctionType, purity: Purity, numbers: Iterable[str] = (), around: bool = True
) -> bool:
    if purity.given_effects:
        return False
    with facts.recording() as known:
        found = EffectSearch(function, purity, numbers).computes(around)
    if found:  # nothing depends on it otherwise
        facts.rely_on(known)
    return found


def writes_only_its_own(context: Any) -> bool:
    """Tell whether the program may be run again, and writes into nothing that was there before."""
    if context.harmless is None and context.entry is not None:
        context.harmless = is_harmless(context.entry, of_program(context, context.entry))
    return bool(context.harmless)


def may_run_again(function: Any, arguments: Iterable[Any]) -> bool:
    """Tell whether a program may be run once more: nothing tells that it ran before."""
    given = list(arguments)
    while not isinstance(function, types.FunctionType):
        if isinstance(function, types.MethodType):
            given.append(function.__self__)
            function = function.__func__
        elif isinstance(function, functools.partial):
            function, *held = facts.parts_of_partial(function)
            given += held
        else:
            return home(function) in WITH_FORMULAS and computes_only(function, given, {})
    used_up = any(holds_iterator(value, deep=False) for value in given)
    return not used_up and is_harmless(function, Purity(given, [function]))


def repeatable(function: Any, arguments: Iterable[Any]) -> facts.Facts | None:
    """Return what it depends on that a program may be run once more, None if it may not be."""
    with facts.recording() as known:
        return known if may_run_again(function, arguments) else None
