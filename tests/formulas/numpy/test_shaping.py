"""The formulas of NumPy's array creation from arrays, and of changes of shape."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula
from srcgrad.runtime import astype
from tests.formulas.checking import case, check_case, normal

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
    *(case(np.diag, normal(3), k=k) for k in (-2, 0, 1)),
    *(case(np.diag, normal(3, 4), k=k) for k in (-1, 0, 2)),
    *(case(fn, normal(3, 4), k=k) for fn in (np.tril, np.triu) for k in (-1, 0, 2)),
    *(case(fn, x) for fn in (np.tril, np.triu) for x in (normal(3), normal(2, 3, 3))),
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
    case(np.squeeze, normal(2, 1, 3, 1)),
    case(np.squeeze, normal(2, 1, 3, 1), axis=1),
    case(np.tile, normal(3), reps=2),
    case(np.tile, normal(2, 3), reps=(3, 1, 2)),
    case(np.tile, normal(2, 3, 4), reps=(2, 3)),
    case(np.repeat, normal(2, 3), repeats=2),
    case(np.repeat, normal(2, 3), repeats=3, axis=0),
    case(np.repeat, normal(2, 3), repeats=3, axis=-1),
    case(np.repeat, normal(2, 3), repeats=np.array([2, 0, 3]), axis=1),
    case(np.repeat, normal(3), repeats=[1, 2, 0]),
    case(np.pad, normal(3), pad_width=2),
    case(np.pad, normal(3), pad_width=(0, 2), constant_values=1.5),
    case(np.pad, normal(2, 3), pad_width=((1, 0), (2, 3))),
    case(np.pad, normal(2, 3), pad_width=((1, 2),)),
    case(np.flip, normal(2, 3)),
    case(np.flip, normal(2, 3), axis=1),
    case(np.flip, normal(2, 3, 4), axis=(0, 2)),
    case(np.fliplr, normal(2, 3)),
    case(np.flipud, normal(2, 3)),
    case(np.roll, normal(2, 3), shift=2),
    case(np.roll, normal(2, 3), shift=1, axis=1),
    case(np.roll, normal(2, 3), shift=(1, -2), axis=(0, 1)),
    case(np.rot90, normal(2, 3)),
    case(np.rot90, normal(2, 3, 4), k=3, axes=(1, 2)),
]


@pytest.mark.parametrize("c", CASES, ids=str)
def test_formula(c):
    """The formula agrees with differences."""
    check_case(c)


@pytest.mark.parametrize("fn", [astype, np.array])
def test_whole_numbers(fn):
    """What is cut off to whole numbers has slope 0."""
    _, backward = find_formula(fn)(normal(3), dtype=np.int64)
    np.testing.assert_array_equal(backward(np.ones(3)), 0)


@pytest.mark.parametrize(("fn", "dtype"), [(np.float32, np.float64), (np.float64, np.float32)])
def test_precision(fn, dtype):
    """A cotangent goes back into the precision of the argument."""
    z, backward = find_formula(fn)(normal(3).astype(dtype))
    assert z.dtype == fn
    assert backward(z).dtype == dtype
