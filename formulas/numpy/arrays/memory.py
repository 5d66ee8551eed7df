"""Which functions always give memory of their own, so that what they give may be written.

A test calls every one of them and looks at the memory of what it gives.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcgrad.effects import effects
from srcgrad.runtime import (
    place,
    place_along,
    place_diagonal,
    place_each_along,
    place_flat,
    sum_windows,
)
from srcgrad.runtime.numpy.quantiles import place_ranked
from srcgrad.runtime.scipy.ndimage.images import (
    convolve_beyond,
    correlate_beyond,
    filter_slopes,
    filter_transpose,
)

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


NEW = _functions()  # whatever their arguments are, but for out=

effects(*NEW, views="out")
effects(np.broadcast_to, np.broadcast_arrays, np.diag, np.diagonal, locked=True)
effects(np.linalg.diagonal, np.lib.stride_tricks.sliding_window_view, locked=True)
effects(place, place_along, place_diagonal, place_each_along, place_flat, place_ranked, views="")
effects(sum_windows, views="")
effects(convolve_beyond, correlate_beyond, filter_slopes, filter_transpose, views="")
