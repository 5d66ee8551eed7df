"""Which functions have effects that a caller may see.

Asked of syntax trees, before anything is lowered. A callee that has no name of its own (a
parameter, an item, an attribute, what another call gave) may be any function of the program
that is given to something: named elsewhere than in front of the brackets of a call.
"""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import sys
import types
from collections import deque
from collections.abc import Iterable
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.draws import DRAWS
from srcgrad.effects import draws, effects_of, is_declared, is_ufunc, written_by
from srcgrad.frontend.checks.function_text import GROWING, FunctionText, mentions_of, thing_at
from srcgrad.frontend.checks.unread import Reads
from srcgrad.library.attributes import plainly
from srcgrad.library.families import (
    CHANGING_METHODS,
    DRAWING,
    OUTPUTS,
    UNKNOWN,
    WRITING_METHODS,
)
from srcgrad.library.libraries import (
    WITH_FORMULAS,
    calls_compiled_code,
    home,
    is_installed,
    is_of_library,
)
from srcgrad.program import containers, facts
from srcgrad.program.containers import CONTAINERS
from srcgrad.program.namespaces import MISSING, held_by
from srcgrad.program.primals import primal_of
from srcgrad.program.syntax_trees import functions_at
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
_BINARY = "add sub mul matmul truediv floordiv mod pow and or xor lshift rshift"
# methods behind operators, and of arrays, which need not give anything new
_OPERATORS = {f"__{p}{name}__" for p in ("", "r", "i") for name in _BINARY.split()}
_OPERATORS |= {"__neg__", "__pos__", "__abs__", "__invert__", "copy", "astype"}
# special methods that are followed where they are called, or called where an object is made
_LOWERED = """
new init post_init call getitem setitem delitem enter exit setattr delattr get set delete set_name
init_subclass class_getitem
"""
_FOLLOWED = frozenset(f"__{name}__" for name in _LOWERED.split()) | _OF_STATEMENTS


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


def has_effects(function: Any, program: Purity | None = None) -> bool:
    """Tell whether a call of a function may change what the next call of it gives.

    Args:
        function: the function.
        program: what a program names that it is a part of: where nothing of that has effects,
            neither has the function.
    """
    if program is not None and not program.acts(function):
        return False
    return Purity([], [function]).acts(function)


def of_program(context: Any, function: Any) -> Purity:
    """Return which functions have effects in a program that has reached a function."""
    if context.purity is None:
        context.purity = Purity(context.handed, [function])
    elif not hasattr(function, "__srcgrad_generated__"):
        context.purity.include([], [function])
    return context.purity


CACHED = type(functools.cache(len))  # which calls the function that it was made from


# parts of a text that do nothing by themselves
PURE = {ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Assign, ast.Return, ast.Expr}
_PROPERTIES = (property, functools.cached_property)
_METHODS = (types.FunctionType, staticmethod, classmethod)


def behind(value: Any) -> Any:
    """Return what runs where a method or a property of a class is asked for, or called."""
    if isinstance(value, property):
        return value.fget
    cached = isinstance(value, functools.cached_property)
    return value.func if cached else getattr(value, "__func__", value)


def _is_made(thing: Any) -> bool:
    return isinstance(thing, types.FunctionType | type)


BEGINNING = ("__init__", "__post_init__")  # methods that set up an object that was made for them
_MAKING = ("__new__", *BEGINNING)


_DEEPEST = 40  # functions that call each other


class Purity:
    """Which functions have effects that a caller may see.

    Args:
        handed: the functions and other objects that the program is given.
        reached: the functions that it begins with.
    """

    def __init__(self, handed: Iterable[Any], reached: Iterable[Any]) -> None:
        self.texts: dict[Any, FunctionText] = {}
        self.known: dict[FunctionText, bool] = {}
        self.asked: list[FunctionText] = []
        self.provisional: list[FunctionText] = []
        self.classes: dict[type, None] = {}
        self.given: dict[Any, Any] = {}  # functions that are given to something, and trees of such
        self.seen: dict[int, Any] = {}  # what was gone through, by identity
        self.drawers: dict[int, bool] = {}  # whether functions draw, by identity
        self.around: dict[int, list[type]] = {}  # own classes of modules, which have many functions
        self.reads = Reads()
        self._given_effects: bool | None = None
        self._drawing: bool | None = None
        self._noticed: _Noticed | None = None
        self.include(handed, reached)

    @property
    def given_effects(self) -> bool:
        """Whether a callee of which nothing is known may have an effect."""
        if self._given_effects is None:
            self._given_effects = False
            self._given_effects = any(
                self.of_object(thing) if tree is None else self.of_inner(self.inside(thing, tree))
                for thing, tree in self.given.values()
            )
            relied = [t for t, found in self.known.items() if not (found or t in self.asked)]
            for text in relied if self._given_effects else ():  # on there being none
                del self.known[text]
        return self._given_effects

    @property
    def drawing(self) -> bool:
        """Whether the program names anything that draws random numbers."""
        if self._drawing is None:
            named = not DRAWS.isdisjoint(self.reads.attributes)
            self._drawing = named or any(map(_is_of_generator, self.seen.values()))
        return self._drawing

    @property
    def noticed(self) -> _Noticed:
        """The same for all that shows behind the program: what it prints, or adds to a history."""
        if self._noticed is None:
            made: Any = copy.copy(self)
            made.__class__ = _Noticed
            made.begin()
            self._noticed = made
        return self._noticed  # type: ignore[return-value]

    def include(self, handed: Iterable[Any], reached: Iterable[Any]) -> None:
        """Find what the program names: functions, classes, and functions that are given."""
        waiting = [(thing, True) for thing in handed if id(thing) not in self.seen]
        waiting += [(thing, False) for thing in reached if id(thing) not in self.seen]
        if waiting:
            self.known.clear()
            self.texts.clear()
            self._given_effects = self._drawing = self._noticed = None
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
                    methods = map(behind, vars(thing).values())
                    waiting += [(f, False) for f in methods if isinstance(f, types.FunctionType)]
                    waiting += [(vars(c)["__call__"], given) for c in _calling(thing)]
            elif isinstance(thing, types.MethodType):
                waiting += [(thing.__func__, True), (thing.__self__, False)]
            elif isinstance(thing, CACHED):
                waiting.append((thing.__wrapped__, given))
            elif isinstance(thing, functools.partial):
                waiting += [(thing.func, True), *((v, True) for v in thing.args)]
                waiting += [(v, True) for v in thing.keywords.values()]
            elif isinstance(thing, CONTAINERS):
                held = containers.parts(thing)
                self.reads.note_held(held)
                waiting += [(part, True) for part in held if not _is_plain(part)]
                waiting += [(type(thing), False)] if is_own(type(thing)) else []
            elif isinstance(thing, types.MappingProxyType | types.SimpleNamespace):
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

    def acts(self, function: Any) -> bool:
        """Tell whether a call of a function has an effect, or anything named draws."""
        others = (t for t in self.seen.values() if not is_own(t if _is_made(t) else type(t)))
        return any(map(draws, others)) or self.of_object(function)

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
                    self.given |= {id(each): (function, each) for each in inner[name]}
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

    def text(
        self, function: types.FunctionType, node: Any, around: FunctionText | None = None
    ) -> FunctionText:
        """Return the text of a function, or of one inside of it, given as a tree."""
        key = id(function), node
        if key not in self.texts:
            self.texts[key] = FunctionText(function, node, not self.changes_operators, around)
        return self.texts[key]

    def inside(self, function: types.FunctionType, tree: Any) -> FunctionText:
        """Return the text of a function that is defined inside of another one."""
        node = functions_at(function.__code__, function.__globals__)[0]
        return self.text(function, tree, self.text(function, node))

    def of_call(self, node: ast.Call, text: FunctionText) -> bool:
        """Tell whether a call may have an effect."""
        func = node.func
        thing = text.thing(func)
        inner = text.inner(func.id) if isinstance(func, ast.Name) and thing is MISSING else None
        if inner is not None:
            return any(self.of_text(self.text(text.function, tree, text)) for tree in inner)
        if not _is_of_program(func, thing) and any(map(gives_output, node.keywords)):
            return True
        if thing is getattr and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
            read = ast.Attribute(node.args[0], str(node.args[1].value), ast.Load())
            return not self.of_plain(read)
        if thing is not MISSING:
            return self.of_object(thing) or writes_into_given(thing, node)
        if isinstance(func, ast.Attribute):
            if func.attr in _OF_ARRAYS or func.attr in _OF_STATEMENTS:
                return True
            if func.attr in CHANGING_METHODS:
                return False  # what happens to lists is followed in order
            if self.of_method(func.attr):
                return True
            return func.attr not in OF_VALUES and self.given_effects
        return self.given_effects

    def may_draw(self, node: ast.Call, text: FunctionText) -> bool:
        """Tell whether a call may draw random numbers."""
        if not self.drawing:
            return False
        thing = text.thing(node.func)
        if thing is MISSING:
            return not (isinstance(node.func, ast.Attribute) and node.func.attr in OF_VALUES)
        if _is_made(thing) and is_own(thing):
            return not isinstance(thing, types.FunctionType) or self._draws_inside(thing)
        return draws(thing) or is_own(type(thing))

    def _draws_inside(self, function: types.FunctionType) -> bool:
        """Tell whether a function of the user's, or one that it calls, names what draws."""
        if id(function) not in self.drawers:
            self.drawers[id(function)] = Purity([], [function]).drawing
        return self.drawers[id(function)]

    def gives_effect(self, node: ast.Call, text: FunctionText) -> ast.expr | None:
        """Return an argument of a call that is a function with an effect, or None."""
        keys = [k.value for k in node.keywords if k.arg == "key"]  # which may be an object
        for part in (*node.args, *(k.value for k in node.keywords)):
            if isinstance(part, ast.Lambda):
                effect = self.of_text(self.text(text.function, part, text))
            elif not isinstance(part, ast.Name):
                continue
            else:
                inner = text.inner(part.id)
                trees = map(self.of_inner, (self.text(text.function, t, text) for t in inner or ()))
                effect = any(trees) if inner else self.of_object(text.thing(part))
                effect = effect or (part in keys and self.of_method("__call__"))
            if effect:
                return part
        return None

    def of_object(self, thing: Any) -> bool:
        """Tell whether calling something may have an effect."""
        thing = primal_of(thing)
        if plainly(thing, "__name__") == "next" and isinstance(thing, types.BuiltinFunctionType):
            return True
        if isinstance(thing, functools.partial):
            return self.of_object(thing.func)
        if isinstance(thing, types.MethodType):
            return self.of_object(thing.__func__)
        if isinstance(thing, type):
            return any(map(self.of_object, makers_of(thing)))
        if not isinstance(thing, types.FunctionType):
            call = vars(type(thing)).get("__call__")
            return isinstance(call, types.FunctionType) and self.of_object(call)
        if home(thing) == "srcgrad":
            return False
        if find_formula(thing) is not None or is_nondifferentiable(thing) or is_of_library(thing):
            return False
        nodes = functions_at(thing.__code__, thing.__globals__)
        return len(nodes) == 1 and self.of_text(self.text(thing, nodes[0]))

    def of_method(self, name: str, kind: Any = _METHODS) -> bool:
        """Tell whether a method, or a property, of one of the program's classes has an effect."""
        for cls in self.classes:
            value = vars(cls).get(name)
            found = behind(value) if isinstance(value, kind) else None
            if isinstance(found, types.FunctionType) and self.of_object(found):
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
            for name, value in vars(cls).items():
                special = name.startswith("__") and name not in _FOLLOWED
                special = special or name == "keys"  # for ``**``
                value = behind(value)
                if special and isinstance(value, types.FunctionType):
                    facts.in_class(cls, name)
                    if self.of_object(value):
                        return f"{cls.__name__}.{name}"
        return None

    def of_plain(self, node: Any) -> bool:
        """Tell whether reading an attribute or an item has no effect in any class around."""
        return self.reads_plainly(None if isinstance(node, ast.Subscript) else node.attr)

    def reads_plainly(self, name: str | None) -> bool:
        """Tell the same by the name of the attribute, None for an item."""
        if name is None:
            return not self.of_method("__getitem__")
        return not (self.of_method(name, _PROPERTIES) or self.of_method("__getattr__"))

    def of_inner(self, text: FunctionText) -> bool:
        """Tell whether a function inside of another one may have an effect."""
        # only where it is called by its name it is followed in order
        return False in text.mentions.rebound.values() or self.of_text(text)

    def of_text(self, text: FunctionText) -> bool:
        """Tell whether a call of a function with a text may have an effect."""
        if text in self.known:
            return self.known[text]
        if len(self.asked) > _DEEPEST:
            return True  # whatever it is
        self.known[text] = False  # until it is known; what relies on it is asked again
        self.asked.append(text)
        found = any(
            self._calls_effect(part, text)
            if isinstance(part, ast.Call)
            else self._is_effect(part, text)
            for part in text.parts
            if type(part) not in PURE
        )
        self.asked.pop()
        self.provisional.append(text)
        self.known[text] = found
        if not self.asked:
            if found:
                for each in self.provisional:
                    if not self.known.get(each, True):
                        del self.known[each]
            self.provisional.clear()
        return found

    def _calls_effect(self, part: ast.Call, text: FunctionText) -> bool:
        """Tell whether a call in a function has an effect."""
        if _adds_to(part, text):
            return False
        given = self.gives_effect(part, text) is not None
        return given or self._changes_other(part, text) or self.of_call(part, text)

    def _is_effect(self, part: Any, text: FunctionText) -> bool:
        """Tell whether a part of a function that is no call has an effect."""
        if isinstance(part, ast.Name):
            return not isinstance(part.ctx, ast.Load) and part.id in text.outside
        if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Load):
            return not self.of_plain(part) and text.thing(part) is MISSING
        if isinstance(part, ast.Subscript | ast.Attribute):
            if isinstance(part, ast.Attribute) and self._of_setting(part.attr):
                return True
            unread = isinstance(part, ast.Attribute) and self.reads.misses_attribute(part.attr)
            return not (text.own.takes(part) or unread or _is_begun(part, text))
        if isinstance(part, ast.With):
            return self.of_method("__enter__") or self.of_method("__exit__")
        if isinstance(part, ast.AugAssign):
            if isinstance(part.target, ast.Attribute):
                return not self.reads.misses_count(part.target.attr)
            name = part.target.id if isinstance(part.target, ast.Name) else None
            return name not in text.mentions.rebound and not text.own.takes_in_place(part.target)
        return False

    def _of_setting(self, name: str) -> bool:
        """Tell whether setting an attribute runs a method with an effect in any class around."""
        setters = [getattr(vars(cls).get(name), "fset", None) for cls in self.classes]
        found = [setter for setter in setters if isinstance(setter, types.FunctionType)]
        return any(map(self.of_object, found)) or self.of_method("__setattr__")

    def _changes_other(self, node: ast.Call, text: FunctionText) -> bool:
        """Tell whether a call changes what the function did not make, and somebody reads."""
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in MUTATORS:
            return False
        if text.thing(func) is not MISSING or text.own.takes(func):
            return False
        return not (func.attr in GROWING and self.is_history(func.value, text))

    def is_history(self, node: ast.expr, text: FunctionText) -> bool:
        """Tell whether an expression is a list that no function of the program reads."""
        if isinstance(node, ast.Attribute):
            return self.reads.misses_history(node.attr)
        return self.reads.misses_list(text.thing(node), 0)

    @property
    def changes_operators(self) -> bool:
        """Whether some class around has operators or ``copy``, which may give what was there."""
        return any(_OPERATORS & vars(cls).keys() for cls in self.classes)


class _Noticed(Purity):
    """Which functions do anything of which one can tell behind the program that it was done."""

    def begin(self) -> None:
        """Know nothing yet; all is read by somebody."""
        self.known, self.asked, self.provisional = {}, [], []
        self.reads, self._given_effects = Reads(), None
        self.reads.everything = True

    def of_object(self, thing: Any) -> bool:
        """Tell whether calling something shows."""
        thing = primal_of(thing)
        known = not is_own(thing) and not (callable(thing) and effects_of(thing) is UNKNOWN)
        if known and draws(thing):
            return True  # of what is the user's own, the text tells it
        held = getattr(thing, "__self__", None) if type(thing) is types.BuiltinMethodType else None
        if type(held) in CONTAINERS:
            return thing.__name__ in MUTATORS
        return super().of_object(thing)


def makers_of(cls: type) -> list[Any]:
    """Return the functions of the user's that run where a class is called."""
    found = [vars(c).get(name) for c in cls.__mro__ if is_own(c) for name in _MAKING]
    found += [vars(c).get("__call__") for c in type.mro(type(cls)) if is_own(c)]
    fields = getattr(cls, "__dataclass_fields__", {}).values()
    found += [field.default_factory for field in fields]
    return [behind(f) for f in found if isinstance(behind(f), types.FunctionType)]


def _adds_to(node: ast.Call, text: FunctionText) -> bool:
    """Tell whether a call is ``np.add.at(y, ...)``, or alike, for a ``y`` that was made here."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr != "at" or not node.args:
        return False
    return text.own.takes_in_place(node.args[0]) and is_ufunc(text.thing(func.value))


def _is_begun(part: Any, text: FunctionText) -> bool:
    """Tell whether something is an attribute of the object that a constructor sets up."""
    begins = getattr(text.node, "name", "") in BEGINNING and text.first is not None
    return begins and isinstance(part, ast.Attribute) and _is_name(part.value, text.first or "")


def _fields_of(cls: type) -> dict[str, Any]:
    """The attributes of a class that its objects have until they are set, and fields."""
    made = {name: value for name, value in vars(cls).items() if not name.startswith("__")}
    for name, field in getattr(cls, "__dataclass_fields__", {}).items():
        made.setdefault(name, [] if field.default_factory is list else object)
    return made


def _is_of_generator(thing: Any) -> bool:
    """Tell whether something is a generator of random numbers, or a method of one."""
    return isinstance(thing, DRAWING) or isinstance(plainly(thing, "__self__"), DRAWING)


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
    if isinstance(thing, types.FunctionType) and is_own(thing) and not is_declared(thing):
        return False
    does = effects_of(thing)
    if not does.writes:
        return False
    if does is UNKNOWN:  # it may write, unless it is known to compute
        told = find_formula(thing) is not None or is_nondifferentiable(thing)
        drawing = (plainly(thing, "__module__") or "").startswith("numpy.random")
        function = plainly(thing, "__name__") is not None and not isinstance(thing, type)
        return home(thing) in _UNTOLD and function and not (told or drawing)
    if ast.Starred in map(type, node.args) or None in [k.arg for k in node.keywords]:
        return True
    given = [_stand_in(a) for a in node.args]
    named = {k.arg or "": _stand_in(k.value) for k in node.keywords}
    return bool(written_by(thing, given, named))


def _stand_in(node: ast.expr) -> Any:
    """Return a constant as it is, and what may be an array for anything else."""
    return node.value if isinstance(node, ast.Constant) else node


def _is_of_program(func: ast.expr, thing: Any) -> bool:
    """Tell whether a call is one of a function of the program, to which ``out`` is any name."""
    plain = isinstance(thing, types.FunctionType | type) and not is_of_library(thing)
    return plain and isinstance(func, ast.Name)


def gives_output(keyword: ast.keyword) -> bool:
    """Tell whether an argument is by its name something that is written into."""
    name = keyword.arg or ""
    return name in OUTPUTS or name.startswith("overwrite")
