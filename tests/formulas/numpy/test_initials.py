"""The formulas of NumPy's functions in what are options of them elsewhere."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad
from srcgrad.runtime.numpy.initials import (
    border_transpose,
    max_from,
    min_from,
    nanmax_from,
    nanmin_from,
    nanprod_from,
    nansum_from,
    pad_with,
    prod_from,
    sum_from,
    unwrap_by,
)
from tests.formulas.checking import case, formula_test, normal
from tests.rotation import highest

load("numpy")

MASK = np.array([[True, False, True], [False, True, True]])
HOLES = np.array([[1.5, np.nan, 0.7], [np.nan, -0.4, 2.0]])
WIDTHS = ((1, 2), (2, 1))

CASES = [
    *(
        case(fn, x, 0.31, **options)
        for fn, x in (
            (sum_from, normal(2, 3)),
            (prod_from, normal(2, 3)),
            (max_from, normal(2, 3)),
            (min_from, normal(2, 3)),
            (nansum_from, HOLES),
            (nanprod_from, HOLES),
            (nanmax_from, HOLES),
            (nanmin_from, HOLES),
        )
        for options in (
            {},
            {"axis": 0},
            {"axis": (0, 1)},
            {"axis": -1, "keepdims": True},
            {"axis": 1, "where": MASK},
        )
    ),
    case(sum_from, normal(2, 3), 0.5, axis=0, dtype=np.float64),
    case(unwrap_by, 5 * normal(6), 3.1),
    case(unwrap_by, 5 * normal(3, 4), 2.5, axis=0, discont=2.0),
    *(
        case(pad_with, normal(2, 3), values, pad_width=WIDTHS, mode=mode)
        for mode in ("constant", "linear_ramp")
        for values in (0.7, normal(2), normal(2, 2), normal(2, 1))
    ),
    case(border_transpose, normal(5, 6), normal(2, 3), normal(2), WIDTHS, mode="constant"),
    case(border_transpose, normal(5, 6), normal(2, 3), normal(2, 2), WIDTHS, mode="linear_ramp"),
]

test_formula = formula_test(CASES, turns=2)


def starts(x, v):
    """Numbers that sums, products and extrema start from."""
    a = np.sum(x, axis=0, initial=v) ** 2
    b = x.prod(axis=1, initial=v * v, keepdims=True)
    c = np.max(x, initial=v) + np.min(x, 0, initial=-v).sum()
    d = np.add.reduce(x, initial=v) * np.multiply.reduce(x, axis=1, initial=v).sum()
    return np.sum(a) + np.sum(b**2) + c + np.sum(d)


def borders(x, v):
    """Values around arrays, and periods."""
    y = np.pad(x, ((1, 2), (0, 1)), constant_values=((v, 2.0), (v * v, 3.0)))
    z = np.pad(x, 1, mode="linear_ramp", end_values=v)
    return np.sum(y**2) + np.sum(z**3) + np.sum(np.unwrap(9 * x, period=v + 3) ** 2)


def bounds(x, v):
    """Bounds by the names that NumPy has since version 2.1, and values outside of knots."""
    knots = np.array([-0.5, 0.1, 0.4])
    y = np.clip(x, min=-v, max=v) + x.clip(max=v * v)
    z = np.interp(x, knots, knots**2, left=v, right=2 * v)
    w = np.interp(x, knots, knots**2, period=v + 1)
    return np.sum(y**2) + np.sum(z**2) + np.sum(w**2)


def centres(x, v):
    """Means that are given, to functions and methods; results in arrays that are given."""
    mean = v + np.mean(x, axis=0, keepdims=True)
    sums = np.empty(2)
    x.sum(axis=0, out=sums)
    return np.sum(x.var(axis=0, mean=mean)) + np.sum(np.std(x, 0, mean=mean)) + np.sum(sums**2)


@pytest.mark.parametrize("f", [starts, borders, bounds, centres])
def test_active_options(f):
    """What is an option in the call is differentiated as any argument."""
    for wrt in (0, 1):
        check(f, np.array([[0.3, -1.2], [0.9, 0.45], [-0.35, 1.7]]), 0.62, wrt=wrt, order=highest())


def test_ties():
    """The number that a maximum starts from shares with the entries that tie with it."""

    def top(x, v):
        return np.max(x, initial=v)

    x_bar, v_bar = grad(top, (0, 1))(np.array([1.0, 2.0, 2.0]), 2.0)
    np.testing.assert_allclose(x_bar, [0, 1 / 3, 1 / 3])
    assert v_bar == 1 / 3


def spread(x, axis):
    """Options by position, of a formula that is called as a pair."""
    return np.sum(np.var(x, axis) ** 2) + np.sum(np.std(x, 0, None, None, 1))


def deviations(x, axis):
    """The first argument under the name that NumPy has for it."""
    return np.sum(np.std(a=x, axis=axis, ddof=1) ** 3)


@pytest.mark.parametrize("f", [spread, deviations])
def test_options_that_are_known_late(f):
    """An axis in a variable, by position or beside a first argument that is named."""
    check(f, normal(3, 4), 1, order=highest())
