"""Programs on arrays whose elements and sums are arrays, too, as CuPy's are.

A number is never written into; such an array is, under all its names. So the same
program can give another value there than with NumPy, and then has another gradient.
"""

import copy

import numpy as np
import pytest

from srcgrad import value_and_grad, vjp
from tests import finite_differences as fd
from tests.formulas.strict_arrays import StrictArray
from tests.programs.table import programs

TOPICS = ("views", "shared_memory", "overwriting", "loops", "branches", "integrators", "nested")


def each_array(tree, change):
    """Change all arrays in a tree."""
    if isinstance(tree, np.ndarray | StrictArray):
        return change(tree)
    parts = fd.parts_of(tree)
    return tree if parts is None else parts[1]([each_array(part, change) for part in parts[0]])


def strict(tree):
    """A copy of a tree with strict arrays."""
    return each_array(tree, lambda x: StrictArray(np.array(x)) if isinstance(x, np.ndarray) else x)


def plain(tree):
    """A tree with NumPy's arrays and numbers."""
    return each_array(tree, lambda x: x.held[()] if isinstance(x, StrictArray) else x)


def check(fn, args, wrt=(0,)):
    """The value is the program's own, and the gradient agrees with differences of it."""

    def primal(*given):
        return plain(fn(*strict(copy.deepcopy(given))))

    value, gradients = value_and_grad(fn, wrt=wrt)(*strict(copy.deepcopy(args)))
    np.testing.assert_allclose(plain(value), primal(*args), rtol=1e-13)
    for gradient, k in zip(gradients, wrt, strict=True):
        estimates = fd.numbers(fd.gradient(primal, args, k))
        for one, estimate in zip(fd.numbers(plain(gradient)), estimates, strict=True):
            np.testing.assert_allclose(one, estimate, rtol=1e-6, atol=fd.tolerance(10.0))


def on_arrays(case):
    """Whether a program has arrays as arguments and runs on strict ones."""
    args = case.make_args()
    if case.vector or not any(isinstance(x, np.ndarray) for x in fd.leaves(args)):
        return False
    try:
        case.fn(*strict(args))
    except (TypeError, AttributeError, AssertionError):
        return False  # it makes arrays of NumPy's itself
    return True


CASES = [c for c in programs() if c.name.split(".")[0] in TOPICS and on_arrays(c)][::2]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_program(case):
    """The programs of the table."""
    check(case.fn, case.make_args(), case.wrt)


def test_an_element_is_a_view():
    """What is written into an element is written into the array."""

    def f(x):
        a = x[0]
        a *= 2.0
        return np.sum(x * x) * a

    check(f, (np.array([1.0, 2.0, 3.0]),))


def test_a_sum_has_several_names():
    """What is added to a sum in place is seen under its other name."""

    def f(x):
        s = np.sum(x * x)
        t = s
        s += x[0]
        return t * s

    check(f, (np.array([1.0, 2.0, 3.0]),))


def test_a_sum_that_a_loop_adds_to():
    """The same, in a loop."""

    def f(x):
        s = x[0] * 0.0
        t = s
        for i in range(3):
            s += x[i] * x[i]
        return s + t * x[1]

    check(f, (np.array([1.0, 2.0, 3.0]),))


def test_the_same_code_is_not_used_for_arrays_of_both_kinds():
    """A derivative that was generated for NumPy's arrays is generated again."""

    def f(x):
        a = x[0]
        a *= 3.0
        return np.sum(x * a)

    df = value_and_grad(f)
    for x in (np.array([1.0, 2.0]), StrictArray(np.array([1.0, 2.0])), np.array([2.0, 1.0])):
        value, _ = df(x if isinstance(x, np.ndarray) else StrictArray(x.held.copy()))
        assert plain(value) == plain(f(x))


def test_cotangents_that_are_numbers():
    """A cotangent of a sum may be a number; the gradient is an array of the same kind."""

    def f(x):
        return np.sum(x)

    _, backward = vjp(f, strict(np.ones(3)))
    for cotangent in (2.0, 2, np.float64(2.0), StrictArray(np.array(2.0))):
        assert plain(backward(cotangent)).tolist() == [2.0, 2.0, 2.0]
        assert isinstance(backward(cotangent), StrictArray)
