"""The formulas of NumPy's differences, slopes and integrals."""

import numpy as np
from srcgrad.formulas import load

from srcgrad.runtime.transposes import gradient_along, gradient_transpose
from tests.formulas.checking import case, formula_test, normal

load("numpy")

AT = np.array([0.0, 0.5, 0.7, 1.5, 2.5])

CASES = [
    *(
        case(gradient_along, x, AT, axis=axis, edge_order=k)
        for x, axis in ((normal(5), 0), (normal(3, 5), 1))
        for k in (1, 2)
    ),
    case(np.diff, normal(5)),
    case(np.diff, normal(5), n=2),
    case(np.diff, normal(5), n=3),
    case(np.diff, normal(3, 4), axis=0),
    case(np.diff, normal(3, 4), n=2, axis=-1),
    case(np.diff, normal(5), prepend=0.5),
    case(np.diff, normal(5), append=normal(2)),
    case(np.diff, normal(5), n=2, prepend=0.3, append=-1.0),
    case(np.diff, normal(5), n=2, prepend=0.3),
    case(np.diff, normal(5), n=2, append=normal(2)),
    case(np.diff, normal(5), n=0, prepend=0.3),
    case(np.diff, normal(5), n=0, append=normal(2)),
    case(np.diff, normal(3, 4), n=0, axis=0, prepend=normal(2, 4), append=-1.0),
    case(np.diff, normal(3, 4), axis=0, prepend=normal(2, 4), append=normal(1, 4)),
    case(np.ediff1d, normal(2, 3)),
    case(np.ediff1d, normal(4), to_end=0.5),
    case(np.ediff1d, normal(4), to_begin=normal(2), to_end=normal(3)),
    *(case(np.gradient, normal(5), edge_order=k) for k in (1, 2)),
    case(np.gradient, normal(5), 0.3),
    case(np.gradient, normal(4, 5)),
    case(np.gradient, normal(4, 5), 0.3, edge_order=2),
    case(np.gradient, normal(4, 5), 0.3, 0.5),
    case(np.gradient, normal(4, 5), 0.3, axis=1),
    case(np.gradient, normal(3, 4, 5), 0.3, 0.2, axis=(0, 2)),
    case(np.trapezoid, normal(5)),
    case(np.trapezoid, normal(5), dx=0.3),
    case(np.trapezoid, normal(3, 5), axis=0),
    case(np.trapezoid, normal(5), normal(5)),
    case(np.trapezoid, normal(3, 5), normal(3), axis=0),
    case(np.trapezoid, normal(3, 5), normal(3, 5), axis=1),
    *(case(gradient_transpose, normal(4, 5), 0.3, axis=1, edge_order=k) for k in (1, 2)),
]

test_formula = formula_test(CASES)
