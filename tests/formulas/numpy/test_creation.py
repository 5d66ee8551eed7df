"""The formulas of NumPy's array creation."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from srcgrad.runtime import astype
from srcgrad.runtime.broadcasting import as_floats
from tests.formulas.checking import case, formula_test, normal, positive

load("numpy")

CASES = [
    case(np.full_like, normal(2, 3), 1.5),
    case(np.full_like, normal(2, 3), normal(3)),
    case(np.full, (2, 3), 1.5),
    case(np.full, (2, 3), normal(2, 1)),
    *(
        case(fn, x)
        for fn in (np.array, np.asarray, np.asanyarray, np.copy)
        for x in (normal(2, 3), 1.5)
    ),
    case(np.ascontiguousarray, normal(2, 3)),
    case(np.array, normal(3), dtype=np.float64),
    case(astype, normal(3), dtype=np.float64),
    case(np.float64, normal(3)),
    case(np.float64, 1.5),
    case(as_floats, normal(3)),
    *(case(np.diag, normal(3), k=k) for k in (-2, 0, 1)),
    *(case(np.diag, normal(3, 4), k=k) for k in (-1, 0, 2)),
    *(case(fn, normal(3, 4), k=k) for fn in (np.tril, np.triu) for k in (-1, 0, 2)),
    *(case(fn, x) for fn in (np.tril, np.triu) for x in (normal(3), normal(2, 3, 3))),
    case(np.array, normal(3), ndmin=2),
    case(np.asfortranarray, normal(2, 3)),
    case(np.asarray_chkfinite, normal(2, 3)),
    case(np.require, normal(2, 3)),
    case(np.full_like, normal(2, 3), 1.5, dtype=np.float64),
    case(np.longdouble, normal(3)),
    case(np.diagflat, normal(2, 3)),
    case(np.diagflat, normal(3), k=-1),
    case(np.vander, normal(3)),
    case(np.vander, normal(3), N=5),
    case(np.vander, normal(3), N=4, increasing=True),
    case(np.arange, 0.5, 4.0),
    case(np.arange, 0.5, 4.0, 0.8),
    case(np.linspace, 0.5, 2.0),
    case(np.linspace, 0.5, 2.0, num=7, endpoint=False),
    case(np.linspace, normal(3), normal(2, 3), num=4),
    case(np.linspace, normal(3), 2.0, num=4, axis=-1),
    case(np.logspace, 0.1, 0.7, num=5),
    case(np.logspace, 0.1, normal(3), num=5, base=2.0, axis=1),
    case(np.logspace, 0.1, normal(3), 4, True, positive(3), axis=-1),
    case(np.logspace, 0.1, 0.7, 4, False, 2.5),
    case(np.geomspace, 0.5, 2.0, num=5),
    case(np.geomspace, positive(3), 2.0, num=5, endpoint=False, axis=1),
    case(np.meshgrid, normal(2), normal(3)),
    case(np.meshgrid, normal(2), normal(3), 0.7, indexing="ij"),
    case(np.meshgrid, normal(2), normal(3), normal(4), sparse=True),
    case(np.ix_, normal(2), normal(3)),
    case(np.kaiser, 7, 2.5),
]

test_formula = formula_test(CASES)


@pytest.mark.parametrize("fn", [astype, np.array])
def test_whole_numbers(fn):
    """What is cut off to whole numbers has slope 0."""
    _, backward, *_ = find_formula(fn)(normal(3), dtype=np.int64)
    np.testing.assert_array_equal(backward(np.ones(3)), 0)


@pytest.mark.parametrize(("fn", "dtype"), [(np.float32, np.float64), (np.float64, np.float32)])
def test_precision(fn, dtype):
    """A cotangent goes back into the precision of the argument."""
    z, backward = find_formula(fn)(normal(3).astype(dtype))
    assert z.dtype == fn
    assert backward(z).dtype == dtype
