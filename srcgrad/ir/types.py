"""What is known about a value when code is generated.

A ``Type`` describes one array, number, list or opaque object: its kind, its
shape as far as it is known, whether its elements are real, complex, integer or
boolean, and whether it is active (depends on an argument that is being
differentiated). Unknown is always correct, only less pretty.

Shapes come in three degrees of knowledge:

- a tuple, when the number of dimensions is known; each of its entries is an
  ``int`` (that length), a ``str`` (some length other than 1; equal names are
  equal lengths) or ``None`` (any length);
- a ``str``, when it is only known which other values have the same shape;
- ``None``, when nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, dataclass_transform

from srcgrad.program.foreign import UNSURE, Foreign

Dim = int | str | None
Shape = tuple[Dim, ...] | str | None
Kind = Literal["array", "scalar", "numeric", "shape", "list", "slice", "opaque"]
C = TypeVar("C", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(*, eq: bool = True) -> Callable[[C], C]:
    """Make a class a dataclass whose attributes nobody changes.

    The type checkers see to that. Python would do so too, and make each node, of which there
    are thousands, in three times the time.
    """
    return dataclass(eq=eq, unsafe_hash=eq, slots=True)


@node()
class Type:
    """The static description of a value.

    Attributes:
        kind: ``array`` (an n-dimensional array), ``scalar`` (a Python or NumPy
            number), ``numeric`` (one of these two), ``shape`` (the shape tuple
            of an array), ``list`` (a Python list), ``record`` (a tuple that may
            contain its own kind), ``slice`` (a slice object), ``opaque`` (anything
            else).
        shape: the shape of an array; ``()`` for a scalar; for a list, its length.
        dtype: ``f`` real, ``c`` complex, ``i`` integer, ``b`` boolean, ``?`` for what
            is not known; such a value counts as not complex.
        active: whether it depends on a differentiated argument.
        element: for a list, the nested tuple of ``Type`` of one element, or
            None while the list is empty; for a sparse matrix ``SPARSE``; for a
            number that may be None ``OPTIONAL``; for what may be a list or tuple in
            the place of an array ``SEQUENCE``; for a generator of
            random numbers ``GENERATOR``; for an iterator, or a list that is not taken
            apart, its ``Contents``; for what is, or may be, an array that means something
            else a ``Foreign``.
    """

    kind: Kind
    shape: Shape = None
    dtype: str = "?"
    active: bool = False
    element: Any = None

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, or None when it is unknown."""
        return len(self.shape) if isinstance(self.shape, tuple) else None

    @property
    def is_scalar(self) -> bool:
        """Whether the value is known to have no dimensions."""
        return self.shape == () and self.kind in ("scalar", "array", "numeric")

    @property
    def is_immutable(self) -> bool:
        """Whether it is a number, which nothing can be written into."""
        return self.kind == "scalar"

    @property
    def is_number(self) -> bool:
        """Whether the value is an array or a number."""
        return self.kind in ("array", "scalar", "numeric")

    def with_active(self, active: bool) -> Type:
        """Return this type with another activity."""
        if self.active == active:
            return self
        return Type(self.kind, self.shape, self.dtype, active, self.element)


@node()
class Contents:
    """What an opaque iterator gives, or an opaque list or tuple holds.

    Attributes:
        element: the ``Type`` of an element, or a tuple of those of its parts.
        parts: the types of the elements by their places, for rows of one length.
        keys: for dicts, the keys in the place of the places.
        is_list: whether it is certainly a list, with which arrays are indexed as with an array.
        alike: for the axes of the parts, one after the other, the first one that is as long.
    """

    element: Any
    parts: tuple[Type, ...] | None = None
    keys: tuple[Any, ...] | None = None
    is_list: bool = False
    alike: tuple[int, ...] = ()

    def array(self) -> Type | None:
        """Return the type of the array that NumPy makes of such a list; None if not known."""
        row = self.element
        if isinstance(row, Type) and isinstance(row.element, Contents):
            row = row.element.array()
        if row == UNKNOWN and self.parts:
            row = _common(self.parts)
        if self.keys is not None or not isinstance(row, Type) or not isinstance(row.shape, tuple):
            return None
        count = None if self.parts is None else len(self.parts)
        return Type("array", (count, *row.shape), row.dtype) if row.is_number else None


def _common(parts: tuple[Type, ...]) -> Type | None:
    """The type of the elements that an array of these has: numbers, or rows of one rank."""
    kinds = {part.dtype for part in parts}
    ranks = {part.ndim if part.is_number else None for part in parts}
    rank = ranks.pop()
    if rank is None or ranks or not kinds <= {"f", "i"}:
        return None
    return Type("numeric", (None,) * rank, "f" if "f" in kinds else "i")


SPARSE = "sparse"  # what a type has as its element that is not of an array
OPTIONAL = "optional"  # the same for what is None on some ways
SEQUENCE = "sequence"  # and for what may be a list or tuple of numbers
GENERATOR = "generator"  # and for what draws random numbers
_COMMUNICATOR = "communicator"  # and for what sends messages to other ranks
_FLOAT_LIMITS = "limits"  # and for what np.finfo gives

OPAQUE = Type("opaque")
COMMUNICATOR = Type("opaque", element=_COMMUNICATOR)
FLOAT_LIMITS = Type("opaque", element=_FLOAT_LIMITS)
NOTHING = Type("opaque", element=OPTIONAL)  # None
UNKNOWN = Type("numeric", None, "?")
ELEMENT = Type("numeric", None, "?", element=SEQUENCE)  # of a list of which nothing is known
REAL = Type("scalar", (), "f")
INTEGER = Type("scalar", (), "i")
BOOLEAN = Type("scalar", (), "b")


def marked(type_: Any, mark: Foreign) -> Any:
    """Return a type, or a structure of types, of values that are or may be foreign arrays."""
    if isinstance(type_, tuple):
        return like(type_, (marked(part, mark) for part in type_))
    if type_.kind == "list" and type_.element is not None:
        return replace(type_, element=marked(type_.element, mark))
    if type_.kind in ("array", "numeric"):
        return Type("numeric", None, "?", element=mark)
    return replace(type_, element=mark) if type_.kind == "opaque" else type_


def unmarked(type_: Type) -> Type:
    """Return a type of values of which it is not asked whether they are foreign arrays."""
    return replace(type_, element=None) if isinstance(type_.element, Foreign) else type_


def mark_in(type_: Any) -> Foreign | None:
    """Return the mark of a foreign array in a type, or in the elements of a list."""
    if isinstance(type_, Type):
        found = type_.element
        return mark_in(found) if type_.kind == "list" else found if type(found) is Foreign else None
    return next(filter(None, map(mark_in, type_)), None) if isinstance(type_, tuple) else None


def join(a: Type, b: Type) -> Type:
    """Return what is known of a value that is either of two."""
    if a == b:
        return a
    for mark in (a.element, b.element):
        if isinstance(mark, Foreign):
            return marked(
                join(unmarked(a), unmarked(b)), mark if a.element == b.element else UNSURE
            )
    active = a.active or b.active
    if a.kind == "list" and b.kind == "list":
        return Type("list", active=active, element=join_elements(a.element, b.element))
    for nothing, other in ((a, b), (b, a)):
        if nothing == NOTHING and other.is_number and other.element in (None, OPTIONAL):
            return replace(other, element=OPTIONAL)
    if not (a.is_number and b.is_number):
        return Type("opaque", active=active)
    # what is computed of an array without dimensions is a number
    alike = a.kind == b.kind and (a.shape == b.shape or () not in (a.shape, b.shape))
    kind = a.kind if alike else "numeric"
    dtype = a.dtype if a.dtype == b.dtype else _join_dtype(a.dtype, b.dtype)
    marks = (a.element, b.element)
    mark = next((mark for mark in (SPARSE, OPTIONAL, SEQUENCE) if mark in marks), None)
    if a.element == b.element and isinstance(a.element, Contents):  # of ranges
        mark = a.element
    return Type(kind, _join_shape(a.shape, b.shape), dtype, active, mark)


class Parts(tuple):  # noqa: SLOT001 - a tuple can have no slots
    """The types of the parts of a structure: a tuple that knows its form.

    Attributes:
        form: that of an object or a dict; the class ``list`` for a list of known length.
    """

    form: Any

    @classmethod
    def of(cls, form: Any, parts: Iterable[Any]) -> Parts:
        """Return the parts of a structure of a form."""
        made = cls(parts)
        made.form = form
        return made

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Parts) and other.form == self.form
        return same and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.form, tuple(self)))


def like(template: Any, parts: Iterable[Any]) -> Any:
    """Return other parts in the structure of a template."""
    return Parts.of(template.form, parts) if isinstance(template, Parts) else tuple(parts)


def join_elements(a: Any, b: Any) -> Any:
    """Join two element templates of lists; None is an empty list's."""
    if a is None or b is None:
        return b if a is None else a
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b) or getattr(a, "form", None) != getattr(b, "form", None):
            raise ValueError("list elements of different structure")
        return like(a, [join_elements(p, q) for p, q in zip(a, b, strict=True)])
    if isinstance(a, tuple) or isinstance(b, tuple):
        raise ValueError("list elements of different structure")
    return join(a, b)


def _join_shape(a: Shape, b: Shape) -> Shape:
    if a == b:
        return a
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(p if p == q else None for p, q in zip(a, b, strict=True))
    return None


def _join_dtype(a: str, b: str) -> str:
    order = "bifc"
    if a in order and b in order:
        return max(a, b, key=order.index)
    return "?"


def bar_type_of(type_: Type) -> Type:
    """The type of the cotangent of a value of some type."""
    if type_.kind == "list":
        flat = tuple(bar_type_of(t) if t.active else None for t in flat_types(type_.element))
        return Type("list", active=True, element=flat)
    return Type(type_.kind, type_.shape, type_.dtype if type_.dtype in "fc" else "f", True)


def flat_types(element: Any) -> list[Type]:
    """The types of the leaves of a list's elements, in order."""
    if isinstance(element, tuple):
        return [leaf for part in element for leaf in flat_types(part)]
    return [element] if element is not None else []
