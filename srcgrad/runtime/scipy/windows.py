"""Functions of SciPy's on signals whose places are chosen, in Python."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal


def median_filter(volume: Any, kernel_size: Any = None) -> Any:
    """Return what ``scipy.signal.medfilt`` gives: medians of windows, with zeros beyond the ends.

    Args:
        volume: the signal.
        kernel_size: the odd lengths of the windows, 3 if not given.
    """
    volume = np.atleast_1d(volume)
    sizes = 3 if kernel_size is None else kernel_size
    sizes = np.broadcast_to(np.asarray(sizes), (np.ndim(volume),)).tolist()
    if any(size % 2 != 1 for size in sizes):
        raise ValueError("Each element of kernel_size should be odd.")
    wide = np.pad(volume, [(size // 2, size // 2) for size in sizes])
    windows = np.lib.stride_tricks.sliding_window_view(wide, tuple(sizes))
    rows = np.reshape(windows, (*np.shape(volume), -1))
    middle = np.shape(rows)[-1] // 2
    return np.sort(rows, axis=-1)[..., middle]


def rate_changed(
    h: Any,
    x: Any,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: Any = 0,
) -> Any:
    """Return what ``scipy.signal.upfirdn`` gives: zeros put in, a filter, and some entries left.

    Args:
        h: the filter.
        x: the signal.
        up: how many entries stand for each one before the filter.
        down: of how many entries one is kept.
        axis: along which axis of the signal.
        mode: what is beyond its ends.
        cval: what ``"constant"`` has there, 0.
    """
    if mode != "constant" or cval != 0:
        raise NotImplementedError("no formula for upfirdn with mode= or cval=; use np.pad before")
    h, rows = np.asarray(h), np.moveaxis(np.asarray(x), axis, -1)
    count = np.shape(rows)[-1]
    wide = np.zeros((*np.shape(rows)[:-1], count, up), np.result_type(h, rows))
    wide[..., 0] = rows
    wide = np.reshape(wide, (*np.shape(rows)[:-1], count * up))[..., : (count - 1) * up + 1]
    shape = (*(1,) * (np.ndim(wide) - 1), -1)
    made = signal.fftconvolve if np.size(h) > 64 else signal.convolve
    whole = made(wide, np.reshape(h, shape))
    return np.moveaxis(whole[..., ::down], -1, axis)


def peaks_start(x: Any, options: Any) -> Any:
    """Return what ``scipy.signal.find_peaks`` gives, as a constant."""
    return signal.find_peaks(x, **options)


def peaks(
    x: Any,
    height: Any = None,
    threshold: Any = None,
    distance: Any = None,
    prominence: Any = None,
    width: Any = None,
    wlen: Any = None,
    rel_height: float = 0.5,
    plateau_size: Any = None,
) -> Any:
    """Return what ``scipy.signal.find_peaks`` gives: where peaks are, and how high.

    Args:
        x: the signal.
        height: how high peaks are at least, or at least and at most.
        threshold: how far they stand out from their neighbours.
        distance: how far they are apart at least.
        prominence: how far they stand out from what surrounds them.
        width: None, as widths are not differentiated.
        wlen: how much of the signal surrounds a peak.
        rel_height: at which part of the prominence widths are measured.
        plateau_size: how long flat peaks are.
    """
    if width is not None:
        raise NotImplementedError("no formula for find_peaks with width=; leave it out")
    options = {
        "height": height, "threshold": threshold, "distance": distance,
        "prominence": prominence, "wlen": wlen, "plateau_size": plateau_size,
    }  # fmt: skip
    places, found = peaks_start(x, options)
    if "peak_heights" in found:
        found["peak_heights"] = x[places]
    if "left_thresholds" in found:
        found["left_thresholds"] = x[places] - x[places - 1]
        found["right_thresholds"] = x[places] - x[places + 1]
    if "prominences" in found:
        around = np.maximum(x[found["left_bases"]], x[found["right_bases"]])
        found["prominences"] = x[places] - around
    return places, found
