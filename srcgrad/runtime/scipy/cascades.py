"""Filters that are made of others, through which SciPy's are differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal


def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    """Return ``scipy.signal.sosfilt(sos, x, axis, zi)``: one section after the other.

    Args:
        sos: a row of six coefficients for each section.
        x: what is filtered.
        axis: the axis along which it is.
        zi: the state of each section at first; all at rest if None.

    Returns:
        What is filtered; with ``zi``, that and the states at last.
    """
    if zi is None:
        for section in sos:
            x = signal.lfilter(section[:3], section[3:], x, axis=axis)
        return x
    states = []
    for k in range(len(sos)):
        x, state = signal.lfilter(sos[k, :3], sos[k, 3:], x, axis=axis, zi=zi[k])
        states.append(state)
    return x, np.stack(states)


def filtfilt(
    b: Any,
    a: Any,
    x: Any,
    axis: int = -1,
    padtype: Any = "odd",
    padlen: Any = None,
    method: str = "pad",
    irlen: Any = None,
) -> Any:
    """Return ``scipy.signal.filtfilt`` of an array: filtered forward, and then backward.

    Args:
        b: the numerator of the filter.
        a: the denominator.
        x: what is filtered.
        axis: the axis along which it is.
        padtype: how the array goes on at its ends: "odd", "even", "constant" or None.
        padlen: how far.
        method: "pad".
        irlen: not read with that.

    Raises:
        NotImplementedError: for the method "gust".
    """
    if method != "pad":
        raise NotImplementedError("filtfilt is differentiated with method='pad'")
    edge = _edge(padtype, padlen, 3 * max(np.size(a), np.size(b)))
    longer = _extended(np.moveaxis(x, axis, -1), padtype, edge)
    state = signal.lfilter_zi(b, a)
    ahead, _ = signal.lfilter(b, a, longer, zi=state * longer[..., :1])
    turned = np.flip(ahead, -1)
    back, _ = signal.lfilter(b, a, turned, zi=state * turned[..., :1])
    return np.moveaxis(_cut(np.flip(back, -1), edge), -1, axis)


def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """Return ``scipy.signal.sosfiltfilt`` of an array: filtered forward, and then backward.

    Args:
        sos: a row of six coefficients for each section.
        x: what is filtered.
        axis: the axis along which it is.
        padtype: how the array goes on at its ends; see ``filtfilt``.
        padlen: how far.
    """
    count = 2 * len(sos) + 1 - min(int(np.sum(sos[:, 2] == 0)), int(np.sum(sos[:, 5] == 0)))
    edge = _edge(padtype, padlen, 3 * count)
    longer = _extended(np.moveaxis(x, axis, -1), padtype, edge)
    ahead = _from_rest(sos, longer)
    back = _from_rest(sos, np.flip(ahead, -1))
    return np.moveaxis(_cut(np.flip(back, -1), edge), -1, axis)


def _from_rest(sos: Any, x: Any) -> Any:
    """Return what is filtered by sections that are in the state of its first entry for ever."""
    states = signal.sosfilt_zi(sos)
    first = x[..., :1]
    for k in range(len(sos)):
        x, _ = signal.lfilter(sos[k, :3], sos[k, 3:], x, zi=states[k] * first)
    return x


def _edge(padtype: Any, padlen: Any, own: int) -> int:
    if padtype is None:
        return 0
    return own if padlen is None else padlen


def _extended(x: Any, padtype: Any, edge: int) -> Any:
    """Return an array that goes on beyond both of its ends."""
    if edge == 0:
        return x
    n = x.shape[-1]
    if padtype == "constant":
        wide = np.ones(edge)
        return np.concatenate((x[..., :1] * wide, x, x[..., -1:] * wide), axis=-1)
    left, right = np.flip(x[..., 1 : edge + 1], -1), np.flip(x[..., n - 1 - edge : n - 1], -1)
    if padtype == "odd":
        left, right = 2 * x[..., :1] - left, 2 * x[..., -1:] - right
    return np.concatenate((left, x, right), axis=-1)


def _cut(x: Any, edge: int) -> Any:
    return x[..., edge : x.shape[-1] - edge]


def convolve2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "wrap", fillvalue: Any = 0
) -> Any:
    """Return ``scipy.signal.convolve2d`` of an array that goes on behind its borders.

    Args:
        in1: the array.
        in2: what it is convolved with.
        mode: "full", "same" or "valid".
        boundary: "wrap" or "symm".
        fillvalue: not read with these.
    """
    rows, columns = np.shape(in2)
    return _convolved(in1, in2, mode, boundary, rows // 2, columns // 2)


def correlate2d(
    in1: Any, in2: Any, mode: str = "full", boundary: str = "wrap", fillvalue: Any = 0
) -> Any:
    """Return ``scipy.signal.correlate2d`` of an array that goes on; see ``convolve2d``."""
    rows, columns = np.shape(in2)
    turned = np.conj(np.flip(in2))
    return _convolved(in1, turned, mode, boundary, (rows - 1) // 2, (columns - 1) // 2)


def _convolved(in1: Any, in2: Any, mode: str, boundary: str, up: int, left: int) -> Any:
    """Return a convolution, with so many rows and columns before the array for "same"."""
    if mode == "valid":
        return signal.convolve2d(in1, in2, mode="valid")
    rows, columns = np.shape(in2)
    widths = ((up, rows - 1 - up), (left, columns - 1 - left))
    if mode == "full":
        widths = ((rows - 1, rows - 1), (columns - 1, columns - 1))
    goes_on = "wrap" if boundary == "wrap" else "symmetric"
    return signal.convolve2d(np.pad(in1, widths, mode=goes_on), in2, mode="valid")
