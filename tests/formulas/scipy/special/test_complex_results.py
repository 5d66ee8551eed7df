"""The formulas of SciPy's special functions with complex results, and of complex numbers."""

import numpy as np
import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad import grad, vjp
from srcgrad.errors import SrcgradError
from tests.formulas.checking import case, formula_test, normal, positive

load("scipy.special")

COMPLEX = positive(3) + 0.4j * normal(3)

CASES = [
    *(
        case(fn, 1.5, x)
        for fn in (special.hankel1, special.hankel2, special.hankel1e, special.hankel2e)
        for x in (positive(2, 3), COMPLEX)
    ),
    case(special.hankel1, np.array([0.5, 1.5, 3.0]), 0.7),
    *(case(fn, 1.5, positive(3), 2) for fn in (special.h1vp, special.h2vp)),
    case(special.h1vp, 2, COMPLEX),
    case(special.lambertw, positive(2, 3)),
    case(special.lambertw, COMPLEX, -1),
    case(special.lambertw, 0.0),
    case(special.wofz, COMPLEX),
    case(special.wofz, normal(2, 3)),
    case(special.voigt_profile, normal(2, 3), positive(3), 0.7),
    case(special.voigt_profile, 0.4, positive(3), positive(3)),
    case(special.kelvin, positive(2, 3)),
    *(
        case(special.sph_harm_y, n, m, positive(3), normal(2, 1))
        for n, m in ((0, 0), (2, 0), (3, 2), (3, 3), (4, -3))
    ),
    case(special.modfresnelp, positive(3)),
    case(special.modfresnelm, positive(3)),
    *(
        case(fn, COMPLEX)
        for fn in (
            special.airy, special.exp1, special.expi, special.shichi, special.sici, special.spence,
            special.wrightomega, special.ndtr, special.log_ndtr, special.erf, special.erfc,
            special.erfcx, special.erfi, special.dawsn, special.fresnel, special.softmax,
            special.log_softmax,
        )
    ),
    *(case(fn, 1.5, COMPLEX) for fn in (special.jv, special.yv, special.kv, special.kve)),
    *(case(fn, 1.5, COMPLEX) for fn in (special.iv, special.hyp0f1, special.eval_laguerre)),
    *(case(fn, 1.5, COMPLEX) for fn in (special.jvp, special.yvp, special.kvp, special.ivp)),
    *(case(fn, 0.5 + COMPLEX, COMPLEX) for fn in (special.xlogy, special.xlog1py)),
    case(special.elliprc, COMPLEX, 0.5 + COMPLEX),
    *(case(fn, COMPLEX, 0.5 + COMPLEX, 1.0 + COMPLEX) for fn in (special.elliprd, special.elliprf)),
    case(special.elliprg, COMPLEX, 0.5 + COMPLEX, 1.0 + COMPLEX),
    case(special.elliprj, COMPLEX, 0.5 + COMPLEX, 1.0 + COMPLEX, 1.5 + COMPLEX),
    case(special.hyp1f1, 0.7, 1.2, COMPLEX),
    case(special.hyp2f1, 0.7, 1.2, 2.1, COMPLEX / 4),
    case(special.eval_jacobi, 1.5, 0.7, 1.2, COMPLEX),
    case(special.eval_genlaguerre, 1.5, 0.7, COMPLEX),
    *(
        case(fn, 2, COMPLEX)
        for fn in (
            special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn
        )
    ),
]  # fmt: skip


test_formula = formula_test(CASES, turns=2)


@pytest.mark.parametrize("fn", [special.gamma, special.loggamma, special.rgamma])
def test_gamma_of_complex_numbers(fn):
    """The first derivative is right; SciPy does not know the second one, which is refused."""
    seed = normal(3) + 0.3j
    _, backward = vjp(fn, COMPLEX)
    steps = (fn(COMPLEX + 1e-6) - fn(COMPLEX - 1e-6)) / 2e-6
    np.testing.assert_allclose(backward(seed), seed * steps, rtol=1e-8)

    def size(x):
        return np.sum(np.abs(fn(x)) ** 2)

    with pytest.raises(SrcgradError, match=r"psi of complex numbers"):
        grad(lambda x: np.sum(np.abs(grad(size)(x)) ** 2))(COMPLEX)


@pytest.mark.parametrize("fn", [special.expit, special.logit, special.ive])
def test_others_refuse_complex_numbers(fn):
    """What is not differentiable in the complex sense, or takes none, is refused."""
    args = (1.5,) if fn is special.ive else ()

    def size(x):
        return np.sum(np.abs(fn(*args, x * 1j)))

    with pytest.raises(SrcgradError, match="complex"):
        grad(size)(positive(3))


def test_pole_of_a_sphere():
    """The slope is known where the angle to the pole is 0."""
    for n, m in ((3, 0), (3, 1)):
        bar = grad(lambda t, n=n, m=m: np.real(special.sph_harm_y(n, m, t, 0.7)))(0.0)
        steps = special.sph_harm_y(n, m, 1e-6, 0.7) - special.sph_harm_y(n, m, 0.0, 0.7)
        np.testing.assert_allclose(bar, np.real(steps) / 1e-6, rtol=1e-5, atol=1e-5)
