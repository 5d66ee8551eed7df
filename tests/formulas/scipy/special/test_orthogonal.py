"""The formulas of SciPy's orthogonal polynomials."""

from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import between, case, formula_test, normal, positive

load("scipy.special")

ONE_INDEX = [
    special.eval_legendre, special.eval_chebyt, special.eval_chebyu, special.eval_chebyc,
    special.eval_chebys, special.eval_sh_legendre, special.eval_sh_chebyt,
    special.eval_sh_chebyu, special.eval_laguerre, special.eval_hermite,
    special.eval_hermitenorm,
]  # fmt: skip

CASES = [
    *(case(fn, n, between(0.1, 0.9, 2, 3)) for fn in ONE_INDEX for n in (0, 1, 3)),
    *(case(fn, 2.5, between(0.1, 0.9, 3)) for fn in ONE_INDEX[:8]),
    *(case(special.eval_gegenbauer, n, 0.7, normal(3)) for n in (0, 3)),
    *(case(special.eval_jacobi, n, 0.7, 0.3, between(-0.9, 0.9, 3)) for n in (0, 3)),
    *(case(special.eval_sh_jacobi, n, 1.7, 0.8, between(0.1, 0.9, 3)) for n in (0, 3)),
    case(special.eval_genlaguerre, 3, 0.7, normal(3)),
    case(special.assoc_laguerre, normal(3), 3, 0.7),
    *(case(special.legendre_p, n, between(-0.9, 0.9, 2, 3)) for n in (0, 1, 4)),
    case(special.legendre_p, 3, 1.0),
    *(case(special.assoc_legendre_p, 3, m, between(-0.9, 0.9, 3)) for m in (0, 2, -1)),
    case(special.assoc_legendre_p, 3, 1, between(-0.9, 0.9, 3), norm=True),
    case(special.assoc_legendre_p, 3, 2, positive(3) + 1, branch_cut=3),
    *(case(special.sph_legendre_p, n, 1, positive(2, 3)) for n in (1, 3)),
    case(special.lpmv, 2, 3, between(-0.9, 0.9, 3)),
    case(special.lpmv, 1, 2.5, between(-0.9, 0.9, 3)),
]

test_formula = formula_test(CASES)
