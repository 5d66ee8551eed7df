"""SciPy's linear algebra whose formulas hold for complex matrices as they stand."""

from __future__ import annotations

from scipy import linalg
from srcgrad.formulas.scipy import named

from srcgrad.registry import complex_too

complex_too(*named(linalg,
    "inv det solve_banded solve_triangular solve_sylvester hankel circulant block_diag lu expm "
    "cosm sinm tanm coshm sinhm tanhm"
))  # fmt: skip
