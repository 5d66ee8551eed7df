"""The formulas of SciPy's equations, inverses and special matrices."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import grad, jvp, vjp
from srcgrad.errors import MissingFormulaError
from srcgrad.runtime.matrices import (
    block_of,
    diagonal_sums,
    of_triangle,
    place_block,
    read_of,
    symmetric_of,
)
from tests.formulas.checking import case, definite, formula_test, invertible, normal, normal_complex

load("scipy.linalg")


def regular(*shape):
    """Return complex matrices far from singular ones."""
    return normal_complex(*shape) + 3 * np.eye(shape[-1])


def hermitian(n):
    """Return a complex positive definite matrix."""
    return regular(n, n) @ np.conj(regular(n, n).T)


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
    *(case(of_triangle, normal(2, 3, 3), lower) for lower in (False, True)),
    *(case(read_of, normal(3, 3), kind) for kind in ("diagonal", "tridiagonal", None)),
    *(
        case(linalg.solve_triangular, invertible(3, 3), normal(*s), lower=lower, trans=trans)
        for s, lower, trans in (((3,), False, 0), ((3, 2), True, 0), ((3,), True, 1))
    ),
    case(linalg.solve_triangular, invertible(3, 3), normal(3, 2), trans="T"),
    case(linalg.solve_triangular, invertible(3, 3), normal(3), unit_diagonal=True),
    *(
        case(linalg.solve_triangular, invertible(*a), normal(*b), lower=True, trans=trans)
        for a, b in (((2, 3, 3), (2, 3, 2)), ((2, 3, 3), (3,)), ((3, 3), (2, 3, 2)))
        for trans in (0, 1)
    ),
    *(
        case(linalg.solve_sylvester, invertible(*a), invertible(*b), normal(*q))
        for a, b, q in (((2, 3, 3), (2, 2, 2), (2, 3, 2)), ((3, 3), (2, 2), (2, 3, 2)))
    ),
    case(linalg.solve_continuous_lyapunov, invertible(2, 3, 3), normal(2, 3, 3)),
    case(linalg.solve_continuous_lyapunov, invertible(3, 3), normal(2, 3, 3)),
    case(linalg.det, invertible(3, 3)),
    case(linalg.det, invertible(2, 3, 3)),
    *(case(linalg.pinv, normal(*s)) for s in ((3, 2), (2, 3))),
    *(case(linalg.lstsq, normal(4, 3), normal(*shape)) for shape in ((4,), (4, 2))),
    *(case(linalg.lstsq, normal(3, 4), normal(*shape)) for shape in ((3,), (3, 2))),
    case(linalg.solve_sylvester, invertible(3, 3), invertible(2, 2), normal(3, 2)),
    case(linalg.block_diag, *BLOCKS),
    *(case(block_of, normal(4, 8), BLOCKS, k) for k in range(3)),
    *(case(place_block, BLOCKS[k], BLOCKS, k) for k in range(3)),
    case(linalg.toeplitz, normal(3)),
    case(linalg.toeplitz, normal(3), normal(4)),
    case(linalg.toeplitz, normal(2, 3)),
    case(linalg.toeplitz, normal(2, 3), normal(2, 4)),
    case(linalg.toeplitz, normal(3), normal(2, 4)),
    case(linalg.toeplitz, normal_complex(3)),
    case(linalg.toeplitz, normal_complex(3), normal_complex(4)),
    case(diagonal_sums, normal(3, 4)),
    case(diagonal_sums, normal(2, 3, 4)),
    case(linalg.pinv, normal(3, 2), return_rank=True),
    case(linalg.pinv, normal_complex(3, 2)),
    case(linalg.inv, regular(3, 3)),
    case(linalg.det, regular(3, 3)),
    case(linalg.block_diag, normal_complex(2, 3), normal(1, 2), normal_complex(2)),
    case(linalg.solve_sylvester, regular(3, 3), regular(2, 2), normal_complex(3, 2)),
    case(linalg.solve_sylvester, invertible(3, 3), regular(2, 2), normal_complex(3, 2)),
    *(case(linalg.solve, regular(3, 3), b) for b in (normal(3), normal_complex(3, 2))),
    case(linalg.solve, invertible(3, 3), normal_complex(3)),
    *(
        case(linalg.solve, hermitian(3), normal_complex(3, 2), assume_a=kind, lower=lower)
        for kind in ("pos", "her", "sym")
        for lower in (False, True)
    ),
    *(
        case(linalg.solve, regular(3, 3), normal_complex(3), assume_a=kind)
        for kind in ("upper triangular", "diagonal", "tridiagonal")
    ),
    *(
        case(linalg.solve_triangular, regular(3, 3), normal_complex(*s), lower=lower, trans=trans)
        for s, lower, trans in (
            ((3,), False, 0),
            ((3, 2), True, 1),
            ((3,), True, 2),
            ((3,), 0, "C"),
        )
    ),
    case(symmetric_of, normal_complex(3, 3), True, True),
    case(of_triangle, normal_complex(3, 3), True),
]

test_formula = formula_test(CASES, turns=3)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(linalg.hankel(x) ** 2),
        lambda x: np.sum(linalg.circulant(x) ** 2),
        lambda x: np.sum(linalg.toeplitz(x[0, 0], x[0]) ** 2),
    ],
)
def test_refused(f):
    """What SciPy reads in other ways than the formula is refused."""
    with pytest.raises(MissingFormulaError, match=r"no formula for scipy\.linalg"):
        grad(f)(normal(2, 3))
    with pytest.raises(MissingFormulaError, match=r"no formula for scipy\.linalg"):
        jvp(f, (normal(2, 3),), (normal(2, 3),))


TRANS: int | str = 0


def by_triangle(a, b):
    """Solves with what a constant of the module says."""
    return np.sum(linalg.solve_triangular(a, b, lower=True, trans=TRANS) ** 3)


@pytest.mark.one_of(2)
@pytest.mark.parametrize("trans", [0, 1, 2, "N", "T", "C"])
def test_forward_over_reverse(trans, monkeypatch):
    """The option comes from the module, from around the function, or as an argument."""
    monkeypatch.setitem(globals(), "TRANS", trans)

    def around(a, b):
        return np.sum(linalg.solve_triangular(a, b, lower=True, trans=trans) ** 3)

    def given(a, b, trans):
        return np.sum(linalg.solve_triangular(a, b, lower=True, trans=trans) ** 3)

    for b in (normal(3), normal(3, 2)):
        args, dots = (invertible(3, 3), b), (normal(3, 3), np.ones_like(b))
        wanted = vjp(grad(around, wrt=(0, 1)), *args)[1]
        for f, rest in ((by_triangle, ()), (around, ()), (given, (trans,))):
            slope = grad(f, wrt=(0, 1))(*args, *rest)
            along = jvp(f, (*args, *rest), (*dots, *(None for _ in rest)))[1]
            np.testing.assert_allclose(along, sum(map(np.vdot, slope, dots)))
            second = jvp(grad(f), (*args, *rest), (dots[0], *(None for _ in (b, *rest))))[1]
            zeros = np.zeros_like(b)
            np.testing.assert_allclose(
                np.vdot(second, dots[0]), np.vdot(wanted((dots[0], zeros)), dots[0])
            )


def test_several_blocks():
    """Several block diagonal matrices at once are refused."""
    with pytest.raises(ValueError, match="each by itself"):
        grad(lambda x: np.sum(linalg.block_diag(x, x)))(normal(2, 2, 2))
