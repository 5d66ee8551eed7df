"""NumPy's functions that are differentiated through functions in Python that give the same."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import in_python
from srcgrad.runtime.numpy import polynomials, reflectors, sets, steps

in_python(np.linalg.qr, reflectors.qr, "mode", ("complete", "raw"))
in_python(np.linspace, steps.linspace_and_step, "retstep", (True,))

# The others have the names that NumPy gives them
for module, names in (
    (polynomials, "poly polyadd polyder polyfit polyint polymul polysub roots"),
    (sets, "intersect1d setdiff1d setxor1d union1d"),
    (steps, "histogram_bin_edges"),
):
    for name in names.split():
        in_python(getattr(np, name), getattr(module, name))
