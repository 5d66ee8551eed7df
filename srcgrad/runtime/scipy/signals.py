"""What the derivatives of SciPy's recursive filters call at run time, and others in Python.

The state at last of a filter is told by what comes out when as many zeros follow as it has
numbers; the state at first is what the filter with the numerator 1 makes of its numbers:
A. Oppenheim, R. Schafer, "Discrete-Time Signal Processing", 1989, 6.3 (transposed forms).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

from srcgrad.runtime.scipy.filters import lag_sums


def lfilter_from(b: Any, a: Any, x: Any, zi: Any, axis: int = -1) -> tuple[Any, Any]:
    """Return ``scipy.signal.lfilter`` with the state at first as an argument, and that at last."""
    return signal.lfilter(b, a, x, axis=axis, zi=zi)


def lfilter_transpose(
    y_bar: Any, zf_bar: Any, b: Any, a: Any, x: Any, zi: Any, axis: int
) -> tuple[Any, Any, Any, Any]:
    """Return the cotangents of the arguments of ``lfilter_from`` from those of its results.

    Args:
        y_bar: the cotangent of what is filtered.
        zf_bar: that of the state at last.
        b: the numerator.
        a: the denominator.
        x: what is filtered.
        zi: the state at first.
        axis: the axis along which it is.

    Returns:
        The cotangents of b, a, x and zi; those of b and a are vectors.
    """
    over, under = np.ravel(b), np.ravel(a)
    first, one = under[:1], np.ones_like(under[:1])
    rows, state = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    out_bar, last_bar = np.moveaxis(y_bar, axis, -1), np.moveaxis(zf_bar, axis, -1)
    n, count = rows.shape[-1], state.shape[-1]
    longer, started = _longer(rows, state)
    whole: Any = signal.lfilter(over, under, longer) + signal.lfilter(first, under, started)
    tail = whole[..., n:]
    told_bar = last_bar / first[0]
    tail_bar = np.flip(signal.lfilter(under, one, np.flip(told_bar, -1)), -1)
    whole_bar = np.concatenate((out_bar, tail_bar), axis=-1)
    back = np.flip(whole_bar, -1)
    x_bar = np.flip(signal.lfilter(over, under, back), -1)[..., :n]
    started_bar = np.flip(signal.lfilter(first, under, back), -1)
    b_bar = lag_sums(whole_bar, signal.lfilter(one, under, longer), len(over))
    a_bar = lag_sums(told_bar, tail, len(under)) - lag_sums(
        whole_bar, signal.lfilter(one, under, whole), len(under)
    )
    of_first = lag_sums(whole_bar, signal.lfilter(one, under, started), 1) - lag_sums(
        told_bar, signal.lfilter(under, first, tail), 1
    )
    a_bar = a_bar + np.concatenate((of_first, np.zeros_like(under)[1:]))
    zi_bar = started_bar[..., :count]
    return b_bar, a_bar, np.moveaxis(x_bar, -1, axis), np.moveaxis(zi_bar, -1, axis)


def lfilter_change(
    b: Any, a: Any, x: Any, zi: Any, b_dot: Any, a_dot: Any, x_dot: Any, zi_dot: Any, axis: int
) -> tuple[Any, Any]:
    """Return the tangents of the results of ``lfilter_from`` from those of its arguments."""
    over, under = np.ravel(b), np.ravel(a)
    over_dot, under_dot = np.ravel(b_dot), np.ravel(a_dot)
    first, one = under[:1], np.ones_like(under[:1])
    rows, state = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    n = rows.shape[-1]
    longer, started = _longer(rows, state)
    longer_dot, started_dot = _longer(np.moveaxis(x_dot, axis, -1), np.moveaxis(zi_dot, axis, -1))
    whole: Any = signal.lfilter(over, under, longer) + signal.lfilter(first, under, started)
    over_moved: Any = signal.lfilter(over_dot, one, longer)
    moved = (
        over_moved
        - signal.lfilter(under_dot, one, whole)
        + under_dot[0] * started
        + first[0] * started_dot
    )
    whole_dot: Any = signal.lfilter(over, under, longer_dot) + signal.lfilter(one, under, moved)
    tail, tail_dot = whole[..., n:], whole_dot[..., n:]
    last = signal.lfilter(under, first, tail)
    last_dot = signal.lfilter(under_dot, one, tail) - under_dot[0] * last
    last_dot = last_dot / first[0] + signal.lfilter(under, first, tail_dot)
    return np.moveaxis(whole_dot[..., :n], -1, axis), np.moveaxis(last_dot, -1, axis)


def _longer(rows: Any, state: Any) -> tuple[Any, Any]:
    """Return rows with zeros behind them for the numbers of a state, and these likewise."""
    behind = np.zeros_like(rows)[..., :1] + np.zeros_like(state)
    before = np.zeros_like(rows)
    longer = np.concatenate((rows, behind), axis=-1)
    return longer, np.concatenate((behind + state, before), axis=-1)


# Filters that compare or leave out entries, and peaks, by which they are differentiated


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
    options = {
        "height": height, "threshold": threshold, "distance": distance,
        "prominence": prominence, "wlen": wlen, "plateau_size": plateau_size,
    }  # fmt: skip
    x = np.asarray(x)
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
