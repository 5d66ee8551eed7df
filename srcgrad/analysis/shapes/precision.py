"""Where a program of one precision meets arrays and numbers of another."""

from __future__ import annotations

import functools
import itertools
import operator
import re
import warnings
from collections.abc import Iterator
from typing import Any

import libcst as cst
import numpy as np

from srcgrad.analysis.shapes.questions import may_be_asked
from srcgrad.ir.blocks import with_called
from srcgrad.ir.metadata import Metadata
from srcgrad.ir.nodes import (
    OPAQUE,
    RECORDED,
    Block,
    Equation,
    Function,
    Items,
    Known,
    Slice,
    Value,
    Var,
    equations,
    is_active,
)
from srcgrad.ir.types import Type
from srcgrad.library.attributes import plainly
from srcgrad.program.guards import Facts

_SINGLE = {"c": np.complex64, "i": np.int64, "b": np.bool_}
_RESHAPING = (np.reshape, np.squeeze, np.broadcast_to, float)
_DOUBLE = (np.float_power, np.linspace, np.logspace, np.geomspace, np.cov, np.corrcoef)
_FILLING = (np.full_like, np.ones_like, np.full, np.ones, np.broadcast_to)
_POWERS = (operator.pow, np.power, pow)
_OTHER = re.compile(
    r"\b(float16|float32|half|single|complex64|csingle)\b|['\"][<>=|]?(e|f|F|[fc][248])['\"]"
    r"|\b(c?longdouble|float96|float128|complex192|complex256)\b"
)
_CODES = re.compile("[<>=|]?(e|f|g|G|[fc](2|4|12|16|24|32))|half|single|csingle")
_TYPES = (np.float16, np.float32, np.complex64, np.longdouble, np.clongdouble)


def changes_precision(function: Function, facts: Facts, single: bool) -> bool:
    """Whether a function may compute in another precision than that of its arguments.

    What it brings in itself, arrays and NumPy's numbers, may be of double precision, or
    whole numbers, and what is computed from them and an array in single precision is in
    double precision then, as its cotangent is. A number of Python's is not: it takes the
    precision of the array. Where the arguments are of double precision, what matters are
    arrays of single precision that they are written into, and arrays and numbers of more.
    """
    held = list(facts.numbers.values())
    if single:
        return any(map(_is_wide, held)) or any(map(_widens, with_called(function)))
    return any(map(_is_other, held)) or any(map(_brings_other, with_called(function)))


def _brings_other(eq: Equation) -> bool:
    """Whether an equation may make numbers of another precision than double, by what it says."""
    given = (*eq.args, *(v for k, v in eq.options if k == "dtype"))
    held = [_held(value) for value in given if type(value) is not Var]
    if held and (any(map(_is_other, held)) or any(map(_names_other, held))):
        return True
    if eq.op.fn in _TYPES:
        return True
    typed = eq.op.fn is OPAQUE or eq.op.name == "array"  # which has its dtype by place, too
    if not typed or eq.origin is None or eq.origin.node is None:
        return False
    return _says_other(eq.origin.node)


@functools.lru_cache(maxsize=8192)
def _says_other(node: cst.CSTNode) -> bool:
    """Whether the text of an expression says another precision; nodes never change."""
    return _OTHER.search(cst.Module([]).code_for_node(node)) is not None


def _names_other(held: Any) -> bool:
    """Whether something is a dtype of another precision than double."""
    if isinstance(held, str):
        return bool(_CODES.fullmatch(held) or _OTHER.fullmatch(held))
    if isinstance(held, np.dtype):
        return _differs(held)
    return isinstance(held, type) and issubclass(held, np.inexact) and _differs(np.dtype(held))


def _differs(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fc" and np.finfo(dtype).dtype != np.float64


def _widens(eq: Equation) -> bool:
    """Whether an equation makes numbers, of a precision of its own, of nothing active."""
    if any(_is_wide(_held(arg)) for arg in eq.args) or eq.op.fn in _DOUBLE:
        return True
    if eq.op.fn is RECORDED:  # whose text is not gone through
        return True
    if any(name == "dtype" for name, _ in eq.options):
        return True
    if eq.op.fn in _POWERS and not is_active(eq.args[0]):
        return True  # the logarithm of a number of Python's is one of NumPy's
    if eq.op.fn in _RESHAPING and not eq.targets[0].type.ndim:
        return True  # its cotangent may be a number of Python's, and the array of it is not
    if isinstance(eq.op.fn, Metadata):
        return False
    if any(map(is_active, eq.args)):
        return may_be_asked(eq.op.fn) and _gives_double(eq)
    return any(_may_widen(target.type) for target in eq.targets)


def _gives_double(eq: Equation) -> bool:
    """Whether a call gives double precision for arrays in single precision, as ``np.cov`` does.

    It is evaluated on small arrays; where it fits none of them, it may give double precision.
    """
    found = []
    for number, rank in itertools.product((np.float32, float), (1, 2, 3)):
        try:
            args = [_example(arg, rank, number) for arg in eq.args]
            options = {name: _example(value, rank, number) for name, value in eq.options}
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                found.append(any(map(_is_double, _parts(eq.op.fn(*args, **options)))))
        except Exception:  # noqa: BLE001 - it does not work with such arrays
            continue
    return any(found) or not found


def _example(value: Value, rank: int, number: type) -> Any:
    """A value for an operand in single precision."""
    if isinstance(value, Items):
        made = [_example(item, rank, number) for item in value.items]
        return made if value.is_list else tuple(made)
    if isinstance(value, Slice):
        parts = (value.lower, value.upper, value.step)
        return slice(*(_example(part, rank, number) for part in parts))
    if not isinstance(value, Var):
        return _held(value)
    if not value.type.is_number:
        raise TypeError("no number")
    shape = value.type.shape if isinstance(value.type.shape, tuple) else (None,) * rank
    sizes = tuple(n if isinstance(n, int) else 4 for n in shape)
    if not sizes and value.type.kind != "array":
        turned = complex(1) if number is float else np.complex64(1)
        return {"i": 1, "b": True, "c": turned}.get(value.type.dtype, number(1))
    made = np.ones(sizes, _SINGLE.get(value.type.dtype, np.float32))
    if len(sizes) > 1 and sizes[-1] == sizes[-2]:
        made = made + np.eye(sizes[-1], dtype=made.dtype)
    return made


def makes_double(block: Block) -> bool:
    """Whether statements make arrays of double precision of numbers of Python's alone.

    A number of Python's times truth values, as in the slope of ``np.maximum(x, 0.0)``, or
    times whole numbers is in double precision, whatever the arguments are. An array that is
    filled with a number may be that number when it is simplified.
    """
    filled: set[Value] = set()
    for eq in equations(block):
        arrays = [v for v in eq.args if isinstance(v, Var) and v.type.kind == "array"]
        counting = [v for v in arrays if v.type.dtype in ("b", "i")]
        made = eq.targets[0].type
        real = made.kind == "array" and made.dtype not in ("b", "i")
        if eq.op.fn in _FILLING:
            filled.update(eq.targets)
        elif real and arrays and all(v in filled or v in counting for v in arrays):
            if counting and not any(name == "dtype" for name, _ in eq.options):
                return True
            filled.update(eq.targets)
    return False


def _parts(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for part in result:
            yield from _parts(part)
    else:
        yield result


def _is_double(x: Any) -> bool:
    return getattr(x, "dtype", None) in (np.float64, np.complex128)


def _may_widen(type_: Type) -> bool:
    """Whether values of a type can have a precision: truth values and counters have none."""
    counts = type_.kind == "scalar" and type_.dtype == "i"
    return type_.is_number and type_.dtype != "b" and not counts


def _held(value: Value) -> Any:
    return value.object if isinstance(value, Known) else getattr(value, "value", None)


def _is_wide(held: Any) -> bool:
    """Whether something from outside of the function is an array or a number of NumPy's."""
    return getattr(plainly(held, "dtype"), "kind", "") in tuple("iufc")


def _is_other(held: Any) -> bool:
    dtype = plainly(held, "dtype")
    return isinstance(dtype, np.dtype) and _differs(dtype)
