"""What a call gives back: kind, rank and element type, and which lengths are equal."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from srcgrad.analysis.questions import DTYPES, ask, element_dtype
from srcgrad.ir.nodes import Const, Value, Var
from srcgrad.ir.types import BOOLEAN, OPAQUE, REAL, Dim, Shape, Type

_ELEMENTWISE = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.neg,
    operator.pos,
    operator.abs,
    operator.invert,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    abs,
}


class Lengths:
    """Names of lengths, which of them are equal, and what was assumed of them.

    A named length is some length other than 1. Elementwise operations force two
    such lengths to be equal; that is noted here.
    """

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}
        self.assumed: set[str] = set()
        self._count = 0

    def find(self, length: Dim) -> Dim:
        """Return the representative of a length."""
        while isinstance(length, str) and length in self._parent:
            length = self._parent[length]
        return length

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
            if isinstance(name, str):
                self.assumed.add(name)
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


def type_of_constant(value: Any) -> Type:
    """Return the type of a Python object that is known when code is generated."""
    if isinstance(value, bool | np.bool_):
        return BOOLEAN
    if isinstance(value, int | np.integer):
        return Type("scalar", (), "i")
    if isinstance(value, float | np.floating):
        return REAL
    if isinstance(value, complex | np.complexfloating):
        return Type("scalar", (), "c")
    if isinstance(value, range):
        return OPAQUE
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if dtype is not None and isinstance(shape, tuple) and hasattr(dtype, "kind"):
        kind = {"u": "i"}.get(dtype.kind, dtype.kind)
        if kind in DTYPES:
            return Type("array", tuple(1 if n == 1 else None for n in shape), kind)
    return OPAQUE


def type_of(value: Value) -> Type:
    """Return the type of a value of the intermediate representation."""
    if isinstance(value, Var):
        return value.type
    if isinstance(value, Const):
        return type_of_constant(value.value)
    return OPAQUE


def is_elementwise(fn: Any) -> bool:
    """Whether a function works element by element, with broadcasting."""
    if isinstance(fn, np.ufunc):
        return fn.signature is None and fn.nout == 1
    try:
        return fn in _ELEMENTWISE
    except TypeError:
        return False


def infer(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    """Return the type of a call's result, or a tuple of types for a tuple.

    Args:
        lengths: the lengths that have names.
        fn: the function object that is called.
        args: its positional arguments.
        options: its keyword arguments.

    Returns:
        A ``Type``; for a function that gives several results, a tuple of them.
    """
    if is_elementwise(fn) and not options:
        return _elementwise(lengths, fn, args)
    if fn in (operator.matmul, np.matmul, np.dot) and len(args) == 2:
        known = _matmul(lengths, fn, *args)
        if known is not None:
            return known
    if fn in (np.zeros_like, np.ones_like, np.copy, np.empty_like) and len(args) == 1:
        given = type_of(args[0])
        if given.is_number:
            return Type("array", given.shape, given.dtype)
    return ask(lengths, fn, args, options)


def _elementwise(lengths: Lengths, fn: Any, args: tuple[Value, ...]) -> Type:
    types = [type_of(a) for a in args]
    dtypes = "".join(t.dtype for t in types)
    dtype = "?" if "?" in dtypes else element_dtype(fn, dtypes)
    if any(not t.is_number for t in types):
        if any(t.kind in ("list", "shape") for t in types) and not any(
            t.kind == "array" for t in types
        ):
            return OPAQUE
        return Type("numeric", None, dtype)
    shape = lengths.broadcast([t.shape for t in types])
    if shape == ():
        return Type("scalar", (), dtype)
    if any(t.kind == "array" and t.shape != () for t in types):
        kind = "array"
    else:
        kind = "array" if isinstance(shape, tuple) else "numeric"
    return Type(kind, lengths.fresh_shape() if shape is None else shape, dtype)


def _matmul(lengths: Lengths, fn: Any, a: Value, b: Value) -> Type | None:
    s, t = type_of(a), type_of(b)
    p, q = lengths.resolve(s.shape), lengths.resolve(t.shape)
    if not isinstance(p, tuple) or not isinstance(q, tuple) or not 1 <= len(p) <= 2:
        return None
    if not 1 <= len(q) <= 2 or "?" in s.dtype + t.dtype:
        return None
    lengths.contract(p[-1], q[0])
    shape = p[:-1] + q[1:]
    dtype = element_dtype(operator.mul, s.dtype + t.dtype)
    return Type("array" if shape else "scalar", shape, dtype)
