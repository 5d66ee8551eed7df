"""Which functions have effects that a caller may see.

Asked of syntax trees, before anything is lowered. A callee that has no name of its own (a
parameter, an item, an attribute, what another call gave) may be any function of the program
that is given to something: named elsewhere than in front of the brackets of a call.
"""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import functools
import sys
import types
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.draws import DRAWS
from srcgrad.effects import draws, effects_of, is_ufunc, written_by
from srcgrad.frontend.checks.mentions import GROWING, body_of, mentions_of, path_of, thing_at
from srcgrad.frontend.checks.own_memory import OwnMemory
from srcgrad.frontend.checks.unread import Reads
from srcgrad.library.attributes import plainly
from srcgrad.library.families import CHANGING_METHODS, DRAWING, UNKNOWN, WRITING_METHODS
from srcgrad.library.libraries import (
    WITH_FORMULAS,
    calls_compiled_code,
    home,
    is_installed,
    is_of_library,
)
from srcgrad.program import facts
from srcgrad.program.namespaces import held_by
from srcgrad.program.primals import primal_of
from srcgrad.program.syntax_trees import functions_at, nodes_of
from srcgrad.registry import find_formula, is_nondifferentiable

_OF_ARRAYS = WRITING_METHODS - {"byteswap", "setfield"}
_STATEMENTS = """
setitem delitem iadd iand ifloordiv ilshift imatmul imod imul ior ipow irshift isub itruediv ixor
"""
_OF_STATEMENTS = frozenset(f"__{name}__" for name in _STATEMENTS.split())  # written as calls
MUTATORS = CHANGING_METHODS | _OF_ARRAYS | _OF_STATEMENTS
OF_VALUES = frozenset(  # methods of what is no object of the user's
    name for kind in (np.ndarray, list, dict, str, set, tuple, deque) for name in dir(kind)
)
# functions that call nothing of what they are given
ASKING = frozenset({"partial", "isinstance", "callable", "id", "type", "hasattr", "print", "repr"})
IN_ORDER = frozenset({"map", "filter", "reduce"})  # what they call is followed in order
_BINARY: dict[type, str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.MatMult: "matmul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
OPERATORS: dict[type, tuple[str, ...]] = {
    ast.BinOp: (*_BINARY.values(), *(f"r{name}" for name in _BINARY.values())),
    ast.UnaryOp: ("neg", "pos", "abs", "invert", "bool", "len"),
    ast.BoolOp: ("bool", "len"),
    ast.IfExp: ("bool", "len"),
    ast.JoinedStr: ("str", "repr", "format"),
    ast.Starred: ("iter", "next", "getitem", "len"),
    ast.Compare: ("eq", "ne", "lt", "le", "gt", "ge", "contains"),
}

_IMPLIED = (
    *(*OPERATORS[ast.Compare], *OPERATORS[ast.UnaryOp], "str", "repr", "format", "hash"),
    *("int", "float", "complex", "index", "getattr", "getattribute"),
)
# functions of Python's that make another object, and the methods of what they are given that
# they call
_COPYING = (copy.copy, copy.deepcopy, dataclasses.asdict, dataclasses.astuple, dataclasses.fields)
_COPIED_BY = (
    "copy",
    "deepcopy",
    "reduce",
    "reduce_ex",
    "getstate",
    "setstate",
    "setattr",
    "new",
    "hash",
)
_GOING = ("iter", "next", "getitem", "len", "reversed")
_TEXTS = ("str", "repr", "format")
_NUMBERS = ("float", "int", "complex", "index", "trunc")
# the methods of what they are given that functions of Python's own call
_OF_BUILTINS: dict[str, tuple[str, ...]] = {
    "len": ("len",),
    "bool": ("bool", "len"),
    "abs": ("abs",),
    "hash": ("hash",),
    "range": ("index",),
    "slice": (),
    "callable": (),
    "getattr": ("getattr", "getattribute"),
    "hasattr": ("getattr", "getattribute"),
    **dict.fromkeys(("int", "float", "complex"), (*_NUMBERS, "abs")),
    **dict.fromkeys(("str", "repr", "format", "print", "ascii"), _TEXTS),
    **dict.fromkeys(("any", "all"), (*_GOING, "bool")),
    **dict.fromkeys(("list", "tuple", "enumerate", "zip", "iter", "next", "reversed"), _GOING),
    **dict.fromkeys(("max", "min", "sorted"), (*_GOING, "lt", "gt", "bool")),
    "sum": (*_GOING, "add", "radd"),
}
_OF_ANY_BUILTIN = (
    *(*_GOING, *_TEXTS, *_NUMBERS, "bool", "contains", "hash", "abs", "round", "divmod", "pow"),
    *("add", "radd", "lt", "gt", "eq", "array", "call", "getattr", "setattr", "getattribute"),
)


def names_of(function: types.FunctionType) -> dict[str, Any]:
    """Return the names that a function sees from outside."""
    found = {**vars(builtins), **function.__globals__}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            found.pop(name, None)
    return found


def is_own(thing: Any) -> bool:
    """Tell whether a function or a class is the user's, and none of arrays."""
    if plainly(thing, "__array_function__") is not None:
        return False
    name = home(thing)
    return name not in ("srcgrad", *WITH_FORMULAS) and name not in sys.stdlib_module_names


def has_effects(function: Any) -> bool:
    """Tell whether a call of a function may change what the next call of it gives."""
    purity = Purity([], [function])
    others = (t for t in purity.seen.values() if not is_own(t if _is_made(t) else type(t)))
    return any(map(draws, others)) or purity.of_object(function)


def of_program(context: Any, function: Any) -> Purity:
    """Return which functions have effects in a program that has reached a function."""
    if context.purity is None:
        context.purity = Purity(context.handed, [function])
    elif not hasattr(function, "__srcgrad_generated__"):
        context.purity.include([], [function])
    return context.purity


CACHED = type(functools.cache(len))  # which calls the function that it was made from


def _is_made(thing: Any) -> bool:
    return isinstance(thing, types.FunctionType | type)


_MAKING = ("__new__", "__init__", "__post_init__")


_DEEPEST = 40  # functions that call each other


class Purity:
    """Which functions have effects that a caller may see.

    Args:
        handed: the functions and other objects that the program is given.
        reached: the functions that it begins with.
    """

    def __init__(self, handed: Iterable[Any], reached: Iterable[Any]) -> None:
        self.known: dict[Any, bool] = {}
        self.asked: list[Any] = []
        self.provisional: list[Any] = []
        self.classes: dict[type, None] = {}
        self.given: dict[Any, Any] = {}  # functions that are given to something, and trees of such
        self.seen: dict[int, Any] = {}  # what was gone through, by identity
        self.drawers: dict[int, bool] = {}  # whether functions draw, by identity
        self.around: dict[int, list[type]] = {}  # own classes of modules, which have many functions
        self.reads = Reads()
        self._given_effects: bool | None = None
        self._drawing: bool | None = None
        self.include(handed, reached)

    @property
    def given_effects(self) -> bool:
        """Whether a callee of which nothing is known may have an effect."""
        if self._given_effects is None:
            self._given_effects = False
            self._given_effects = any(
                self.of_object(thing) if tree is None else self.of_inner(tree, thing)
                for thing, tree in self.given.values()
            )
        return self._given_effects

    @property
    def drawing(self) -> bool:
        """Whether the program names anything that draws random numbers."""
        if self._drawing is None:
            named = not DRAWS.isdisjoint(self.reads.attributes)
            self._drawing = named or any(map(_is_of_generator, self.seen.values()))
        return self._drawing

    def include(self, handed: Iterable[Any], reached: Iterable[Any]) -> None:
        """Find what the program names: functions, classes, and functions that are given."""
        waiting = [(thing, True) for thing in handed if id(thing) not in self.seen]
        waiting += [(thing, False) for thing in reached if id(thing) not in self.seen]
        if waiting:
            self.known.clear()
            self._given_effects = self._drawing = None
        while waiting:
            thing, given = waiting.pop()
            thing = primal_of(thing)
            if given and isinstance(thing, types.FunctionType) and is_own(thing):
                self.given[id(thing)] = thing, None
            if given and isinstance(thing, type) and is_own(thing):
                self.given[id(thing)] = thing, None
            if id(thing) in self.seen:
                continue
            self.seen[id(thing)] = thing
            if isinstance(thing, types.FunctionType):
                if is_own(thing):
                    waiting += self._named(thing)
            elif isinstance(thing, type):
                if is_own(thing):
                    self.classes[thing] = None
                    self.reads.note_object(_fields_of(thing))
                    waiting += [(base, False) for base in (*thing.__mro__[1:], type(thing))]
                    for value in vars(thing).values():
                        value = value.fget if isinstance(value, property) else value
                        value = getattr(value, "__func__", value)
                        if isinstance(value, types.FunctionType):
                            waiting.append((value, False))
            elif isinstance(thing, types.MethodType):
                waiting += [(thing.__func__, True), (thing.__self__, False)]
            elif isinstance(thing, CACHED):
                waiting.append((thing.__wrapped__, given))
            elif isinstance(thing, functools.partial):
                waiting += [(thing.func, True), *((v, True) for v in thing.args)]
                waiting += [(v, True) for v in thing.keywords.values()]
            elif isinstance(thing, list | tuple | set | frozenset | deque):
                self.reads.note_held(thing)
                waiting += [(part, True) for part in thing if not _is_plain(part)]
            elif isinstance(thing, dict | types.MappingProxyType | types.SimpleNamespace):
                held = vars(thing) if isinstance(thing, types.SimpleNamespace) else thing
                self.reads.note_held(held.values())
                waiting += [(part, True) for part in held.values() if not _is_plain(part)]
            elif is_installed(type(thing)) and calls_compiled_code(thing):
                held = held_by(thing).values()  # of which it may run what the user wrote
                functions = [part for part in held if isinstance(part, types.FunctionType)]
                waiting += [(part, True) for part in functions if not is_installed(part)]
            elif not _is_plain(thing) and is_own(type(thing)):
                waiting.append((type(thing), False))
                inside = held_by(thing)
                self.reads.note_object(inside)
                waiting += [(part, True) for part in inside.values() if not _is_plain(part)]
                waiting += [(vars(c)["__call__"], given) for c in _calling(type(thing))]

    def _named(self, function: types.FunctionType) -> list[tuple[Any, bool]]:
        """List what a function names from outside, with whether it is given to something."""
        nodes = functions_at(function.__code__, function.__globals__)
        if len(nodes) != 1:
            return []
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        names, found = names_of(function), [(value, True) for value in defaults]
        mentions = mentions_of(nodes[0])
        if True not in mentions.rebound.values():
            for name in function.__code__.co_varnames:  # which hide names from outside
                names.pop(name, None)
        self.reads.note_function(mentions, names)
        inner = mentions.inner
        self.given |= {id(part): (function, part) for part in mentions.lambdas}
        for name, path, given in mentions.loaded:
            if path == (name,) and name in inner:
                if given:
                    self.given[id(inner[name])] = function, inner[name]
                continue
            thing = None if path is None else thing_at(path, names)
            if not _is_plain(thing):
                found.append((thing, given))
            elif thing is None and given and path != (name,):
                classes = self._classes_around(function, names)
                found += [(vars(c)[name], True) for c in classes if name in vars(c)]
        return found

    def _classes_around(self, function: types.FunctionType, names: Any) -> list[type]:
        """The classes of the program's own among the names that a function sees from outside."""
        known = function.__globals__
        if id(known) not in self.around:
            self.around[id(known)] = _own_classes(known.values())
        cells = [names[name] for name in function.__code__.co_freevars if name in names]
        return [*self.around[id(known)], *_own_classes(cells)]

    def of_call(
        self, node: ast.Call, names: Any, local: Any, assigned: set[str], around: Any
    ) -> bool:
        """Tell whether a call may have an effect."""
        func = node.func
        if not _is_of_program(func, names, local) and any(
            k.arg in ("out", "output") or (k.arg or "").startswith("overwrite")
            for k in node.keywords
        ):
            return True
        if isinstance(func, ast.Name):
            if func.id in local:
                return self.of_tree(local[func.id], names, local, around)
            if func.id in assigned or func.id not in names:
                return self.given_effects
            found = names.get(func.id)
            if home(found) == "builtins" and func.id not in ("isinstance", "id", "type"):
                if isinstance(found, type) and issubclass(found, BaseException):
                    return False
                return self.of_builtin(func.id) or self.of_object(found)
            return self.of_object(found) or writes_into_given(found, node)
        if isinstance(func, ast.Attribute):
            thing = resolved(func, names, assigned)
            if thing is not None:
                return self.of_object(thing) or writes_into_given(thing, node)
            if func.attr in _OF_ARRAYS or func.attr in _OF_STATEMENTS:
                return True
            if func.attr in CHANGING_METHODS:
                return False  # what happens to lists is followed in order
            if self.of_method(func.attr):
                return True
            return func.attr not in OF_VALUES and self.given_effects
        return self.given_effects

    def may_draw(self, node: ast.Call, names: Any, local: Any, assigned: set[str]) -> bool:
        """Tell whether a call may draw random numbers."""
        func = node.func
        if not self.drawing:
            return False
        thing = None
        if isinstance(func, ast.Name) and func.id not in local and func.id not in assigned:
            thing = names.get(func.id)
        elif isinstance(func, ast.Attribute):
            thing = resolved(func, names, assigned)
            if thing is None and func.attr in OF_VALUES:
                return False
        if thing is None or (_is_made(thing) and is_own(thing)):
            return not isinstance(thing, types.FunctionType) or self._draws_inside(thing)
        return draws(thing) or is_own(type(thing))

    def _draws_inside(self, function: types.FunctionType) -> bool:
        """Tell whether a function of the user's, or one that it calls, names what draws."""
        if id(function) not in self.drawers:
            self.drawers[id(function)] = Purity([], [function]).drawing
        return self.drawers[id(function)]

    def gives_effect(self, node: ast.Call, names: Any, local: Any, around: Any) -> ast.expr | None:
        """Return an argument of a call that is a function with an effect, or None."""
        for part in (*node.args, *(k.value for k in node.keywords)):
            if isinstance(part, ast.Lambda):
                effect = self.of_tree(part, names, local, around)
            elif not isinstance(part, ast.Name):
                continue
            elif part.id in local:
                effect = self.of_inner(local[part.id], around, names, local)
            else:
                effect = self.of_object(names.get(part.id))
            if effect:
                return part
        return None

    def of_object(self, thing: Any) -> bool:
        """Tell whether calling something may have an effect."""
        thing = primal_of(thing)
        if plainly(thing, "__name__") == "next" and isinstance(thing, types.BuiltinFunctionType):
            return True
        if any(thing is fn for fn in _COPYING):
            return any(self.of_method(f"__{name}__") for name in _COPIED_BY)
        if isinstance(thing, functools.partial):
            return self.of_object(thing.func)
        if isinstance(thing, types.MethodType):
            return self.of_object(thing.__func__)
        if isinstance(thing, type):
            makers = [vars(c).get(n) for c in thing.__mro__ if is_own(c) for n in _MAKING]
            makers += [vars(c).get("__call__") for c in type.mro(type(thing)) if is_own(c)]
            return any(self.of_object(getattr(m, "__func__", m)) for m in makers if m is not None)
        if not isinstance(thing, types.FunctionType):
            call = vars(type(thing)).get("__call__")
            return isinstance(call, types.FunctionType) and self.of_object(call)
        if home(thing) == "srcgrad":
            return False
        if find_formula(thing) is not None or is_nondifferentiable(thing) or is_of_library(thing):
            return False
        nodes = functions_at(thing.__code__, thing.__globals__)
        return len(nodes) == 1 and self.of_tree(nodes[0], names_of(thing), {}, thing)

    def of_method(self, name: str, kind: Any = types.FunctionType) -> bool:
        """Tell whether a method, or a property, of one of the program's classes has an effect."""
        for cls in self.classes:
            value = vars(cls).get(name)
            value = getattr(value, "__func__", value)
            if isinstance(value, kind):
                value = value.fget if isinstance(value, property) else value
                if isinstance(value, types.FunctionType) and self.of_object(value):
                    return True
        return False

    def of_implied(self) -> str | None:
        """Return a method with an effect that Python calls where no call stands, or None.

        When objects end is left to Python, so that what is called then is one, whatever it does.
        """
        for cls in self.classes:
            if is_installed(cls):
                continue
            if isinstance(facts.in_class(cls, "__del__"), types.FunctionType):
                return f"{cls.__name__}.__del__"
            for name in _IMPLIED:
                value = vars(cls).get(f"__{name}__")
                if isinstance(value, types.FunctionType):
                    facts.in_class(cls, f"__{name}__")
                    if self.of_object(value):
                        return f"{cls.__name__}.__{name}__"
        return None

    def of_plain(self, node: Any) -> bool:
        """Tell whether reading an attribute or an item has no effect in any class around."""
        if isinstance(node, ast.Subscript):
            return not self.of_method("__getitem__")
        return not (self.of_method(node.attr, property) or self.of_method("__getattr__"))

    def of_operator(self, node: Any) -> bool:
        """Tell whether an operator has an effect in any class around."""
        called = _called_by(node) if self.classes else ()
        return any(self.of_method(f"__{name}__") for name in called)

    def of_builtin(self, name: str) -> bool:
        """Tell whether a function of Python's own may have an effect in any class around."""
        called = _OF_BUILTINS.get(name, _OF_ANY_BUILTIN)
        return any(self.of_method(f"__{method}__") for method in called)

    def of_inner(self, node: Any, around: Any, names: Any = None, local: Any = None) -> bool:
        """Tell whether a function inside of another one may have an effect."""
        if any(isinstance(part, ast.Nonlocal) for part in nodes_of(node)):
            return True  # only where it is called by its name it is followed in order
        names = names_of(around) if names is None else names
        return self.of_tree(node, names, local or {}, around)

    def of_tree(self, node: Any, names: Any, local: Any, around: Any) -> bool:
        """Tell whether a function that is given as a tree may have an effect."""
        if id(node) in self.known:
            return self.known[id(node)]
        if len(self.asked) > _DEEPEST:
            return True  # whatever it is
        self.known[id(node)] = False  # until it is known; what relies on it is asked again
        outermost = not self.asked
        self.asked.append(node)
        parts = body_of(node)
        inner = {part.name: part for part in parts if isinstance(part, ast.FunctionDef)}
        assigned = {p.id for p in parts if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        given = {p.arg for p in (*parts, *nodes_of(node.args)) if isinstance(p, ast.arg)}
        outside = {name for p in parts if isinstance(p, ast.Global) for name in p.names}
        rebound = {name for p in parts if isinstance(p, ast.Nonlocal) for name in p.names}
        if isinstance(around, types.FunctionType) and node in functions_at(
            around.__code__, around.__globals__
        ):
            outside |= rebound & {*around.__code__.co_freevars}
        bound, plain = assigned | given, not self.changes_operators
        own = OwnMemory(parts, lambda e: _thing(e, names, bound), plain)
        own.discard(given | outside | rebound)
        own.names |= {p.arg for p in (node.args.vararg, node.args.kwarg) if p} - assigned
        if isinstance(around, types.FunctionType) and _is_of_standard_library(around):
            own.names |= set(around.__code__.co_freevars)  # nobody else sees these
        made = self._own_object(node)
        local = {**local, **inner}
        known = names, local, bound, around
        found = any(
            not _adds_to(part, own, names, bound)
            and (self._changes_other(part, own, names, bound) or self.of_call(part, *known))
            if isinstance(part, ast.Call)
            else self._is_effect(part, own, outside, rebound, made)
            for part in parts
        )
        self.asked.pop()
        self.provisional.append(id(node))
        self.known[id(node)] = found
        if outermost:
            if found:
                for key in self.provisional:
                    if not self.known[key]:
                        del self.known[key]
            self.provisional.clear()
        return found

    def _own_object(self, node: Any) -> str | None:
        """Return the name of the object that a constructor makes, or None."""
        if getattr(node, "name", "") in ("__init__", "__post_init__") and node.args.args:
            return node.args.args[0].arg
        return None

    def _is_effect(
        self, part: Any, own: OwnMemory, outside: set[str], rebound: set[str], made: str | None
    ) -> bool:
        """Tell whether a part of a function that is no call has an effect."""
        if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(part.ctx, ast.Load):
            return not (own.takes(part) or _is_attribute_of(part, made) or self._is_unread(part))
        if isinstance(part, ast.AugAssign):
            if isinstance(part.target, ast.Attribute):
                return not self.reads.misses_count(part.target.attr)
            name = part.target.id if isinstance(part.target, ast.Name) else None
            return name not in rebound and not own.takes_in_place(part.target)
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            return part.id in outside
        return self.of_operator(part)

    def _changes_other(
        self, node: ast.Call, own: OwnMemory, names: Any, assigned: set[str]
    ) -> bool:
        """Tell whether a call changes what the function did not make, and somebody reads."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in MUTATORS:
            return False
        if resolved(func, names, assigned) is not None or own.takes(func):
            return False
        return not (func.attr in GROWING and self.is_history(func.value, names, assigned))

    def is_history(self, node: ast.expr, names: Any, assigned: set[str]) -> bool:
        """Tell whether an expression is a list that no function of the program reads."""
        if isinstance(node, ast.Attribute):
            return self.reads.misses_history(node.attr)
        if not isinstance(node, ast.Name) or node.id in assigned:
            return False
        return self.reads.misses_list(names.get(node.id), 0)

    def _is_unread(self, target: Any) -> bool:
        return isinstance(target, ast.Attribute) and self.reads.misses_attribute(target.attr)

    @property
    def changes_operators(self) -> bool:
        """Whether some class around has operators or ``copy``, which may give what was there."""
        names = {f"__{name}__" for name in (*OPERATORS[ast.BinOp], *OPERATORS[ast.UnaryOp])}
        return any((names | {"copy"}) & vars(cls).keys() for cls in self.classes)


def _adds_to(node: ast.Call, own: OwnMemory, names: Any, assigned: set[str]) -> bool:
    """Tell whether a call is ``np.add.at(y, ...)``, or alike, for a ``y`` that was made here."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr != "at" or not node.args:
        return False
    if not isinstance(func.value, ast.Attribute):
        return False
    return own.takes_in_place(node.args[0]) and is_ufunc(resolved(func.value, names, assigned))


def _called_by(node: Any) -> tuple[str, ...]:
    """The methods that an operator may call."""
    if isinstance(node, ast.BinOp):
        name = _BINARY[type(node.op)]
        return name, f"r{name}"
    return OPERATORS.get(type(node), ())


def _is_of_standard_library(function: types.FunctionType) -> bool:
    """Tell whether the text of a function, whoever it wraps, is one of Python's own modules."""
    name = function.__globals__.get("__name__") or ""
    return name.partition(".")[0] in sys.stdlib_module_names


def _is_attribute_of(part: Any, name: str | None) -> bool:
    return name is not None and isinstance(part, ast.Attribute) and _is_name(part.value, name)


def _thing(node: Any, names: Any, assigned: set[str]) -> Any:
    """Return what a name, or an attribute of a module, stands for outside; None if that is open."""
    if isinstance(node, ast.Attribute):
        return resolved(node, names, assigned)
    known = isinstance(node, ast.Name) and node.id not in assigned
    return names.get(node.id) if known else None


def _fields_of(cls: type) -> dict[str, Any]:
    """The attributes of a class that its objects have until they are set, and fields."""
    made = {name: value for name, value in vars(cls).items() if not name.startswith("__")}
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        made.setdefault(name, [] if field.default_factory is list else object)
    return made


def _is_of_generator(thing: Any) -> bool:
    """Tell whether something is a generator of random numbers, or a method of one."""
    return isinstance(thing, DRAWING) or isinstance(plainly(thing, "__self__"), DRAWING)


def resolved(node: ast.Attribute, names: Any, assigned: set[str]) -> Any:
    """Return the attribute of a module that an expression stands for, or None."""
    path = path_of(node)
    return None if path is None or path[0] in assigned else thing_at(path, names)


def _calling(cls: type) -> list[type]:
    """The user's classes among the bases of a class whose objects can be called."""
    return [c for c in cls.__mro__ if "__call__" in vars(c) and is_own(c)]


def _own_classes(things: Iterable[Any]) -> list[type]:
    """The classes of the program's own among some things."""
    return [c for c in things if issubclass(type(c), type) and is_own(c)]


def _is_name(node: Any, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_plain(thing: Any) -> bool:
    """Tell whether a thing holds no functions."""
    return thing is None or isinstance(
        thing, np.ndarray | np.generic | str | bytes | int | float | complex | types.ModuleType
    )


def root_name(node: Any) -> str | None:
    """Return the name that a path of items and attributes begins with, or None."""
    while isinstance(node, ast.Subscript | ast.Attribute | ast.Starred):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


_UNTOLD = ("numpy", "scipy")


def writes_into_given(thing: Any, node: ast.Call) -> bool:
    """Tell whether a call of a library's function may write into what it is given."""
    if isinstance(thing, types.FunctionType) and is_own(thing):
        return False
    does = effects_of(thing)
    if not does.writes:
        return False
    if does is UNKNOWN:  # it may write, unless it is known to compute
        told = find_formula(thing) is not None or is_nondifferentiable(thing)
        drawing = (plainly(thing, "__module__") or "").startswith("numpy.random")
        function = plainly(thing, "__name__") is not None and not isinstance(thing, type)
        return home(thing) in _UNTOLD and function and not (told or drawing)
    if any(isinstance(a, ast.Starred) for a in node.args) or any(
        k.arg is None for k in node.keywords
    ):
        return True
    given = [_stand_in(a) for a in node.args]
    named = {k.arg: _stand_in(k.value) for k in node.keywords if k.arg is not None}
    return bool(written_by(thing, given, named))


def _stand_in(node: ast.expr) -> Any:
    """Return a constant as it is, and what may be an array for anything else."""
    return node.value if isinstance(node, ast.Constant) else node


def _is_of_program(func: ast.expr, names: Any, local: Any) -> bool:
    """Tell whether a call is one of a function of the program, to which ``out`` is any name."""
    if not isinstance(func, ast.Name):
        return False
    found = names.get(func.id)
    plain = isinstance(found, types.FunctionType | type) and not is_of_library(found)
    return func.id in local or plain
