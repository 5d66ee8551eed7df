"""What can be said of a value in a line: its shape, its range, and what of it is not finite."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Numbers:
    """The figures of an array or a number."""

    shape: tuple[int, ...]  # its shape
    dtype: str  # its element type
    norm: float  # the square root of the sum of the squares of its finite entries
    low: float  # its least finite entry, by magnitude for complex numbers; nan without any
    high: float  # its greatest finite entry
    zeros: int  # how many entries are 0
    nans: int  # how many are nan
    infs: int  # how many are infinite
    bytes: int  # the memory that it takes

    @property
    def size(self) -> int:
        """The number of entries."""
        return math.prod(self.shape)

    @property
    def kind(self) -> str:
        """The element type and the shape, as ``float64 (3, 2)``."""
        return f"{self.dtype} {self.shape}" if self.shape else self.dtype

    @property
    def range(self) -> str:
        """The range of the finite entries, in words."""
        if math.isnan(self.low):
            return "no finite entry" if self.size else "empty"
        if self.low == self.high:
            return f"{self.low:.4g}"
        return f"{self.low:.4g} to {self.high:.4g}"

    @property
    def odd(self) -> str:
        """How many entries are not finite, in words; empty where all are."""
        found = [f"{n} {word}" for n, word in ((self.nans, "nan"), (self.infs, "inf")) if n]
        return ", ".join(found)

    def __str__(self) -> str:
        return ", ".join(part for part in (f"{self.kind}: {self.range}", self.odd) if part)


def is_numeric(value: Any) -> bool:
    """Tell whether a value is an array or a number of real or complex numbers."""
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float | complex):
        return True
    dtype = getattr(value, "dtype", None)
    return isinstance(value, np.ndarray | np.generic) and dtype is not None and dtype.kind in "fciu"


def is_inexact(value: Any) -> bool:
    """Tell whether a value is an array or a number that can be infinite or nan."""
    if isinstance(value, float | complex):
        return True
    return isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc"


def finite(value: Any) -> bool:
    """Tell whether all entries of a value are finite; what is no such number counts as finite."""
    return not is_inexact(value) or bool(np.all(np.isfinite(value)))


def numbers(value: Any) -> Numbers:
    """Return the figures of an array or a number.

    Args:
        value: for which ``is_numeric`` holds.

    Example:
        >>> import numpy as np
        >>> print(numbers(np.array([1.0, 0.0, np.nan])))
        float64 (3,): 0 to 1, 1 nan
    """
    array = np.asarray(value)
    plain = np.abs(array) if array.dtype.kind == "c" else array
    good = np.isfinite(plain)
    with np.errstate(all="ignore"):
        kept = plain[good] if array.ndim else plain.reshape(1)[good.reshape(1)]
        wide = kept.astype(float)
        norm = float(np.sqrt(np.sum(wide * wide)))
        if math.isinf(norm):  # the squares are too large
            top = float(np.max(np.abs(wide)))
            norm = top * float(np.sqrt(np.sum((wide / top) ** 2)))
    nans = int(np.count_nonzero(np.isnan(plain)))
    return Numbers(
        shape=array.shape,
        dtype=str(array.dtype),
        norm=norm,
        low=float(kept.min()) if kept.size else math.nan,
        high=float(kept.max()) if kept.size else math.nan,
        zeros=int(np.count_nonzero(plain == 0)),
        nans=nans,
        infs=int(plain.size - np.count_nonzero(good)) - nans,
        bytes=array.nbytes,
    )


def first_place(mask: Any) -> tuple[int, ...]:
    """Return the index of the first entry that is True."""
    return tuple(int(k) for k in np.argwhere(mask)[0])


def note_latest(notes: dict[str, Any], name: str, value: Any) -> None:
    """Note a value that a statement gives a name, as the last one so far."""
    notes.pop(name, None)
    notes[name] = value


def latest(notes: dict[str, Any], name: str) -> Any:
    """Return the last value that was noted under a name, or the name with a number behind it.

    Where an earlier version of a cotangent is needed again, the later one is called ``h_bar2``.
    """
    found = (key for key in reversed(notes) if key == name or _is_version(key, name))
    key = next(found, None)
    return None if key is None else notes[key]


def _is_version(key: str, name: str) -> bool:
    return key.startswith(name) and key[len(name) :].isdigit()
