"""The names of lengths of axes: which of them are equal, and what was assumed of them."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from srcgrad.analysis.shapes.linear import (
    is_name,
    may_be_negative,
    terms_of,
    weighted_sum,
    written,
)
from srcgrad.ir.nodes import Const, Slice, Value, Var
from srcgrad.ir.types import Dim, Shape, Type

Extent = int | str | tuple[Var, int]


class Lengths:
    """Names of lengths, which of them are equal, and what was assumed of them.

    A named length is some length other than 1. Elementwise operations force two
    such lengths to be equal; that is noted here. Those that may not be carried out, such as
    in an arm of a branch, force nothing: there the numbers of the call at hand tell it, and
    become part of the guard. ``x.0`` is the length of the first
    axis of the parameter ``x``, ``n~0.value`` the whole number that the parameter ``n`` is.
    Others are linear expressions in these (``linear.py``): ``x.0-2`` is two less than
    ``x.0``, or 0 where that is less. ``#3`` is the length 3 of a slice, such as ``x[:3]`` of
    an ``x`` that is long enough. Quotients and products have names of their own.

    A question that the expressions do not answer is answered by the numbers of the call at
    hand, and the answer becomes part of the guard.
    """

    def __init__(self) -> None:
        self._parent: dict[str, Dim] = {}
        self.assumed: set[str] = set()  # lengths that were assumed not to be 1
        # pairs of lengths that were assumed to be equal
        self.required: set[tuple[str, str]] = set()
        self.nonnegative: set[str] = set()  # expressions that were assumed not to be less than 0
        # how long axes must be at least, by the names of their lengths
        self.least: dict[str, int] = {}
        self.exact: dict[str, int] = {}  # how long axes must be, by the names of their lengths
        # the lengths, and the whole numbers, of the arguments at the call that code is generated
        # for
        self.observed: dict[str, int] = {}
        self.values: dict[Var, Dim] = {}  # integers that are known to be a length, or a sum of some
        self.below_zero: dict[Var, int] = {}  # indices that count from the end, and are no lengths
        # integers in loops: sums of lengths and of how far loops over ranges are
        self.counted: dict[Var, str | int] = {}
        # the least and the largest value of what these loops count, by its name
        self.bounds: dict[str, tuple[str | int, str | int]] = {}
        self.asked: set[Var] = set()  # those of them of which that was asked
        # quotients and products: what they are made of, by their names
        self.made: dict[str, tuple[str, str, str | int]] = {}
        # for values whose lengths have no names, others that have the same shape
        self.models: dict[Var, Var] = {}
        # for axes whose lengths have no names, others that are as long
        self.axes: dict[tuple[Var, int], Extent] = {}
        # by an axis and how it was cut, the first axis that is as long as that part
        self.cuts: dict[Any, tuple[Var, int]] = {}
        # for lists whose elements differ in their lengths, for each axis of a leaf of an element
        # the first axis that is as long in each of them
        self.columns: dict[Var, dict[tuple[int, int], tuple[int, int]]] = {}
        # for lists whose elements are known, the leaves of each element
        self.rows: dict[Var, Sequence[Sequence[Value]]] = {}
        # numbers that modules hold, and that are never others, such as ``np.pi``
        self.fixed: dict[Var, int | float] = {}
        # for masks and whole numbers, the first that was computed in the same way; for a whole
        # number that is the length of an axis, the first axis that is as long
        self.masks: dict[Var, Any] = {}
        self._firsts: dict[Any, Var] = {}
        # whether what has no axes is an array as well, into which can be written, and which may be
        # a view: so it is with CuPy's arrays, but not with NumPy's
        self.only_arrays = False
        # how many branches and loops are around the code that is being lowered, which may not be
        # carried out; 1 more where no code is
        self.perhaps = 1
        self.answers = 0  # counts what was read from the call at hand, or noted to be relied on
        self._count = 0
        self._outer: dict[tuple[int, str], int] = {}

    @contextlib.contextmanager
    def certain(self, change: int = -1) -> Iterator[None]:
        """Take the code that is lowered now as code that is carried out."""
        self.perhaps += change
        try:
            yield
        finally:
            self.perhaps -= change

    def uncertain(self) -> contextlib.AbstractContextManager[None]:
        """Take the code that is lowered now as code that may not be carried out."""
        return self.certain(1)

    def find(self, length: Dim) -> Dim:
        """Return the representative of a length."""
        while isinstance(length, str):
            if length in self._parent:
                length = self._parent[length]
                continue
            if length.startswith("#"):
                return int(length[1:])
            if is_name(length):
                break
            terms, constant = terms_of(length)
            found = [(self.find(name), factor) for name, factor in terms]
            if all(f == name for (f, _), (name, _) in zip(found, terms, strict=True)):
                break
            parts = [(part, factor) for part, factor in found if part is not None]
            if len(parts) < len(found):
                return None
            total = weighted_sum([*parts, (constant, 1)])
            whole = any(name.endswith(".value") for name, _ in terms)
            length = max(total, 0) if isinstance(total, int) and not whole else total
        return length

    def shorter(self, length: Dim, less: int) -> Dim:
        """Return the length of an axis without some of its elements."""
        length = self.find(length)
        if isinstance(length, int):
            return max(length - less, 0)
        if length is None or less == 0:
            return length
        made = weighted_sum([(length, 1), (-less, 1)])
        return self._one(made) if self.example(made) == 1 else made

    def example(self, length: Dim) -> int | None:
        """Return what a length, or another expression, is at the call at hand; None if unknown."""
        if length is None or isinstance(length, int):
            return length
        if length.startswith("#"):
            return int(length[1:])
        self.answers += 1
        terms, total = terms_of(length)
        for name, factor in terms:
            number = self.observed.get(name)
            if number is None and name in self.made:
                kind, one, other = self.made[name]
                a, b = self.example(one), self.example(other)
                if a is not None and b is not None:
                    number = a // b if kind == "//" else a * b
            if number is None:
                return None
            total += factor * number
        return total

    def at_least(self, length: Dim, least: int) -> bool:
        """Rely on a length being at least a number; return whether it is."""
        length = self.find(length)
        number = self.example(length)
        if number is None or number < least:
            return False
        if isinstance(length, str):
            rest = weighted_sum([(length, 1), (-least, 1)])
            whole = ".value" in str(rest)  # a number of the program may be less than 0
            if not isinstance(rest, int) and (whole or may_be_negative(rest)):
                self.nonnegative.add(rest)
        return True

    def total(self, parts: Iterable[tuple[Dim, int]]) -> Dim:
        """Return the sum of lengths times whole numbers; None where it has no name.

        Without a call at hand sums have no names: nothing tells that they are not 1.
        """
        found: list[tuple[str | int, int]] = []
        for part, factor in parts:
            part = self.find(part)
            if part is None or self.example(part) is None:
                return None
            if isinstance(part, str) and may_be_negative(part) and not self.at_least(part, 0):
                return None  # the length is 0, and not what the expression says
            found.append((part, factor))
        total = weighted_sum(found)
        number = self.example(total)
        if isinstance(total, int):
            return total if total >= 0 else None
        if number == 1:
            return self._one(total)
        return None if number is None or number < 0 else total

    def _one(self, length: str | int) -> Dim:
        """Rely on a length being 1, where one name tells it: no other number of it is the same."""
        one = isinstance(length, int) or len(terms_of(length)[0]) == 1
        return self.exactly(length) if one else None

    def quotient(self, length: Dim, parts: int) -> Dim:
        """Return a length divided by a number of 1 or more, rounded down."""
        return self._made("//", length, parts) if parts > 1 else self.find(length)

    def product(self, lengths: Iterable[Dim]) -> Dim:
        """Return the product of lengths."""
        return functools.reduce(lambda a, b: self._made("*", a, b), lengths, 1)

    def _made(self, kind: str, one: Dim, other: Dim) -> Dim:
        """The name of a quotient or a product, or its number."""
        one, other = self.find(one), self.find(other)
        a, b = self.example(one), self.example(other)
        if one is None or other is None or a is None or b is None or a < 0:
            return None
        if isinstance(one, int) and isinstance(other, int):
            return one // other if kind == "//" else one * other
        if kind == "*" and (isinstance(one, int) or isinstance(other, int)):
            length, factor = (other, one) if isinstance(one, int) else (one, other)
            assert isinstance(factor, int)
            return self.total([(length, factor)]) if factor else 0
        for part in (one, other):
            if isinstance(part, str) and may_be_negative(part) and not self.at_least(part, 0):
                return None
        if kind == "*":
            one, other = sorted((str(one), str(other)))
        if (a // b if kind == "//" else a * b) == 1:
            return None
        key = (kind, str(one), other)
        for name, held in self.made.items():
            if held == key:
                return name
        name = f"{'quotient' if kind == '//' else 'product'}~{len(self.made)}.made"
        self.made[name] = key
        return name

    def whole(self, value: Value) -> Dim:
        """Return what is known of a whole number: that it is a length, or a number itself."""
        if isinstance(value, Const) and type(value.value) is int:
            return value.value
        if not isinstance(value, Var) or value not in self.values:
            return None
        self.answers += 1
        self.asked.add(value)
        return self.find(self.values[value])

    def index(self, value: Value) -> int | None:
        """Return the whole number that an index is, if it is known."""
        known = self.below_zero.get(value) if isinstance(value, Var) else None
        known = self.whole(value) if known is None else known
        return known if isinstance(known, int) else None

    def count(self, var: Var, start: Value, stop: Value, step: Value) -> None:
        """Note that a whole number is what a loop over a range counts."""
        first, last = self.whole(start), self.whole(stop)
        if first is None or last is None or step not in (Const(1), Const(-1)):
            return
        name, one = f"{var.name}#{len(self.bounds)}.count", -1 if step == Const(1) else 1
        end = weighted_sum([(last, 1), (one, 1)])
        self.bounds[name] = (first, end) if step == Const(1) else (end, first)
        self.counted[var] = name

    def place(self, value: Value) -> Dim:
        """Return what is known of a place in an axis, which may be another in each iteration."""
        if isinstance(value, Var) and value in self.counted:
            return self.counted[value]
        return self.whole(value)

    def extreme(self, place: str | int, sign: int) -> str | int:
        """Return the largest value (for 1) or the least (for -1) that a place has in a loop."""
        while isinstance(place, str):
            terms, _ = terms_of(place)
            found = next(((n, k) for n, k in terms if n in self.bounds), None)
            if found is None:
                return place
            name, factor = found
            end = self.bounds[name][factor * sign > 0]
            place = weighted_sum([(place, 1), (name, -factor), (end, factor)])
        return place

    def sliced(self, length: Dim, index: Slice) -> Dim:
        """Return the length of what a slice takes of an axis."""
        bounds: list[Any] = [
            getattr(p, "value", ...) for p in (index.lower, index.upper, index.step)
        ]
        lower, upper, step = bounds
        if lower is None and upper is None and step in (None, 1, -1):
            return length
        if step is not None and (type(step) is not int or step < 1):
            return None
        if not all(b is None or type(b) is int for b in bounds):
            return self._between(length, index, step or 1)
        length = self.find(length)
        if isinstance(length, int):
            return _constant(len(range(length)[lower:upper:step]))
        if (lower or 0) >= 0 and (upper is None or upper < 0):
            if step in (None, 1):
                return self.shorter(length, (lower or 0) - (upper or 0))
            return self._between(length, index, step)
        return self._of_fixed_length(length, slice(lower, upper, step))

    def _between(self, length: Dim, index: Slice, step: int) -> Dim:
        """The length of a slice between bounds that the call at hand tells to be in the axis."""
        length = self.find(length)
        if length is None:
            return None
        ends: list[str | int] = []
        for bound, other in ((index.lower, 0), (index.upper, length)):
            place = other if bound == Const(None) else self.place(bound)
            if place is None:
                return None
            least = self.extreme(place, -1)
            number = self.example(least)
            if number is None or (number < 0 and least != place):
                return None  # or it may be counted from the front and from the end
            if number < 0 and not self.at_least(weighted_sum([(place, -1)]), 1):
                return None
            ends.append(place if number >= 0 else weighted_sum([(length, 1), (place, 1)]))
        lower, upper = ends
        taken = weighted_sum([(upper, 1), (lower, -1)])
        rests = [lower, taken, weighted_sum([(length, 1), (upper, -1)])]
        if not all(self.at_least(self.extreme(rest, -1), 0) for rest in rests):
            return None
        if self.extreme(taken, -1) != taken:
            return None  # it is another one in each iteration
        if step == 1:
            return self.total([(taken, 1)])
        found = self.quotient(weighted_sum([(taken, 1), (step - 1, 1)]), step)
        return _constant(found) if isinstance(found, int) else found

    def _of_fixed_length(self, length: Dim, part: slice) -> Dim:
        """The length of a slice that takes as much of every axis that is long enough."""
        least = max(-part.start, 0) if (part.start or 0) < 0 else part.stop
        if part.start is not None and part.start < 0 <= (part.stop or -1):
            return None  # from behind to a place from the front
        number = self.example(length)
        if number is None or number < least or not isinstance(length, str):
            return None
        terms, constant = terms_of(length)
        base = terms[0][0]
        if len(terms) == 1 and terms[0][1] == 1 and not base.endswith(".value"):
            self.least[base] = max(self.least.get(base, 0), least - constant)
        else:
            self.at_least(length, least)
        return _constant(len(range(least)[part]))

    def exactly(self, length: Dim) -> int | None:
        """Return a length or a whole number, and rely on it; None where no argument tells it."""
        found = self.find(length)
        if not isinstance(found, str):
            return found
        for name, _ in terms_of(found)[0]:
            own = [other for other in self.observed if self.find(other) == name]
            numbers = {self.observed[other] for other in own}
            if len(numbers) != 1:
                return None
            whole = (other for other in own if other.endswith(".value"))
            self.required.update((other, str(*numbers)) for other in whole)
            self.exact |= dict.fromkeys(own, *numbers)
            self._parent[name] = _constant(*numbers)
        return self.find(found)  # type: ignore[return-value]

    def number(self, value: Value) -> int | None:
        """Return what a whole number is, and rely on it; None where no argument tells it."""
        return self.exactly(self.whole(value))

    def outer_shape(self, owner: Any, name: str, value: Any) -> Shape:
        """Return the shape of an array from outside, which something there holds under a name."""
        number = self._outer.setdefault((id(owner), name), len(self._outer))
        return tuple(1 if n == 1 else f"{name}@{number}.{k}" for k, n in enumerate(value.shape))

    def agree(self, a: Type, b: Type) -> None:
        """Rely on two arrays having one shape, where the arguments at hand have it."""
        p, q = self.resolve(a.shape), self.resolve(b.shape)
        if not isinstance(p, tuple) or not isinstance(q, tuple) or len(p) != len(q):
            return
        for m, n in zip(p, q, strict=True):
            if m == n or m is None or n is None or 1 in (m, n):
                continue
            self.rely_on_equal(m, n)

    def rely_on_equal(self, a: str | int, b: str | int) -> None:
        """Note that two lengths are one, and rely on it, if they are at the call at hand."""
        number = self.example(a)
        if number is not None and number == self.example(b):
            self.required.add((str(a), str(b)))
            self._equate(a, b)

    def _forced(self, a: str | int, b: str | int) -> None:
        """Note that two lengths are one where the operation at hand is carried out."""
        if self.perhaps:
            self.rely_on_equal(a, b)
        elif self.example(a) == self.example(b) or None in (self.example(a), self.example(b)):
            self._equate(a, b)

    def _equate(self, a: str | int, b: str | int) -> None:
        """Note that two lengths are one."""
        self.answers += 1
        if is_name(str(a)) and is_name(str(b)):
            if isinstance(a, int) or isinstance(b, int):
                name, number = (b, a) if isinstance(a, int) else (a, b)
                self._parent[str(name)] = number
            else:
                self._parent[max(a, b)] = min(a, b)
            return
        terms, constant = terms_of(str(weighted_sum([(a, 1), (b, -1)])))
        alone = [(name, factor) for name, factor in terms if abs(factor) == 1]
        if alone:
            name, factor = alone[-1]
            rest = [(other, -factor * k) for other, k in terms if other != name]
            self._parent[name] = weighted_sum([*rest, (-factor * constant, 1)])

    def resolve(self, shape: Shape) -> Shape:
        """Return a shape with each length replaced by its representative."""
        if isinstance(shape, tuple):
            return tuple(map(self.find, shape))
        return shape

    def fresh_shape(self) -> str:
        """Return the name of a shape that no other value has yet."""
        self.answers += 1
        self._count += 1
        return f"?{self._count}"

    def same(self, a: Type, b: Type) -> bool:
        """Whether two values certainly have the same shape."""
        p = self.resolve(a.shape)
        q = p if a.shape == b.shape else self.resolve(b.shape)
        return p is not None and p == q and (isinstance(p, str) or None not in p)

    def model(self, value: Var) -> Var:
        """Return the first value that is known to have the shape of a value."""
        while value in self.models:
            value = self.models[value]
        return value

    def first(self, key: Any, value: Var) -> Var:
        """Return the first value that was given with a key."""
        try:
            return self._firsts.setdefault(key, value)
        except TypeError:  # something in it has no hash
            return value

    def alike(self, a: Value, b: Value) -> bool:
        """Whether two values certainly have the same shape, also one without a name."""
        if not isinstance(a, Var) or not isinstance(b, Var):
            return False
        if self.same(a.type, b.type) or self.model(a) is self.model(b):
            return True
        extents = self.extents(a)
        return extents is not None and extents == self.extents(b)

    def extents(self, value: Var) -> tuple[Extent, ...] | None:
        """Return what the lengths of a value are told by: equal extents are equal lengths.

        Returns:
            For each axis its length where that has a number or a name, and otherwise the first
            axis that is known to be as long; None where the number of axes is not known.
        """
        shape = self.resolve(value.type.shape)
        if not isinstance(shape, tuple):
            return None
        if None not in shape:
            return shape  # pyright: ignore[reportReturnType]
        return tuple([self._extent(value, k) if n is None else n for k, n in enumerate(shape)])

    def _extent(self, value: Var, axis: int) -> Extent:
        while axis >= 0:  # else it is a whole number of the program
            shape, model = value.type.shape, self.models.get(value)
            length = self.find(shape[axis]) if isinstance(shape, tuple) else None
            other = self.axes.get((value, axis), length)
            if isinstance(other, tuple):
                value, axis = other
            elif other is not None:
                return self.find(other) or (value, axis)
            elif model is not None and model.type.ndim == value.type.ndim:
                value = model
            else:
                break
        return value, axis

    def rely_on(self, length: Dim) -> None:
        """Rely on a length that has a name not being 1."""
        if isinstance(length, str):
            self.answers += 1
            self.assumed.add(length)

    def unify(self, a: Dim, b: Dim) -> Dim:
        """Return the length of an axis that broadcasts axes of these two lengths."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return a
        if a == 1:
            return b
        if b == 1:
            return a
        if a is None or b is None:  # which is 1, or as long as the other one
            known = b if a is None else a
            self.rely_on(known)
            return known or None
        for name in (a, b):
            self.rely_on(name)
        if isinstance(a, int) and isinstance(b, int):
            return None
        self._forced(a, b)
        return self.find(a)

    def contract(self, a: Dim, b: Dim) -> None:
        """Note that two lengths are equal although they do not broadcast."""
        a, b = self.find(a), self.find(b)
        if isinstance(a, str) and isinstance(b, str) and a != b:
            self._forced(a, b)

    def broadcast(self, shapes: list[Shape]) -> Shape:
        """Return the shape that NumPy's broadcasting gives."""
        known = [self.resolve(s) for s in shapes if s != ()]
        if not known:
            return ()
        if all(s is not None and s == known[0] for s in known) and (
            isinstance(known[0], str) or None not in (known[0] or ())
        ):
            return known[0]
        if not all(isinstance(s, tuple) for s in known):
            return None
        rank = max(len(s) for s in known)  # type: ignore[arg-type]
        out: list[Dim] = []
        for axis in range(-rank, 0):
            entries = [s[axis] for s in known if len(s) >= -axis]  # type: ignore
            out.append(functools.reduce(self.unify, entries, 1))
        return tuple(out)


def _constant(length: int) -> Dim:
    """The length of an axis that is a number; those of one element, or none, have no name."""
    return length if length < 2 else f"#{length}"


def place_of(lengths: Lengths, places: dict[str, str], text: str) -> str:
    """Return a length as Python computes it from arguments."""

    def place(name: str) -> str:
        if name not in lengths.made:
            return places[name]
        kind, one, other = lengths.made[name]
        parts = [written(part, place) for part in (one, other)]
        first, second = (f"({part})" if " " in part else part for part in parts)
        return f"({first} {kind} {second})"

    return written(text, place)
