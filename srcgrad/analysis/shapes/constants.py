"""The types of values, of Python objects that are known when code is generated as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.analysis.shapes.questions import DTYPES
from srcgrad.ir.nodes import Const, Value, Var
from srcgrad.ir.types import BOOLEAN, INTEGER, OPAQUE, REAL, SPARSE, Type
from srcgrad.library.attributes import plainly
from srcgrad.program.foreign import Foreign, foreign

COMPLEX = Type("scalar", (), "c")
_PLAIN = {bool: BOOLEAN, int: INTEGER, float: REAL, complex: COMPLEX}


def type_of_constant(value: Any) -> Type:
    """Return the type of a Python object that is known when code is generated."""
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return plain  # as most are
    conversion = foreign(value)
    if conversion is not None:
        return replace(OPAQUE, element=Foreign(type(value).__name__, conversion))
    if isinstance(value, np.bool_):
        return BOOLEAN
    if isinstance(value, int | np.integer):
        return INTEGER
    if isinstance(value, float | np.floating):
        return REAL
    if isinstance(value, complex | np.complexfloating):
        return COMPLEX
    if isinstance(value, range):
        return OPAQUE
    dtype, shape = plainly(value, "dtype"), plainly(value, "shape")
    if dtype is not None and isinstance(shape, tuple) and hasattr(dtype, "kind"):
        kind = {"u": "i"}.get(dtype.kind, dtype.kind)
        if kind in DTYPES:
            mark = SPARSE if of_sparse(value) else None
            return Type("array", tuple(1 if n == 1 else None for n in shape), kind, element=mark)
    return OPAQUE


def of_sparse(value: Any) -> bool:
    """Whether a Python object is a sparse matrix of SciPy or CuPy."""
    module = type(value).__module__
    return module.startswith(("scipy.sparse", "cupyx.scipy.sparse"))


def type_of(value: Value) -> Type:
    """Return the type of a value of the intermediate representation."""
    if isinstance(value, Var):
        return value.type
    if isinstance(value, Const):
        return type_of_constant(value.value)
    return OPAQUE
