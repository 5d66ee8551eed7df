"""Descriptions of what generated code relies on, which can be compared in another process.

A description is plain data: numbers, texts and tuples of such. Two things with equal
descriptions are the same to whoever generates code: constants of one type and value, functions
of one name whose code and whose files have one text, classes of one name, bases and file, what
libraries of one version have under one name. Whatever has no such description (an object, an
array, a generator of random numbers) is refused, and what relies on it is not kept.

Things that have an identity are numbered as they are met, so that two names that stand for one
list in one process stand for one in the other, too.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.library.libraries import module_of
from srcgrad.program.compiled_text import constants
from srcgrad.program.facts import is_fixed
from srcgrad.program.texts import lines_of

Described = tuple[Any, ...]


class Undescribed(Exception):
    """Something that no other process could compare, or that is another thing here."""


_AS_THEY_ARE = (bool, int, str, bytes, type(None), type(Ellipsis))
_CONTAINERS = (list, dict, set)
_NUMBERED = (*_CONTAINERS, types.FunctionType, types.CellType)
_OF_CLASSES = (types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType)
_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__"}
_texts: dict[str, tuple[list[str], str]] = {}


def digest(*parts: Any) -> str:
    """Return a short text that stands for some plain data."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()


class Descriptions:
    """Describes things, each with the number under which it was met first.

    Args:
        classes: the classes whose dicts are seen through views, by the identity of the view.
    """

    def __init__(self, classes: dict[int, type] | None = None) -> None:
        self.classes = {} if classes is None else classes
        self.known: dict[int, tuple[Any, Described]] = {}
        self.count = 0

    def of(self, thing: Any) -> Described:
        """Return the description of a thing.

        Raises:
            Undescribed: where it has none.
        """
        kind = type(thing)
        if kind in _AS_THEY_ARE:
            return kind.__name__, thing
        if kind is float:
            return "float", thing.hex()
        if kind is complex:
            return "complex", thing.real.hex(), thing.imag.hex()
        if kind is types.MappingProxyType:  # each look at the dict of a class makes one
            return "view", self.of(self.class_of(thing))
        found = self.known.get(id(thing))
        if found is None:
            made = self._of_object(thing, kind)
            if kind in _NUMBERED or isinstance(thing, type):
                self.count += 1
                made = *made, self.count
            found = self.known[id(thing)] = thing, made  # which keeps the identity its own
        return found[1]

    def class_of(self, view: Any) -> type:
        """Return the class whose dict a view is of."""
        if id(view) not in self.classes:
            raise Undescribed("a view")
        return self.classes[id(view)]

    def _of_object(self, thing: Any, kind: type) -> Described:
        rule = _RULES.get(kind)
        if rule is not None:
            return rule(self, thing)
        if kind in _CONTAINERS:
            return (kind.__name__,)
        if isinstance(thing, type):
            return self._class(thing)
        if isinstance(thing, enum.Enum) and kind.__members__.get(thing.name) is thing:
            return "member", self.of(kind), thing.name
        if isinstance(thing, np.dtype):
            return self._dtype(thing)
        if isinstance(thing, np.generic) and thing.dtype.kind in "fciub":
            return "scalar", thing.dtype.str, thing.tobytes()
        if dataclasses.is_dataclass(kind) and kind.__module__.partition(".")[0] == "srcgrad":
            parts = (self.of(getattr(thing, field.name)) for field in dataclasses.fields(kind))
            return "data", kind.__module__, kind.__qualname__, tuple(parts)
        module, name, version = name_of(thing)
        if not (is_installed(kind.__module__) and is_installed(module)):
            raise Undescribed(kind.__name__)
        return "named", module, name, version, kind.__qualname__

    def _dtype(self, thing: np.dtype[Any]) -> Described:
        if thing.kind not in "fciub" or thing.metadata is not None:
            raise Undescribed("a dtype")
        return "dtype", thing.str

    def _class(self, cls: type) -> Described:
        module, name, version = name_of(cls)
        if is_installed(module):
            return "class", module, name, version
        fields = getattr(cls, "__dataclass_fields__", {})
        file = getattr(sys.modules[module], "__file__", None)
        return (
            *("class", module, name, version, self.of(type(cls))),
            text_digest(file or "", vars(sys.modules[module])),
            tuple(self.of(base) for base in cls.__bases__),
            tuple(sorted(cls.__dict__)),
            tuple(map(self._field, fields.values())),
        )

    def _field(self, field: dataclasses.Field[Any]) -> Described:
        given = field.default is not dataclasses.MISSING
        made = field.default_factory is not dataclasses.MISSING
        return field.name, str(field.type), field.init, bool(field.kw_only), given, made


def _tuple(these: Descriptions, thing: tuple[Any, ...]) -> Described:
    return "tuple", tuple(map(these.of, thing))


def _frozenset(these: Descriptions, thing: frozenset[Any]) -> Described:
    if not all(type(part) in _AS_THEY_ARE for part in thing):
        raise Undescribed("frozenset")
    return "frozenset", tuple(sorted(map(these.of, thing), key=repr))


def _function(these: Descriptions, thing: types.FunctionType) -> Described:
    attributes = vars(thing)
    if any(name.startswith("__srcgrad") for name in attributes):
        raise Undescribed("what srcgrad made")
    code, module = thing.__code__, thing.__module__
    names = module, thing.__qualname__, thing.__globals__.get("__name__")
    if is_fixed(module_of(thing)):
        return "function", *names, version_of(module), code_digest(code)
    behind = attributes.get("__wrapped__")
    return (
        *("function", *names, version_of(module), code_digest(code)),
        text_digest(code.co_filename, thing.__globals__),
        these.of(thing.__defaults__),
        tuple((k, these.of(v)) for k, v in sorted((thing.__kwdefaults__ or {}).items())),
        len(thing.__closure__ or ()),
        tuple(sorted(attributes)),
        these.of(behind),
    )


def _method(these: Descriptions, thing: types.MethodType) -> Described:
    if not isinstance(thing.__self__, type | types.ModuleType):
        raise Undescribed("a method of an object")
    return "method", these.of(thing.__self__), these.of(thing.__func__)


def _wrapped(these: Descriptions, thing: Any) -> Described:
    return type(thing).__name__, these.of(thing.__func__)


def _property(these: Descriptions, thing: property) -> Described:
    return "property", *map(these.of, (thing.fget, thing.fset, thing.fdel))


def _partial(these: Descriptions, thing: functools.partial[Any]) -> Described:
    named = tuple((k, these.of(v)) for k, v in sorted(thing.keywords.items()))
    return "partial", these.of(thing.func), these.of(thing.args), named


def _module(these: Descriptions, thing: types.ModuleType) -> Described:
    if sys.modules.get(thing.__name__) is not thing:
        raise Undescribed("a module of another name")
    return "module", thing.__name__, version_of(thing.__name__)


def _code(these: Descriptions, thing: types.CodeType) -> Described:
    return "code", code_digest(thing)


def _cell(these: Descriptions, thing: types.CellType) -> Described:
    return ("cell",)


def _of_class(these: Descriptions, thing: Any) -> Described:
    if vars(thing.__objclass__).get(thing.__name__) is not thing:
        raise Undescribed("a descriptor")
    return "descriptor", these.of(thing.__objclass__), thing.__name__


def _range(these: Descriptions, thing: range) -> Described:
    return "range", thing.start, thing.stop, thing.step


_RULES: dict[type, Callable[[Descriptions, Any], Described]] = {
    tuple: _tuple,
    frozenset: _frozenset,
    types.FunctionType: _function,
    types.MethodType: _method,
    staticmethod: _wrapped,
    classmethod: _wrapped,
    property: _property,
    functools.partial: _partial,
    types.ModuleType: _module,
    types.CodeType: _code,
    types.CellType: _cell,
    range: _range,
    **dict.fromkeys(_OF_CLASSES, _of_class),
}


def is_installed(module: str) -> bool:
    """Tell whether a module is one of Python's, or of a library whose version tells all of it."""
    return is_fixed(module) or module.partition(".")[0] in _STANDARD


def name_of(thing: Any) -> tuple[str, str, str]:
    """Return the module of a thing, its name there, and the version of the library.

    Raises:
        Undescribed: where it is not found under such a name.
    """
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    for module in (getattr(thing, "__module__", None), "numpy", "scipy.special"):
        if isinstance(module, str) and isinstance(name, str):
            if found_at(module, name) is thing:
                return module, name, version_of(module)
    raise Undescribed(repr(type(thing)))


def found_at(module: str, name: str) -> Any:
    """Return what stands under a name in a module that is loaded; None where nothing does."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        held = getattr(found, "__dict__", {})
        found = held.get(part) if hasattr(held, "get") else None
    return found.__func__ if isinstance(found, staticmethod | classmethod) else found


def version_of(module: Any) -> str:
    """Return the version that the package of a module tells, or nothing."""
    if not isinstance(module, str):
        return ""
    package = sys.modules.get(module.partition(".")[0])
    version = vars(package).get("__version__") if package is not None else None
    return version if isinstance(version, str) else ""


def text_digest(filename: str, names: dict[str, Any]) -> str:
    """Return what stands for the text of a file; nothing where it has none."""
    lines = lines_of(filename, names)
    if not lines:
        return ""
    known = _texts.get(filename)
    if known is None or known[0] is not lines:
        known = _texts[filename] = lines, digest("".join(lines))
    return known[1]


def code_digest(code: types.CodeType) -> str:
    """Return what stands for the code of a function, its constants and places included."""
    return digest(
        *(code.co_name, code.co_qualname, code.co_filename, code.co_firstlineno, code.co_flags),
        *(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_code),
        *(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        *(code.co_linetable, code.co_exceptiontable, constants(code, code_digest)),
    )
