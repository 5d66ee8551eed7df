"""Which calls always give back memory of their own.

What such a call gives may be written, since nothing else can see it. The tables
below are about the functions as they are in NumPy; a test calls every one of
them and looks at the memory of what it gives.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Const, Equation, Items, Value, Var
from srcgrad.runtime import (
    astype,
    place,
    place_along,
    place_diagonal,
    place_each_along,
    place_flat,
)
from srcgrad.runtime.images import (
    convolve_beyond,
    correlate_beyond,
    filter_slopes,
    filter_transpose,
)
from srcgrad.runtime.quantiles import place_ranked

_NAMES = """
all allclose amax amin any append arange argmax argmin argpartition argsort argwhere
array_equal average bartlett bincount blackman block choose clip column_stack compress
concatenate convolve copy corrcoef correlate count_nonzero cov cross cumprod cumsum
cumulative_prod cumulative_sum delete diagflat diag_indices_from digitize dot dstack
ediff1d empty empty_like extract eye flatnonzero full full_like geomspace hamming hanning
heaviside hstack i0 identity indices inner insert interp isclose isin kaiser kron lexsort
linspace logspace matmul max mean median min nanargmax nanargmin nancumprod nancumsum
nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum nanvar
nonzero ones ones_like outer packbits pad partition percentile piecewise polyval prod ptp
quantile repeat roll searchsorted select sinc sort sort_complex stack std sum take
take_along_axis tensordot tile trace trapezoid tri tril tril_indices tril_indices_from triu
triu_indices triu_indices_from unwrap vander var vdot vecdot vstack where zeros zeros_like
"""
_LINALG = """
cholesky cond cross det eigh eigvalsh inv lstsq matmul matrix_norm norm outer
pinv qr slogdet solve svd svdvals tensorinv tensorsolve trace vecdot vector_norm
"""
_FFT = """
fft ifft fft2 ifft2 fftn ifftn rfft irfft rfft2 irfft2 rfftn irfftn hfft ihfft fftfreq
rfftfreq fftshift ifftshift
"""


def _functions() -> frozenset[Any]:
    tables = ((np, _NAMES), (np.linalg, _LINALG), (np.fft, _FFT))
    return frozenset(
        getattr(module, name)
        for module, names in tables
        for name in names.split()
        if hasattr(module, name)
    )


_PLACING = {place, place_along, place_diagonal, place_each_along, place_flat, place_ranked}
_FILTERS = {convolve_beyond, correlate_beyond, filter_slopes, filter_transpose}
_MODULES = {  # all of whose functions do, as far as they have formulas
    "_operator",
    "math",
    "srcgrad.runtime.choosing",
    "srcgrad.runtime.splines",
    "srcgrad.runtime.samples",
    "srcgrad.runtime.gaussians",
    "scipy.ndimage._filters",
    "scipy.ndimage._interpolation",
}
FRESH = _functions()  # whatever their arguments are, but for out=


def _copies(eq: Equation) -> bool:
    """Whether a call that can leave its argument as it is was not asked to."""
    return all(name != "copy" or value == Const(True) for name, value in eq.options)


def _at_least(times: int) -> Callable[[Equation], bool]:
    """Whether it is known to be done so often; done less often, it gives its argument."""

    def test(eq: Equation) -> bool:
        given = dict(eq.options).get("n", eq.args[1] if len(eq.args) > 1 else Const(1))
        count = getattr(given, "value", None)
        return isinstance(count, int) and count >= times

    return test


def _is_vector(value: Value) -> bool:
    return isinstance(value, Var) and value.type.kind == "array" and value.type.ndim == 1


def _is_floating(eq: Equation) -> bool:
    """Whether the first argument is known to have no integers."""
    return isinstance(eq.args[0], Var) and eq.args[0].type.dtype in ("f", "c")


# depending on their arguments
CONDITIONAL: dict[Any, Callable[[Equation], bool]] = {
    np.array: lambda eq: len(eq.args) == 1 and _copies(eq),
    np.nan_to_num: lambda eq: len(eq.args) == 1 and _copies(eq),
    getattr(np, "astype", astype): lambda eq: len(eq.args) <= 2 and _copies(eq),
    astype: lambda eq: len(eq.args) <= 2 and _copies(eq),
    np.diff: _at_least(1),
    np.linalg.matrix_power: _at_least(2),
    np.einsum: lambda eq: len(eq.args) > 2,  # of one operand it may be a view
    np.diag: lambda eq: _is_vector(eq.args[0]),  # of a matrix it is a view
    np.ravel: lambda eq: eq.op.name == "flatten",
    np.round: _is_floating,  # integers are rounded already
    np.unique: lambda eq: len(eq.args) == 1 and not eq.options,
    operator.getitem: lambda eq: _gathers(eq.args[1]),
}


def _gathers(index: Value) -> bool:
    """Whether an index has arrays or lists in it, so that what it gives is a copy."""
    if isinstance(index, Items):
        return index.is_list or any(_gathers(item) for item in index.items)
    if not isinstance(index, Var):
        return False
    if index.type.kind == "array":
        return bool(index.type.ndim) and index.type.dtype in ("i", "b")
    return False


def is_fresh(eq: Equation) -> bool:
    """Whether what an equation gives is always memory of its own."""
    fn = eq.op.fn
    if any(name == "out" for name, _ in eq.options):
        return False
    if isinstance(fn, np.ufunc):  # x.conj() is x itself where that is real
        return fn is not np.conjugate or eq.op.style != "method"
    try:
        if fn in FRESH or fn in _PLACING or fn in _FILTERS:
            return True
        condition = CONDITIONAL.get(fn)
    except TypeError:  # what is called cannot be hashed
        return False
    if condition is not None:
        return condition(eq)
    return getattr(fn, "__module__", "") in _MODULES


__all__ = ["CONDITIONAL", "FRESH", "is_fresh"]
