"""The formulas of Python's operators."""

import operator

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad.registry import find_formula, is_nondifferentiable
from tests.formulas.checking import apply, case, check_cotangents, formula_test, normal, positive

load("python")

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.mod]

CASES = [
    *(case(op, 1.5, 0.7) for op in BINARY),
    *(case(op, normal(3), positive(3)) for op in BINARY),
    *(case(op, normal(2, 3), 1.3) for op in BINARY),
    *(case(op, -1.3, positive(2, 3)) for op in BINARY),
    *(case(op, normal(2, 1), positive(4, 1, 3)) for op in BINARY),
    *(case(op, normal(), positive(1)) for op in BINARY),
    case(operator.mod, 5.3, -0.7),
    case(operator.pow, 1.5, 0.7),
    case(operator.pow, positive(2, 3), normal(3)),
    case(operator.pow, positive(2, 1), 3.0),
    case(operator.pow, normal(3), 2),
    case(operator.pow, normal(3), -1),
    case(operator.pow, positive(1), normal(2, 3)),
    case(operator.neg, 1.5),
    case(operator.neg, normal(2, 3)),
    case(operator.pos, normal(2, 3)),
    case(operator.abs, -1.5),
    case(operator.abs, normal(2, 3)),
    case(operator.matmul, normal(2, 3), normal(3, 4)),
    case(operator.matmul, normal(3), normal(3)),
    case(operator.matmul, normal(2, 3), normal(3)),
    case(operator.matmul, normal(3), normal(3, 4)),
    case(operator.matmul, normal(3), normal(2, 3, 4)),
    case(operator.matmul, normal(5, 2, 3), normal(3)),
    case(operator.matmul, normal(5, 2, 3), normal(3, 4)),
    case(operator.matmul, normal(2, 3), normal(5, 3, 4)),
    case(operator.matmul, normal(5, 1, 2, 3), normal(4, 3, 2)),
    case(operator.getitem, normal(4), 1),
    case(operator.getitem, normal(4, 3), slice(1, None, 2)),
    case(operator.getitem, normal(4, 3), (slice(None), -1)),
    case(operator.getitem, normal(4, 3), (..., None, 0)),
    case(operator.getitem, normal(4), [0, 2, 2, 0]),
    case(operator.getitem, normal(4, 3), np.array([[1, 1], [3, 1]])),
    case(operator.getitem, normal(4, 3), (np.array([1, 1]), np.array([2, 2]))),
    case(operator.getitem, normal(4, 3), (slice(1, 3), [0, 0, 2])),
    case(operator.getitem, normal(4, 3), normal(4, 3) > 0),
    case(operator.getitem, normal(4), [True, False, True, True]),
    case(operator.getitem, normal(4), np.int64(2)),
]

test_formula = formula_test(CASES)


@pytest.mark.parametrize("exponent", [0, 0.0, 1, 1.0, 2, 3.5])
def test_power_at_zero(exponent):
    """The slope of a power in its base is finite at 0, also for the exponent 0."""
    _, backward = find_formula(operator.pow)(np.zeros(2), exponent)
    expected = 1.0 if exponent == 1 else 0.0
    np.testing.assert_array_equal(backward(np.ones(2))[0], expected)
    _, backward = find_formula(operator.pow)(0.0, exponent)
    assert backward(1.0)[0] == expected


def test_number_to_the_power_of_an_array():
    """A number as the base has a slope; NumPy's logarithm of it is in double precision."""
    c = case(operator.pow, 2.0, normal(2, 3))
    check_cotangents(c, *apply(find_formula(operator.pow), c))


def test_power_of_zero():
    """The slope of a power in its exponent is 0 where the base is 0."""
    z, backward = find_formula(operator.pow)(np.array([0.0, 2.0]), 3.0)
    assert np.sum(backward(np.ones_like(z))[1]) == 8 * np.log(2)


def test_power_of_negative_base():
    """A negative base has a slope for a whole exponent."""
    _, backward = find_formula(operator.pow)(-2.0, 3.0)
    with np.errstate(invalid="ignore"):
        x_bar, y_bar = backward(1.0)
    assert x_bar == 12
    assert np.isnan(y_bar)


def test_absolute_at_zero():
    """The slope of the absolute value at 0 is 0."""
    _, backward = find_formula(abs)(np.zeros(2))
    np.testing.assert_array_equal(backward(np.ones(2)), 0)


@pytest.mark.parametrize(
    "aliases",
    [
        (operator.add, np.add),
        (operator.truediv, np.divide),
        (operator.pow, pow, np.power, np.pow),
        (operator.abs, abs, np.abs, np.fabs),
        (operator.matmul, np.matmul, np.linalg.matmul),
    ],
)
def test_aliases(aliases):
    """The operator, the built-in function and NumPy's function share a formula."""
    assert len({find_formula(f) for f in aliases}) == 1


@pytest.mark.parametrize(
    "fn", [operator.lt, np.less, operator.floordiv, operator.and_, operator.invert]
)
def test_piecewise_constant(fn):
    """Comparisons, bits and whole division have no derivative to have."""
    assert is_nondifferentiable(fn)
