"""The formulas of SciPy's gamma, beta and error functions."""

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad import grad
from srcgrad.runtime.scipy.orders import gamma_density_slope, gammainc_slope
from tests.formulas.checking import between, case, formula_test, normal, positive

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
    *(case(f, positive(2, 3), positive(3)) for f in (special.gammainc, special.gammaincc)),
    *(case(f, positive(3), 0.4) for f in (special.gammaincinv, special.gammainccinv)),
    case(gammainc_slope, positive(3), positive(3), 1),
    case(gamma_density_slope, positive(3), positive(3), 1),
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

test_formula = formula_test(CASES, turns=2)


# By mpmath with 40 digits: the derivative in a of its gammainc(a, 0, x, regularized=True)
SLOPES = [
    (0.01, 0.5, -0.5655459117152578),
    (0.5, 0.001, -0.24772119046242067),
    (2.2, 1.3, -0.2772060691033843),
    (5.0, 50.0, -1.3227071908086813e-16),
    (19.9, 20.5, -0.08769756108584835),
    (20.1, 21.0, -0.08571779936887575),
    (100.0, 80.0, -0.004402643243468635),
    (1000.0, 1010.0, -0.011945731337225441),
    (10000.0, 9900.0, -0.0024237533683262443),
]


@pytest.mark.parametrize(("a", "x", "wanted"), SLOPES)
def test_slope_in_the_order(a, x, wanted):
    """The slope in the order is exact for small and large orders, on both sides of the peak."""
    np.testing.assert_allclose(gammainc_slope(a, x, 1), wanted, rtol=1e-11)


def test_slope_at_the_ends():
    """At 0 and infinity, the function does not depend on the order."""
    x = np.array([0.0, np.inf])
    assert np.all(grad(lambda a: np.sum(special.gammainc(a, x)))(2.5) == 0.0)
    assert np.isnan(gammainc_slope(-1.0, 2.0, 1))
