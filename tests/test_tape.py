"""The tape as a witness: every program of the table, against the transformer and differences."""

import copy
import math

import numpy as np
import pytest

from srcgrad import grad as transformed_grad
from srcgrad.tape import grad, vjp
from tests import finite_differences as fd
from tests.programs.table import programs
from tests.test_programs import REFUSED, REFUSED_TWICE, as_tuple, assert_close, assert_equal
from tests.test_programs import assert_gradients_are_the_callers, pick, size_of, wrt_of

pytestmark = pytest.mark.filterwarnings("error")

PROGRAMS = programs()
BLIND = {}


def each(cases):
    return pytest.mark.parametrize("case", [
        pytest.param(case, id=case.name, marks=[pytest.mark.xfail(reason=BLIND[case.name], strict=True)] if case.name in BLIND else [])
        for case in cases])


@each(PROGRAMS)
def test_vector_jacobian_product(case):
    """The tape agrees with differences, and leaves arrays as the program leaves them."""
    args, plain = case.make_args(), case.make_args()
    value, backward = vjp(case.fn, *args, wrt=wrt_of(case))
    primal = case.fn(*plain)
    assert_equal(value, primal)
    assert_equal(args, plain)
    weights = fd.random_like(primal, np.random.default_rng(5))
    gradients = as_tuple(case, backward(weights))
    assert_gradients_are_the_callers(case, gradients, args, value, weights)

    def product(*args):
        return fd.inner(weights, case.fn(*args))

    estimates = [fd.gradient(product, case.make_args(), index) for index in case.wrt]
    assert_close(gradients, estimates, size_of(primal))


@each(case for case in PROGRAMS if not case.vector and case.name not in REFUSED)
def test_gradient(case):
    """The tape and the transformer agree but for rounding."""
    ours = as_tuple(case, grad(case.fn, wrt=wrt_of(case))(*case.make_args()))
    theirs = as_tuple(case, transformed_grad(case.fn, wrt=wrt_of(case))(*case.make_args()))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@each(case for case in PROGRAMS if not case.vector and case.order2 and case.name not in REFUSED | REFUSED_TWICE)
def test_second_order(case):
    """The tape and the transformer agree on the second derivative."""
    rng = np.random.default_rng(6)
    u = tuple(fd.random_like(x, rng) for x in pick(case, case.make_args()))
    u = u if len(u) > 1 else u[0]
    wrt = wrt_of(case)
    from srcgrad import vjp as transformed_vjp
    value, backward = vjp(grad(case.fn, wrt=wrt), *case.make_args(), wrt=wrt)
    other, other_backward = transformed_vjp(transformed_grad(case.fn, wrt=wrt), *case.make_args(), wrt=wrt)
    for a, b in zip(as_tuple(case, backward(u)), as_tuple(case, other_backward(u)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
