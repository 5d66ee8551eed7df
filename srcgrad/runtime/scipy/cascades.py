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
