"""What a program may change of the state outside of it while it runs.

What is read from outside when code is generated (a global, an attribute, an entry of a list or
dict) is the same while the program runs only if nothing in it puts something else there. All
functions that the program may call are gone through, and the names and attributes that they
assign are collected, whatever objects these are of. A callee of which nothing is known may be any
function that is named elsewhere than in front of the brackets of a call; these are gone through,
too.
"""

from __future__ import annotations

import ast
import builtins
import gc
import importlib
import inspect
import operator
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from srcgrad.errors import SrcgradError, UnsupportedSyntaxError
from srcgrad.frontend.checks.harmless import (
    BEGINNING,
    EffectSearch,
    FunctionText,
    is_super,
    is_written,
)
from srcgrad.frontend.checks.purity import CACHED, MUTATORS, Purity, is_own, of_program
from srcgrad.ir.nodes import Compound, Items, Struct, Value, Var
from srcgrad.ir.types import Type
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import WITH_FORMULAS, home, is_installed
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING, held_by
from srcgrad.program.primals import primal_of

# attributes through which the state of anything can be reached without its name
_WAYS_IN = frozenset(
    ("__dict__", "__globals__", "f_globals", "f_locals", "f_back", "__closure__", "cell_contents")
)
_LOOKED_AT = {
    *(ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom),
    *(ast.Attribute, ast.Subscript, ast.AugAssign, ast.Call, ast.Name),
}
_SETTERS = frozenset(("__setattr__", "__delattr__", "__set__", "__delete__"))
# functions that reach what is not named where they are called
_REACHING = (
    *(builtins.exec, builtins.eval, builtins.globals, builtins.locals, builtins.vars),
    *(builtins.compile, builtins.__import__, builtins.delattr),
    *(operator.attrgetter, operator.methodcaller, sys._getframe),  # noqa: SLF001
)
_REACHING_MODULES = (gc, importlib, inspect)
_BY_NAME = (builtins.setattr, builtins.getattr)  # which take a name as a text
_MAKING = ("__new__", "__init__", "__post_init__", "__init_subclass__", "__class_getitem__")
_RUNNING = (types.GeneratorType, map, filter)  # what was begun outside, and goes on here


class ChangedState:
    """What a program may change outside of it while it runs.

    Args:
        entry: the function that the program begins with.
        purity: which functions it reaches.
        unknown: the names of the arguments of which nothing is known.
    """

    def __init__(self, entry: Any, purity: Any, unknown: frozenset[str]) -> None:
        self._search = _ChangeSearch(purity)
        known = isinstance(entry, types.FunctionType)
        self._all = not (known and self._search.finds_nothing(entry, around=False))
        search = self._search
        # an argument that is called, or gone through, may run anything that was begun outside
        self._runs_any = bool(unknown & search.runs or (unknown and search.calls_given))
        others = [f for key, f in search.seen.items() if key not in purity.seen]
        reached = Purity([], others).seen.values() if others else ()
        self._reached = [*purity.seen.values(), *reached]
        self._names = search.names | search.attributes if search.modules else search.names

    def keeps_name(self, name: str) -> bool:
        """Tell whether nothing assigns a name that is not local."""
        return not self._all and not self._runs_any and name not in self._names

    def keeps_attribute(self, name: str) -> bool:
        """Tell whether nothing assigns an attribute with a name of what is no module."""
        return not self._all and not self._runs_any and name not in self._search.attributes

    def keeps_items(self) -> bool:
        """Tell whether nothing changes a list or dict that the program did not make."""
        return not self._all and not self._runs_any and not self._search.items

    def first_of(self, found: facts.Facts) -> str | None:
        """Return something that code relies on and that may change, None where there is none."""
        if self._all or (self._runs_any and found.names | found.attributes):
            return "what it reads from outside"
        names = sorted(found.names & self._names)
        attributes = sorted(found.attributes & self._search.attributes)
        return repr(names[0]) if names else f"'.{attributes[0]}'" if attributes else None

    def first_table(self, relied_on: dict[int, Any]) -> str | None:
        """Return a list or dict from outside that code relies on and that may change, or None.

        Args:
            relied_on: those whose contents are in the code, by identity.
        """
        search = self._search
        changed = [*search.tables.values(), *(search.handed.values() if search.items else ())]
        found = self._all or self._runs_any or any(tables_in(t) & relied_on.keys() for t in changed)
        return "what a list or dict from outside holds" if found and relied_on else None

    def first_object(self, classes: set[type]) -> str | None:
        """Return something from outside, of some classes, that may change; None if nothing is."""
        search = self._search
        for thing in [*self._reached, *search.handed.values()]:
            cls = type(thing)
            if cls in (list, dict):
                handed = search.items and id(thing) in search.handed
                changed = search.items_outside or handed
            else:
                own = isinstance(thing, type | types.FunctionType | types.ModuleType)
                changed = not own and bool(held_by(thing).keys() & search.attributes)
            if changed and classes & {cls, object}:
                return f"an argument, which may be the {cls.__name__} from outside"
        return None


def changed_state(context: Any) -> ChangedState:
    """Return what the program of a transformation may change, found once for each of them."""
    if context.changed_state is None:
        context.changed_state = _found(context)
    return context.changed_state


def _found(context: Any) -> ChangedState:
    return ChangedState(context.entry, of_program(context, context.entry), context.unknown)


def require_kept(context: Any, values: Iterable[Value]) -> None:
    """Require that what the code of a program relies on stays what it is while it runs.

    Args:
        context: that of the transformation.
        values: the arguments. One of them may be an object from outside that is changed.

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


def _only_reads(thing: Any) -> bool:
    """Whether a function of Python's or of a library gives none of its arguments to the program."""
    if thing is MISSING or (isinstance(thing, types.FunctionType) and is_own(thing)):
        return False
    if plainly(thing, "__module__") == "builtins":
        return plainly(thing, "__name__", "") in _READING
    return home(thing) in WITH_FORMULAS


_READ_ONLY = """
abs all any enumerate float int isinstance len list max min range repr reversed round set sorted str
sum tuple zip
"""
_READING = frozenset(_READ_ONLY.split())


def _things_at(node: Any, text: FunctionText) -> list[Any]:
    """Return what an expression may stand for of what is outside, none where it is not."""
    thing = text.thing(node)
    if thing is not MISSING:
        return [thing]
    if not isinstance(node, ast.Attribute | ast.Subscript):
        return []
    out: list[Any] = []
    for owner in _things_at(node.value, text):
        if type(owner) in (list, dict, tuple) and isinstance(node, ast.Subscript):
            out += owner.values() if type(owner) is dict else owner
        else:
            out.append(owner)  # what it holds is gone through as a part of it
    return out


def tables_in(thing: Any, depth: int = 4) -> set[int]:
    """Return the identities of the lists and dicts that something is, or holds."""
    if type(thing) not in (list, dict, tuple):
        parts = () if isinstance(thing, type | types.ModuleType) else held_by(thing).values()
        own: set[int] = set()
    else:
        parts = thing.values() if type(thing) is dict else thing
        own = {id(thing)}
    return own.union(*(tables_in(part, depth - 1) for part in parts)) if depth else own


class _ChangeSearch(EffectSearch):
    """A search that collects what is changed, in place of stopping at it."""

    draws = True

    def __init__(self, purity: Any) -> None:
        super().__init__(purity)
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.items = self.items_outside = False
        self.tables: dict[int, Any] = {}  # what is named where items are changed
        self.handed: dict[int, Any] = {}  # lists and dicts that are given other names
        self.modules = False  # whether some are handed on
        self.calls_given = False  # whether a function calls what it is given
        self._read_in: FunctionText | None = None  # whose expressions are told apart
        self._read: set[int] = set()
        self.runs: set[str] = set()  # the arguments that the program calls or goes through

    def finds_nothing(self, function: types.FunctionType, around: bool = True) -> bool:
        for thing, _ in self.purity.given.values():
            if isinstance(thing, types.FunctionType):
                self.add(thing)
        for thing in self.purity.seen.values():
            if isinstance(thing, types.ModuleType) and not facts.is_fixed(thing.__name__):
                self._add_module(thing)
        for cls in self.purity.classes:
            if any(is_installed(base) for base in cls.__mro__):
                for value in vars(cls).values():  # which a library may call
                    value = getattr(value, "__func__", value)
                    if isinstance(value, types.FunctionType):
                        self.add(value)
        return super().finds_nothing(function, around)

    def is_safe(self, part: Any, text: FunctionText) -> bool:
        if type(part) not in _LOOKED_AT:
            return True
        if isinstance(part, ast.Global | ast.Nonlocal):
            self.names.update(part.names)
            return True
        if isinstance(part, ast.Import | ast.ImportFrom):
            modules = [part.module or ""] if isinstance(part, ast.ImportFrom) else part.names
            named = (m if isinstance(m, str) else m.name for m in modules)
            return all(name in sys.modules for name in named)
        if isinstance(part, ast.Attribute):
            if part.attr in _WAYS_IN:
                return False
            if not isinstance(part.ctx, ast.Load):
                return self._note_set(part.value, part.attr, text)
        if isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            self._note_items(part.value, text.own.takes(part), text)
            return True
        if isinstance(part, ast.AugAssign):
            self._note_items(part.target, text.own.takes_in_place(part.target), text)
            return True
        if isinstance(part, ast.Call):
            return self.is_safe_call(part, text)
        if isinstance(part, ast.For | ast.comprehension) and isinstance(part.iter, ast.Name):
            self.runs.add(part.iter.id)
            return True
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            self._note_table(part, text)
        if isinstance(part, ast.Name) and id(part) not in text.called:
            if any(text.thing(part) is each for each in _BY_NAME):
                return False
        if isinstance(part, ast.Name) and id(part) in text.owners:
            thing = text.thing(part)
            return isinstance(thing, types.ModuleType) or self.is_safe_thing(thing)
        if isinstance(part, ast.Name | ast.Attribute):
            return super().is_safe(part, text)
        return True

    def _note_items(self, owner: Any, is_own: bool, text: FunctionText) -> None:
        """Note that something is changed that holds items."""
        self.items = self.items or not is_own
        things = _things_at(owner, text)
        self.items_outside = self.items_outside or bool(things)
        self.tables |= {id(thing): thing for thing in things}

    def _note_table(self, node: ast.Name, text: FunctionText) -> None:
        """Note a list or dict from outside that gets another name, or whose parts get some."""
        thing = text.thing(node)
        if type(thing) not in (list, dict, tuple):
            return
        if id(node) in self._only_read(text):
            parts = thing.values() if type(thing) is dict else thing
            self.handed |= {id(p): p for p in parts if type(p) in (list, dict, tuple)}
        else:
            self.handed[id(thing)] = thing

    def _only_read(self, text: FunctionText) -> set[int]:
        """The expressions that get no other name where they stand, by identity."""
        if self._read_in is not text:
            self._read_in, self._read = text, set(text.owners)
            for part in text.parts:
                stars = isinstance(part, ast.keyword) and part.arg is None
                if stars or isinstance(part, ast.Subscript | ast.Starred):
                    self._read.add(id(part.value))
                elif isinstance(part, ast.For | ast.comprehension):
                    self._read.add(id(part.iter))
                elif isinstance(part, ast.Compare):
                    self._read.update(map(id, (part.left, *part.comparators)))
                elif isinstance(part, ast.Call) and _only_reads(text.thing(part.func)):
                    self._read.update(id(getattr(a, "value", a)) for a in part.args)
                    self._read.update(map(id, part.args))
        return self._read

    def _note_set(self, owner: Any, name: str | None, text: FunctionText) -> bool:
        """Note that an attribute is set, and what that runs; return whether it has a text.

        Of an object that a constructor makes, the attribute may be any.
        """
        begun = text.is_begun(owner)
        if not begun:
            if name is None or name.startswith("__"):
                return False  # defaults, code and classes of anything
            of_module = isinstance(text.thing(owner), types.ModuleType)
            (self.names if of_module else self.attributes).add(name)
        for cls in self.purity.classes:
            plain = (each for each in facts.held_by_class(cls) if not each.startswith("__"))
            for each in (name,) if name is not None else plain:
                value = facts.in_class(cls, each)
                if isinstance(value, property):
                    for function in (value.fset, value.fdel):
                        if isinstance(function, types.FunctionType):
                            self.add(function)
                elif hasattr(value, "__set__") and type(value) is not types.MemberDescriptorType:
                    return False
        return True

    def is_safe_call(self, node: ast.Call, text: FunctionText) -> bool:
        thing = text.thing(node.func)
        if thing is builtins.next and node.args and isinstance(node.args[0], ast.Name):
            self.runs.add(node.args[0].id)
        if thing is builtins.getattr:
            owner = text.thing(node.args[0]) if node.args else None
            if isinstance(owner, types.ModuleType) and facts.is_fixed(owner.__name__):
                return True
            return self.is_safe_reading(node, text)
        if thing is builtins.setattr:
            if len(node.args) < 2:
                return False
            name = getattr(node.args[1], "value", None)
            return self._note_set(node.args[0], name if isinstance(name, str) else None, text)
        if thing is not MISSING:
            return self.is_safe_thing(thing)
        if isinstance(node.func, ast.Name) and node.func.id in text.given:
            self.add_methods("__call__")
            self.runs.add(node.func.id)
            self.calls_given = self.calls_given or text.function is not self.first
        if isinstance(node.func, ast.Attribute):
            begins = node.func.attr in BEGINNING and not is_super(node.func.value)
            if node.func.attr == "__setattr__" and not begins:
                return self._note_call_of_setter(node, text)
            if node.func.attr in _SETTERS or begins:
                return False
            if node.func.attr in MUTATORS:
                self._note_items(node.func.value, text.own.takes(node.func), text)
            self.add_methods(node.func.attr)
        return True

    def _note_call_of_setter(self, node: ast.Call, text: FunctionText) -> bool:
        """Note what ``object.__setattr__(self, name, value)``, or that of ``super()``, sets."""
        given = node.args[:-1] if node.args else []
        if not given or len(given) > 2:
            return False
        name = given[-1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            return self._note_set(given[0], name.value, text)
        own = text.function.__code__.co_varnames[:2]  # a setter of the user's hands it on
        own = own if text.function.__name__ == "__setattr__" else ()
        return isinstance(name, ast.Name) and name.id in own[1:] and name.id in text.given

    def is_safe_thing(self, thing: Any) -> bool:
        thing = primal_of(thing)
        thing = thing.__wrapped__ if isinstance(thing, CACHED) else thing
        if isinstance(thing, types.FunctionType):
            self.add(thing)
        elif isinstance(thing, types.ModuleType) and not facts.is_fixed(thing.__name__):
            self._add_module(thing)
        elif isinstance(thing, type):
            own = [base for base in facts.mro(thing) if is_own(base)]
            for value in (facts.in_class(base, name) for base in own for name in _MAKING):
                function = getattr(value, "__func__", value)
                if isinstance(function, types.FunctionType) and not is_written(function):
                    self.add(function)
        if isinstance(thing, _RUNNING) or any(thing is reaching for reaching in _REACHING):
            return False
        module = plainly(thing, "__module__")
        return not any(module == reaching.__name__ for reaching in _REACHING_MODULES)

    def _add_module(self, module: types.ModuleType) -> None:
        """Note a module that is handed on, whose functions and names may be reached anywhere."""
        self.modules = True
        for value in vars(module).values():
            if isinstance(value, types.FunctionType) and value.__module__ == module.__name__:
                self.add(value)

    def gives_modules(self, thing: Any) -> bool:
        return not isinstance(thing, types.ModuleType) and super().gives_modules(thing)

    def passes(self, function: types.FunctionType) -> bool:
        if not is_own(function) or (is_installed(function) and home(function) != home(self.first)):
            return True  # a library changes nothing of the user's that it is not given
        return super().passes(function)


__all__ = ["ChangedState", "changed_state", "require_kept"]
