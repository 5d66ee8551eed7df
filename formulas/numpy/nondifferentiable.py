"""NumPy's functions that are constant, or constant between jumps.

What depends on an argument smoothly and has no formula (``np.linspace`` of its
ends, ``np.unique``, random draws of their parameters) is not listed, so that it
is refused.
"""

from __future__ import annotations

import numpy as np

from srcgrad.registry import REAL_FORMULA, nondifferentiable

# Shapes, dtypes and memory

nondifferentiable(
    np.shape, np.ndim, np.size, np.broadcast_shapes,
    np.result_type, np.can_cast, np.promote_types, np.issubdtype,
    np.iscomplexobj, np.isrealobj, np.isscalar, np.iterable,
    np.may_share_memory, np.shares_memory,
    np.finfo, np.iinfo, np.dtype,
    np.common_type, np.isdtype, np.isfortran, np.min_scalar_type, np.mintypecode,
    np.typename, np.einsum_path,
    np.bool, np.int8, np.int16, np.int32, np.int64, np.intc, np.intp, np.longlong,
    np.uint8, np.uint16, np.uint32, np.uint64, np.uintc, np.uintp, np.ulonglong,
)  # fmt: skip

# Arrays whose entries depend on no entry

nondifferentiable(
    np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri,
    np.zeros_like, np.ones_like, np.empty_like,
    np.indices, np.tril_indices, np.triu_indices, np.diag_indices,
    np.tril_indices_from, np.triu_indices_from, np.diag_indices_from,
    np.unravel_index, np.ravel_multi_index, np.mask_indices,
)  # fmt: skip

# Rounding and signs

nondifferentiable(
    np.round, np.around, np.rint, np.fix, np.floor, np.ceil, np.trunc,
    np.signbit, np.spacing,
)  # fmt: skip
nondifferentiable(np.sign, of_complex=REAL_FORMULA)

# Truth values; comparisons and bits of the operators stand with the operators

nondifferentiable(
    np.all, np.any, np.isfinite, np.isinf, np.isnan, np.isposinf, np.isneginf,
    np.iscomplex, np.isreal, np.isclose, np.allclose, np.array_equal,
    np.array_equiv, np.isin, np.isnat,
    np.logical_and, np.logical_or, np.logical_xor,
)  # fmt: skip

# Places and counts

nondifferentiable(
    np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition,
    np.lexsort, np.searchsorted, np.digitize, np.count_nonzero, np.nonzero,
    np.flatnonzero, np.argwhere, np.linalg.matrix_rank,
)  # fmt: skip

# Whole numbers, bits and calendars

nondifferentiable(
    np.gcd, np.lcm, np.bitwise_count, np.packbits, np.unpackbits,
    np.busday_count, np.busday_offset, np.is_busday,
    np.datetime_as_string, np.datetime_data,
)  # fmt: skip

# Text

nondifferentiable(
    np.array_repr, np.array_str, np.array2string, np.base_repr, np.binary_repr,
    np.format_float_positional, np.format_float_scientific,
)  # fmt: skip
