"""The formulas of NumPy's matrix and vector products."""

import numpy as np
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

SHAPES = [
    ((3,), (3,)), ((2, 3), (3, 4)), ((2, 3), (3,)), ((3,), (3, 4)),
    ((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (3, 4)), ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (6, 3, 4)),
]  # fmt: skip

CASES = [
    case(np.vecdot, normal(3), normal(3)),
    case(np.vecdot, normal(2, 3), normal(4, 1, 3)),
    case(np.vecdot, normal(3, 2), normal(3, 2), axis=0),
    *(
        case(np.linalg.multi_dot, tuple(normal(*shape) for shape in shapes))
        for shapes in (((2, 3), (3, 4)), ((2, 3), (3, 4), (4, 2)), ((3,), (3, 4), (4, 2), (2,)))
    ),
    *(
        case(getattr(np, name), *args)
        for name, args in (
            ("matvec", (normal(2, 3), normal(3))),
            ("matvec", (normal(4, 2, 3), normal(3))),
            ("matvec", (normal(2, 3), normal(4, 3))),
            ("vecmat", (normal(2), normal(2, 3))),
            ("vecmat", (normal(4, 2), normal(2, 3))),
        )
        if hasattr(np, name)
    ),
    *(case(np.dot, normal(*p), positive(*q)) for p, q in SHAPES),
    case(np.dot, normal(), normal(2, 3)),
    case(np.dot, normal(2, 3), normal()),
    case(np.outer, normal(3), normal(4)),
    case(np.outer, normal(2, 3), normal(4)),
    case(np.outer, normal(), normal(2, 2)),
    case(np.vdot, normal(3), positive(3)),
    case(np.vdot, normal(2, 3), positive(3, 2)),
    case(np.inner, normal(3), positive(3)),
    case(np.inner, normal(2, 3), normal(4, 3)),
    case(np.inner, normal(3), normal(2, 4, 3)),
    case(np.inner, normal(5, 2, 3), normal(4, 3)),
    case(np.inner, normal(2, 3), normal()),
    case(np.tensordot, normal(2, 3, 4), normal(3, 4, 5)),
    case(np.tensordot, normal(2, 3), normal(3, 4), axes=1),
    case(np.tensordot, normal(2), normal(3), axes=0),
    case(np.tensordot, normal(2, 3), positive(2, 3), axes=2),
    case(np.tensordot, normal(2, 3, 4), normal(4, 5), axes=(2, 0)),
    case(np.tensordot, normal(3, 4, 2), normal(4, 5, 3), axes=((0, 1), (2, 0))),
    case(np.tensordot, normal(3, 4, 2), normal(4, 5, 3), axes=([1, 0], [0, 2])),
    case(np.tensordot, normal(3, 4, 2), normal(4, 5, 3), axes=((-3,), (-1,))),
    case(np.linalg.tensordot, normal(2, 3), normal(3, 4), axes=1),
    case(np.matmul, normal(2, 3), normal(3, 4)),
    case(np.linalg.matmul, normal(2, 3), normal(3, 4)),
    case(np.kron, normal(2), normal(3)),
    case(np.kron, normal(2, 3), normal(4, 2)),
    case(np.kron, normal(3), normal(2, 2)),
    case(np.kron, normal(2, 2, 3), normal(3, 2)),
    case(np.cross, normal(3), positive(3)),
    case(np.linalg.cross, normal(2, 3), positive(2, 3)),
    case(np.linalg.outer, normal(3), normal(4)),
    case(np.cross, normal(4, 3), positive(3)),
    case(np.cross, normal(4, 1, 3), positive(2, 3)),
    case(np.cross, normal(3, 4), positive(3, 4), axis=0),
    case(np.cross, normal(3, 4), positive(4, 3), axisa=0, axisc=0),
    case(np.cross, normal(3), positive(5, 3), axisa=0, axisb=1),
    case(np.cross, normal(3), positive(3, 5), axis=0),
]

test_formula = formula_test(CASES)
