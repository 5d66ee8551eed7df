"""The names of lengths of axes: which of them are equal, and what was assumed of them."""

from __future__ import annotations

import functools
from typing import Any

from srcgrad.ir.nodes import Slice, Value, Var
from srcgrad.ir.types import Dim, Shape, Type


class Lengths:
    """Names of lengths, which of them are equal, and what was assumed of them.

    A named length is some length other than 1. Elementwise operations force two
    such lengths to be equal; that is noted here. ``x.0`` is the length of the first
    axis of the parameter ``x``, and ``x.0-2`` is two less than that. ``#3`` is the
    length 3 of a slice, such as ``x[:3]`` of an ``x`` that is long enough.

    Attributes:
        assumed: lengths that were assumed not to be 1.
        required: pairs of lengths that were assumed to be equal.
        least: how long axes must be at least, by the names of their lengths.
        exact: how long axes must be, by the names of their lengths.
        observed: the lengths of the arguments at the call that code is generated for.
        values: integers that are known to be a length.
        models: for values whose lengths have no names, others that have the same shape.
        only_arrays: whether what has no axes is an array as well, into which can be written,
            and which may be a view: so it is with CuPy's arrays, but not with NumPy's.
    """

    def __init__(self) -> None:
        self._parent: dict[str, Dim] = {}
        self.assumed: set[str] = set()
        self.required: set[tuple[str, str]] = set()
        self.least: dict[str, int] = {}
        self.exact: dict[str, int] = {}
        self.observed: dict[str, int] = {}
        self.values: dict[Var, Dim] = {}
        self.models: dict[Var, Var] = {}
        self.only_arrays = False
        self._count = 0
        self._outer: dict[tuple[int, str], int] = {}

    def find(self, length: Dim) -> Dim:
        """Return the representative of a length."""
        while isinstance(length, str):
            if length in self._parent:
                length = self._parent[length]
                continue
            if length.startswith("#"):
                return int(length[1:])
            base, minus, less = length.partition("-")
            found = self.find(base) if minus else base
            if found == base:
                break
            length = self.shorter(found, int(less))
        return length

    def shorter(self, length: Dim, less: int) -> Dim:
        """Return the length of an axis without some of its elements."""
        length = self.find(length)
        if isinstance(length, int):
            return max(length - less, 0)
        if length is None or less == 0:
            return length
        base, _, already = length.partition("-")
        less += int(already or 0)
        return None if self.observed.get(base) == less + 1 else f"{base}-{less}"

    def sliced(self, length: Dim, index: Slice) -> Dim:
        """Return the length of what a slice takes of an axis."""
        bounds = [getattr(p, "value", ...) for p in (index.lower, index.upper, index.step)]
        lower, upper, step = bounds
        if lower is None and upper is None and step in (None, 1, -1):
            return length
        if not all(b is None or type(b) is int for b in bounds) or (step or 1) < 1:
            return None
        length = self.find(length)
        if isinstance(length, int):
            return _constant(len(range(length)[lower:upper:step]))
        if (lower or 0) >= 0 and (upper is None or upper < 0):
            return self.shorter(length, (lower or 0) - (upper or 0)) if step in (None, 1) else None
        return self._of_fixed_length(length, slice(lower, upper, step))

    def _of_fixed_length(self, length: Dim, part: slice) -> Dim:
        """The length of a slice that takes as much of every axis that is long enough."""
        base, _, less = (length or "").partition("-")  # type: ignore[union-attr]
        least = max(-part.start, 0) if (part.start or 0) < 0 else part.stop
        if part.start is not None and part.start < 0 <= (part.stop or -1):
            return None  # from behind to a place from the front
        if base not in self.observed or self.observed[base] - int(less or 0) < least:
            return None
        self.least[base] = max(self.least.get(base, 0), least + int(less or 0))
        return _constant(len(range(least)[part]))

    def exactly(self, length: Dim) -> int | None:
        """Return a length as a number, and rely on it; None where no argument tells it."""
        found = self.find(length)
        if not isinstance(found, str):
            return found
        base = found.partition("-")[0]
        own = [name for name in self.observed if self.find(name) == base]
        numbers = {self.observed[name] for name in own}
        if len(numbers) != 1:
            return None
        self.exact |= dict.fromkeys(own, *numbers)
        self._parent[base] = _constant(*numbers)
        return self.find(found)  # type: ignore[return-value]

    def outer_shape(self, namespace: Any, name: str, value: Any) -> Shape:
        """Return the shape of an array that a function takes from outside."""
        number = self._outer.setdefault((id(namespace), name), len(self._outer))
        return tuple(1 if n == 1 else f"{name}@{number}.{k}" for k, n in enumerate(value.shape))

    def agree(self, a: Type, b: Type) -> None:
        """Rely on two arrays having one shape, where the arguments at hand have it."""
        p, q = self.resolve(a.shape), self.resolve(b.shape)
        if not isinstance(p, tuple) or not isinstance(q, tuple) or len(p) != len(q):
            return
        for m, n in zip(p, q, strict=True):
            same = m in self.observed and self.observed.get(m) == self.observed.get(n)
            if same and m != n and isinstance(m, str) and isinstance(n, str):
                self.required.add((m, n))
                self._parent[max(m, n)] = min(m, n)

    def resolve(self, shape: Shape) -> Shape:
        """Return a shape with each length replaced by its representative."""
        if isinstance(shape, tuple):
            return tuple(self.find(length) for length in shape)
        return shape

    def fresh_shape(self) -> str:
        """Return the name of a shape that no other value has yet."""
        self._count += 1
        return f"?{self._count}"

    def same(self, a: Type, b: Type) -> bool:
        """Whether two values certainly have the same shape."""
        p, q = self.resolve(a.shape), self.resolve(b.shape)
        if p is None or q is None:
            return False
        if isinstance(p, str) or isinstance(q, str):
            return p == q
        return len(p) == len(q) and all(m is not None and m == n for m, n in zip(p, q, strict=True))

    def model(self, value: Var) -> Var:
        """Return the first value that is known to have the shape of a value."""
        while value in self.models:
            value = self.models[value]
        return value

    def alike(self, a: Value, b: Value) -> bool:
        """Whether two values certainly have the same shape, also one without a name."""
        if not isinstance(a, Var) or not isinstance(b, Var):
            return False
        return self.same(a.type, b.type) or self.model(a) is self.model(b)

    def rely_on(self, length: Dim) -> None:
        """Rely on a length that has a name not being 1."""
        if isinstance(length, str):
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
        if a is None or b is None:
            return None
        for name in (a, b):
            self.rely_on(name)
        if isinstance(a, str) and (not isinstance(b, str) or b < a):
            self._parent[a] = b
            return b
        if isinstance(b, str):
            self._parent[b] = a
            return a
        return None

    def contract(self, a: Dim, b: Dim) -> None:
        """Note that two lengths are equal although they do not broadcast."""
        a, b = self.find(a), self.find(b)
        if isinstance(a, str) and isinstance(b, str) and a != b:
            self._parent[max(a, b)] = min(a, b)

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
