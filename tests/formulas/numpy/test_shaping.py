"""The formulas of NumPy's changes of shape."""

import numpy as np
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal

load("numpy")

CASES = [
    case(np.reshape, normal(2, 3), shape=(3, 2)),
    case(np.reshape, normal(2, 3), shape=-1),
    case(np.ravel, normal(2, 3)),
    case(np.moveaxis, normal(2, 3, 4), source=0, destination=-1),
    case(np.moveaxis, normal(2, 3, 4), source=(0, 1), destination=(2, 0)),
    case(np.swapaxes, normal(2, 3, 4), axis1=0, axis2=-1),
    case(np.transpose, normal(2, 3, 4)),
    case(np.transpose, normal(2, 3, 4), axes=(1, 2, 0)),
    case(np.transpose, normal(2, 3, 4), axes=(-1, 0, 1)),
    case(np.matrix_transpose, normal(2, 3, 4)),
    *(
        case(fn, x)
        for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d)
        for x in (1.5, normal(3), normal(2, 3), normal(2, 3, 4))
    ),
    case(np.broadcast_to, normal(3), shape=(2, 3)),
    case(np.broadcast_to, normal(2, 1), shape=(4, 2, 3)),
    case(np.broadcast_to, 1.5, shape=(2, 3)),
    case(np.broadcast_arrays, normal(2, 1), normal(3), 1.5),
    case(np.expand_dims, normal(2, 3), axis=0),
    case(np.expand_dims, normal(2, 3), axis=(0, -1)),
    case(np.expand_dims, normal(2, 3), axis=[0, 1]),
    case(np.squeeze, normal(2, 1, 3, 1)),
    case(np.squeeze, normal(2, 1, 3, 1), axis=1),
    case(np.reshape, normal(2, 3), shape=(3, 2), order="F"),
    case(np.ravel, normal(2, 3), order="F"),
    case(np.rollaxis, normal(2, 3, 4), axis=2),
    case(np.rollaxis, normal(2, 3, 4), axis=0, start=2),
    case(np.rollaxis, normal(2, 3, 4), axis=1, start=3),
]

test_formula = formula_test(CASES)
