"""What a function, and all that it may call, does besides giving a result: one walk over texts.

The walk notes two things of each part. One is whether it certainly changes nothing: writes go
directly into arrays and lists that a function made itself, or set attributes of the object that
a constructor is given, and everything that is called is a function whose text is gone through,
too, or one of a library that is known to compute only. The other is what it may change, whatever
objects that are of: the names and attributes that are assigned, and lists and dicts. For that,
the walk goes on to what is named elsewhere than in front of the brackets of a call, which any
callee may be of which nothing is known.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import gc
import importlib
import inspect
import operator
import sys
import types
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.draws import DRAWS
from srcgrad.effects import effects_of, is_declared, is_ufunc, written_by
from srcgrad.frontend.checks.function_text import FunctionText
from srcgrad.frontend.checks.purity import (
    BEGINNING,
    CACHED,
    MUTATORS,
    OF_VALUES,
    PURE,
    Purity,
    behind,
    gives_output,
    is_own,
    makers_of,
    writes_into_given,
)
from srcgrad.ir.forms import NamedTuple
from srcgrad.ir.structures import form_of_class
from srcgrad.library.attributes import plainly
from srcgrad.library.families import DRAWING, OUTPUTS
from srcgrad.library.libraries import ARRAYS, WITH_FORMULAS, home, is_installed
from srcgrad.program import containers, facts
from srcgrad.program.namespaces import MISSING
from srcgrad.program.primals import primal_of
from srcgrad.program.syntax_trees import functions_at, nodes_of
from srcgrad.registry import find_formula, is_nondifferentiable

_FORBIDDEN = (
    *(ast.Global, ast.Delete, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Match),
    *(ast.Await, ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith),
)
_COMPUTING = {n for n in OF_VALUES if not n.startswith("_")} - MUTATORS - {"dump", "tofile"}
# functions of Python's library that write files, or attributes of functions and classes
_CHANGING = frozenset(
    ("dump", "load", "update_wrapper", "wraps", "total_ordering", "dataclass", "compile")
)
_DERIVATIVES = frozenset(
    ("grad", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "jacobian", "hessian", "hvp")
)
# attributes through which the state of anything can be reached without its name
_WAYS_IN = frozenset(
    ("__dict__", "__globals__", "f_globals", "f_locals", "f_back", "__closure__", "cell_contents")
)
_SETTERS = frozenset(("__setattr__", "__delattr__", "__set__", "__delete__"))
# functions that reach what is not named where they are called
_REACHING = (
    *(builtins.exec, builtins.eval, builtins.globals, builtins.locals, builtins.vars),
    *(builtins.compile, builtins.__import__, builtins.delattr),
    *(operator.attrgetter, operator.methodcaller, sys._getframe),  # noqa: SLF001
)
_REACHING_MODULES = tuple(module.__name__ for module in (gc, importlib, inspect))
_BY_NAME = (builtins.setattr, builtins.getattr)  # which take a name as a text
_MADE_BY = ("__new__", *BEGINNING)
_OF_CLASSES = ("__init_subclass__", "__class_getitem__")  # called with a class, undecorated
_MAKING = (*_MADE_BY, *_OF_CLASSES)
_RUNNING = (types.GeneratorType, map, filter)  # what was begun outside, and goes on here
_NEW, _INIT = vars(object)["__new__"], vars(object)["__init__"]
_SETATTR = vars(object)["__setattr__"]


@dataclasses.dataclass
class Effects:
    """What functions do besides giving results.

    Attributes:
        computes: whether they certainly change nothing that was there before.
        makes: whether they make objects of the user's classes.
        writes: whether they write into arrays or lists of their own.
        followed: whether all was found that they may change.
        names: the names that they assign which are not local.
        attributes: the names of the attributes that they set of what is no module,
        of_classes: of what is a class, and
        of_unknown: of what may be one, where they handle classes.
        classes: whether they do so: name one of the user's to hand it on, or ask for one.
        items: the classes, ``list`` and ``dict``, of what they change and did not make.
        items_outside: those of which it may be one that has a name outside.
        tables: what is named where items are changed, by identity.
        held_under: the names of the attributes in which items are changed.
        handed_under: the names of the attributes of which what they hold gets other names.
        handed: lists and dicts from outside that are given other names, by identity.
        modules: whether modules are handed on.
        calls_given: whether a function but the first calls what it is given.
        runs: the arguments that are called, or gone through by ``next``.
    """

    computes: bool = True
    makes: bool = False
    writes: bool = False
    followed: bool = True
    names: set[str] = dataclasses.field(default_factory=set)
    attributes: set[str] = dataclasses.field(default_factory=set)
    of_classes: set[str] = dataclasses.field(default_factory=set)
    of_unknown: set[str] = dataclasses.field(default_factory=set)
    classes: bool = False
    items: set[type] = dataclasses.field(default_factory=set)
    items_outside: set[type] = dataclasses.field(default_factory=set)
    tables: dict[int, Any] = dataclasses.field(default_factory=dict)
    held_under: set[str] = dataclasses.field(default_factory=set)
    handed_under: set[str] = dataclasses.field(default_factory=set)
    handed: dict[int, Any] = dataclasses.field(default_factory=dict)
    modules: bool = False
    calls_given: bool = False
    runs: set[str] = dataclasses.field(default_factory=set)


class EffectSearch:
    """A search for the effects of a function, and of all that it may call.

    ``numbers``: the names of its arguments that are numbers.
    """

    def __init__(
        self, function: types.FunctionType, purity: Purity, numbers: Iterable[str] = ()
    ) -> None:
        self.function, self.purity, self.numbers = function, purity, {*numbers}
        self.seen: dict[int, types.FunctionType] = {}
        self.effects = self._into = Effects()
        self._waiting: list[types.FunctionType] = []
        self._later: list[types.FunctionType] = []  # which are not called for certain
        self._wide = False
        if any(isinstance(held, defaultdict) for held in purity.seen.values()):
            self.effects.computes = self.effects.followed = False  # reading what it has not adds
        self._add(function)
        for cls in purity.classes:  # its operators and properties are called without a name
            for name, value in facts.held_by_class(cls).items():
                special = name.startswith("__") and name not in _MADE_BY
                if isinstance(value, property | functools.cached_property) or special:
                    facts.in_class(cls, name)
                    value = behind(value)
                    if isinstance(value, types.FunctionType) and not _is_written(value):
                        self._add(value)
        self._go()
        self._found = dataclasses.replace(self.effects)  # of what is called for certain

    def computes(self, around: bool = True) -> bool:
        """Tell whether a call of the function changes nothing that was there before.

        Args:
            around: whether what it is given is copied for a call, which an array in an object
                is not, as one in a list is.
        """
        found = self._found
        return found.computes and not (around and found.makes and found.writes)

    def widen(self) -> Effects:
        """Go on to what any callee may be, and return what may be changed."""
        self._wide = True
        for thing, _ in self.purity.given.values():
            if isinstance(thing, types.FunctionType):
                self._add(thing)
        for thing in self.purity.seen.values():
            if isinstance(thing, types.ModuleType) and not facts.is_fixed(thing.__name__):
                self._add_module(thing)
        for cls in self.purity.classes:
            if any(is_installed(base) for base in cls.__mro__):
                fields = facts.in_class(cls, "__dataclass_fields__")
                makers = () if fields is MISSING else [f.default_factory for f in fields.values()]
                # which a library may call
                for value in map(behind, (*vars(cls).values(), *makers)):
                    if isinstance(value, types.FunctionType) and not _is_of_fields(cls, value):
                        self._add(value)
        while self._later or self._waiting:
            for function in self._later:
                self._add(function)
            self._later.clear()
            self._go()
        return self.effects

    # Functions

    def _add(self, function: types.FunctionType) -> None:
        if id(function) not in self.seen:
            self.seen[id(function)] = function
            self._waiting.append(function)

    def _add_later(self, function: Any) -> None:
        """Note a function that may be called, but for those which only a library names."""
        if isinstance(function, types.FunctionType) and self._into is self.effects:
            self._later.append(function)

    def _add_module(self, module: types.ModuleType) -> None:
        """Note a module that is handed on, whose functions and names may be reached anywhere."""
        self._into.modules = True
        for value in vars(module).values():
            if plainly(value, "__module__") == module.__name__:
                self._add_later(value)

    def _add_methods(self, name: str) -> bool:
        """Note the methods with a name; return whether there are any."""
        found = False
        for cls in self.purity.classes:
            value = behind(vars(cls).get(name))
            if isinstance(value, types.FunctionType):
                facts.in_class(cls, name)
                self._add(value)
                found = True
        return found

    def _go(self) -> None:
        """Go through the texts of functions."""
        while self._waiting:
            function = self._waiting.pop()
            of_user = is_own(function) and not (
                is_installed(function) and home(function) != home(self.function)
            )
            # a library changes nothing of the user's that it is not given
            if self._wide and not of_user:
                continue
            self._into = self.effects if of_user else Effects()
            nodes = functions_at(facts.code(function), function.__globals__)
            if not nodes:
                self._into.computes = self._into.followed = False
            for node in nodes:  # the text may be that of each: of lambdas on one line
                self._read(function, node)
            self.effects.computes &= self._into.computes
            self.effects.makes |= self._into.makes
            self.effects.writes |= self._into.writes
            self._into = self.effects

    def _read(self, function: types.FunctionType, node: Any) -> None:
        text = _Text(function, node, not self.purity.changes_operators)
        classes = self.purity.classes
        text.begins = any(vars(c).get(name) is function for c in classes for name in BEGINNING)
        text.has_self = any(_is_method(c, function) for c in classes)
        held = (behind(vars(c).get(function.__name__)) for c in classes)
        text.has_class = not text.has_self and any(each is function for each in held)
        if function is self.function:
            text.own.names |= self.numbers
        for part in text.parts:
            if type(part) not in PURE:
                self._note(part, text)

    # Parts of texts

    def _note(self, part: Any, text: _Text) -> None:
        found = self._into
        if isinstance(part, ast.Name):
            if isinstance(part.ctx, ast.Load) and text.thing(part) is not MISSING:
                self._note_table(part, text)
                self._note_load(part, text)
            return
        found.computes &= not isinstance(part, _FORBIDDEN)
        if isinstance(part, ast.Call):
            self._note_call(part, text)
        elif isinstance(part, ast.Attribute):
            found.followed &= part.attr not in _WAYS_IN
            found.classes |= part.attr == "__class__"
            if isinstance(part.ctx, ast.Load):
                if id(part) not in text.only_read and id(part) not in text.called:
                    found.handed_under.add(part.attr)
                self._note_load(part, text)
            else:
                self._note_set(part.value, part.attr, text)
        elif isinstance(part, ast.Global | ast.Nonlocal):
            found.names.update(part.names)
            found.computes &= {*part.names} <= {*text.function.__code__.co_cellvars}
        elif isinstance(part, ast.Import | ast.ImportFrom):
            modules = [part.module or ""] if isinstance(part, ast.ImportFrom) else part.names
            named = (m if isinstance(m, str) else m.name for m in modules)
            found.followed &= all(name in sys.modules for name in named)
        elif isinstance(part, ast.With):
            calls = [item.context_expr for item in part.items]
            found.computes &= all(isinstance(c, ast.Call) and self._enters(c, text) for c in calls)
        elif isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
            self._note_items(part.value, text.own.takes(part), text, _with_index(part.slice))
        elif isinstance(part, ast.AugAssign):
            in_place = _WITH_OPERATOR.get(type(part.op), ())
            self._note_items(part.target, text.own.takes_in_place(part.target), text, in_place)

    def _note_items(
        self, owner: Any, is_new: bool, text: _Text, kinds: Iterable[type] = (list, dict)
    ) -> None:
        """Note that something is changed that holds items: a list or dict, or an array."""
        found = self._into
        found.writes = True
        found.computes &= is_new
        found.items |= set() if is_new else {*kinds}
        things = _things_at(owner, text)
        found.items_outside |= {type(thing) for thing in things}
        found.tables |= {id(thing): thing for thing in things}
        while isinstance(owner, ast.Attribute | ast.Subscript):
            if isinstance(owner, ast.Attribute):
                found.held_under.add(owner.attr)
            owner = owner.value
        given = owner.func if isinstance(owner, ast.Call) else None
        if isinstance(given, ast.Attribute) and not is_new:  # an object from outside may give any
            thing = text.thing(given.value)
            plain = thing is MISSING or isinstance(thing, types.ModuleType | list | dict | tuple)
            found.followed &= plain or is_own(type(thing))

    def _note_table(self, node: ast.Name, text: _Text) -> None:
        """Note a list or dict from outside that gets another name, or whose parts get some."""
        thing = text.thing(node)
        if type(thing) not in (list, dict, tuple):
            return
        if id(node) in text.only_read:
            parts = thing.values() if type(thing) is dict else thing
            self._into.handed |= {id(p): p for p in parts if type(p) in (list, dict, tuple)}
        else:
            self._into.handed[id(thing)] = thing

    def _note_set(self, owner: Any, name: str | None, text: _Text) -> None:
        """Note that an attribute is set, and what that runs.

        Of an object that a constructor makes, the attribute may be any.
        """
        found = self._into
        if not text.is_begun(owner):
            found.computes = False
            if name is None or name.startswith("__"):
                found.followed = False  # defaults, code and classes of anything
                return
            thing = text.thing(owner)
            of_module = isinstance(thing, types.ModuleType)
            (found.names if of_module else found.attributes).add(name)
            if isinstance(thing, type) or (text.has_class and text.is_first(owner)):
                found.of_classes.add(name)
            elif thing is MISSING and not (text.has_self and text.is_first(owner)):
                found.of_unknown.add(name)
        for cls in self.purity.classes:
            plain = (each for each in facts.held_by_class(cls) if not each.startswith("__"))
            for each in (name,) if name is not None else plain:
                value = facts.in_class(cls, each)
                if isinstance(value, property):
                    found.computes = False
                    self._add_later(value.fset)
                    self._add_later(value.fdel)
                elif hasattr(value, "__set__") and type(value) is not types.MemberDescriptorType:
                    found.computes = found.followed = False

    def _note_load(self, part: Any, text: _Text) -> None:
        """Note what is read, and what may be called where it is handed on."""
        found, thing = self._into, text.thing(part)
        if thing is facts.COMPUTED:
            found.computes = found.followed = False
        elif thing is MISSING:
            if isinstance(part, ast.Attribute):
                found.computes &= self._add_methods(part.attr) or part.attr not in DRAWS
        elif isinstance(thing, DRAWING):
            found.computes = False
        elif id(part) in text.owners:
            if isinstance(part, ast.Name) and not isinstance(thing, types.ModuleType):
                self._reach(thing)
        elif id(part) not in text.tested:
            found.classes |= thing is type
            if isinstance(part, ast.Name) and id(part) not in text.called:
                found.classes |= isinstance(thing, type) and is_own(thing)
                found.followed &= not any(thing is each for each in _BY_NAME)
            self._reach(thing)
            modules = _holds_modules(thing)
            found.followed &= not modules or isinstance(thing, types.ModuleType)
            found.computes &= not modules and self._is_safe(thing)

    def _note_call(self, node: ast.Call, text: _Text) -> None:
        found, func = self._into, node.func
        thing = text.thing(func)
        if thing is builtins.getattr:
            self._note_reading(node, text)
        elif thing is builtins.setattr:
            owner = node.args[0] if node.args else None
            for name in text.words(node) or [None]:
                self._note_set(owner, name, text)
            found.computes = False
        elif isinstance(func, ast.Attribute) and func.attr == "at" and text.is_ufunc(func.value):
            found.writes = True  # into the first argument
            found.computes &= bool(node.args) and text.own.takes_in_place(node.args[0])
        elif thing is not MISSING:
            if thing is builtins.next and node.args and isinstance(node.args[0], ast.Name):
                found.runs.add(node.args[0].id)
            self._reach(thing)
            found.computes &= self._is_safe(thing, node)
            self._note_written(thing, node, text)
        elif isinstance(func, ast.Name):
            found.computes &= text.defines(func.id)  # its body is gone through with what is around
            if func.id in text.given and func.id not in text.mentions.assigned:
                self._add_methods("__call__")
                found.runs.add(func.id)
                found.calls_given |= text.function is not self.function
        elif isinstance(func, ast.Call):  # what is differentiated, is named there
            found.computes &= _differentiates(text.thing(func.func))
        elif isinstance(func, ast.Attribute):
            self._note_method(node, func, text)
        else:
            found.computes = False

    def _note_written(self, thing: Any, node: ast.Call, text: _Text) -> None:
        """Note the lists and dicts that a function of Python's library changes."""
        if is_own(thing) or home(thing) in ARRAYS:
            return  # its text is gone through; what NumPy's write are arrays
        options = {part.arg: part.value for part in node.keywords if part.arg is not None}
        for written in written_by(thing, node.args, options):
            if isinstance(written, ast.expr):
                self._note_items(written, text.own.takes_in_place(written), text)

    def _note_method(self, node: ast.Call, func: ast.Attribute, text: _Text) -> None:
        """Note a call of a method of something."""
        found, of_super = self._into, _is_super(func.value)
        if func.attr in BEGINNING:  # of an object that there was, it would change that
            found.computes &= text.begins and of_super
            found.followed &= of_super
            self._add_methods(func.attr)
        elif func.attr in _SETTERS:
            found.computes = False
            if func.attr == "__setattr__":
                self._note_setter(node, text)
            else:
                found.followed = False
        elif func.attr in MUTATORS:
            kinds = _WITH_METHOD.get(func.attr, ())
            self._note_items(func.value, text.own.takes(func), text, kinds)
            self._add_methods(func.attr)
        else:
            known = self._add_methods(func.attr) or func.attr in _COMPUTING
            found.computes &= known and not any(map(gives_output, node.keywords))
            for part in node.args if not known else ():
                if any(type(thing) in (list, dict) for thing in _things_at(part, text)):
                    self._note_items(part, False, text)

    def _note_reading(self, node: ast.Call, text: _Text) -> None:
        """Note a call of ``getattr``, which reads an attribute if its name is written."""
        owner = text.thing(node.args[0]) if node.args else None
        names = text.words(node)
        for name in names:
            self._note(ast.Attribute(node.args[0], name, ast.Load()), text)
            if name in MUTATORS:
                self._note_items(node.args[0], False, text)
        if names:
            return
        self._into.computes = False
        fixed = isinstance(owner, types.ModuleType) and facts.is_fixed(owner.__name__)
        self._into.followed &= fixed

    def _note_setter(self, node: ast.Call, text: _Text) -> None:
        """Note what ``object.__setattr__(self, name, value)``, or that of ``super()``, sets."""
        given = node.args[:-1] if node.args else []
        name = given[-1] if given and len(given) < 3 else None
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            self._note_set(given[0], name.value, text)
            return
        own = text.function.__code__.co_varnames[:2]  # a setter of the user's hands it on
        own = own if text.function.__name__ == "__setattr__" else ()
        handed = isinstance(name, ast.Name) and name.id in own[1:] and name.id in text.given
        self._into.followed &= handed

    # Things that are named

    def _reach(self, thing: Any) -> None:
        """Note what may be called where something is named, and what that reaches."""
        thing = primal_of(thing)
        thing = thing.__wrapped__ if isinstance(thing, CACHED) else thing
        if isinstance(thing, types.FunctionType):
            self._add_later(thing)
        elif isinstance(thing, types.ModuleType) and not facts.is_fixed(thing.__name__):
            self._add_module(thing)
        elif isinstance(thing, type):
            own = [base for base in facts.mro(thing) if is_own(base)]
            made = [behind(facts.in_class(base, name)) for base in own for name in _MAKING]
            for function in (*made, *makers_of(thing)):
                if not _is_written(function):
                    self._add_later(function)
        running = isinstance(thing, _RUNNING) or any(thing is each for each in _REACHING)
        self._into.followed &= not running and plainly(thing, "__module__") not in _REACHING_MODULES

    def _enters(self, call: ast.Call, text: _Text) -> bool:
        """Tell whether a context manager is one whose methods are gone through."""
        thing = text.thing(call.func)
        return thing is np.errstate or (isinstance(thing, type) and self._is_safe(thing))

    def _is_safe(self, thing: Any, call: ast.Call | None = None) -> bool:
        """Tell whether something that is named may be called, by whoever is given it.

        ``call``: the call of it, if it stands in one.
        """
        thing = primal_of(thing)
        if isinstance(thing, types.FunctionType) and _is_users(thing):
            self._add(thing)
            return True
        if isinstance(thing, functools.partial | types.MethodType | Iterator):
            return False
        if isinstance(thing, type) and issubclass(thing, BaseException):
            return True
        if isinstance(thing, type) and is_own(thing):
            return self._only_makes(thing)
        if isinstance(thing, types.FunctionType) and is_own(thing) and not is_declared(thing):
            return True  # a user's function with a formula, or without a derivative
        if thing is np.errstate or _differentiates(thing):
            return True
        object_of_user = is_own(thing) and not isinstance(thing, types.FunctionType)
        if call is None and (object_of_user or isinstance(thing, type) or not callable(thing)):
            return True  # whose methods are gone through
        if home(thing) == "srcgrad" and not _is_registered(thing):
            return False
        does = effects_of(thing)
        if does.draws or does.keeps or plainly(thing, "__name__") in _CHANGING:
            return False
        if call is not None:
            return not writes_into_given(thing, call)
        return all(write.parameter in OUTPUTS or write.option for write in does.writes)

    def _only_makes(self, cls: type) -> bool:
        """Tell whether calling a class does nothing but to make an object; note what it runs."""
        if _is_record(cls):
            return True
        own = [base for base in facts.mro(cls) if is_own(base)]
        plain = facts.in_class(cls, "__new__") is _NEW and facts.class_of(cls) is type
        if not plain or facts.in_class(cls, "__setattr__") is not _SETATTR:
            return False
        for base in own:
            made = facts.in_class(base, "__init__")
            if made is _INIT:
                continue
            if not isinstance(made, types.FunctionType) or _is_written(made):
                return False
            if base not in self.purity.classes:
                return False
            self._add(made)
        self._into.makes = True
        return bool(own)


class _Text(FunctionText):
    """A text with the places where its names stand, by the identity of the expressions."""

    begins = False  # whether it sets up an object that was made for it, its first parameter
    has_self = False  # whether its first parameter is an object of which it is a method
    has_class = False  # whether that is a class

    def __init__(self, function: types.FunctionType, node: Any, plain: bool) -> None:
        super().__init__(function, node, plain, relied_on=True)
        self.parts = [*self.parts, *(p for value in _defaults(node) for p in nodes_of(value))]
        calls = [part for part in self.parts if isinstance(part, ast.Call)]
        self.tested = {id(p) for call in calls for p in _classes_in(call)}
        self.called = {id(call.func) for call in calls}
        self.owners = {id(p.value) for p in self.parts if isinstance(p, ast.Attribute)}

    def is_begun(self, node: Any) -> bool:
        """Tell whether an expression is the object that the function sets up."""
        return self.begins and isinstance(node, ast.Name) and node.id == self.first

    def words(self, call: ast.Call) -> list[str]:
        """Return the texts that the second argument of a call may be; none if it is not known.

        It is a text, or the name of what a loop goes through that is written there, or of a
        part of it.
        """
        given = call.args[1] if len(call.args) > 1 else None
        if not isinstance(given, ast.Name):
            word = getattr(given, "value", None)
            return [word] if isinstance(word, str) else []
        bound = [p for p in self.parts if getattr(p, "id", None) == given.id and _stored(p)]
        loops = [p for p in self.parts if isinstance(p, ast.For | ast.comprehension)]
        rows = [row for p in loops for row in _rows(p.target, p.iter, given.id)]
        found = [getattr(row, "value", None) for row in rows]
        targets = [p for p in loops if any(part in bound for part in ast.walk(p.target))]
        others = any(isinstance(p, ast.MatchAs) and p.name == given.id for p in self.parts)
        whole = len(targets) == len(bound) and given.id not in self.given and not others
        words = [word for word in found if isinstance(word, str)]
        return words if whole and len(words) == len(found) else []

    def is_first(self, node: Any) -> bool:
        """Tell whether an expression is the first parameter, as it was given."""
        named = isinstance(node, ast.Name) and node.id == self.first
        return named and self.first not in self.mentions.assigned

    def is_ufunc(self, node: Any) -> bool:
        """Tell whether an expression stands for a ufunc."""
        return is_ufunc(self.thing(node))

    @functools.cached_property
    def only_read(self) -> set[int]:
        """The expressions that get no other name where they stand."""
        read = {*self.owners}
        for part in self.parts:
            if type(part) not in _READING_PARTS:
                continue
            stars = isinstance(part, ast.keyword) and part.arg is None
            if stars or isinstance(part, ast.Subscript | ast.Starred):
                read.add(id(part.value))
            elif isinstance(part, ast.For | ast.comprehension):
                read.add(id(part.iter))
            elif isinstance(part, ast.Compare):
                read.update(map(id, (part.left, *part.comparators)))
            elif isinstance(part, ast.Call) and _only_reads(self.thing(part.func)):
                read.update(id(getattr(a, "value", a)) for a in part.args)
                read.update(map(id, part.args))
        return read


_READING_PARTS = {ast.keyword, ast.Subscript, ast.Starred, ast.Compare, ast.Call}
_READING_PARTS |= {ast.For, ast.comprehension}
_READ_ONLY = """
abs all any enumerate float int isinstance len list max min range repr reversed round set sorted str
sum tuple zip
"""
_READING = frozenset(_READ_ONLY.split())


def _only_reads(thing: Any) -> bool:
    """Whether a function of Python's or of a library gives none of its arguments to the program."""
    if thing is MISSING or (isinstance(thing, types.FunctionType) and is_own(thing)):
        return False
    if plainly(thing, "__module__") == "builtins":
        return plainly(thing, "__name__", "") in _READING
    return home(thing) in WITH_FORMULAS


def _is_of_fields(cls: type, method: types.FunctionType) -> bool:
    """Whether a method has been written for the fields of a class, which it reads or begins."""
    written = method.__name__ in _WRITTEN_METHODS and facts.code(method).co_filename in _OF_FIELDS
    return written and facts.in_class(cls, "__dataclass_fields__") is not MISSING


_OF_FIELDS = ("<string>", dataclasses.__file__)
_WRITTEN = "init repr eq lt le gt ge hash setattr delattr"
_WRITTEN_METHODS = {f"__{name}__" for name in _WRITTEN.split()}


def _rows(target: Any, source: Any, name: str) -> list[Any]:
    """The expressions that a name is bound to by a loop over what is written there."""
    elements: list[Any] = source.elts if isinstance(source, ast.Tuple | ast.List) else [source]
    if isinstance(target, ast.Name):
        return elements if target.id == name else []
    found: list[Any] = []
    for k, part in enumerate(target.elts if isinstance(target, ast.Tuple | ast.List) else ()):
        for row in elements:
            whole = isinstance(row, ast.Tuple | ast.List) and k < len(row.elts)
            found += _rows(part, ast.List([row.elts[k] if whole else row]), name)
    return found


def _stored(node: Any) -> bool:
    return isinstance(node.ctx, ast.Store | ast.Del)


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


def _holds_modules(thing: Any) -> bool:
    """Tell whether something is a module or holds some: its functions need no names then."""
    parts = containers.parts(thing) if isinstance(thing, containers.CONTAINERS) else (thing,)
    return any(isinstance(part, types.ModuleType) for part in parts)


def _differentiates(thing: Any) -> bool:
    """Whether something is a function of srcgrad's that gives a derivative of what it is given."""
    return home(thing) == "srcgrad" and plainly(thing, "__name__", "") in _DERIVATIVES


def _is_method(cls: type, function: types.FunctionType) -> bool:
    """Whether a function is a method, a property or a setter of the objects of a class."""
    held = vars(cls).get(function.__name__)
    if issubclass(cls, type) or function.__name__ in ("__new__", *_OF_CLASSES):
        return False
    if isinstance(held, property):
        return function in (held.fget, held.fset, held.fdel)
    return held is function


# what changes by a method, and in place by an operator
_OF_LISTS = (
    "append extend insert remove reverse sort pop clear __setitem__ __delitem__ __iadd__ __imul__"
)
_OF_DICTS = "update setdefault popitem pop clear __setitem__ __delitem__ __ior__"
_WITH_METHOD: dict[str, list[type]] = {}
for _kind, _names in ((list, _OF_LISTS), (dict, _OF_DICTS)):
    for _name in _names.split():
        _WITH_METHOD.setdefault(_name, []).append(_kind)
_WITH_OPERATOR: dict[type, tuple[type, ...]] = {
    ast.Add: (list,),
    ast.Mult: (list,),
    ast.BitOr: (dict,),
}


def _with_index(index: ast.expr) -> tuple[type, ...]:
    """What can be changed at an index; a slice is taken for that of a list, a text for a key."""
    if isinstance(index, ast.Slice):
        return (list,)
    if isinstance(index, ast.Tuple):
        return () if any(isinstance(part, ast.Slice) for part in index.elts) else (dict,)
    plain = isinstance(index, ast.Constant) and isinstance(index.value, str | float)
    return (dict,) if plain or isinstance(index, ast.JoinedStr) else (list, dict)


def _is_super(node: Any) -> bool:
    """Tell whether an expression is ``super()``."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Name) and func.id == "super"


def _is_written(method: Any) -> bool:
    """Whether a method is one that dataclasses and named tuples write."""
    method = getattr(method, "__func__", method)
    if not isinstance(method, types.FunctionType):
        return False
    code = method.__code__
    given = method.__globals__.get("__name__") in ("dataclasses", "collections")  # __replace__
    return given or code.co_filename == "<string>" or code.co_name != method.__name__ == "__repr__"


def _is_record(cls: type) -> bool:
    """Whether making an object of a class does nothing but hold what it is given."""
    form = form_of_class(cls)
    if isinstance(form, NamedTuple):
        return _is_written(facts.in_class(cls, "__new__"))
    if form is None:
        return False
    setter = facts.in_class(cls, "__setattr__")
    if setter is not _SETATTR and not _is_written(setter):
        return False
    fields = dataclasses.fields(cls)
    made = [field.default_factory for field in fields]
    plain = all(factory in (dataclasses.MISSING, list, dict, set) for factory in made)
    return plain and not any(hasattr(facts.in_class(cls, f.name), "__set__") for f in fields)


def _is_users(function: types.FunctionType) -> bool:
    return is_own(function) and not _is_registered(function)


def _is_registered(function: Any) -> bool:
    return find_formula(function) is not None or is_nondifferentiable(function)


def _classes_in(part: Any) -> list[Any]:
    """The names of classes in a call of ``isinstance``."""
    if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Name):
        return []
    named = part.func.id in ("isinstance", "issubclass") and len(part.args) == 2
    return nodes_of(part.args[1]) if named else []


def _defaults(node: Any) -> list[Any]:
    return [*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)]
