"""Functions whose number of dimensions cannot be asked for with tiny arrays."""

from __future__ import annotations

import numpy as np

RANK_UNKNOWN = frozenset(
    {
        np.squeeze,  # removes the axes that happen to have length 1
    }
)
