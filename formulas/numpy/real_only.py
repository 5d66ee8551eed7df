"""NumPy's functions whose derivative is written for real numbers, and why."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import real_only
from srcgrad.runtime.quantiles import place_ranked, read_ranked
from srcgrad.runtime.special import bessel_i1

real_only(
    "complex numbers have no order",
    np.max, np.min, np.nanmax, np.nanmin, np.maximum, np.minimum, np.fmax, np.fmin,
    np.maximum.reduce, np.minimum.reduce, np.fmax.reduce, np.fmin.reduce, np.maximum.accumulate,
    np.minimum.accumulate, np.fmax.accumulate, np.fmin.accumulate, np.maximum.reduceat,
    np.minimum.reduceat, np.fmax.reduceat, np.fmin.reduceat, np.ptp, np.clip, np.sort,
    np.partition, np.unique,
    np.median, np.nanmedian, np.quantile, np.percentile, np.nanquantile, np.nanpercentile,
    read_ranked, place_ranked, max, min, sorted,
)  # fmt: skip
real_only(
    "its formula is that for real numbers",
    np.sign, np.i0, bessel_i1, np.histogram,
)  # fmt: skip
