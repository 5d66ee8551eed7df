"""Arrays that mean something else by the same functions and operators.

``np.std`` of a pandas Series divides by one less than NumPy's, sums skip what is nan,
``*`` of matrices is a product of matrices, masked entries are left out. The formulas are
those of plain arrays, so none of these may meet a value that is being differentiated.
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
import types
import weakref
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from srcgrad.errors import ForeignArrayError, Spot
from srcgrad.library.libraries import home
from srcgrad.program.compiled_functions import python_of
from srcgrad.program.device_arrays import register
from srcgrad.program.namespaces import held_by

# Libraries whose arrays mean the same by the same functions
_SAME = frozenset({"numpy", "scipy", "cupy", "cupyx", "dask", "srcgrad", "builtins"})
# Libraries of arrays that mean something else, in at least some of their functions
_OTHER = frozenset(
    {"astropy", "awkward", "cudf", "geopandas", "jax", "jaxlib", "modin", "pandas", "pint"}
    | {"polars", "pyarrow", "pyspark", "sparse", "tensorflow", "torch", "unyt", "vaex", "xarray"}
)
_ARITHMETIC = frozenset(
    f"__{prefix}{name}__"
    for name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"]
    for prefix in ("", "r")
) | {"__neg__", "__abs__"}
_NUMBERS = (int, float, complex, np.generic)
_HOLDING = {"__main__", "types", "argparse", "collections"}  # with objects that hold others
_STANDARD = frozenset(sys.stdlib_module_names) - _HOLDING
_registered: set[type] = set()
_AnyClass = TypeVar("_AnyClass", bound=type)


@dataclass(frozen=True)
class Foreign:
    """What is known, when code is generated, of a value that is or may be a foreign array.

    Attributes:
        cls: the name of its class; empty where it is not known what it is.
        conversion: what makes a plain array of it.
    """

    cls: str
    conversion: str


UNSURE = Foreign("", "np.asarray(...)")


def means_the_same(cls: _AnyClass) -> _AnyClass:
    """Declare that the arrays of a class mean what NumPy's do by the same functions."""
    _registered.add(cls)
    register(cls)
    conversion_of_class.cache_clear()
    return cls


def foreign(value: Any) -> str | None:
    """Return how a plain array is made of a value, None where it is no foreign array.

    Args:
        value: any object.

    Returns:
        The conversion to write, such as ``.to_numpy()`` or ``np.asarray(...)``.

    Example:
        >>> import numpy as np
        >>> foreign(np.ones(3)), foreign(np.ma.ones(3))
        (None, '.filled(...)')
    """
    return conversion_of_class(type(value))


@functools.lru_cache(maxsize=4096)
def conversion_of_class(cls: type) -> str | None:
    """Return how plain arrays are made of those of a class, None for any other class."""
    if cls in _registered or cls is np.ndarray or cls is np.memmap:
        return None
    if issubclass(cls, np.ma.MaskedArray):
        return ".filled(...)"
    if issubclass(cls, np.ndarray):
        return "np.asarray(...)"
    bases = cls.__mro__
    if issubclass(cls, _NUMBERS):
        return _conversion_of_number(cls)
    if any(home(base) in _OTHER for base in bases):
        return _conversion_of_container(cls)
    if home(cls) in _SAME:
        return None
    protocols = ("__array_ufunc__", "__array_function__")
    if any(callable(getattr(cls, name, None)) for name in protocols):
        return _conversion_of_container(cls)
    return None


def _conversion_of_number(cls: type) -> str | None:
    """The same for a class of numbers: one that has operators of its own is foreign."""
    for base in cls.__mro__:
        if home(base) in _SAME:
            return None
        if not _ARITHMETIC.isdisjoint(vars(base)):
            return "complex(...)" if issubclass(cls, complex) else "float(...)"
    return None


def _conversion_of_container(cls: type) -> str:
    for method in ("to_numpy", "todense"):
        if callable(getattr(cls, method, None)):
            return f".{method}()"
    return "np.asarray(...)"


_FIXED = (*_NUMBERS, str, bytes, type, types.ModuleType, types.FunctionType, type(None))
_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None), np.float64, range})


def is_of_other(module: str) -> bool:
    """Tell whether a module is one of a library whose arrays mean something else."""
    return module.partition(".")[0] in _OTHER


def mark_of(value: Any) -> Foreign | None:
    """Return what to note of a value: that it is foreign, or that it holds such arrays."""
    conversion = foreign(value)
    if conversion is not None:
        return Foreign(type(value).__name__, conversion)
    return UNSURE if holds_foreign(value) else None


def holds_foreign(value: Any) -> bool:
    """Tell whether an array of a foreign class is in a value, at any depth.

    It is asked at each call: what is equally deep, and of one class, is looked at together.
    """
    seen: dict[int, Any] = {}  # holds what was looked into, so that nothing else has its identity
    level = [value]
    while level:
        below: list[Any] = []
        for cls, several in _by_class(level):
            if conversion_of_class(cls) is not None:
                return True
            if issubclass(cls, np.ndarray):
                if any(dtype.kind == "O" for dtype in set(map(_dtype, several))):
                    below += (array.tolist() for array in several if array.dtype.kind == "O")
            elif not issubclass(cls, _FIXED):
                new = dict(zip(map(id, several), several, strict=True))
                fresh = [new[key] for key in new.keys() - seen.keys()] if seen else new.values()
                seen |= new
                parts = fresh if cls in _SEQUENCES else _parts(cls, fresh)
                below += itertools.chain.from_iterable(parts)
        level = below
    return False


_dtype = operator.attrgetter("dtype")


def _by_class(several: list[Any]) -> Iterable[tuple[type, list[Any]]]:
    """Values of one class each, but for those through which nothing is reached."""
    kinds = set(map(type, several))
    if len(kinds) == 1:
        groups = {kinds.pop(): several}
    else:
        groups = {cls: [] for cls in kinds - _PLAIN}
        for value in several:
            if type(value) in groups:
                groups[type(value)].append(value)
    return [g for g in groups.items() if g[0] not in _PLAIN and g[0] not in weakref.ProxyTypes]


def _parts(cls: type, several: Iterable[Any]) -> Iterator[Iterable[Any]]:
    """What values of one class hold."""
    for value in several:
        if cls not in _CONTAINERS and python_of(value) is not value:
            continue
        if issubclass(cls, dict):
            yield value
            yield value.values()
        elif issubclass(cls, list | tuple | set | frozenset | deque):
            yield value
        if cls not in _CONTAINERS:
            yield _attributes(value)


_SEQUENCES = frozenset({list, tuple, set, frozenset})
_CONTAINERS = _SEQUENCES | {dict}


def may_hold_others(value: Any) -> bool:
    """Tell whether a value is of a kind that has others in it, which may be replaced."""
    if isinstance(value, list | tuple | dict | set | frozenset | deque):
        return True
    return not isinstance(value, _FIXED) and home(type(value)) not in _SAME | _STANDARD


def _attributes(value: Any) -> list[Any]:
    """What an object of the user's holds in its attributes and slots."""
    if home(type(value)) in _SAME | _STANDARD:
        return []
    found = list(held_by(value).values())
    for cls in type(value).__mro__:
        slots = vars(cls).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            member = vars(cls).get(name)
            if isinstance(member, types.MemberDescriptorType) and hasattr(value, name):
                found.append(getattr(value, name))
    return found


def refusal(
    name: str, found: Foreign, spots: list[Spot] | None = None, role: str = ""
) -> ForeignArrayError:
    """Return the error for a foreign array that meets a differentiated value.

    Args:
        name: its text in the program; empty where it has none.
        found: what it is.
        spots: where it meets one.
        role: what it is there, where it has no text: "an operand of mul".
    """
    method = found.conversion.startswith(".")
    written = name + found.conversion if method else found.conversion.replace("...", name or "...")
    return ForeignArrayError(
        f"{repr(name) if name else role} is a {found.cls}, and no plain array",
        spots=spots or [],
        why=_other_meaning(found.cls),
        fixes=[f"convert it: {written}"],
    )


def _other_meaning(cls: str) -> str:
    return (
        f"Functions and operators may mean something else for a {cls} than for an array of "
        "NumPy's, whose derivatives are known."
    )


def makes_foreign(cls: type) -> bool:
    """Tell whether a class is one of foreign arrays: others of such a library are not refused."""
    return hasattr(cls, "__array__") and conversion_of_class(cls) is not None


def holding(cls: type) -> ForeignArrayError:
    """Return the error for a foreign array that is made of a differentiated value."""
    return ForeignArrayError(
        f"a {cls.__name__} is made of a value that is differentiated",
        why=_other_meaning(cls.__name__),
        fixes=["compute with arrays of NumPy's", "take stop_gradient(...) of the value"],
    )


def require_plain(
    value: Any, name: str = "", spots: list[Spot] | None = None, role: str = ""
) -> None:
    """Refuse a foreign array where it meets a differentiated value; see ``refusal``."""
    conversion = conversion_of_class(type(value))
    if conversion is not None:
        raise refusal(name, Foreign(type(value).__name__, conversion), spots, role)
