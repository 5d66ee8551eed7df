"""The lengths of spectra: what Fourier transforms of real arrays give back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from srcgrad.ir.nodes import Const, Items, Value
from srcgrad.ir.types import Dim, Type

_HALVING = {np.fft.rfft: "n", np.fft.ihfft: "n", np.fft.rfft2: "s", np.fft.rfftn: "s"}
_PLAIN = str.maketrans("-+*", "~&@")  # what is no sum
_DOUBLING = {np.fft.irfft: "n", np.fft.hfft: "n", np.fft.irfft2: "s", np.fft.irfftn: "s"}


def with_spectral_length(
    lengths: Any, fn: Any, shape: Any, options: tuple[tuple[str, Value], ...], known: Any
) -> Any:
    """Return the type of a transform's result, with a name for the length that changes.

    Equal lengths have spectra of equal lengths. A length other than 1 has a spectrum
    of a length other than 1, so the name may be one of those.
    """
    size = _HALVING.get(fn) or _DOUBLING.get(fn)
    given = dict(options)
    if size is None or not isinstance(known, Type) or not isinstance(known.shape, tuple):
        return known
    axis = _last(given.get("axis" if size == "n" else "axes", Const(None)))
    if axis is None or not isinstance(shape, tuple) or not -len(shape) <= axis < len(shape):
        return known
    if known.shape[axis] is not None:
        return known
    length = lengths.find(shape[axis])
    if given.get(size, Const(None)) != Const(None):
        number = given[size]
        number = number.items[-1] if isinstance(number, Items) and number.items else number
        length = lengths.whole(number)
    if not isinstance(length, str):
        return known
    made = list(known.shape)
    made[axis] = _half(lengths, length) if fn in _HALVING else _twice(lengths, length)
    return replace(known, shape=tuple(made))


def _half(lengths: Any, length: str) -> Dim:
    """The length of the spectrum of so many real numbers."""
    return lengths.total([(lengths.quotient(length, 2), 1), (1, 1)]) or _named(
        lengths, "half", length
    )


def _twice(lengths: Any, length: str) -> Dim:
    """How many real numbers a spectrum of a length is taken to be of."""
    return lengths.total([(length, 2), (-2, 1)]) or _named(lengths, "twice", length)


def _named(lengths: Any, word: str, length: str) -> Dim:
    """A name for it, where there is no call at hand."""
    lengths.rely_on(length)
    return f"{word}({length.translate(_PLAIN)})"


def _last(axes: Value) -> int | None:
    """The axis along which half of a spectrum is taken."""
    if axes == Const(None):
        return -1
    last = axes.items[-1] if isinstance(axes, Items) and axes.items else axes
    return last.value if isinstance(last, Const) and type(last.value) is int else None
