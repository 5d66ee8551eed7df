"""The formulas of SciPy's logistic functions, transformations and entropies."""

import numpy as np
from scipy import special
from srcgrad.formulas import load

from srcgrad import check
from srcgrad.runtime.scipy.special import weighted_logsumexp
from tests.formulas.checking import between, case, formula_test, normal, positive
from tests.rotation import highest

load("scipy.special")

CASES = [
    *(case(fn, normal(2, 3)) for fn in (special.expit, special.log_expit, special.softplus)),
    case(special.logit, between(0.1, 0.9, 2, 3)),
    case(special.tklmbda, between(-0.5, 0.5, 2, 3), 0.7),
    case(special.boxcox, positive(2, 3), normal(3)),
    case(special.boxcox, positive(3), 0.0),
    case(special.boxcox1p, positive(2, 3), normal(3)),
    case(special.inv_boxcox, between(-0.5, 0.5, 2, 3), between(-0.9, 0.9, 3)),
    case(special.inv_boxcox, between(-0.5, 0.5, 3), 0.0),
    case(special.inv_boxcox1p, between(-0.5, 0.5, 2, 3), between(-0.9, 0.9, 3)),
    case(special.logsumexp, normal(2, 3)),
    case(special.logsumexp, normal(2, 3), axis=1),
    case(special.logsumexp, normal(2, 3), axis=(0, 1), keepdims=True),
    case(special.logsumexp, normal(2, 3), axis=0, b=2),
    case(weighted_logsumexp, normal(2, 3), positive(2, 3), axis=1),
    case(weighted_logsumexp, normal(2, 3), positive(3), axis=(0, 1), keepdims=True),
    case(weighted_logsumexp, normal(3), between(-0.5, 2.0, 3), return_sign=True),
    case(special.logsumexp, normal(2, 3), axis=0, return_sign=True, b=-2),
    case(special.softmax, normal(2, 3)),
    case(special.softmax, normal(2, 3), axis=1),
    case(special.log_softmax, normal(2, 3), axis=0),
    case(special.entr, positive(2, 3)),
    case(special.rel_entr, positive(2, 3), positive(3)),
    case(special.kl_div, positive(2, 3), positive(3)),
    case(special.huber, 0.7, 2 * normal(2, 3)),
    case(special.pseudo_huber, positive(3), normal(2, 3)),
]

test_formula = formula_test(CASES)


def mixture(a, b):
    """Weights of a sum that are differentiated, by name and by position."""
    each = special.logsumexp(a, axis=1, b=b)
    return np.sum(each**2) + special.logsumexp(a, (0, 1), b * b)


def test_weights_of_logsumexp():
    """The derivatives agree with differences, in all modes."""
    check(mixture, normal(2, 3), positive(3), wrt=(0, 1), order=highest())
