"""NumPy's functions that are differentiated through functions in Python that give the same."""

from __future__ import annotations

import numpy as np

from srcgrad.registry import in_python
from srcgrad.runtime import polynomials, reflectors, sets, steps

in_python(np.linalg.qr, reflectors.qr, "mode", ("complete", "raw"))
in_python(np.linspace, steps.linspace_and_step, "retstep", (True,))

in_python(np.poly, polynomials.poly)
in_python(np.polyadd, polynomials.polyadd)
in_python(np.polyder, polynomials.polyder)
in_python(np.polyfit, polynomials.polyfit)
in_python(np.polyint, polynomials.polyint)
in_python(np.polymul, polynomials.polymul)
in_python(np.polysub, polynomials.polysub)
in_python(np.roots, polynomials.roots)

in_python(np.histogram_bin_edges, sets.histogram_bin_edges)
in_python(np.intersect1d, sets.intersect1d)
in_python(np.setdiff1d, sets.setdiff1d)
in_python(np.setxor1d, sets.setxor1d)
in_python(np.union1d, sets.union1d)
