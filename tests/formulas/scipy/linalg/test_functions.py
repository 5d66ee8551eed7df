"""The formulas of SciPy's functions of matrices."""

import numpy as np
import pytest
from scipy import linalg
from srcgrad.formulas import load

from srcgrad import grad
from srcgrad.runtime.matrices import with_direction
from tests.formulas.checking import case, definite, formula_test, normal, normal_complex

load("scipy.linalg")

CASES = [
    *(
        case(fn, 0.5 * normal(3, 3))
        for fn in (linalg.cosm, linalg.sinm, linalg.tanm, linalg.coshm, linalg.sinhm, linalg.tanhm)
    ),
    *(case(fn, 0.3 * normal(2, 3, 3)) for fn in (linalg.cosm, linalg.tanm, linalg.sinhm)),
    *(case(fn, definite(2, 3, 3)) for fn in (linalg.logm, linalg.sqrtm)),
    case(with_direction, normal(2, 2), normal(2, 2)),
    case(linalg.expm, normal(3, 3)),
    case(linalg.expm, normal(2, 3, 3)),
    case(linalg.logm, definite(3, 3)),
    case(linalg.sqrtm, definite(3, 3)),
    case(linalg.expm, normal_complex(3, 3)),
    case(linalg.logm, definite(3, 3) + 0.3j * normal(3, 3)),
    case(linalg.sqrtm, definite(3, 3) + 0.3j * normal(3, 3)),
    case(linalg.sinm, 0.5 * normal_complex(3, 3)),
    case(linalg.tanhm, 0.5 * normal_complex(3, 3)),
]


test_formula = pytest.mark.filterwarnings("ignore:logm result may be inaccurate")(
    formula_test(CASES, turns=2)
)


def test_complex_result():
    """A root that is complex has no derivative here."""
    with pytest.raises(ValueError, match="complex"):
        grad(lambda x: np.sum(np.abs(linalg.sqrtm(x))))(np.diag([-1.0, 2.0]))
