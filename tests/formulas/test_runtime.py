"""The functions that generated code calls, and their formulas."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import runtime
from srcgrad.runtime import intercepting, scans, transposes
from tests.formulas.checking import between, case, formula_test, normal

load("numpy")

REPEATED = (np.array([1, 1, 0]), slice(None))
ROWS = np.array([[2, 2], [0, 1]])

CASES = [
    case(runtime.unbroadcast, normal(2, 3), normal(2, 3)),
    case(runtime.unbroadcast, normal(2, 3), normal(3)),
    case(runtime.unbroadcast, normal(4, 2, 3), normal(2, 1)),
    case(runtime.unbroadcast, normal(2, 3), 1.5),
    case(runtime.unbroadcast, 0.5, 1.5),
    case(intercepting.replacement, normal(2, 3), normal(2, 3)),
    case(intercepting.total_of_one_shape, normal(2, 3), normal(2, 3)),
    case(runtime.cast_like, normal(2, 3), normal(2, 3)),
    case(runtime.cast_like, 0.5, 1.5),
    case(runtime.place, 0.5, 1, normal(3)),
    case(runtime.place, normal(2), slice(0, 2), normal(3)),
    case(runtime.place, normal(3, 4), REPEATED, normal(2, 4)),
    case(runtime.place_flat, normal(2, 3), np.array([[0, 3, 3], [5, 1, 0]]), normal(3, 2)),
    case(runtime.place_along, normal(2, 3), [0, 0, 1], normal(2, 4), axis=-1),
    case(runtime.place_each_along, normal(2, 2), ROWS, normal(2, 3), axis=1),
    case(runtime.place_diagonal, normal(2), normal(3, 4), offset=-1),
    case(runtime.place_diagonal, normal(1), normal(3, 4)),
    case(runtime.place_diagonal, normal(3, 2), normal(2, 3, 4), offset=1, axis1=0, axis2=2),
    case(runtime.with_diagonal, normal(3, 4), 1.5),
    case(runtime.with_diagonal, normal(4, 3), normal(3)),
    case(runtime.with_diagonal, normal(3, 3, 3), normal(3)),
    case(runtime.split_like, normal(5), (normal(2), normal(3)), axis=0),
    case(runtime.split_like, normal(2, 3), (normal(2, 2), normal(2)), axis=1),
    case(runtime.split_like, normal(3), (1.5, normal(2)), axis=-1),
    case(runtime.join_like, (normal(2, 2), normal(2)), normal(2, 3), axis=1),
    case(runtime.join_like, (1.5, normal(2)), normal(3), axis=0),
    case(runtime.sum_tiles, normal(4, 6), normal(2, 3), reps=(2, 2)),
    case(runtime.sum_tiles, normal(4, 2, 6), normal(2, 3), reps=(4, 1, 2)),
    case(runtime.sum_repeats, normal(2, 6), normal(2, 3), repeats=2, axis=1),
    case(runtime.sum_repeats, normal(12), normal(2, 3), repeats=2),
    case(runtime.sum_repeats, normal(2, 3), normal(2, 2), repeats=[1, 2], axis=1),
    case(runtime.outside_span, normal(4, 3), normal(4, 3), between(1, 2, 1, 3)),
    case(runtime.outside_span, normal(2, 3, 3), normal(2, 3, 3), between(1, 2, 2, 1, 3)),
    case(runtime.over_gaps, normal(3, 3), between(1, 2, 3, 3)),
    case(runtime.over_gaps, normal(2, 3, 2), between(1, 2, 2, 3, 2), own=np.eye(3, 2, -1, bool)),
    case(runtime.sum_windows, normal(3, 2), normal(4), window_shape=2),
    case(runtime.sum_windows, normal(3, 3, 2, 3), normal(4, 5), window_shape=(2, 3)),
    case(runtime.sum_windows, normal(4, 4, 2), normal(4, 5), window_shape=2, axis=-1),
    case(runtime.with_diagonal, normal(3, 3), normal(3)),
    case(runtime.with_diagonal, normal(4, 3), 0.5),
    case(transposes.einsum_transpose, normal(2), normal(2, 3), subscripts="ij->i"),
    case(transposes.einsum_transpose, normal(3), normal(3, 3, 2), subscripts="iij->i"),
    case(transposes.einsum_transpose, normal(4, 3), normal(1, 3, 3), subscripts="jii->ji"),
    case(transposes.einsum_transpose, 0.5, normal(2, 2), subscripts="ii->"),
    *(
        case(fn, normal(*shape), axis=axis)
        for fn in (scans.delay, scans.advance, scans.exclusive_cumprod, scans.product_of_others)
        for shape, axis in (((1,), 0), ((4,), 0), ((3, 4), 1), ((3, 4, 2), -2))
    ),
    case(scans.exclusive_cumprod, np.array([2.0, 0.0, 3.0]), axis=0),
    case(scans.product_of_others, np.array([2.0, 0.0, 3.0, 0.0]), axis=0),
    *(
        case(fn, normal(*shape), normal(*shape) + 1, axis=axis)
        for fn in (scans.recurrence, scans.reversed_recurrence)
        for shape, axis in (((4,), 0), ((3, 4), -1), ((3, 4), 0))
    ),
]

test_formula = formula_test(CASES)


def test_unbroadcast_costs_nothing():
    """Where the shapes agree, the cotangent itself comes back."""
    x_bar = normal(2, 3)
    assert runtime.unbroadcast(x_bar, normal(2, 3)) is x_bar


def test_unbroadcast_refuses_other_shapes():
    """A cotangent of a shape that cannot have been broadcast is an error."""
    with pytest.raises(ValueError, match="reshape"):
        runtime.unbroadcast(normal(2, 3), normal(2, 2))


@pytest.mark.parametrize(
    "index", [0, np.int64(1), slice(None), None, ..., (0, slice(1)), np.array([True, False])]
)
def test_index_that_cannot_repeat(index):
    """Numbers, slices, None, the ellipsis and masks name an entry once."""
    assert not runtime.may_repeat(index)


@pytest.mark.parametrize("index", [[0, 0], np.array([1]), (slice(1), [0]), (0, range(2))])
def test_index_that_may_repeat(index):
    """Lists and arrays of whole numbers may name an entry twice."""
    assert runtime.may_repeat(index)
