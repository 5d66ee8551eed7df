"""Calls on tiny arrays, in the place of what is not known when code is generated."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Const, Items, Slice
from srcgrad.ir.types import Dim, Type

# The one ascending, the other one descending: the shorter of two lengths is neither of them. No
# two have the same difference in both: what is as long as they differ by has no fixed length.
# None divides another one of its row, and the product of the first five is small.
_LENGTHS = ((5, 7, 17, 23, 29, 37, 41, 43), (23, 17, 13, 11, 9, 7, 5, 4))
DIVISIBLE = ((12, 24), (60, 120))  # by the numbers of parts into which arrays are cut
DTYPES = {"f": np.float64, "c": np.complex128, "i": np.int64, "b": np.bool_}


@dataclass(frozen=True)
class Count:
    """An integer that is known to be a length."""

    length: Dim


class Unknown(Exception):
    """Raised where there is no example of a value."""


class TooLarge(Exception):
    """Raised where examples, or what is made of them, would take much time or memory."""


LARGEST = 1_000_000  # entries of an example
_OUTER = {np.outer, np.linalg.outer, np.kron, np.dot, np.inner, np.tensordot, np.linalg.tensordot}


@dataclass
class Trial:
    """How examples of what is not known are chosen."""

    sample: int  # 0 or 1; what differs between the two is not known of a result
    distinct: bool = True  # whether each length that has a name is another number
    alike: bool = False  # whether lengths that are numbers are as the others, but for 1
    # the length that differs from the others where these are alike, by its place
    odd: int | None = None
    whole: tuple[int, ...] = ()  # whole numbers for those that are not known, one after the other
    names: list[str] = field(default_factory=list)  # the names of the lengths that have been met
    met: int = 0

    def length(self, dim: Dim) -> int:
        """An example of a length."""
        if isinstance(dim, int) and (dim == 1 or not self.alike):
            return dim
        name = str(dim) if dim is not None else f"#{len(self.names)}"
        if name not in self.names:
            self.names.append(name)
        place = self.names.index(name)
        if not self.distinct:
            return 4 + self.sample + 3 * (place == self.odd)
        if place >= len(_LENGTHS[0]):
            raise Unknown
        return _LENGTHS[self.sample][place]

    def example(self, type_: Type | Count) -> Any:
        """An example of an array or number."""
        if isinstance(type_, Count):
            return self.length(type_.length)
        if is_whole(type_):
            self.met += 1
            return self.whole[(self.met - 1) % len(self.whole)] if self.whole else 1 + self.sample
        return _example(type_, self.length, self.sample)

    def table(self, other: Trial) -> dict[tuple[int, int], str | None]:
        """The lengths that have names, by their examples in this trial and in another one."""
        if not self.distinct:
            return {}
        clean = (None if name.startswith("#") else name for name in self.names)
        return {
            (_LENGTHS[self.sample][k], _LENGTHS[other.sample][k]): name
            for k, name in enumerate(clean)
        }


def is_whole(type_: Type) -> bool:
    """Whether a value is a whole number: an axis, or a number of parts or of repetitions."""
    return type_.is_scalar and type_.kind != "array" and type_.dtype == "i"


def of_some_rank(type_: Type | Count, size: int, rank: int, trial: Trial) -> Any:
    """An example of an array or number, of some rank where that is not known."""
    if isinstance(type_, Count):
        return type_.length if isinstance(type_.length, int) else size
    if is_whole(type_):
        return trial.example(type_)
    known = type_.shape if isinstance(type_.shape, tuple) else (None,) * rank
    shape = tuple(n if isinstance(n, int) else size for n in known)
    return _example(replace(type_, shape=shape), lambda n: n, trial.sample)


def call(fn: Any, args: Any, options: Any, example: Callable[[Any], Any]) -> Any:
    """Call a function with examples in the place of what is not known."""

    def make(value: Any) -> Any:
        if isinstance(value, Const):
            return value.value
        if isinstance(value, Items):
            made = [make(item) for item in value.items]
            return made if value.is_list else tuple(made)
        if isinstance(value, Slice):
            return slice(make(value.lower), make(value.upper), make(value.step))
        return example(value)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        made = [make(a) for a in args]
        sizes = [x.size for x in made if isinstance(x, np.ndarray)]
        if _multiplies_lengths(fn) and math.prod(sizes) > LARGEST:
            raise TooLarge
        return fn(*made, **{k: make(v) for k, v in options})


def _multiplies_lengths(fn: Any) -> bool:
    """Whether a result may have as many entries as all operands have, multiplied."""
    return fn in _OUTER or getattr(fn, "__name__", "") == "outer"


def types_in(parts: Any) -> Iterator[Type]:
    """The types of the operands in a question."""
    if isinstance(parts, Type):
        yield parts
    elif isinstance(parts, tuple | list):
        for part in parts:
            yield from types_in(part)
    elif isinstance(parts, Items):
        yield from types_in(parts.items)
    elif isinstance(parts, Slice):
        yield from types_in((parts.lower, parts.upper, parts.step))


def _example(type_: Type, length: Callable[[Any], int], sample: int) -> Any:
    """An array or number of a type; complex ones are not real by accident."""
    if not isinstance(type_.shape, tuple):
        raise Unknown
    sizes = tuple(length(dim) for dim in type_.shape)
    if math.prod(sizes) > LARGEST:
        raise TooLarge
    if type_.kind == "shape":
        return sizes
    if not type_.is_number:
        raise Unknown
    dtype = DTYPES.get(type_.dtype, np.float64)
    if not sizes and type_.kind != "array":
        return {"b": bool(sample), "c": 1j}.get(type_.dtype, 0.5)
    if type_.dtype == "b":
        return np.full(sizes, bool(sample))
    if type_.dtype == "i":
        return np.full(sizes, sample)
    made = np.ones(sizes, dtype)
    if len(sizes) >= 2 and sizes[-1] == sizes[-2]:
        made = made + np.eye(sizes[-1]) * 3
        if type_.dtype == "c":  # Hermitian, and positive definite
            return made + 0.05j * (np.triu(made) - np.tril(made))
    return made + 0.5j * (np.arange(made.size).reshape(sizes) + 1) if type_.dtype == "c" else made
