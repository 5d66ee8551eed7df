"""What a call gives back: kind, rank and element type, found by asking NumPy.

A call is evaluated when code is generated, on tiny arrays of the known ranks.
Each length that has a name is given a prime number; a length of the result that
is the same prime again, in two evaluations with different primes, is that
length. What differs between the two evaluations is unknown. The user's
function itself is never run.
"""

from __future__ import annotations

import functools
import itertools
import operator
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Const, Items, Known, Slice, Value, Var
from srcgrad.ir.types import BOOLEAN, OPAQUE, REAL, Dim, Shape, Type
from srcgrad.registry import find_formula, is_nondifferentiable

_PRIMES = ((5, 7, 11, 13, 17, 19, 23, 29), (31, 37, 41, 43, 47, 53, 59, 61))
_DTYPES = {"f": np.float64, "c": np.complex128, "i": np.int64, "b": np.bool_}
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


class Unknown(Exception):
    """Raised inside this module when a question cannot be put to NumPy."""


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
        if kind in _DTYPES:
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
    return _ask(lengths, fn, args, options)


@functools.lru_cache(maxsize=4096)
def _element_dtype(fn: Any, dtypes: str) -> str:
    samples = [np.ones((), _DTYPES[d]) for d in dtypes]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            kind = np.asarray(fn(*samples)).dtype.kind
    except Exception:  # noqa: BLE001 - whatever it is, the answer is "unknown"
        return "?"
    return {"u": "i"}.get(kind, kind) if kind in "ufcib" else "?"


def _elementwise(lengths: Lengths, fn: Any, args: tuple[Value, ...]) -> Type:
    types = [type_of(a) for a in args]
    dtypes = "".join(t.dtype for t in types)
    dtype = "?" if "?" in dtypes else _element_dtype(fn, dtypes)
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
    dtype = _element_dtype(operator.mul, s.dtype + t.dtype)
    return Type("array" if shape else "scalar", shape, dtype)


def _ask(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    from srcgrad.formulas.numpy.shapes import RANK_UNKNOWN

    if fn in RANK_UNKNOWN or not _may_be_asked(fn):
        return Type("numeric", lengths.fresh_shape())
    answers = []
    for distinct in (True, False):
        try:
            answers = [_evaluate(lengths, fn, args, options, sample, distinct) for sample in (0, 1)]
            break
        except Unknown:
            break
        except Exception:  # noqa: BLE001 - the question did not fit; ask another way
            continue
    if not answers:
        return _structure(lengths, fn, args, options)
    (first, names, primes), (second, _, others) = answers
    table = {}
    if names:
        table = {(p, q): n for n, p, q in zip(names, primes, others, strict=True)}
    return _describe(lengths, first, second, table)


_DIVISIBLE = ((12, 24), (60, 120))  # by the numbers of parts into which arrays are cut


def _structure(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    """Find out how many results a call gives, where nothing else can be told of it."""
    counts: set[int | None] = set()
    for sizes in _DIVISIBLE:
        for rank, sample in itertools.product((1, 2, 3), (0, 1)):
            try:
                made = _call(fn, args, options, lambda t, k=(sizes, rank, sample): _any(t, *k))
            except Exception:  # noqa: BLE001 - it does not work with such arrays
                continue
            counts.add(len(made) if isinstance(made, tuple | list) else None)
        if counts:
            break
    if len(counts) > 1:
        return OPAQUE  # it depends on values
    count = counts.pop() if counts else None
    if count is None:
        return Type("numeric", lengths.fresh_shape())
    return tuple(Type("numeric", lengths.fresh_shape()) for _ in range(count))


def _any(type_: Type, sizes: tuple[int, int], rank: int, sample: int) -> Any:
    """An array or number of some type, of some rank where that is unknown."""
    known = type_.shape if isinstance(type_.shape, tuple) else (None,) * rank
    shape = tuple(n if isinstance(n, int) else sizes[sample] for n in known)
    return _sample(replace(type_, shape=shape), lambda n: n, sample)


_PURE = {"numpy", "math", "_operator", "operator", "srcgrad", "scipy"}
_PURE_BUILTINS = {abs, min, max, sum, pow, round, float, int, len, divmod, bool}


def _may_be_asked(fn: Any) -> bool:
    """Whether a call of this function has no effect but its result."""
    if isinstance(fn, np.ufunc):
        return True
    if getattr(fn, "__module__", None) == "builtins":
        return fn in _PURE_BUILTINS
    module = (getattr(fn, "__module__", None) or "").split(".")[0]
    return module in _PURE and (find_formula(fn) is not None or is_nondifferentiable(fn))


def _describe(lengths: Lengths, a: Any, b: Any, table: dict) -> Any:
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        if len(a) != len(b):
            return OPAQUE
        return tuple(_describe(lengths, p, q, table) for p, q in zip(a, b, strict=True))
    if isinstance(a, str) or a is None or isinstance(a, np.dtype | type):
        return OPAQUE
    try:
        p, q = np.asarray(a), np.asarray(b)
    except ValueError:
        return OPAQUE
    kinds = {x.dtype.kind for x in (p, q)}
    if not kinds <= set("fciub"):
        return OPAQUE
    dtype = {"u": "i"}.get(p.dtype.kind, p.dtype.kind) if len(kinds) == 1 else "?"
    if p.ndim != q.ndim:
        return Type("numeric", lengths.fresh_shape(), dtype)
    shape = tuple(m if m == n else table.get((m, n)) for m, n in zip(p.shape, q.shape, strict=True))
    if isinstance(a, np.ndarray):
        return Type("array", shape, dtype)
    return Type("scalar", shape, dtype)


def _evaluate(lengths, fn, args, options, sample: int, distinct: bool):
    """Evaluate a call on tiny arrays; return result, names of lengths, and their primes."""
    names: list[str] = []
    primes = _PRIMES[sample]

    def length(dim: Dim) -> int:
        dim = lengths.find(dim)
        if isinstance(dim, int):
            return dim
        if not distinct:
            return 4 + sample
        name = dim if dim is not None else f"#{len(names)}"
        if name not in names:
            names.append(name)
        if names.index(name) >= len(primes):
            raise Unknown
        return primes[names.index(name)]

    result = _call(fn, args, options, lambda type_: _sample(type_, length, sample))
    if not distinct:
        return result, [], ()
    clean = [n if not n.startswith("#") else None for n in names]
    return result, clean, primes[: len(names)]


def _call(fn: Any, args: Any, options: Any, example: Callable[[Type], Any]) -> Any:
    """Call a function with examples in the place of what is not known."""

    def make(value: Value) -> Any:
        if isinstance(value, Const):
            return value.value
        if isinstance(value, Items):
            made = [make(item) for item in value.items]
            return made if value.is_list else tuple(made)
        if isinstance(value, Slice):
            return slice(make(value.lower), make(value.upper), make(value.step))
        if isinstance(value, Known):
            return value.object
        if not isinstance(value, Var):
            raise Unknown
        return example(value.type)

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return fn(*[make(a) for a in args], **{k: make(v) for k, v in options})


def _sample(type_: Type, length, sample: int) -> Any:
    if not isinstance(type_.shape, tuple):
        raise Unknown
    sizes = tuple(length(dim) for dim in type_.shape)
    if type_.kind == "shape":
        return sizes
    if not type_.is_number:
        raise Unknown
    dtype = _DTYPES.get(type_.dtype, np.float64)
    if not sizes and type_.kind != "array":
        return {"i": 1 + sample, "b": bool(sample), "c": 1j}.get(type_.dtype, 0.5)
    if type_.dtype == "b":
        return np.full(sizes, bool(sample))
    if type_.dtype == "i":
        return np.full(sizes, sample)
    made = np.ones(sizes, dtype)
    if len(sizes) >= 2 and sizes[-1] == sizes[-2]:
        made = made + np.eye(sizes[-1]) * 3
    return made
