"""Whether code that is kept as text may write into arrays, found from the text of what it calls.

Code that nothing is differentiated in stays as it is. What it writes must be known all the
same, since the backward part reads arrays as they were. A call counts as one that may
write unless it is known not to: functions of NumPy, SciPy and the standard library without
``out=``, methods that only read, and functions whose own text writes into nothing.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import sys
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.effects import UNKNOWN, WRITING_METHODS, effects_of, is_declared, kept_by, written_by
from srcgrad.errors import SrcgradError
from srcgrad.frontend.checks.purity import MUTATORS, behind
from srcgrad.frontend.state import recursion
from srcgrad.frontend.state.builder import Builder
from srcgrad.frontend.state.closures import capture
from srcgrad.frontend.state.data_lists import may_change
from srcgrad.frontend.state.outer_names import note_changed
from srcgrad.frontend.text.names import bound_names, local_names, names_in
from srcgrad.frontend.text.source import read
from srcgrad.frontend.text.trees import children
from srcgrad.ir.forms import Dataclass
from srcgrad.ir.nodes import Closure, Const, Items, Known, Struct, Value, Var, variables
from srcgrad.ir.structures import form_of_class
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import ARRAYS, home
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING

_LIBRARIES = {*ARRAYS, "srcgrad", *sys.stdlib_module_names}
_WRITING = {*WRITING_METHODS, "at", "shuffle", "send"}  # methods
_KINDS = (np.ndarray, np.random.Generator, np.random.RandomState, str, bytes, int, float, complex)
_CONTAINERS = (dict, list, set, tuple, collections.deque, collections.Counter)
_READING = {name for kind in (*_KINDS, *_CONTAINERS) for name in dir(kind) if name[:2] != "__"}
_READING -= _WRITING
_READING |= {"to_numpy", "to_list", "toarray", "todense", "filled"}  # of other libraries' arrays
_KEEPING = {name for kind in _CONTAINERS for name in dir(kind)} - {*dir(tuple), "pop", "popitem"}
_WORDS = {"None": None, "True": True, "False": False}
_COMPUTED = (cst.Integer, cst.Float, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)


def may_write(b: Builder, node: Any) -> bool:
    """Whether code may write into arrays, objects or lists."""
    return _Text.of_builder(b).writes(node)


def text_writes(b: Builder, fn: Any) -> bool:
    """Whether the text of a function may write into arrays, objects or lists."""
    return _Text.of_builder(b).function(fn)


def changes(b: Builder, call: cst.Call) -> bool:
    """Whether a call may write into what it is given, or keep it."""
    return not _Text.of_builder(b).reads(call)


def note(b: Builder, node: Any, values: list[Value]) -> None:
    """Note the arrays that kept code may have written into."""
    if b.formula is None and _Text.of_builder(b).writes(node):
        b.layout.impure.add(id(node))
        note_all(b, values)
        recursion.may_write_outside(b)


def note_call(
    b: Builder, node: Any, fn: Any, args: Sequence[Value], options: Mapping[str, Value]
) -> None:
    """Note the arrays that a call of a known function may write, none of which is active."""
    if b.formula is not None:
        return
    values = [*args, *options.values()]
    if plainly(fn, "__name__", "") in MUTATORS:
        for value in values:
            may_change(b, value)
    for called in (fn, *(value.object for value in values if isinstance(value, Known))):
        owner = plainly(called, "__self__")  # it may be called by what it is given to
        if type(owner) in (list, dict) and plainly(called, "__name__", "") in MUTATORS:
            note_changed(b, Known(owner), node)
    changed = written(b, fn, args, options)
    if _is_of_library(fn):  # which has nothing of the program's but what it is given
        changed = [value for value in changed if not _is_immutable(value)]
    note_all(b, changed)
    if has_text(fn) and text_writes(b, fn):
        recursion.may_write_outside(b)
    if not has_text(fn) and kept_by(fn, values, {}):
        note_kept(b, values)


def note_kept(b: Builder, values: Sequence[Value]) -> None:
    """Note that what arrays are given to something may be reached through it from here on."""
    given = [v for value in values for v in variables(capture(b, value))]
    if any(not var.type.is_immutable for var in given):
        held = [v for value in b.env.values() for v in variables(value)]
        for var in dict.fromkeys([*given, *(v for v in held if v.type.kind == "opaque")]):
            recursion.may_be_held(b, var)
    recursion.forget(b, *values)


def written(b: Builder, fn: Any, args: Sequence[Value], options: Mapping[str, Value]) -> list[Any]:
    """Return the arguments that a call may write into, itself or by what it is given to call."""
    text = _Text.of_builder(b)
    values = [*args, *options.values()]
    if any(text.value(value) for value in values):
        return values
    return text.written(fn, args, options)


def note_method(b: Builder, name: str, values: list[Value], options: Collection[str] = ()) -> None:
    """Note the arrays that a method may write of which no more is known than the name."""
    text = _Text.of_builder(b)
    if name in MUTATORS:
        may_change(b, values[0] if values else None)
    reads = name in _READING and not any(map(_tells_to_write, options))
    if b.formula is None and not (reads and not any(map(text.value, values))):
        note_all(b, values)
    if b.formula is None and name not in _READING - _KEEPING:
        note_kept(b, values[1:])


def is_from_library(value: Value) -> bool:
    """Whether a value is a function or an object of NumPy, SciPy or the standard library."""
    return isinstance(value, Known) and _is_of_library(value.object)


def note_all(b: Builder, values: list[Value]) -> None:
    """Note that all arrays that some values lead to may have been written."""
    for value in values:
        for var in variables(capture(b, value)):
            if var.type.active and not var.type.is_immutable:
                raise b.refuse(
                    b.statement,
                    f"a call here that may write into {var.name!r}, which is differentiated,",
                    "make the call in a line of its own",
                )
            recursion.may_write(b, var)
    recursion.forget(b, *values)
    if values:
        recursion.may_write_outside(b)


def _is_immutable(value: Value) -> bool:
    """Whether a value is a number, a text or a tuple of these, through which nothing is reached."""
    if isinstance(value, Items):
        return not value.is_list and all(map(_is_immutable, value.items))
    return isinstance(value, Const) or (isinstance(value, Var) and value.type.is_immutable)


class _Text:
    """Looks for what may write.

    Args:
        find: gives what a name stands for, if that is known.
        own: names that hold what the code has made itself.
        seen: functions that are being looked into.
    """

    def __init__(
        self,
        find: Callable[[str], Any],
        own: frozenset[str] = frozenset(),
        seen: frozenset[Any] = frozenset(),
    ) -> None:
        self.find = find
        self.own = own
        self.seen = seen

    @classmethod
    def of_builder(cls, b: Builder) -> _Text:
        """The text of the function that is being lowered."""

        def find(name: str) -> Any:
            if name in b.env:
                return b.env[name]
            return facts.read_name(b.source.cells.get(name, b.source.globals), name)

        return cls(find)

    def writes(self, node: Any) -> bool:
        """Whether code may write into arrays."""
        kind = type(node)
        if kind is cst.Call and self.call(node):
            return True
        if kind is cst.AugAssign and not self.is_own(node.target) and not self.is_number(node):
            return True
        if kind in (cst.AssignTarget, cst.For, cst.CompFor) and not self.assigns_own(node.target):
            return True
        return any(map(self.writes, children(node)))

    def is_number(self, node: cst.AugAssign) -> bool:
        """Whether ``x += v`` is about a number, which is replaced."""
        held = self.find(node.target.value) if isinstance(node.target, cst.Name) else MISSING
        if isinstance(held, Const):
            return isinstance(held.value, int | float | complex)
        return isinstance(held, Var) and held.type.is_immutable

    def is_own(self, target: Any) -> bool:
        """Whether an assignment writes into what the code has made."""
        if isinstance(target, cst.Subscript):
            target = target.value
        return isinstance(target, cst.Name) and target.value in self.own

    def assigns_own(self, target: Any) -> bool:
        """Whether an assignment gives values to names, or to what the code has made."""
        if isinstance(target, cst.Tuple | cst.List):
            return all(self.assigns_own(element.value) for element in target.elements)
        return isinstance(target, cst.Name) or self.is_own(target)

    def call(self, node: cst.Call) -> bool:
        """Whether a call may write; what is called in its arguments is looked at by itself."""
        for arg in node.args:
            if isinstance(arg.value, cst.Name) and self.value(self.find(arg.value.value)):
                return True
        callee = self.resolve(node.func)
        if callee is not MISSING:
            return self.called(callee, node)
        if any(arg.keyword is not None and _tells_to_write(arg.keyword.value) for arg in node.args):
            return True
        if isinstance(node.func, cst.Attribute):
            return node.func.attr.value not in _READING
        return not isinstance(node.func, cst.Lambda)

    def called(self, callee: Any, node: cst.Call) -> bool:
        """Whether a call of something that is known may write."""
        fn = callee.object if isinstance(callee, Known) else callee
        if isinstance(fn, Value):  # pyright: ignore[reportArgumentType]
            return self.value(fn, called=True)
        if any(arg.star for arg in node.args):
            return self.function(fn) or bool(effects_of(fn).writes)
        args = [arg.value for arg in node.args if arg.keyword is None]
        options = {arg.keyword.value: arg.value for arg in node.args if arg.keyword is not None}
        return bool(self.written(fn, args, options))

    def reads(self, node: cst.Call) -> bool:
        """Whether a call is one of a library's function that neither writes nor keeps."""
        callee = self.resolve(node.func)
        fn = callee.object if isinstance(callee, Known) else callee
        if fn is MISSING or isinstance(fn, Value) or has_text(fn):  # pyright: ignore[reportArgumentType]
            return False
        return not (effects_of(fn).keeps or self.call(node))

    def written(self, fn: Any, args: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
        """The arguments, values or their text, that a call of a known function may write into."""
        if isinstance(fn, functools.partial):
            inner, bound, keywords = facts.parts_of_partial(fn)
            return self.written(inner, (*bound, *args), {**keywords, **options})
        if has_text(fn):
            return [*args, *options.values()] if self.function(fn) else []
        plain = {name: _plain(value) for name, value in options.items()}
        return written_by(fn, [_plain(value) for value in args], plain)

    def resolve(self, func: Any) -> Any:
        """What is called, if that is known."""
        if isinstance(func, cst.Name):
            return self.find(func.value)
        if not isinstance(func, cst.Attribute):
            return MISSING
        owner, name = self.resolve(func.value), func.attr.value
        if isinstance(owner, Struct):
            owner = owner.form.cls
        thing = owner.object if isinstance(owner, Known) else owner
        if thing is MISSING or isinstance(thing, Value):  # pyright: ignore[reportArgumentType]
            return MISSING
        return facts.static(thing, name)

    def value(self, value: Any, called: bool = False) -> bool:
        """Whether it may write to call a value, if it is a function or to be called."""
        if isinstance(value, Closure):
            return self.closure(value)
        if isinstance(value, Known):
            value = value.object
        if isinstance(value, Value):  # pyright: ignore[reportArgumentType]
            return called
        return (called or callable(value)) and self.function(value)

    def closure(self, value: Closure) -> bool:
        """Whether a local function may write."""
        held, inside = dict(value.captured), local_names(value.node)
        found = value.node in self.seen

        def find(name: str) -> Any:
            if name in held:
                return held[name]
            return MISSING if name in inside else self.find(name)

        own, seen = _made_in(value.node), self.seen | {value.node}
        return not found and _Text(find, own, seen).writes(value.node.body)

    def function(self, fn: Any) -> bool:
        """Whether a function that is known may write."""
        if isinstance(fn, staticmethod | classmethod | types.MethodType):
            fn = fn.__func__
        if isinstance(fn, functools.partial):
            return self.function(facts.parts_of_partial(fn)[0])
        if not has_text(fn):  # these write only where they are told to
            return effects_of(fn) is UNKNOWN
        if isinstance(fn, type):
            if isinstance(form_of_class(fn), Dataclass):  # a record of what it is given
                made = (field.default_factory for field in dataclasses.fields(fn))
                return any(m is not dataclasses.MISSING and self.function(m) for m in made)
            made = [facts.in_class(fn, name) for name in ("__new__", "__init__")]
            made.append(facts.in_class(facts.class_of(fn), "__call__"))
            return any(self.function(m) for m in map(behind, made) if type(m) is types.FunctionType)
        if not isinstance(fn, types.FunctionType):
            own = facts.in_class(facts.class_of(fn), "__call__")
            return not isinstance(own, types.FunctionType) or self.function(own)
        if fn in self.seen:
            return False
        try:
            source = read(fn)
        except (SrcgradError, OSError, TypeError):
            return True
        inside = local_names(source.tree)

        def find(name: str) -> Any:
            if name in inside:
                return MISSING
            return facts.read_name(source.cells.get(name, source.globals), name)

        own, seen = _made_in(source.tree), self.seen | {fn}
        return _Text(find, own, seen).writes(source.tree.body)


def _is_of_library(thing: Any) -> bool:
    return (home(thing) or home(type(thing))) in _LIBRARIES


def _tells_to_write(option: str) -> bool:
    return option in ("out", "output") or option.startswith("overwrite")


def has_text(fn: Any) -> bool:
    """Whether what a callable does has to be looked for in its text: it is nobody's library."""
    plain = fn.__func__ if isinstance(fn, staticmethod | classmethod | types.MethodType) else fn
    return not _is_of_library(plain) and not is_declared(plain)


def _plain(value: Any) -> Any:
    """What is known of an argument, which may be a value or a piece of text."""
    if isinstance(value, Const):
        return value.value
    if isinstance(value, Known):
        return value.object
    if isinstance(value, Items):
        return tuple(map(_plain, value.items))
    if isinstance(value, cst.Name) and value.value in _WORDS:
        return _WORDS[value.value]
    if isinstance(value, cst.Tuple | cst.List):
        return tuple(_plain(element.value) for element in value.elements)
    if isinstance(value, cst.Integer | cst.SimpleString):
        return value.evaluated_value
    return value


def _made_in(node: Any) -> frozenset[str]:
    """The names in a function that hold nothing but what it has computed itself."""
    made: set[str] = set()
    others: set[str] = set()
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is cst.Assign and all(isinstance(t.target, cst.Name) for t in item.targets):
            names = {t.target.value for t in item.targets}
            (made if isinstance(item.value, _COMPUTED) else others).update(names)
            stack.append(item.value)
            continue
        if kind in (cst.AssignTarget, cst.AnnAssign, cst.For, cst.NamedExpr, cst.CompFor):
            others |= bound_names(item)
        elif kind is cst.Param:
            others.add(item.name.value)
        elif kind is cst.AsName:
            others |= names_in(item)
        stack += children(item)
    return frozenset(made - others)
