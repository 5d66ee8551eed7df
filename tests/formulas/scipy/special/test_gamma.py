"""The formulas of SciPy's gamma, beta and error functions."""

import pytest
from scipy import special
from srcgrad.formulas import load

from tests.formulas.checking import between, case, check_case, normal, positive

load("scipy.special")

GAMMA = [special.gamma, special.gammaln, special.loggamma, special.rgamma, special.psi]
ERROR = [
    special.erf, special.erfc, special.erfcx, special.erfi, special.dawsn, special.fresnel,
]  # fmt: skip

CASES = [
    *(case(fn, positive(2, 3)) for fn in GAMMA),
    case(special.gamma, -0.7),
    case(special.polygamma, 2, positive(3)),
    case(special.multigammaln, positive(2, 3) + 1, 3),
    case(special.poch, positive(2, 3), positive(3)),
    case(special.gammainc, 2.5, positive(2, 3)),
    case(special.gammaincc, 2.5, positive(3)),
    case(special.gammaincinv, 2.5, between(0.1, 0.9, 3)),
    case(special.gammainccinv, 2.5, between(0.1, 0.9, 3)),
    case(special.beta, positive(2, 3), positive(3)),
    case(special.betaln, positive(2, 3), positive(3)),
    case(special.betainc, 2.5, 1.5, between(0.1, 0.9, 2, 3)),
    case(special.betaincc, 2.5, 1.5, between(0.1, 0.9, 3)),
    case(special.betaincinv, 2.5, 1.5, between(0.1, 0.9, 3)),
    case(special.betainccinv, 2.5, 1.5, between(0.1, 0.9, 3)),
    *(case(fn, normal(2, 3)) for fn in ERROR),
    case(special.erf, 0.3),
    case(special.erfinv, between(-0.9, 0.9, 3)),
    case(special.erfcinv, between(0.1, 1.9, 3)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)
