"""The formulas of NumPy's joining and splitting."""

import numpy as np
from srcgrad.formulas import load

from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

CASES = [
    case(np.dsplit, normal(2, 3, 4), indices_or_sections=2),
    case(np.concatenate, (normal(2), normal(3))),
    case(np.concatenate, (normal(2), normal(3)), dtype=np.float64),
    case(np.stack, (normal(2), normal(2)), axis=1, dtype=np.float64),
    case(np.concatenate, [normal(2, 3), normal(1, 3), normal(4, 3)]),
    case(np.concatenate, (normal(2, 3), normal(2, 1)), axis=1),
    case(np.concatenate, (normal(2, 3), normal(2, 1)), axis=-1),
    case(np.concatenate, (normal(2, 3), normal(2)), axis=None),
    case(np.stack, (normal(3), positive(3))),
    case(np.stack, (1.5, 0.7)),
    case(np.stack, (normal(2, 3), positive(2, 3)), axis=1),
    case(np.stack, (normal(2, 3), positive(2, 3)), axis=-1),
    case(np.vstack, (normal(3), normal(2, 3))),
    case(np.vstack, (1.5, normal(2, 1))),
    case(np.hstack, (normal(3), normal(2))),
    case(np.hstack, (1.5, normal(2))),
    case(np.hstack, (normal(2, 3), normal(2, 1))),
    case(np.dstack, (normal(3), positive(3))),
    case(np.dstack, (normal(2, 3), positive(2, 3))),
    case(np.dstack, (normal(2, 3, 4), normal(2, 3, 1))),
    case(np.column_stack, (normal(3), positive(3))),
    case(np.column_stack, (normal(3), normal(3, 2))),
    case(np.append, normal(3), 1.5),
    case(np.append, normal(2, 3), normal(2)),
    case(np.append, normal(2, 3), normal(1, 3), axis=0),
    case(np.split, normal(6), indices_or_sections=3),
    *(
        case(f, normal(2, 3, 2), indices_or_sections=1)
        for f in (np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit)
    ),
    case(np.split, normal(2, 5), indices_or_sections=[1, 3], axis=1),
    case(np.array_split, normal(7), indices_or_sections=3),
    case(np.array_split, normal(2, 5), indices_or_sections=2, axis=-1),
    case(np.hsplit, normal(4), indices_or_sections=2),
    case(np.hsplit, normal(2, 4), indices_or_sections=2),
    case(np.vsplit, normal(4, 2), indices_or_sections=[1]),
]

test_formula = formula_test(CASES)
