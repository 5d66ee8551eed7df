"""NumPy's functions whose derivative is written for real numbers, and why."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import real_only

ORDER = "complex numbers have no order"

real_only(ORDER, np.sign)
