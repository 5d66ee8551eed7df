"""The formulas of the methods of NumPy's ufuncs."""

import numpy as np
import pytest
from srcgrad.formulas import load

from srcgrad import check, grad, jvp, source, vjp
from srcgrad.errors import MissingFormulaError, MutationError, UnsupportedSyntaxError
from srcgrad.runtime.transposes import reduceat_transpose
from tests.formulas.checking import case, formula_test, normal, positive
from tests.rotation import highest

load("numpy")

REDUCED = [np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin, np.logaddexp, np.hypot]
EXTREME = [np.maximum, np.minimum, np.fmax, np.fmin]
SEGMENTED = [np.multiply, np.maximum, np.minimum, np.fmax, np.fmin]
MASK = np.array([[True, False, True], [True, True, False]])
OUTER = [np.add, np.subtract, np.multiply, np.divide]

CASES = [
    case(np.add.reduceat, normal(6), [0, 4, 1, 5]),
    case(np.add.reduceat, normal(6), np.array([0, 2, 2, 5])),
    case(np.add.reduceat, normal(2, 5), [0, 3], axis=1),
    case(np.add.reduceat, normal(5, 2), [1, 3]),
    case(reduceat_transpose, normal(2), [1, 3], normal(5)),
    *(case(u.reduce, normal(2, 3)) for u in REDUCED),
    *(case(u.reduce, normal(2, 3), axis=1, keepdims=True) for u in REDUCED),
    *(case(u.reduce, normal(4)) for u in REDUCED),
    case(np.add.reduce, normal(2, 3, 2), axis=(0, 2)),
    case(np.add.reduce, normal(2, 3), where=np.array([True, False, True])),
    case(np.add.reduce, normal(2, 3), axis=None),
    case(np.multiply.reduce, np.array([1.0, 0.0, 2.0])),
    case(np.multiply.reduce, normal(2, 3, 2), axis=(0, 2), initial=2.0),
    case(np.multiply.reduce, normal(2, 3), axis=None, keepdims=True),
    case(np.multiply.reduce, normal(2, 3), axis=1, where=MASK),
    *(case(u.reduce, normal(2, 3, 2), axis=(0, 2), initial=0.1) for u in EXTREME),
    *(case(u.reduce, normal(2, 3), axis=1, initial=0.1, where=MASK) for u in EXTREME),
    *(case(u.reduce, normal(2, 3), axis=None) for u in EXTREME),
    *(case(u.accumulate, normal(4, 3)) for u in EXTREME),
    *(case(u.accumulate, normal(2, 5), axis=-1) for u in EXTREME),
    *(case(u.reduceat, normal(6), [0, 4, 1, 5]) for u in SEGMENTED),
    *(case(u.reduceat, normal(6), np.array([0, 2, 2, 5])) for u in SEGMENTED),
    *(case(u.reduceat, normal(2, 5, 2), [0, 3], axis=1) for u in SEGMENTED),
    *(case(u.reduceat, normal(2, 5), [1, 3], axis=-1) for u in SEGMENTED),
    case(np.multiply.reduceat, np.array([1.0, 0.0, 2.0, 3.0]), [0, 2]),
    case(np.add.accumulate, normal(2, 3)),
    case(np.add.accumulate, normal(2, 3), axis=1),
    case(np.multiply.accumulate, normal(2, 3)),
    *(case(u.outer, positive(2), positive(3)) for u in OUTER),
    *(case(u.outer, positive(2, 2), positive(3)) for u in OUTER),
]

test_formula = formula_test(CASES, turns=2)


def test_name_in_the_source():
    """A method of a ufunc is written as one, and named in errors."""
    with pytest.raises(MissingFormulaError, match=r"no formula for numpy\.exp\.reduce"):
        grad(lambda x: np.exp.reduce(x))(np.ones(3))
    assert "add.outer" in source(grad(lambda x: np.sum(np.add.outer(x, x) ** 2)))


def test_ties():
    """Entries that are all the largest share the slope."""
    x = np.array([1.0, 3.0, 3.0])
    np.testing.assert_array_equal(grad(lambda x: np.maximum.reduce(x))(x), [0.0, 0.5, 0.5])


def test_ties_up_to_each_entry():
    """The first one that is the largest has the slope."""
    x = np.array([1.0, 3.0, 3.0, 2.0, 4.0])
    x_bar = grad(lambda x: np.sum(np.maximum.accumulate(x)))(x)
    np.testing.assert_array_equal(x_bar, [1.0, 3.0, 0.0, 0.0, 1.0])


def power(x, y):
    """With more axes than one."""
    return np.sum(np.power.outer(x, y) ** 2)


def several(x, y):
    """Of expressions, of a number, and beside a constant."""
    total = np.sum(np.hypot.outer(2 * x + 1, y)) + np.sum(np.arctan2.outer(x[0], y) * y)
    return total + np.sum(np.maximum.outer(np.ones(2), x)) + np.sum(np.logaddexp.outer(y, y[0, 0]))


def test_outer():
    """Of every ufunc with two operands that has a formula; the text stays."""
    x, y = positive(3), positive(2, 2)
    for f in (power, several):
        check(f, x, y, order=highest())
        bars = grad(f, (0, 1))(x, y)
        slope = jvp(f, (x, y), (x, y))[1]
        np.testing.assert_allclose(slope, np.sum(bars[0] * x) + np.sum(bars[1] * y))
    g = grad(power, (0, 1))
    g(x, y)
    assert "def outer_backward" in source(g)
    check(lambda x: np.sum(np.power.outer(x, x, dtype=float)), x, recorded="allow")


def written(x, v):
    """Writes that add up, with either sign."""
    z = 2 * x
    np.add.at(z, [2, 2], v[:2])
    np.subtract.at(z, [0, 1, 1], v)
    return np.sum(z**2)


def test_at():
    """In a statement of their own they are writes."""
    check(written, normal(4), positive(3), order=highest())


def one_by_one(x, v, k):
    """Places that repeat: in a list, in an array, of rows."""
    y = 2 * x
    np.multiply.at(y, [0, 2, 0], v)
    np.maximum.at(y, k, 0.9 * v)
    z = np.outer(y, y)
    np.multiply.at(z, [0, 2, 0], v[:, None] * y)
    np.power.at(z, k, 2)
    np.negative.at(z, [0, 0, 1])
    w = np.ones(3)
    np.multiply.at(w, [1, 1], v[:2])
    return np.sum(z**2 * w)


def at_once(x):
    """Places that do not repeat: a number, a slice, a mask."""
    y = 2 * x
    np.multiply.at(y, 2, 3.0)
    np.divide.at(y, slice(0, 2), x[1:])
    np.power.at(y, y > 1.5, 2.0)
    np.exp.at(y, [0])
    return np.sum(y**2)


def test_at_of_other_ufuncs():
    """They are recorded: in generated code only sums and differences are written so."""
    x, v, k = positive(3), positive(3)[::-1], np.array([2, 0, 2])
    check(one_by_one, x, v, k, wrt=(0, 1), order=highest(), recorded="allow")
    check(at_once, x, order=highest(), recorded="allow")
    with pytest.raises(MutationError, match=r"np\.\w+\.at writes"):
        grad(at_once)(x)


SOME = np.array([True, False, True, True])
IN_ORDER = {
    "subtract": lambda x: np.subtract.reduce(x),
    "divide along an axis": lambda x: np.divide.reduce(x, axis=1, keepdims=True),
    "logaddexp2 of all": lambda x: np.logaddexp2.reduce(x, axis=None, keepdims=True),
    "logaddexp2 along two axes": lambda x: np.logaddexp2.reduce(x, axis=(1, 0)),
    "remainder": lambda x: np.remainder.reduce(x, 1),
    "running quotients": lambda x: np.divide.accumulate(x, axis=1),
    "running powers": lambda x: np.power.accumulate(x),
    "running norms": lambda x: np.hypot.accumulate(x, 1),
    "running sums of exponentials": lambda x: np.logaddexp.accumulate(x),
    # NumPy itself folds three angles in another order on some processors.
    "angles of parts": lambda x: np.arctan2.reduceat(x, [0, 2, 3], axis=1),
    "differences of parts": lambda x: np.subtract.reduceat(x, [0, 1]),
    "quotients of a number": lambda x: np.divide.reduce(x, axis=1, initial=2.0),
    "differences of what varies": lambda x: np.subtract.reduce(x, initial=x[0, 0], keepdims=True),
    "running sums, in double precision": lambda x: np.add.accumulate(x, 1, float),
    "sums of parts, in double precision": lambda x: np.add.reduceat(x, [0, 2], 1, float),
    "all entries, from the first one on": lambda x: np.subtract.reduce(x, 1, initial=None),
    "some entries": lambda x: np.subtract.reduce(x, 1, initial=1.5, where=x > 1.4),
    "the identity and some entries": lambda x: np.logaddexp2.reduce(x, axis=1, where=SOME),
    "along two axes, some entries": lambda x: np.logaddexp2.reduce(x, axis=(0, 1), where=SOME),
    "in double precision": lambda x: np.hypot.reduce(x, 0, np.float64),
    "running, in double precision": lambda x: np.divide.accumulate(x, 1, dtype=float),
    "parts, in double precision": lambda x: np.divide.reduceat(x, [0, 2], dtype=float),
}


@pytest.mark.parametrize("f", IN_ORDER.values(), ids=IN_ORDER)
@pytest.mark.one_of(3)
def test_any_ufunc_with_a_formula(f):
    """Its methods apply it to one entry after the other."""
    x = np.random.default_rng(3).uniform(1.0, 2.0, size=(3, 4))
    weights = np.random.default_rng(4).normal(size=np.shape(f(x)))

    def weighed(x):
        return np.sum(f(x) * weights)

    value, _ = jvp(f, (x,), (np.ones_like(x),))
    np.testing.assert_allclose(value, f(x), rtol=1e-14)
    check(weighed, x, order=highest())


def test_a_mask_without_a_first_value():
    """NumPy refuses it, and so does srcgrad."""
    with pytest.raises(UnsupportedSyntaxError, match=r"where= of numpy\.divide\.reduce without"):
        grad(lambda x: np.divide.reduce(x, where=x > 1))(np.ones(3))
    with pytest.raises(
        UnsupportedSyntaxError, match=r"where= of numpy\.logaddexp2\.reduce without"
    ):
        grad(lambda x: np.logaddexp2.reduce(x, where=x > 1, initial=None))(np.ones(3))


def test_methods_that_only_compare():
    """What the ufunc passes through, its methods do."""
    x_bar = grad(lambda x: np.sum(np.where(np.logical_or.reduce(x > 1, axis=0), x[0], x[1])))
    np.testing.assert_array_equal(x_bar(np.array([[2.0, 0.5], [0.5, 0.5]])), [[1, 0], [0, 1]])
    assert grad(lambda x: x[0] + np.floor_divide.reduce(x))(np.array([7.5, 2.0])).tolist() == [1, 0]


def test_of_no_entries():
    """They leave what they start from, in the shape of a row."""
    x = np.ones((0, 3))

    def f(x, start):
        return np.sum(np.hypot.reduce(x, axis=0, initial=start))

    assert vjp(f, x, 2.0)[0] == f(x, 2.0) == 6.0
    assert jvp(f, (x, 2.0), (x, 1.0)) == (6.0, 3.0)
    assert grad(f, wrt=1)(x, 2.0) == 3.0
    assert grad(f)(x, 2.0).shape == (0, 3)
