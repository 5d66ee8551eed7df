"""Functions that change nothing that was there before they were called.

Asked of a program before a call in it is recorded. Only what certainly has no effect passes:
writes go directly into arrays and lists that a function made itself, or set attributes of the
object that a constructor is given, and everything that is called is a function whose text is
gone through, too, or one of a library that is known to compute only. Then nothing that was
handed to a call differs afterwards, and a run may be given up and begun again.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import types
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.draws import DRAWS
from srcgrad.effects import computes_only, effects_of, is_ufunc
from srcgrad.frontend.checks.mentions import body_of
from srcgrad.frontend.checks.own_memory import OwnMemory
from srcgrad.frontend.checks.purity import (
    MUTATORS,
    Purity,
    is_own,
    of_program,
    writes_into_given,
)
from srcgrad.ir.forms import NamedTuple
from srcgrad.ir.structures import form_of_class
from srcgrad.library.attributes import plainly
from srcgrad.library.families import DRAWING, OUTPUTS
from srcgrad.library.libraries import WITH_FORMULAS, home
from srcgrad.program import facts
from srcgrad.program.namespaces import MISSING
from srcgrad.program.primals import primal_of
from srcgrad.program.syntax_trees import functions_at, nodes_of
from srcgrad.registry import find_formula, is_nondifferentiable

_FORBIDDEN = (
    *(ast.Global, ast.Delete, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Match),
    *(ast.Await, ast.AsyncFor, ast.AsyncFunctionDef, ast.AsyncWith),
)
_OF_ARRAYS = """
all any argmax argmin argsort astype clip conj conjugate copy cumprod cumsum diagonal dot flatten
imag item max mean min ndim nonzero prod ravel real repeat reshape round shape size squeeze std sum
swapaxes take tobytes tolist trace transpose var
"""
_SAFE_BUILTINS = """
abs all any bool callable complex dict divmod enumerate filter float frozenset getattr hasattr int
isinstance len list map max min pow range repr reversed round set slice sorted str sum super tuple
type zip
"""
_PLAIN = (float, complex, list, dict, str, set, tuple)
_OF_VALUES = frozenset(
    (*_OF_ARRAYS.split(), *(n for kind in _PLAIN for n in dir(kind) if not n.startswith("_")))
)
_SAFE = frozenset(_SAFE_BUILTINS.split())
# of Python's library, what changes nothing that it is given, by module
_SAFE_MODULES = {
    "bisect": "bisect bisect_left bisect_right",
    "collections": "Counter OrderedDict defaultdict deque ChainMap",
    "copy": "copy deepcopy",
    "dataclasses": "asdict astuple fields replace is_dataclass",
    "datetime": "date datetime timedelta time timezone",
    "fractions": "Fraction",
    "functools": "partial reduce",
    "itertools": """
        accumulate chain combinations combinations_with_replacement compress count cycle dropwhile
        filterfalse groupby islice pairwise permutations product repeat starmap takewhile
        zip_longest
    """,
    "json": "dumps loads",
    "statistics": "fmean mean median mode stdev pstdev variance pvariance",
    "types": "SimpleNamespace MappingProxyType",
}
_SAFE_NAMES = {module: frozenset(names.split()) for module, names in _SAFE_MODULES.items()}


def is_harmless(function: types.FunctionType, purity: Purity) -> bool:
    """Tell whether calling a function changes nothing that was there before.

    What the answer depends on is recorded as facts.
    """
    if purity.given_effects or purity.of_object(function):
        return False
    return EffectSearch(purity).finds_nothing(function)


def changes_nothing(context: Any, function: types.FunctionType, numbers: Iterable[str]) -> bool:
    """Tell whether a call of a function changes nothing, whatever the program around it does."""
    purity = of_program(context, function)
    if purity.given_effects:
        return False
    return EffectSearch(purity, numbers).finds_nothing(function, around=False)


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
    return is_harmless(function, Purity(given, [function]))


def repeatable(function: Any, arguments: Iterable[Any]) -> facts.Facts | None:
    """Return what it depends on that a program may be run once more, None if it may not be."""
    with facts.recording() as known:
        return known if may_run_again(function, arguments) else None


class EffectSearch:
    """A search for effects in all that a function may call.

    Attributes:
        draws: whether drawing random numbers counts as none.
    """

    draws = False

    def __init__(self, purity: Purity, numbers: Iterable[str] = ()) -> None:
        self.purity, self.numbers = purity, {*numbers}
        self.waiting: list[types.FunctionType] = []
        self.makes = self.writes = False  # objects, into arrays
        self.seen: dict[int, Any] = {}

    def finds_nothing(self, function: types.FunctionType, around: bool = True) -> bool:
        self.add(function)
        self.first = function
        if any(isinstance(held, defaultdict) for held in self.purity.seen.values()):
            return False  # reading what it has not adds to it
        for cls in self.purity.classes:  # its operators and properties are called without a name
            for name, value in facts.held_by_class(cls).items():
                special = name.startswith("__") and name not in _MADE_BY
                if isinstance(value, property) or special:
                    facts.in_class(cls, name)
                    value = value.fget if isinstance(value, property) else value
                    value = getattr(value, "__func__", value)
                    if isinstance(value, types.FunctionType) and not is_written(value):
                        self.add(value)
        while self.waiting:
            if not self.passes(self.waiting.pop()):
                return False
        # an array in an object is not copied for a call, as one in a list is
        return not (around and self.makes and self.writes)

    def add(self, function: types.FunctionType) -> None:
        if id(function) not in self.seen:
            self.seen[id(function)] = function
            self.waiting.append(function)

    def passes(self, function: types.FunctionType) -> bool:
        """Tell whether the text of a function has no effect; note what else it may call."""
        code = facts.code(function)
        nodes = functions_at(code, function.__globals__)
        return bool(nodes) and all(self._passes_as(function, node) for node in nodes)

    def _passes_as(self, function: types.FunctionType, node: Any) -> bool:
        """Tell the same of a text that may be that of the function: of lambdas on one line."""
        text = FunctionText(function, node, not self.purity.changes_operators)
        if any(vars(c).get(name) is function for c in self.purity.classes for name in BEGINNING):
            text.begin_object()
        if function is self.first:
            text.own.names |= self.numbers
        return all(self.is_safe(*each) for each in text)

    def is_safe(self, part: Any, text: FunctionText) -> bool:
        if isinstance(part, _FORBIDDEN):
            return False
        if isinstance(part, ast.Nonlocal):
            return {*part.names} <= {*text.function.__code__.co_cellvars}
        if isinstance(part, ast.With):
            calls = [item.context_expr for item in part.items]
            return all(isinstance(c, ast.Call) and self.is_entered(c, text) for c in calls)
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            return text.is_begun(part.value) and self.holds_plainly(part.attr)
        if isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Store):
            self.writes = True
            return text.own.takes(part)
        if isinstance(part, ast.AugAssign):
            self.writes = True
            return text.own.takes_in_place(part.target)
        if isinstance(part, ast.Call):
            return self.is_safe_call(part, text)
        if isinstance(part, ast.Name | ast.Attribute) and isinstance(part.ctx, ast.Load):
            thing = text.thing(part)
            if thing is facts.COMPUTED:
                return False
            if thing is MISSING and isinstance(part, ast.Attribute):
                return self.add_methods(part.attr) or self.draws or part.attr not in DRAWS
            if isinstance(thing, DRAWING):
                return self.draws
            known = id(part) in text.tested or id(part) in text.owners
            return known or (self.is_safe_thing(thing) and not self.gives_modules(thing))
        return True

    def gives_modules(self, thing: Any) -> bool:
        """Tell whether something is a module or holds some: its functions need no names then."""
        held = thing.values() if isinstance(thing, dict) else thing
        parts = held if isinstance(thing, list | tuple | set | frozenset | dict) else (thing,)
        return any(isinstance(part, types.ModuleType) for part in parts)

    def is_entered(self, call: ast.Call, text: FunctionText) -> bool:
        """Tell whether a context manager is one whose methods are gone through."""
        thing = text.thing(call.func)
        return thing is np.errstate or (isinstance(thing, type) and self.is_safe_thing(thing))

    def is_safe_thing(self, thing: Any) -> bool:
        """Tell whether something that is named may be called by whoever is given it."""
        thing = primal_of(thing)
        if isinstance(thing, types.FunctionType) and _is_users(thing):
            self.add(thing)
            return True
        if isinstance(thing, functools.partial | types.MethodType | Iterator):
            return False
        if _is_plain_of_python(thing):
            return True
        if isinstance(thing, type):
            return not is_own(thing) or issubclass(thing, BaseException) or self.only_makes(thing)
        if not callable(thing) or thing is MISSING:
            return True
        if plainly(thing, "__module__") == "builtins":
            return plainly(thing, "__name__", "") in _SAFE
        if is_own(thing) and not isinstance(thing, types.FunctionType):
            return True  # an object, whose methods are gone through
        does = effects_of(thing)
        told = all(write.parameter in OUTPUTS or write.option for write in does.writes)
        return told and not does.draws and not does.keeps

    def only_makes(self, cls: type) -> bool:
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
            if not isinstance(made, types.FunctionType) or base not in self.purity.classes:
                return False
            self.add(made)
        self.makes = True
        return bool(own)

    def holds_plainly(self, name: str) -> bool:
        """Tell whether setting an attribute of any of the program's classes runs nothing."""
        found = (facts.in_class(cls, name) for cls in self.purity.classes)
        slots = types.MemberDescriptorType
        return all(type(value) is slots or not hasattr(value, "__set__") for value in found)

    def add_methods(self, name: str) -> bool:
        """Note the methods with a name; return whether there are any."""
        found = False
        for cls in self.purity.classes:
            value = vars(cls).get(name)
            value = getattr(value, "__func__", value)
            if isinstance(value, types.FunctionType):
                facts.in_class(cls, name)
                self.add(value)
                found = True
        return found

    def is_safe_call(self, node: ast.Call, text: FunctionText) -> bool:
        func = node.func
        thing = text.thing(func)
        if thing is builtins.getattr:
            return self.is_safe_reading(node, text)
        if thing is not MISSING:
            return self.is_safe_callee(thing, node)
        if isinstance(func, ast.Name):
            return text.defines(func.id)  # whose body is gone through with what is around it
        if isinstance(func, ast.Call):  # what is differentiated, is named there
            return _differentiates(text.thing(func.func))
        if not isinstance(func, ast.Attribute):
            return False
        if func.attr == "at" and is_ufunc(text.thing(func.value)):  # it writes into the first one
            self.writes = True
            return bool(node.args) and text.own.takes_in_place(node.args[0])
        if func.attr in MUTATORS:
            self.writes = True
            return text.own.takes(func)
        if func.attr in BEGINNING:  # of an object that there was, it would change that
            return text.begins and is_super(func.value)
        if any((k.arg or "out").startswith(("out", "overwrite")) for k in node.keywords):
            return False
        return self.add_methods(func.attr) or func.attr in _OF_VALUES

    def is_safe_reading(self, node: ast.Call, text: FunctionText) -> bool:
        """Tell the same of ``getattr``, which reads an attribute if its name is written."""
        name = node.args[1] if len(node.args) > 1 else None
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return False
        return self.is_safe(ast.Attribute(node.args[0], name.value, ast.Load()), text)

    def is_safe_callee(self, thing: Any, node: ast.Call) -> bool:
        thing = primal_of(thing)
        if isinstance(thing, types.FunctionType) and _is_users(thing):
            self.add(thing)
            return True
        if isinstance(thing, type) and issubclass(thing, BaseException):
            return True
        if plainly(thing, "__module__") == "builtins":
            return plainly(thing, "__name__", "") in _SAFE
        if isinstance(thing, type) and is_own(thing):
            return self.only_makes(thing)
        if thing is np.errstate or _differentiates(thing) or _is_plain_of_python(thing):
            return True
        if not is_ufunc(thing) and find_formula(thing) is None and not is_nondifferentiable(thing):
            return False
        if isinstance(thing, types.FunctionType) and is_own(thing):
            return True  # a user's function with a formula, or without a derivative
        does = effects_of(thing)
        if does.draws or does.keeps:
            return False
        return not writes_into_given(thing, node)


class FunctionText:
    """The parts of a function, with the functions in it, and what its names stand for.

    Args:
        function: the function.
        node: its syntax tree.
        plain: see ``OwnMemory``.
    """

    def __init__(self, function: types.FunctionType, node: Any, plain: bool) -> None:
        self.function = function
        self.parts = [*body_of(node)]
        self.parts += [part for value in _defaults(node) for part in nodes_of(value)]
        stores = [p.id for p in self.parts if isinstance(p, ast.Name) and _stores(p)]
        given = {p.arg for p in (*self.parts, *nodes_of(node.args)) if isinstance(p, ast.arg)}
        named = {p.name for p in self.parts if isinstance(p, ast.ExceptHandler) and p.name}
        functions = [p.name for p in self.parts if isinstance(p, ast.FunctionDef)]
        self.functions = {n for n in functions if functions.count(n) == 1} - {*stores, *given}
        self.given = given - {*stores}
        self.local = {*stores, *given, *named, *functions}
        self.tested = {id(p) for call in self.parts for p in _classes_in(call)}
        self.called = {id(p.func) for p in self.parts if isinstance(p, ast.Call)}
        self.owners = {id(p.value) for p in self.parts if isinstance(p, ast.Attribute)}
        first = node.args.args[0].arg if node.args.args else None
        self.first = None if first in {*stores, *named, *functions} else first
        self.begins = False
        self.own = OwnMemory(self.parts, self.thing, plain)
        self.own.discard(given | named)

    def begin_object(self) -> None:
        """Note that the function sets up an object that was made for it, its first parameter."""
        self.begins = True

    def is_begun(self, node: Any) -> bool:
        """Tell whether an expression is the object that the function sets up."""
        return self.begins and isinstance(node, ast.Name) and node.id == self.first

    def __iter__(self) -> Iterator[tuple[Any, FunctionText]]:
        return ((part, self) for part in self.parts)

    def defines(self, name: str) -> bool:
        """Tell whether a name stands for one function that is defined here, and nothing else."""
        return name in self.functions

    def thing(self, node: Any) -> Any:
        """Return what a name from outside, or an attribute of a module, stands for."""
        if isinstance(node, ast.Attribute):
            owner = self.thing(node.value)
            if not isinstance(owner, types.ModuleType):
                return MISSING
            return facts.attribute(owner, node.attr)
        if not isinstance(node, ast.Name) or node.id in self.local:
            return MISSING
        free = self.function.__code__.co_freevars
        if node.id in free and self.function.__closure__:
            return facts.read_name(self.function.__closure__[free.index(node.id)], node.id)
        return facts.read_name(self.function.__globals__, node.id)


def _differentiates(thing: Any) -> bool:
    """Whether something is a function of srcgrad's that gives a derivative of what it is given."""
    return home(thing) == "srcgrad" and plainly(thing, "__name__", "") in _DERIVATIVES


_DERIVATIVES = frozenset(
    ("grad", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "jacobian", "hessian", "hvp")
)


def _is_plain_of_python(thing: Any) -> bool:
    """Whether something of Python's library changes nothing that it is given."""
    module = plainly(thing, "__module__") or ""
    if not isinstance(module, str) or not callable(thing):
        return False
    names = _SAFE_NAMES.get(module.lstrip("_"), frozenset())
    return plainly(thing, "__name__", "") in names


def is_super(node: Any) -> bool:
    """Tell whether an expression is ``super()``."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Name) and func.id == "super"


_NEW, _INIT = vars(object)["__new__"], vars(object)["__init__"]
_SETATTR = vars(object)["__setattr__"]
BEGINNING = ("__init__", "__post_init__")  # methods that set up an object that was made for them
_MADE_BY = ("__new__", *BEGINNING)


def is_written(method: Any) -> bool:
    """Whether a method is one that dataclasses and named tuples write."""
    method = getattr(method, "__func__", method)
    if not isinstance(method, types.FunctionType):
        return False
    code = method.__code__
    given = method.__globals__.get("__name__") in ("dataclasses", "collections")  # __replace__
    return given or code.co_filename == "<string>" or code.co_name != method.__name__ == "__repr__"


def _stores(part: ast.Name) -> bool:
    return isinstance(part.ctx, ast.Store)


def _is_record(cls: type) -> bool:
    """Whether making an object of a class does nothing but hold what it is given."""
    form = form_of_class(cls)
    if isinstance(form, NamedTuple):
        return is_written(facts.in_class(cls, "__new__"))
    if form is None:
        return False
    setter = facts.in_class(cls, "__setattr__")
    if setter is not _SETATTR and not is_written(setter):
        return False
    fields = dataclasses.fields(cls)
    made = [field.default_factory for field in fields]
    plain = all(factory in (dataclasses.MISSING, list, dict, set) for factory in made)
    return plain and not any(hasattr(facts.in_class(cls, f.name), "__set__") for f in fields)


def _is_users(function: types.FunctionType) -> bool:
    registered = find_formula(function) is not None or is_nondifferentiable(function)
    return is_own(function) and not registered


def _classes_in(part: Any) -> list[Any]:
    """The names of classes in a call of ``isinstance``."""
    if not isinstance(part, ast.Call) or not isinstance(part.func, ast.Name):
        return []
    named = part.func.id in ("isinstance", "issubclass") and len(part.args) == 2
    return nodes_of(part.args[1]) if named else []


def _defaults(node: Any) -> list[Any]:
    return [*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)]
