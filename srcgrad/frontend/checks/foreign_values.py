"""Where arrays of foreign classes come from in a program, and where they meet active values.

What is or may be such an array has a mark in its type; see ``srcgrad.program.foreign``. An
argument or a global that is one is known to be one. What text gives that reads one, or
calls something that may make one, is not known, and may be.
"""

from __future__ import annotations

import builtins
import importlib
import pickle
import sys
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import libcst as cst
import numpy as np

from srcgrad.errors import UnresolvedCallError
from srcgrad.frontend.text.trees import children
from srcgrad.ir.nodes import Known, Op, Value, Var, is_active, variables
from srcgrad.ir.types import mark_in
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import home
from srcgrad.program import facts
from srcgrad.program.compiled_functions import python_of
from srcgrad.program.foreign import (
    UNSURE,
    Foreign,
    conversion_of_class,
    is_of_other,
    mark_of,
    may_hold_others,
    refusal,
)
from srcgrad.program.namespaces import MISSING

if TYPE_CHECKING:
    from srcgrad.frontend.state.builder import Builder

_CONVERTING = (np.asarray, np.array, float, int, complex, bool, len, str)
_CONVERTING_METHODS = frozenset({"to_numpy", "filled", "item", "tolist", "to_list"})
_METADATA = frozenset({"shape", "ndim", "size", "dtype"})
_MAKING = (np.asmatrix, np.bmat, globals, vars, importlib.import_module)
_MAKING = (*_MAKING, builtins.__import__, pickle.load, pickle.loads)
_MAKING_MODULES = ("numpy.ma", "numpy.matrixlib", "numpy.rec")
_FIXED = frozenset({"numpy", "scipy", "builtins", "srcgrad"}) | frozenset(sys.stdlib_module_names)
_FIXED -= {"__main__"}
_MAKING_NAMES = frozenset({"ma", "matrix", "asmatrix", "bmat", "rec", "recarray", "usemask"})


def require_plain_operands(b: Builder, op: Op, values: tuple[Value, ...], node: Any) -> None:
    """Refuse foreign arrays as operands beside active ones."""
    if op.fn is print or not any(map(is_active, values)):
        return
    for value in values:
        found = mark_of_value(value)
        if found is None:
            continue
        name = next((v.name for v in _marked(value)), "")
        spots = [b.source.spot(node)] if node is not None else []
        if found.cls:
            raise refusal(name, found, spots)
        raise UnresolvedCallError(
            f"it is not known, when code is generated, whether {name or 'this'} is a plain array",
            spots=spots,
            why="It comes of an array, or of a library of arrays, that may mean something else.",
            fixes=[f"convert it: np.asarray({name or '...'})"],
        )


def _marked(value: Value) -> Iterator[Any]:
    """What of a value has a mark, and a name."""
    if isinstance(value, Known):
        yield value
    yield from (v for v in variables(value) if mark_in(v.type) is not None)


def mark_of_value(value: Value) -> Foreign | None:
    """What is known of a value: whether it, or something in it, is or may be foreign."""
    if type(value) is Var:
        return mark_in(value.type)
    if isinstance(value, Known):
        thing = value.object
        return None if callable(thing) or isinstance(thing, types.ModuleType) else mark_of(thing)
    return next(filter(None, (mark_in(v.type) for v in variables(value))), None)


def mark_of_result(op: Op, values: tuple[Value, ...]) -> Foreign | None:
    """What is known of the result of an operation on inactive values."""
    marks = [mark for mark in map(mark_of_value, values) if mark is not None]
    if not marks or op.name in _METADATA or any(op.fn is fn for fn in _CONVERTING):
        return None
    return UNSURE


def mark_of_text(b: Builder, node: Any, values: list[Value]) -> Foreign | None:
    """What is known of the value of an inactive expression that stays as it is."""
    reading = _Reading(b)
    if node is not None and reading.converts(node):
        return None
    if any(mark_of_value(value) is not None for value in values):
        return UNSURE
    for value in values:
        if isinstance(value, Known) and may_hold_others(value.object):
            facts.plain(value.object)
    return UNSURE if node is not None and reading.makes_foreign(node) else None


class _Reading:
    """Reads the text of an expression for what it takes from outside."""

    def __init__(self, b: Builder) -> None:
        self.b = b

    def outside(self, node: Any) -> Any:
        """What a name, or a dotted name behind a module, stands for; else ``MISSING``."""
        source = self.b.source
        if isinstance(node, cst.Name):
            held = self.b.env.get(node.value)
            if isinstance(held, Known):
                return held.object
            if held is not None or node.value in self.b.locals:
                return MISSING
            return facts.read_name(source.cells.get(node.value, source.globals), node.value)
        if isinstance(node, cst.Attribute):
            owner = self.outside(node.value)
            if isinstance(owner, types.ModuleType):
                return facts.attribute(owner, node.attr.value)
        return MISSING

    def converts(self, node: Any) -> bool:
        """Whether an expression is a call that makes a plain array or number, or metadata."""
        if isinstance(node, cst.Attribute):
            return node.attr.value in _METADATA
        if not isinstance(node, cst.Call):
            return False
        found = self.outside(node.func)
        if any(a.keyword is not None and a.keyword.value == "subok" for a in node.args):
            return False
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _CONVERTING_METHODS:
            return found is MISSING
        return any(found is fn for fn in _CONVERTING)

    def makes_foreign(self, node: Any) -> bool:
        """Whether an expression reads or calls something that may give a foreign array."""
        if isinstance(node, cst.Attribute | cst.Name):
            found = self.outside(node)
            if found is not MISSING:
                return self.gives(found)
            return isinstance(node, cst.Attribute) and self.makes_foreign(node.value)
        if isinstance(node, cst.Arg):
            usemask = node.keyword is not None and node.keyword.value == "usemask"
            return usemask or self.makes_foreign(node.value)
        return any(map(self.makes_foreign, children(node)))

    def gives(self, found: Any) -> bool:
        """Whether something from outside is, holds, or may make, a foreign array."""
        if not callable(found) and not isinstance(found, types.ModuleType):
            if may_hold_others(found):
                facts.plain(found)
        return gives_foreign(found)


def gives_foreign(thing: Any, seen: set[int] | None = None) -> bool:
    """Tell whether something is, holds, or may make, an array of a foreign class."""
    seen = set() if seen is None else seen
    if id(thing) in seen:
        return False
    seen.add(id(thing))
    if isinstance(thing, types.ModuleType):
        return is_of_other(thing.__name__) or thing.__name__.startswith(_MAKING_MODULES)
    if isinstance(thing, types.MethodType):
        return any(gives_foreign(part, seen) for part in (thing.__func__, thing.__self__))
    if not callable(thing):
        return mark_of(thing) is not None
    module = plainly(thing, "__module__")
    module = module if isinstance(module, str) else ""
    if any(thing is made for made in _MAKING) or module.startswith(_MAKING_MODULES):
        return True
    if is_of_other(module):
        return True
    if isinstance(thing, type):
        if conversion_of_class(thing) is not None:
            return True
        own = [c for c in facts.mro(thing) if home(c) not in _FIXED]
        names = {n for c in own for n, f in vars(c).items() if isinstance(f, types.FunctionType)}
        return _any_gives([facts.in_class(thing, name) for name in sorted(names)], seen)
    if isinstance(thing, types.FunctionType) and home(thing) not in _FIXED:
        return _text_gives(thing, seen)
    if python_of(thing) is not thing:
        return _text_gives(python_of(thing), seen)
    return mark_of(thing) is not None


def _any_gives(things: Any, seen: set[int]) -> bool:
    return any(gives_foreign(thing, seen) for thing in things)


def _text_gives(fn: types.FunctionType, seen: set[int]) -> bool:
    """The same for a function with a text: by the names in its code."""
    names: set[str] = set()
    stack = [facts.code(fn)]
    while stack:
        code = stack.pop()
        names.update(code.co_names)
        stack += [const for const in code.co_consts if isinstance(const, types.CodeType)]
    if any(map(is_of_other, names)):
        return True
    facts.defaults(fn)
    found = [facts.read_name(fn.__globals__, n) for n in sorted(names) if n in fn.__globals__]
    found += [facts.read_name(cell, "") for cell in fn.__closure__ or ()]
    found += [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
    if any(thing is np for thing in found) and names & _MAKING_NAMES:
        return True
    return _any_gives(found, seen)
