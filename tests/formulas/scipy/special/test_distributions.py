"""The formulas of SciPy's distribution functions."""

import pytest
from scipy import special
from srcgrad.formulas import load

from srcgrad.runtime.scipy.stats.densities import (
    beta_density,
    f_density,
    gamma_density,
    mills_ratio,
    noncentral_density,
    normal_density,
    poisson_probability,
    student_density,
)
from tests.formulas.checking import between, case, formula_test, normal, positive

load("scipy.special")

CASES = [
    case(special.bdtr, 2, 5, between(0.1, 0.9, 2, 3)),
    case(special.bdtrc, 2, 5, between(0.1, 0.9, 3)),
    case(special.bdtri, 2, 5, between(0.1, 0.9, 3)),
    case(special.nbdtr, 2, 5, between(0.1, 0.9, 3)),
    case(special.nbdtrc, 2, 5, between(0.1, 0.9, 3)),
    case(special.nbdtri, 2, 5, between(0.1, 0.9, 3)),
    case(special.fdtr, 3.0, 4.5, positive(2, 3)),
    case(special.fdtrc, 3.0, 4.5, positive(3)),
    case(special.fdtri, 3.0, 4.5, between(0.1, 0.9, 3)),
    case(special.gdtr, positive(3), 2.5, positive(2, 3)),
    case(special.gdtrc, positive(3), 2.5, 0.7),
    case(special.gdtria, between(0.1, 0.9, 3), 2.5, positive(2, 3)),
    case(special.gdtrix, positive(2, 3), 2.5, between(0.1, 0.9, 3)),
    case(special.pdtr, 2, positive(3)),
    case(special.pdtrc, 2, positive(3)),
    case(special.pdtri, 2, between(0.1, 0.9, 3)),
    case(special.stdtr, 3.5, normal(2, 3)),
    case(special.stdtrit, 3.5, between(0.1, 0.9, 3)),
    case(special.chdtr, 3.5, positive(3)),
    case(special.chdtrc, 3.5, positive(3)),
    case(special.chdtri, 3.5, between(0.1, 0.9, 3)),
    case(special.chndtr, positive(2, 3), 3.5, positive(3)),
    case(special.chndtrix, between(0.3, 0.7, 2, 3), 3.5, positive(3)),
    case(special.chndtrinc, positive(3) + 1, 1.5, between(0.1, 0.3, 3)),
    *(case(fn, normal(2, 3)) for fn in (special.ndtr, special.log_ndtr, normal_density)),
    case(mills_ratio, normal(2, 3)),
    case(special.ndtri, between(0.1, 0.9, 3)),
    case(special.ndtri_exp, -positive(3)),
    case(special.nrdtrimn, between(0.1, 0.4, 3), 1.5, normal(2, 3)),
    case(special.nrdtrisd, normal(3), between(0.1, 0.4, 3), 0.7),
    case(special.owens_t, normal(2, 3), normal(3)),
    case(gamma_density, 2.5, positive(3)),
    case(beta_density, 2.5, 1.5, between(0.1, 0.9, 3)),
    case(f_density, 2.5, 1.5, positive(3)),
    case(student_density, 2.5, normal(3)),
    case(poisson_probability, 2, positive(3)),
    case(noncentral_density, positive(2, 3), 2.5, positive(3)),
]


test_formula = pytest.mark.filterwarnings("ignore:non-integer arg")(formula_test(CASES, turns=2))
