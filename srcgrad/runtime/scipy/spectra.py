"""SciPy's Fourier, cosine and sine transforms along several axes, by those along one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import fft

# The parameters have the names that SciPy gives them
# ruff: noqa: A002


def _swapped(norm: Any) -> Any:
    """Return the norm with which a transform back scales as one there does with the given one."""
    return "ortho" if norm == "ortho" else "backward" if norm == "forward" else "forward"


def hfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.hfft``: the real spectrum of a Hermitian array."""
    return fft.irfft(np.conj(x), n, axis, _swapped(norm))


def ihfft(
    x: Any,
    n: int | None = None,
    axis: int = -1,
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.ihfft``: the half of a Hermitian array that has a real spectrum."""
    half: Any = fft.rfft(x, n, axis, _swapped(norm))
    return np.conj(half)


def rfftn(
    x: Any,
    s: Any = None,
    axes: Any = None,
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.rfftn``: half the spectrum of a real array."""
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    return np.fft.rfftn(x, s, axes, norm)


def irfftn(
    x: Any,
    s: Any = None,
    axes: Any = None,
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.irfftn``: the real array of which ``x`` is half the spectrum."""
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    return np.fft.irfftn(x, s, axes, norm)


def hfftn(
    x: Any,
    s: Any = None,
    axes: Any = None,
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.hfftn``: the real spectrum of a Hermitian array."""
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    return np.fft.irfftn(np.conj(x), s, axes, _swapped(norm))


def ihfftn(
    x: Any,
    s: Any = None,
    axes: Any = None,
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.ihfftn``: the half of a Hermitian array that has a real spectrum."""
    if axes is None and s is not None:
        axes = tuple(range(-len(s), 0))
    return np.conj(np.fft.rfftn(x, s, axes, _swapped(norm)))


def rfft2(
    x: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.rfft2``: half the spectrum along two axes."""
    return np.fft.rfft2(x, s, axes, norm)


def irfft2(
    x: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.irfft2``: the real array of which ``x`` is half the spectrum."""
    return np.fft.irfft2(x, s, axes, norm)


def hfft2(
    x: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.hfft2``: the real spectrum of a Hermitian array along two axes."""
    return np.fft.irfft2(np.conj(x), s, axes, _swapped(norm))


def ihfft2(
    x: Any,
    s: Any = None,
    axes: Any = (-2, -1),
    norm: Any = None,
    overwrite_x: bool = False,
    workers: Any = None,
    *,
    plan: Any = None,
) -> Any:
    """Return ``scipy.fft.ihfft2``: the half of a Hermitian array along two axes."""
    return np.conj(np.fft.rfft2(x, s, axes, _swapped(norm)))


def _along(s: Any, axes: Any, rank: int) -> list[tuple[Any, int]]:
    """Return the axes that a transform goes along, each with the length that it has there."""
    lengths = s if s is None or isinstance(s, Sequence) else (s,)
    if axes is None:
        axes = range(rank) if lengths is None else range(-len(lengths), 0)
    along = axes if isinstance(axes, Sequence | range) else (axes,)
    return [(None if lengths is None else lengths[k], axis) for k, axis in enumerate(along)]


def _several(one: Callable[..., Any]) -> Callable[..., Any]:
    """Return the transform along several axes that goes along one of them after the other."""

    def transform(
        x: Any,
        type: int = 2,
        s: Any = None,
        axes: Any = None,
        norm: Any = None,
        overwrite_x: bool = False,
        workers: Any = None,
    ) -> Any:
        for n, axis in _along(s, axes, np.ndim(x)):
            x = one(x, type, n, axis, norm)
        return x

    transform.__name__ = transform.__qualname__ = f"{one.__name__}n"
    return transform


dctn, idctn, dstn, idstn = (_several(each) for each in (fft.dct, fft.idct, fft.dst, fft.idst))
