"""Which lengths a call forces to be equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from srcgrad.ir.nodes import Const, Items, Value, Var
from srcgrad.ir.types import Dim, Shape, Type
from srcgrad.registry import find_formula, is_elementwise

if TYPE_CHECKING:
    from srcgrad.analysis.shapes.lengths import Lengths

# Functions of linear algebra, of NumPy and of SciPy under these names, that take square matrices
_SQUARE = {
    "cho_factor", "cholesky", "det", "eigh", "eigvalsh", "expm", "inv", "logm",
    "slogdet", "solve", "solve_triangular", "sqrtm",
}  # fmt: skip
# these give the shorter one of two lengths
_SHORTER = {"diagonal", "qr", "svd"}


def relate(lengths: Lengths, fn: Any, args: tuple[Value, ...], options: dict[str, Value]) -> None:
    """Note which lengths a call forces to be equal."""
    if not args or not callable(fn):
        return
    if fn is np.einsum and isinstance(args[0], Const) and isinstance(args[0].value, str):
        _relate_letters(lengths, args[0].value, [_shape(a) for a in args[1:]])
        return
    if (fn is np.stack or fn is np.array) and isinstance(args[0], Items) and args[0].items:
        shapes = [lengths.resolve(_shape(item)) for item in args[0].items]
        if all(isinstance(s, tuple) and len(s) == len(shapes[0] or ()) for s in shapes):
            for shape in shapes[1:]:
                for a, b in zip(shapes[0] or (), shape or (), strict=True):
                    lengths.contract(a, b)
        return
    if (fn is np.inner or fn is np.tensordot) and args[1:]:
        one, other = (lengths.resolve(_shape(a)) for a in args[:2])
        for a, b in [(-1, -1)] if fn is np.inner else _contracted(args, options):
            if isinstance(one, tuple) and isinstance(other, tuple):
                for p, q in zip(one[a : a + 1 or None], other[b : b + 1 or None], strict=False):
                    lengths.contract(p, q)
        return
    formula = find_formula(fn)
    if formula is not None and is_elementwise(formula):
        lengths.broadcast([_shape(a) for a in (*args, *options.values()) if isinstance(a, Var)])
        return
    name = name_in_linalg(fn)
    shape = lengths.resolve(_shape(args[0])) if name else None
    if not isinstance(shape, tuple):
        return
    if name in _SHORTER and len(shape) == 2:
        lengths.agree(Type("array", shape[:1]), Type("array", shape[1:]))
    elif name in _SQUARE and len(shape) >= 2:
        lengths.contract(shape[-1], shape[-2])
        right = lengths.resolve(_shape(args[1])) if len(args) > 1 else ()
        if isinstance(right, tuple) and right:
            lengths.contract(shape[-1], right[-2:][0])


def _contracted(args: tuple[Value, ...], options: dict[str, Value]) -> list[tuple[int, int]]:
    """The pairs of axes along which ``np.tensordot`` sums, where they are written out."""
    axes = options.get("axes", args[2] if len(args) > 2 else Const(2))
    if isinstance(axes, Const) and type(axes.value) is int:
        return [(k - axes.value, k) for k in range(axes.value)]
    if not isinstance(axes, Items) or len(axes.items) != 2:
        return []
    pair = [side.items if isinstance(side, Items) else (side,) for side in axes.items]
    places = [[getattr(axis, "value", None) for axis in side] for side in pair]
    return [(a, b) for a, b in zip(*places, strict=False) if type(a) is int and type(b) is int]


def _shape(value: Value) -> Shape:
    """The shape of a variable; a constant's is not related to anything."""
    return value.type.shape if isinstance(value, Var) else None


def name_in_linalg(fn: Any) -> str:
    """The name of a function of linear algebra, or nothing."""
    if fn is np.diag or fn is np.diagonal:
        return "diagonal"
    module = getattr(fn, "__module__", None) or ""
    return fn.__name__ if module.startswith(("numpy.linalg", "scipy.linalg")) else ""


def _relate_letters(lengths: Lengths, subscripts: str, shapes: list[Shape]) -> None:
    operands = subscripts.replace(" ", "").split("->")[0].split(",")
    if "." in subscripts or len(operands) != len(shapes):
        return
    letters: dict[str, Dim] = {}
    for operand, shape in zip(operands, shapes, strict=True):
        if isinstance(shape, tuple) and len(shape) == len(operand):
            for letter, dim in zip(operand, shape, strict=True):
                letters[letter] = lengths.unify(letters.get(letter, 1), dim)
