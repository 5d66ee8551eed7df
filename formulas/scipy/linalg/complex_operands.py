"""SciPy's linear algebra whose formulas hold for complex matrices as they stand."""

from __future__ import annotations

from scipy import linalg
from srcgrad.formulas.scipy import named

from srcgrad.registry import complex_too
from srcgrad.runtime.banded import banded_outer, banded_product, banded_transpose
from srcgrad.runtime.matrices import block_of, diagonal_sums, place_block, with_direction

complex_too(*named(linalg,
    "inv det solve_banded solve_triangular solve_sylvester hankel circulant block_diag lu expm "
    "cosm sinm tanm coshm sinhm tanhm"
))  # fmt: skip
complex_too(
    banded_outer,
    banded_product,
    banded_transpose,
    block_of,
    diagonal_sums,
    place_block,
    with_direction,
)
