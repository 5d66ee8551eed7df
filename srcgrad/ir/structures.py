"""Values that are put together from others: what counts as one, and how it is taken apart."""

from __future__ import annotations

import dataclasses
import enum
import re
import types
import weakref
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np

from srcgrad.ir.forms import (
    Dataclass,
    Form,
    NamedTuple,
    Object,
    Registered,
    Skeleton,
    dict_form,
    has_dict,
    is_plain_dataclass,
)
from srcgrad.library.attributes import plainly
from srcgrad.library.libraries import ARRAYS, home, is_stand_in
from srcgrad.program import containers, facts
from srcgrad.program.foreign import foreign
from srcgrad.program.registered import TREES

_NO_OBJECTS = (
    *(str, bytes, int, float, complex, enum.Enum),
    *(np.generic, np.ndarray, type, types.ModuleType),
)


def name_for(key: Any, otherwise: str) -> str:
    """The name of a variable for what stands under a key or in an attribute."""
    name = re.sub(r"\W+", "_", str(key)).strip("_") or "part"
    return name if name.isidentifier() else f"{otherwise}_{name}"


def register_tree(
    cls: type, flatten: Callable[[Any], tuple[Any, Any]], unflatten: Callable[[Any, Any], Any]
) -> type:
    """Let the values of a class be taken apart into what is differentiated and the rest.

    Args:
        cls: the class.
        flatten: gives ``(children, aux)`` of a value: its parts, which may be arrays,
            numbers, or trees themselves, and whatever else makes up the value, which
            must be a constant that can be compared.
        unflatten: called with ``(aux, children)``; makes a value.

    Returns:
        The class.

    Example:
        >>> import numpy as np
        >>> from srcgrad import grad, register_tree
        >>> class Line:
        ...     def __init__(self, slope, offset):
        ...         self.slope, self.offset = slope, offset
        >>> _ = register_tree(
        ...     Line, lambda t: ((t.slope, t.offset), None), lambda aux, parts: Line(*parts)
        ... )
        >>> float(grad(lambda line, x: line.slope * x + line.offset)(Line(2.0, 1.0), 3.0).slope)
        3.0
    """
    TREES[cls] = (flatten, unflatten)
    return cls


def form_of_class(cls: Any) -> Form | None:
    """The form of the values of a class, where all have the same."""
    if not isinstance(cls, type):
        return None
    fields: Any = getattr(cls, "_fields", None)
    if issubclass(cls, tuple) and fields is not None:
        new = getattr(facts.in_class(cls, "__new__"), "__func__", None)
        written = isinstance(new, types.FunctionType) and facts.code(new).co_filename == "<string>"
        plain = written and facts.in_class(cls, "__init__") is object.__init__
        return NamedTuple(cls, tuple(fields)) if plain else None
    if dataclasses.is_dataclass(cls) and is_plain_dataclass(cls):
        return Dataclass(cls, tuple(f.name for f in dataclasses.fields(cls)))
    return None


def holds_complex(value: Any, depth: int = 3) -> bool:
    """Whether a complex number or array is in nested lists, tuples and dicts."""
    if type(value) in weakref.ProxyTypes:
        return False
    if isinstance(value, complex) or getattr(plainly(value, "dtype"), "kind", "") == "c":
        return True
    if depth and isinstance(value, containers.CONTAINERS):
        return any(holds_complex(part, depth - 1) for part in containers.parts(value))
    return False


def is_written(key: Any) -> bool:
    """Whether a key of a dict can be written in source, and means the same there."""
    if type(key) is tuple:
        return all(map(is_written, key))
    return type(key) in (str, int, bool, type(None)) or (type(key) is float and isfinite(key))


def form_of(value: Any) -> Form | None:
    """The form of a value that holds others by name; None for any other value."""
    cls = type(value)
    if cls in weakref.ProxyTypes:
        return None  # it answers for another object, which may be gone
    if cls in TREES:
        children, aux = TREES[cls][0](value)
        held = vars(value) if hasattr(value, "__dict__") else {}
        names = {id(part): name for name, part in held.items()}
        attributes = tuple(names.get(id(child)) for child in children)
        return Registered(cls, tuple(range(len(children))), aux, attributes, tuple(held))
    if cls is dict:
        return dict_form(list(value)) if all(map(is_written, value)) else None
    if foreign(value) is not None:
        return None
    form = form_of_class(cls)
    if isinstance(form, NamedTuple) and has_dict(cls) and vars(value):
        return None  # an attribute of its own may stand for one of the class
    if isinstance(form, Dataclass) and has_dict(cls) and vars(value).keys() != set(form.names):
        return Object(cls, tuple(vars(value)))
    if form is not None:
        return form
    if isinstance(value, _NO_OBJECTS) or not hasattr(value, "__dict__"):
        return None
    if is_foreign(cls) or containers.maker(cls) is not object.__new__:
        return None
    return Object(cls, tuple(vars(value)))


def is_object(value: Any) -> bool:
    """Whether a value is an object of the user's, or a list, tuple or dict that holds some."""
    if type(value) in (list, tuple):
        return any(callable(part) or is_object(part) for part in value[:64])
    if type(value) is dict:
        return any(callable(part) or is_object(part) for part in list(value.values())[:64])
    return form_of(value) is not None


def leaves_of(value: Any, seen: dict[int, Any] | None = None) -> list[Any]:
    """Return all that a tree holds, from the outside in.

    Args:
        value: the tree.
        seen: what was taken apart already, by its identity: one that stands in several places,
            or in itself, is taken apart once.
    """
    form = None if type(value) in (list, tuple) else form_of(value)
    if form is None and type(value) not in (list, tuple):
        return [value]
    seen = {} if seen is None else seen
    if id(value) in seen:
        return []
    seen[id(value)] = value
    parts = value if form is None else form.parts(value)
    return [leaf for part in parts for leaf in leaves_of(part, seen)]


def skeleton_of(value: Any) -> Skeleton:
    """The structure of a value; its live leaves are what can be differentiated."""
    if type(value) is np.ndarray:
        return Skeleton(None, live=value.dtype.kind in "fc")
    form = type(value) if type(value) in (list, tuple) else form_of(value)
    if form is None:
        kind = getattr(plainly(value, "dtype"), "kind", "")
        return Skeleton(None, live=isinstance(value, float | complex) or kind in tuple("fc"))
    parts = (
        value if isinstance(value, list | tuple) and form in (list, tuple) else form.parts(value)
    )
    return Skeleton(form, [skeleton_of(part) for part in parts])


def is_foreign(cls: type) -> bool:
    """Whether a class is one of the language, of a library, or of arrays, not of the user's."""
    foreign = {"builtins", *ARRAYS, "functools", "logging", "srcgrad", "dask"}
    own = isinstance(cls.__init__, types.FunctionType) or cls.__init__ is object.__init__
    is_array = hasattr(cls, "__array_function__")  # whatever follows NumPy's protocols
    is_others = home(cls) in foreign and not is_stand_in(cls)
    return is_others or not own or is_array or issubclass(cls, BaseException)
