"""The formulas of SciPy's equations with banded matrices."""

import numpy as np
from scipy import linalg
from srcgrad.formulas import load

from srcgrad.runtime.scipy.banded import banded_outer, banded_product, banded_transpose
from tests.formulas.checking import case, formula_test, normal, normal_complex

load("scipy.linalg")


def banded(lower, upper, length):
    """Return the form of a matrix far from singular."""
    ab = normal(lower + upper + 1, length)
    ab[upper] += 5.0
    return ab


def half(beside, length, lower):
    """Return half of the diagonals of a positive definite matrix."""
    ab = normal(beside + 1, length)
    ab[0 if lower else -1] = 15.0 + normal(length)
    return ab


CASES = [
    *(
        case(linalg.solve_banded, (lower, upper), banded(lower, upper, 5), normal(*shape))
        for lower, upper in ((1, 1), (2, 1), (0, 2), (3, 0))
        for shape in ((5,), (5, 2))
    ),
    case(linalg.solve_banded, (1, 1), banded(1, 1, 5) * (1 + 0.5j), normal_complex(5)),
    case(linalg.solve_banded, (1, 1), banded(1, 1, 5), normal_complex(5, 2)),
    *(
        case(linalg.solveh_banded, half(beside, 5, lower), normal(*shape), lower=lower)
        for beside, lower, shape in ((0, False, (5,)), (1, True, (5, 2)), (2, False, (5,)))
    ),
    case(banded_transpose, normal(4, 5), 1, 2),
    case(banded_transpose, normal(4, 2), 1, 2),
    *(case(banded_outer, normal(*s), normal(*s), 2, 1) for s in ((5,), (5, 2), (2,))),
    *(case(banded_product, normal(4, 5), normal(*s), 2, 1) for s in ((5,), (5, 2))),
]

test_formula = formula_test(CASES)


def test_forms():
    """The forms are those of the matrices."""
    rng = np.random.default_rng(0)
    a = np.triu(np.tril(rng.normal(size=(5, 5)), 1), -2)
    ab = np.zeros((4, 5))
    for i, j in np.argwhere(a):
        ab[1 + i - j, j] = a[i, j]
    x = rng.normal(size=5)
    np.testing.assert_allclose(banded_product(ab, x, 2, 1), a @ x)
    np.testing.assert_allclose(banded_product(banded_transpose(ab, 2, 1), x, 1, 2), a.T @ x)
