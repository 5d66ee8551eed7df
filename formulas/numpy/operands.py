"""Which positional parameters of NumPy's functions are no arrays, but sequences or options."""

from __future__ import annotations

import math
import operator

import numpy as np

from srcgrad.registry import mark_structured

mark_structured(
    "arrays", np.concatenate, getattr(np, "concat", np.concatenate), np.stack, np.vstack,
    np.hstack, np.dstack, np.column_stack, np.linalg.multi_dot,
)  # fmt: skip
mark_structured("x", np.array, np.asarray, np.asanyarray, np.ascontiguousarray)
mark_structured("x", np.asfortranarray, np.asarray_chkfinite, np.require)
mark_structured("index", operator.getitem)
mark_structured("conditions choices default", np.select)
mark_structured("choices", np.choose)
mark_structured("shape", np.full)
mark_structured("n axis", np.diff)
mark_structured("axis", np.average, getattr(np, "trapezoid", np.average))
mark_structured("num endpoint", np.logspace)
mark_structured("obj", np.insert)
mark_structured("kth", np.partition)
mark_structured("bins range density", np.histogram)
mark_structured("rowvar bias ddof", np.cov)
mark_structured("subscripts operands", np.einsum)
mark_structured("spacing", np.gradient)
mark_structured("p q", math.dist, *([math.sumprod] if hasattr(math, "sumprod") else []))
mark_structured("x", math.fsum, math.prod)
mark_structured("indices", np.take, np.add.reduceat)
mark_structured("indices", np.multiply.reduceat, np.maximum.reduceat, np.minimum.reduceat)
mark_structured("indices", np.fmax.reduceat, np.fmin.reduceat)
mark_structured("condition", np.compress, np.extract)
