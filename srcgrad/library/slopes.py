"""Which functions have infinite slopes, and which read some entries and leave out others."""

from __future__ import annotations

from typing import Any

# Functions whose slope may be infinite, or none, where they have a value
_UNBOUNDED = frozenset(
    (
        "sqrt", "cbrt", "pow", "power", "float_power", "log", "log2", "log10", "log1p", "truediv",
        "divide", "true_divide", "reciprocal", "arcsin", "arccos", "arccosh", "arctanh", "asin",
        "acos", "acosh", "atanh", "xlogy", "xlog1py", "entr", "logit",
        "hypot", "arctan2", "logaddexp", "logaddexp2",
    )
)  # fmt: skip
# Functions that choose entries by their values, and whose slope is 0 in what they leave out
_WEIGHING = frozenset(
    (
        "maximum", "minimum", "fmax", "fmin", "clip", "max", "min", "amax", "amin", "nanmax",
        "nanmin", "ptp", "nansum", "nanmean", "nancumsum", "nan_to_num", "unique", "median",
        "nanmedian", "quantile", "nanquantile", "percentile", "nanpercentile",
    )
)  # fmt: skip
# Functions that choose entries by their values or by others: what they leave out is not read
_CHOOSING = _WEIGHING | frozenset(("where", "select", "choose", "compress", "extract"))
# Functions that choose entries by their places
_PICKING = frozenset(("take", "take_along_axis", "delete", "diagonal", "diag", "tril", "triu"))
# Functions that put entries elsewhere: each is read where the entry that it became is read
_REARRANGING = frozenset(
    (
        "reshape", "ravel", "transpose", "permute_dims", "matrix_transpose", "moveaxis", "swapaxes",
        "expand_dims", "squeeze", "atleast_1d", "atleast_2d", "atleast_3d", "concatenate", "concat",
        "stack", "vstack", "hstack", "dstack", "column_stack", "append", "insert", "block", "copy",
        "flip", "fliplr", "flipud", "roll", "rot90", "tile", "repeat", "broadcast_to", "sort",
        "sorted", "partition", "array", "asarray",
    )
)  # fmt: skip


# Those of them that may leave entries out
_DROPPING = frozenset(("insert", "tile", "repeat", "partition"))


# Functions that add entries up: each is read where one of its sums is read
_ADDING = frozenset(("sum", "mean", "cumsum", "cumulative_sum"))
# Functions whose slopes are finite where their arguments are
_TAME = frozenset(
    (
        "add", "sub", "subtract", "mul", "multiply", "neg", "negative", "pos", "positive",
        "matmul", "dot", "vdot", "inner", "outer", "einsum", "tensordot", "kron", "trace",
        "sin", "cos", "tanh", "arctan", "square", "conj", "conjugate", "real", "imag",
        "abs", "absolute", "fabs", "sign", "floor", "ceil", "rint", "trunc", "astype",
        "getitem", "zeros_like", "ones_like", "full_like", "diff", "cross",
    )
)  # fmt: skip


def _name(fn: Any) -> str:
    return getattr(fn, "__name__", "")


def is_unbounded(fn: Any) -> bool:
    """Tell whether a function of the libraries may have an infinite slope, or none."""
    return _name(fn) in _UNBOUNDED


def expects_nan(fn: Any) -> bool:
    """Tell whether who calls a function of the libraries expects nans, for missing values."""
    return _name(fn).startswith("nan") or _name(fn) in ("isnan", "isfinite", "isinf")


def chooses(fn: Any) -> bool:
    """Tell whether a function of the libraries chooses entries by what they or others are."""
    return _name(fn) in _CHOOSING


def weighs(fn: Any) -> bool:
    """Tell whether a function of the libraries leaves out entries by a slope of 0.

    Its tangent is their tangents times 0, then, where nothing else is done.
    """
    return _name(fn) in _WEIGHING


def picks(fn: Any) -> bool:
    """Tell whether a function of the libraries reads the entries in some places only."""
    return _name(fn) in _PICKING


def rearranges(fn: Any) -> bool:
    """Tell whether what a function of the libraries gives are its argument's entries, or sums."""
    return _name(fn) in _REARRANGING or _name(fn) in _ADDING


def reads_all(fn: Any) -> bool:
    """Tell whether all entries of the argument of a function are read where its result is."""
    return rearranges(fn) and _name(fn) not in _DROPPING


def is_tame(fn: Any) -> bool:
    """Tell whether the slopes of a function of the libraries are finite where its arguments are."""
    name = _name(fn)
    return name in _TAME or chooses(fn) or picks(fn) or rearranges(fn)
