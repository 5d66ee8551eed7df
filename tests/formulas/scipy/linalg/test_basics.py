"""The formulas of SciPy's equations, inverses and special matrices."""

import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad.runtime.matrices import (
    block_of,
    diagonal_sums,
    place_block,
    read_of,
    symmetric_of,
)
from tests.formulas.checking import case, check_case, definite, invertible, normal

load("scipy.linalg")

BLOCKS = (normal(2, 3), normal(1, 2), normal(3))
CASES = [
    case(linalg.hankel, normal(3)),
    case(linalg.hankel, normal(3), normal(4)),
    case(linalg.circulant, normal(4)),
    case(linalg.solve_continuous_lyapunov, invertible(3, 3), normal(3, 3)),
    case(linalg.inv, invertible(3, 3)),
    case(linalg.inv, invertible(2, 3, 3)),
    *(case(linalg.solve, invertible(3, 3), normal(*s)) for s in ((3,), (3, 2))),
    *(case(linalg.solve, invertible(3, 3), normal(*s), transposed=True) for s in ((3,), (3, 2))),
    *(
        case(linalg.solve, invertible(3, 3), normal(3, 2), assume_a=kind, transposed=turned)
        for kind in ("general", "upper triangular", "lower triangular", "diagonal", "tridiagonal")
        for turned in (False, True)
    ),
    *(
        case(linalg.solve, definite(3, 3), normal(3), assume_a=kind, lower=lower)
        for kind in ("pos", "sym", "hermitian")
        for lower in (False, True)
    ),
    *(case(symmetric_of, normal(2, 3, 3), lower) for lower in (False, True)),
    *(case(read_of, normal(3, 3), kind) for kind in ("diagonal", "tridiagonal", None)),
    *(
        case(linalg.solve_triangular, invertible(3, 3), normal(*s), lower=lower, trans=trans)
        for s, lower, trans in (((3,), False, 0), ((3, 2), True, 0), ((3,), True, 1))
    ),
    case(linalg.solve_triangular, invertible(3, 3), normal(3, 2), trans="T"),
    case(linalg.solve_triangular, invertible(3, 3), normal(3), unit_diagonal=True),
    case(linalg.det, invertible(3, 3)),
    case(linalg.det, invertible(2, 3, 3)),
    *(case(linalg.pinv, normal(*s)) for s in ((3, 2), (2, 3))),
    case(linalg.solve_sylvester, invertible(3, 3), invertible(2, 2), normal(3, 2)),
    case(linalg.block_diag, *BLOCKS),
    *(case(block_of, normal(4, 8), BLOCKS, k) for k in range(3)),
    *(case(place_block, BLOCKS[k], BLOCKS, k) for k in range(3)),
    case(linalg.toeplitz, normal(3)),
    case(linalg.toeplitz, normal(3), normal(4)),
    case(diagonal_sums, normal(3, 4)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
