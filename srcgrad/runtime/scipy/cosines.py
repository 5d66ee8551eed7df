"""The transposes of SciPy's cosine and sine transforms.

Each is an orthogonal transform between two diagonal matrices: with ``norm="ortho"`` it is
the orthogonal one itself, and otherwise the first or the last element counts for more or
less, and all of them for as much as the length says. Generated code may call these at
run time.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import fft

_INVERSE = {1: 1, 2: 3, 3: 2, 4: 4}
_SWAPPED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _weights(x: Any, axis: int, ends: tuple[int, ...], weight: float) -> Any:
    """Return ones, and a weight at some ends, along an axis of an array."""
    length = x.shape[axis]
    made = np.ones(length, x.dtype)
    for end in ends:
        made[end] = weight
    return made.reshape([length if k == axis % x.ndim else 1 for k in range(x.ndim)])


def _transposed(transform: Any, z_bar: Any, kind: int, axis: int, norm: Any, sine: bool) -> Any:
    """Return the transpose of a cosine or sine transform, applied to an array."""
    n = z_bar.shape[axis]
    if norm == "ortho":
        return transform(z_bar, type=_INVERSE[kind], axis=axis, norm="ortho")
    size = math.sqrt(2 * (n + (1 if sine else -1)) if kind == 1 else 2 * n)
    ends = {(1, False): (0, -1), (2, False): (0,), (3, False): (0,)}.get((kind, sine), ())
    ends = (-1,) if sine and kind in (2, 3) else ends
    after = _weights(z_bar, axis, ends if kind in (1, 2) else (), math.sqrt(2))
    before = _weights(z_bar, axis, ends if kind in (1, 3) else (), math.sqrt(0.5))
    turned = transform(z_bar * after, type=_INVERSE[kind], axis=axis, norm="ortho")
    return turned * before * (1 / size if norm == "forward" else size)


def dct_transpose(z_bar: Any, type: int = 2, axis: int = -1, norm: Any = None) -> Any:  # noqa: A002
    """Return the transpose of ``scipy.fft.dct``, applied to an array.

    Args:
        z_bar: the array.
        type: which cosine transform, 1 to 4.
        axis: the axis it goes along.
        norm: as that of ``scipy.fft.dct``.

    Example:
        >>> dct_transpose(np.array([1.0, 0.0]))
        array([2., 2.])
    """
    return _transposed(fft.dct, z_bar, type, axis, norm, sine=False)


def dst_transpose(z_bar: Any, type: int = 2, axis: int = -1, norm: Any = None) -> Any:  # noqa: A002
    """Return the transpose of ``scipy.fft.dst``, applied to an array; see ``dct_transpose``."""
    return _transposed(fft.dst, z_bar, type, axis, norm, sine=True)


def idct_transpose(z_bar: Any, type: int = 2, axis: int = -1, norm: Any = None) -> Any:  # noqa: A002
    """Return the transpose of ``scipy.fft.idct``, applied to an array; see ``dct_transpose``."""
    return dct_transpose(z_bar, _INVERSE[type], axis, _SWAPPED[norm])


def idst_transpose(z_bar: Any, type: int = 2, axis: int = -1, norm: Any = None) -> Any:  # noqa: A002
    """Return the transpose of ``scipy.fft.idst``, applied to an array; see ``dct_transpose``."""
    return dst_transpose(z_bar, _INVERSE[type], axis, _SWAPPED[norm])
