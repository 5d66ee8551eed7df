"""Arrays that lie in temporary files."""

from __future__ import annotations

import os
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np


def on_disk(array: Any) -> Any:
    """Return a copy of an array that lies in a temporary file.

    The file has no name any more once it is made, so that nothing is left of it when the array is
    gone, or the process. Where files that are in use keep their names (on Windows), it goes with
    the array. It lies where ``tempfile`` says: ``TMPDIR`` moves it.

    Args:
        array: an array of NumPy's.

    Returns:
        An array of the same shape and element type, which cannot be written into.

    Example:
        >>> import numpy as np
        >>> on_disk(np.arange(3.0))
        array([0., 1., 2.])
    """
    order = "F" if array.flags.fnc else "C"
    if not array.size:
        return array.copy(order)
    number, name = tempfile.mkstemp(prefix="srcgrad-")
    os.close(number)
    held = np.memmap(name, array.dtype, "w+", shape=array.shape, order=order)
    if os.name == "nt":
        weakref.finalize(held, Path(name).unlink, missing_ok=True)
    else:
        Path(name).unlink()
    held[...] = array
    held.flags.writeable = False
    return held.view(np.ndarray)
