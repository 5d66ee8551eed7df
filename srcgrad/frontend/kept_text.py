"""Whether code that is kept as text may write into arrays, found from the text of what it calls.

Code that nothing is differentiated in stays as it is. What it writes must be known all the
same, since the backward part reads arrays as they were. A call counts as one that may
write unless it is known not to: functions of NumPy, SciPy and the standard library without
``out=``, methods that only read, and functions whose own text writes into nothing.
"""

from __future__ import annotations

import collections
import functools
import sys
import types
from collections.abc import Callable, Collection
from typing import Any

import libcst as cst
import numpy as np

from srcgrad import facts
from srcgrad.errors import SrcgradError
from srcgrad.frontend.builder import Builder
from srcgrad.frontend.closures import capture
from srcgrad.frontend.names import bound_names, local_names, names_in
from srcgrad.frontend.rebinding import note_calls
from srcgrad.frontend.source import read
from srcgrad.frontend.trees import children
from srcgrad.ir.nodes import Closure, Known, Struct, Value, variables
from srcgrad.libraries import ARRAYS, home
from srcgrad.namespaces import MISSING

_LIBRARIES = {*ARRAYS, "srcgrad", *sys.stdlib_module_names}
_WRITING = {
    *("copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "shuffle"),
    *("setattr", "setitem", "delitem", "exec", "eval", "next", "send"),
    *("iadd", "isub", "imul", "itruediv", "ifloordiv", "ipow", "imod", "imatmul"),
    *("iand", "ior", "ixor", "ilshift", "irshift", "iconcat"),
    *("at", "resize", "partition", "setfield", "setflags", "byteswap", "itemset", "fill", "sort"),
}
_KINDS = (np.ndarray, np.random.Generator, np.random.RandomState, str, bytes, int, float, complex)
_CONTAINERS = (dict, list, set, tuple, collections.deque, collections.Counter)
_READING = {name for kind in (*_KINDS, *_CONTAINERS) for name in dir(kind) if name[:2] != "__"}
_READING -= _WRITING
_COMPUTED = (cst.Integer, cst.Float, cst.BinaryOperation, cst.UnaryOperation, cst.Comparison)


def may_write(b: Builder, node: Any) -> bool:
    """Whether code may write into arrays, objects or lists."""
    return _Text.of_builder(b).writes(node)


def note(b: Builder, node: Any, values: list[Value]) -> None:
    """Note the arrays that kept code may have written into.

    Args:
        b: the builder.
        node: the code.
        values: what the names in it stand for.
    """
    if b.formula is None and _Text.of_builder(b).writes(node):
        b.layout.impure.add(id(node))
        note_all(b, values)


def note_call(
    b: Builder, node: Any, fn: Any, values: list[Value], options: Collection[str] = ()
) -> None:
    """Note the arrays that a call of a known function may write, none of which is active.

    Args:
        b: the builder.
        node: the call.
        fn: the function.
        values: its arguments.
        options: the names of those that are given by name.
    """
    if b.formula is not None:
        return
    note_calls(b, node, [Known(fn, ""), *values])
    text = _Text.of_builder(b)
    told = any(map(_tells_to_write, options))
    if told or text.function(fn) or any(text.value(value) for value in values):
        note_all(b, values)


def note_method(b: Builder, name: str, values: list[Value], options: Collection[str] = ()) -> None:
    """Note the arrays that a method may write of which no more is known than the name."""
    text = _Text.of_builder(b)
    reads = name in _READING and not any(map(_tells_to_write, options))
    if b.formula is None and not (reads and not any(map(text.value, values))):
        note_all(b, values)


def is_from_library(value: Value) -> bool:
    """Whether a value is a function or an object of NumPy, SciPy or the standard library."""
    return isinstance(value, Known) and _is_of_library(value.object)


def note_all(b: Builder, values: list[Value]) -> None:
    """Note that all arrays that some values lead to may have been written."""
    from srcgrad.frontend import views

    for value in values:
        for var in variables(capture(b, value)):
            if var.type.active and not var.type.is_immutable:
                raise b.refuse(
                    b.statement,
                    f"a call here that may write into {var.name!r}, which is differentiated,",
                    "make the call in a line of its own",
                )
            views.may_write(b, var)
    if values:
        views.may_write_outside(b)


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
        if kind is cst.AugAssign and not self.is_own(node.target) and not _counts(node):
            return True
        if kind in (cst.AssignTarget, cst.For) and not self.assigns_own(node.target):
            return True
        return any(map(self.writes, children(node)))

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
            name = "" if arg.keyword is None else arg.keyword.value
            if _tells_to_write(name):
                return True
            if isinstance(arg.value, cst.Name) and self.value(self.find(arg.value.value)):
                return True
        callee = self.resolve(node.func)
        if callee is not MISSING:
            return self.value(callee, called=True) or _fills(callee, node)
        if isinstance(node.func, cst.Attribute):
            return node.func.attr.value not in _READING
        return not isinstance(node.func, cst.Lambda)

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
        name = getattr(fn, "__name__", "")
        if _is_of_library(fn):  # these write only where they are told to
            return name in _WRITING
        if isinstance(fn, type):
            made = facts.in_class(fn, "__init__")
            return isinstance(made, types.FunctionType) and self.function(made)
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
    return option == "out" or option.startswith("overwrite")


def _fills(callee: Any, node: cst.Call) -> bool:
    """Whether a call gives a function by position what it is to write into."""
    fn = callee.object if isinstance(callee, Known) else callee
    count = sum(arg.keyword is None for arg in node.args)
    if isinstance(fn, np.ufunc):
        return count > fn.nin
    try:
        names = list(facts.signature(fn).parameters)
    except (TypeError, ValueError):
        return False
    return "out" in names[:count]


def _counts(node: cst.AugAssign) -> bool:
    """Whether ``x += v`` is about a number: it adds a number that is written out."""
    return isinstance(node.target, cst.Name) and isinstance(node.value, cst.Integer | cst.Float)


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


__all__ = ["is_from_library", "may_write", "note", "note_all", "note_call", "note_method"]
