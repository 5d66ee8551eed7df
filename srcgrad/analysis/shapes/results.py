"""What a call gives back: kind, rank and element type, and which lengths are equal."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.constants import type_of
from srcgrad.analysis.shapes.lengths import Lengths
from srcgrad.analysis.shapes.made_lengths import with_made_lengths
from srcgrad.analysis.shapes.questions import ask, element_dtype
from srcgrad.analysis.shapes.ranks import shape_of, with_axes
from srcgrad.analysis.shapes.relations import relate
from srcgrad.analysis.shapes.spectra import with_spectral_length
from srcgrad.analysis.shapes.subscripts import index_shape, type_of_item
from srcgrad.ir.nodes import Const, Items, Slice, Value, Var, variables
from srcgrad.ir.types import FLOAT_LIMITS, INTEGER, OPAQUE, REAL, UNKNOWN, Contents, Shape, Type
from srcgrad.library.tables import is_in
from srcgrad.registry import model_of_shape
from srcgrad.runtime import first_columns, is_last_write, split_like

_ELEMENTWISE = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.neg, operator.pos, operator.abs, operator.invert, operator.and_,
    operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, abs,
}  # fmt: skip


def is_elementwise(fn: Any) -> bool:
    """Whether a function works element by element, with broadcasting."""
    if isinstance(fn, np.ufunc):
        return fn.signature is None and fn.nout == 1
    return is_in(fn, _ELEMENTWISE)


def infer(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    """Return the type of a call's result, or a tuple of types for a tuple."""
    known = _of_numpy(lengths, fn, args, options)
    known = with_made_lengths(lengths, fn, args, dict(options), known)
    if not lengths.only_arrays or is_in(fn, _NUMBERS):
        return known
    operands = [v for value in (*args, *(v for _, v in options)) for v in variables(value)]
    if not any(v.type.kind in ("array", "numeric") for v in operands):
        return known
    return tuple(map(_as_array, known)) if isinstance(known, tuple) else _as_array(known)


# what they give is an element type, or tells about one
_NO_NUMBERS = {np.iinfo, np.dtype, np.result_type, np.promote_types, np.common_type}
_OF_LISTS = {np.array, np.asarray}
_OF_NUMBERS = {sum, max, min}  # of a list of numbers
# what joins arrays of one rank, with that of the result
_JOINING = {
    np.concatenate: lambda rank: rank,
    np.stack: lambda rank: rank + 1,
    np.hstack: lambda rank: rank,
    np.vstack: lambda rank: max(rank, 2),
    np.dstack: lambda rank: max(rank, 3),
    np.column_stack: lambda rank: max(rank, 2),
}
# what they give is a number of Python
_NUMBERS = {float: "f", int: "i", complex: "c", bool: "b", len: "i"}


def _as_array(type_: Type) -> Type:
    return replace(type_, kind="array") if type_.kind == "scalar" else type_


def _open_grid(args: tuple[Value, ...]) -> tuple[Type, ...]:
    """The types of the arrays that ``np.ix_`` gives: each lies along an axis of its own."""
    ones = (1,) * len(args)
    return tuple(Type("array", (*ones[:k], None, *ones[k + 1 :]), "i") for k in range(len(args)))


def _of_list(held: Contents, dtype: Value | None) -> Type:
    """The type of the array that is made of a list of data, of its own type or of another."""
    made = held.array()
    if made is None or dtype is None or dtype == Const(None):
        return made or UNKNOWN
    given = getattr(dtype, "object", None)
    return replace(made, dtype="f") if given in (float, np.float64) else UNKNOWN


def _of_numpy(
    lengths: Lengths, fn: Any, args: tuple[Value, ...], options: tuple[tuple[str, Value], ...]
) -> Any:
    """The type of a call's result where the arrays are NumPy's."""
    relate(lengths, fn, args, dict(options))
    if not options and is_elementwise(fn):
        return _elementwise(lengths, fn, args)
    if fn is np.finfo:
        return FLOAT_LIMITS
    if is_in(fn, _NO_NUMBERS):
        return OPAQUE
    if is_in(fn, _NUMBERS):
        return Type("scalar", (), _NUMBERS[fn])
    if fn is range:
        return Type("numeric", lengths.fresh_shape(), "i", element=Contents(INTEGER))
    taking = is_in(fn, _OF_LISTS) or is_in(fn, _JOINING)
    held = type_of(args[0]).element if args and taking else None
    if isinstance(held, Contents) and type_of(args[0]).kind == "opaque":
        given = dict(options)
        if is_in(fn, _JOINING):
            axis = given.pop("axis", args[1] if len(args) > 1 else Const(0))
            made = held.array() if not given and axis != Const(None) else None
            rank = 0 if made is None else (made.ndim or 1) - 1
            return replace(made, shape=(None,) * _JOINING[fn](rank)) if made and rank else UNKNOWN
        plain = given.keys() <= {"dtype", "copy"} and len(args) < 3
        return (
            _of_list(held, args[1] if len(args) == 2 else given.get("dtype")) if plain else UNKNOWN
        )
    if is_in(fn, _OF_NUMBERS) and len(args) == 1 and not options:
        held = type_of(args[0]).element
        if isinstance(held, Contents) and held.element in (INTEGER, REAL):
            return held.element
    if fn is np.ix_ and any(type_of(a).kind == "opaque" for a in args):
        return Type("opaque", element=Contents(UNKNOWN, _open_grid(args)))
    if fn is np.where and len(args) == 1:
        fn = np.nonzero
    options = tuple((name, value) for name, value in options if name != "like")
    if is_elementwise(fn) and not options:
        return _elementwise(lengths, fn, args)
    if fn is np.where and not options:  # of three arrays the first tells which of the others
        chosen = _elementwise(lengths, np.maximum, args[1:])
        whole = _elementwise(lengths, np.maximum, args)
        if chosen.is_number and whole.kind == "array":
            return replace(whole, dtype=chosen.dtype)
    if fn in (max, min) and len(args) == 2 and not options:
        # which of them it gives back, and so whether a whole number, depends on the values
        return _elementwise(lengths, np.maximum, args)
    if fn in (operator.matmul, np.matmul, np.dot) and len(args) == 2 and not options:
        known = _matmul(lengths, fn, *args)
        if known is not None:
            return known
    if fn in (np.zeros_like, np.ones_like, np.copy, np.empty_like) and not (options or args[1:]):
        given = type_of(args[0])
        if given.is_number:
            return Type("array", given.shape, given.dtype)
    model = model_of_shape(fn)
    if isinstance(model, tuple):
        mixed = any(type_of(a).dtype == "c" for a in args)
        other = Type("numeric", None, "c" if mixed else "?")
        return tuple(
            replace(other, shape=lengths.fresh_shape())
            if k is None
            else Type("array", type_of(args[k]).shape, "c" if mixed else "f")
            for k in model
        )
    if model is not None and model < len(args) and type_of(args[model]).is_number:
        return Type("array", type_of(args[model]).shape, type_of(args[0]).dtype)
    if fn is np.interp and args and type_of(args[0]).is_number:  # whatever the knots are
        given, dtypes = type_of(args[0]), {type_of(a).dtype for a in args if isinstance(a, Var)}
        return replace(given, dtype=next((d for d in "c?" if d in dtypes), "f"), active=False)
    if fn is np.real_if_close and type_of(args[0]).dtype == "c":
        return type_of(args[0])  # it depends on the numbers
    if fn is first_columns and len(args) > 1:  # which is not asked, as it refuses what is not zero
        columns = Slice(Const(None), args[1], Const(None))
        return infer(lengths, operator.getitem, (args[0], Items((Const(...), columns))), ())
    if fn is is_last_write and len(args) > 1:
        return replace(infer(lengths, operator.getitem, args[:2], ()), dtype="b")
    if fn is split_like and len(args) > 1 and isinstance(args[1], Items):
        return tuple(_piece(type_of(item), type_of(args[0]).dtype) for item in args[1].items)
    if fn is np.broadcast_to and args:
        target = type_of(dict(options).get("shape", args[-1]))
        if target.kind == "shape" and target.shape is not None:
            kind = "numeric" if isinstance(target.shape, str) else "array"
            return Type(kind, target.shape, type_of(args[0]).dtype)
    if fn is operator.getitem and len(args) == 2 and type_of(args[0]).kind == "array":
        given = type_of(args[0])
        shape = index_shape(given.shape, args[1], lengths)
        if shape is not None:
            return type_of_item(given, args[1], shape, lengths)
    if _is_pencil(fn):
        return _eigenvalues(lengths, fn, args, dict(options))
    if fn is np.arange and any(isinstance(a, Var) and type_of(a).dtype != "i" for a in args):
        return Type("array", (None,), "?")  # how many there are depends on the values
    if fn in (np.histogram, np.histogram_bin_edges) and _counts_bins(args, options):
        counts, edges = Type("array", (None,), "?"), Type("array", (None,), "f")
        return (counts, edges) if fn is np.histogram else edges
    known = with_axes(lengths, fn, args, dict(options), ask(lengths, fn, args, options))
    by_numbers = getattr(fn, "__module__", None) == "numpy.lib.scimath"
    if by_numbers or fn in (np.linalg.eig, np.linalg.eigvals):  # whether the results are real
        return _as_complex(known)
    if isinstance(known, Type) and known.kind == "numeric" and _reduces_all(fn, args, options):
        return Type("scalar", (), known.dtype)
    if getattr(fn, "__module__", None) == "numpy.fft" and args:
        return with_spectral_length(lengths, fn, type_of(args[0]).shape, options, known)
    if isinstance(known, Type) and known.kind == "numeric" and is_in(fn, _MAKERS):
        return replace(known, kind="array")
    return known


def is_shape(value: Value) -> bool:
    """Whether a value is a shape, or a tuple that may be a part of one."""
    return (isinstance(value, Items) and not value.is_list) or type_of(value).kind == "shape"


def _joined(lengths: Lengths, parts: tuple[Value, ...]) -> Type:
    """The type of ``(n,) + x.shape``, where no number may be the -1 that is no length."""
    shapes = [shape_of(lengths, part) for part in parts]
    pairs = zip(parts, shapes, strict=True)
    if None in shapes or any(isinstance(part, Items) and None in shape for part, shape in pairs):  # type: ignore[operator]
        return OPAQUE
    return Type("shape", tuple(length for shape in shapes for length in shape))  # type: ignore[union-attr]


def _is_pencil(fn: Any) -> bool:
    """Whether a function gives the eigenvalues of one or of two Hermitian matrices."""
    module = getattr(fn, "__module__", None) or ""
    return module.startswith("scipy.linalg") and fn.__name__ in ("eigh", "eigvalsh")


def _eigenvalues(lengths: Lengths, fn: Any, args: tuple[Value, ...], options: Any) -> Any:
    """The types of eigenvalues, and of vectors; between two bounds, there may be any number."""
    if len(args) == 2 and args[1] != Const(None):
        args = (_pencil(lengths, *map(type_of, args)),)
    bounds = options.pop("subset_by_value", Const(None))
    known = ask(lengths, fn, args[:1], tuple(options.items()))
    if bounds == Const(None):
        return known
    return tuple(map(_cut, known)) if isinstance(known, tuple) else _cut(known)


def _cut(whole: Type) -> Type:
    """The type of an array whose last axis may be longer."""
    shape = (*whole.shape[:-1], None) if isinstance(whole.shape, tuple) else None
    return replace(whole, shape=shape)


def _pencil(lengths: Lengths, a: Type, b: Type) -> Var:
    """What SciPy broadcasts two Hermitian matrices, or stacks of these, to."""
    p, q = lengths.resolve(a.shape), lengths.resolve(b.shape)
    shape: Shape = None
    if isinstance(p, tuple) and isinstance(q, tuple) and min(len(p), len(q)) >= 2:
        lengths.contract(p[-1], q[-1])
        several = lengths.broadcast([p[:-2], q[:-2]])
        if isinstance(several, tuple):
            shape = (*several, *lengths.resolve(p[-2:]))  # type: ignore[misc]
    dtype = next((d for d in "c?" if d in a.dtype + b.dtype), "f")
    return Var("a", Type("array", shape, dtype))


def _counts_bins(args: tuple[Value, ...], options: Any) -> bool:
    """Whether the number of bins of a histogram is found from its data."""
    bins = dict(options).get("bins", args[1] if len(args) > 1 else Const(10))
    return isinstance(bins, Const) and isinstance(bins.value, str)


def _as_complex(known: Any) -> Any:
    if isinstance(known, tuple):
        return tuple(map(_as_complex, known))
    return replace(known, dtype="c") if known.is_number else known


_MAKERS = {np.zeros, np.ones, np.empty, np.full, np.arange, np.linspace, np.eye, np.identity}
_MAKERS |= {np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.copy, np.diag, np.tile}


REDUCTIONS = {np.sum, np.prod, np.mean, np.max, np.min, np.var, np.std, np.all, np.any}


def _reduces_all(fn: Any, args: tuple[Value, ...], options: Any) -> bool:
    """Whether a reduction of one array leaves a single number, however many axes there are."""
    if not is_in(fn, REDUCTIONS) or len(args) != 1 or not type_of(args[0]).is_number:
        return False
    return all((k, v) in (("axis", Const(None)), ("keepdims", Const(False))) for k, v in options)


def _piece(joined: Type, dtype: str) -> Type:
    """The type of the piece of a cotangent that belongs to one of the joined arrays."""
    if not joined.is_number:
        return Type("numeric", None, dtype)
    kind = "array" if isinstance(joined.shape, tuple) else joined.kind
    return Type(kind, joined.shape, dtype)


def _elementwise(lengths: Lengths, fn: Any, args: tuple[Value, ...]) -> Type:
    types = [type_of(a) for a in args]
    dtypes = "".join(t.dtype for t in types)
    if "c" in dtypes:
        dtypes = dtypes.replace("?", "f")
    dtype = element_dtype(fn, dtypes)
    if False in [t.is_number for t in types]:
        if fn is operator.add and all(map(is_shape, args)):
            return _joined(lengths, args)
        kinds = {t.kind for t in types}
        opaque = not kinds.isdisjoint(("list", "shape")) and "array" not in kinds
        return OPAQUE if opaque else Type("numeric", None, dtype)
    shape = lengths.broadcast([t.shape for t in types])
    if shape == ():
        return Type("scalar", (), dtype)
    of_array = True in [t.kind == "array" and t.shape != () for t in types]
    kind = "array" if of_array or isinstance(shape, tuple) else "numeric"
    return Type(kind, lengths.fresh_shape() if shape is None else shape, dtype)


def _matmul(lengths: Lengths, fn: Any, a: Value, b: Value) -> Type | None:
    s, t = type_of(a), type_of(b)
    p, q = lengths.resolve(s.shape), lengths.resolve(t.shape)
    if not isinstance(p, tuple) or not isinstance(q, tuple) or not p or not q:
        return None
    if "?" in s.dtype + t.dtype or (fn is np.dot and max(len(p), len(q)) > 2):
        return None
    lengths.contract(p[-1], q[-2 if len(q) > 1 else 0])
    batch = lengths.broadcast([p[:-2], q[:-2]])
    if not isinstance(batch, tuple):
        return None
    shape = (*batch, *p[-2:-1], *(q[-1:] if len(q) > 1 else ()))
    dtype = element_dtype(operator.mul, s.dtype + t.dtype)
    return Type("array" if shape else "scalar", shape, dtype)
