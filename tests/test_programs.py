"""Every program of the table in every mode and order, against central differences.

Nearly all that this costs is generating code, so each derivative of a program is asked for in
one test, where what was generated for one mode is there for the next.
"""

import copy

import numpy as np
import pytest

from srcgrad import grad, jvp, value_and_grad, vjp
from srcgrad.errors import SrcgradError
from tests import finite_differences as fd
from tests.programs.table import programs

pytestmark = pytest.mark.filterwarnings("error")

PROGRAMS = programs()


# Programs that are refused: an error, never a number.
REFUSED = {}
# Derivatives of a derivative for one argument with respect to another one that are refused.
MIXED_REFUSED = {
    "workshop.momentum_over_lists": "a list that is differentiated from the second step on only",
}


def each(cases, refused=REFUSED):
    """Run a test once for each of these programs, under its name."""
    return pytest.mark.parametrize(
        "case",
        [
            pytest.param(
                case,
                id=case.name,
                marks=[pytest.mark.xfail(reason=refused[case.name], strict=True)]
                if case.name in refused
                else [],
            )
            for case in cases
        ],
    )


def wrt_of(case):
    """Return what a user would pass: one position, or a tuple of several."""
    return case.wrt[0] if len(case.wrt) == 1 else case.wrt


def as_tuple(case, gradients):
    """Return the gradients as a tuple, also where there is only one argument."""
    if len(case.wrt) == 1:
        return (gradients,)
    assert isinstance(gradients, tuple)
    return gradients


def pick(case, values):
    """Return the elements that stand where the program's active arguments do."""
    return tuple(values[index] for index in case.wrt)


def size_of(*trees):
    """Return the size of the largest number in some trees."""
    return max((float(np.max(np.abs(x), initial=0.0)) for x in fd.numbers(trees)), default=0.0)


def assert_close(actual, estimates, size):
    """Compare derivatives with estimates of them.

    Args:
        actual: the derivatives.
        estimates: central differences, as many.
        size: the size of the values that were subtracted for the estimates.
    """
    actual, estimates = fd.numbers(actual), fd.numbers(estimates)
    atol = fd.tolerance(max(size, size_of(estimates)))
    assert len(actual) == len(estimates)
    for derivative, estimate in zip(actual, estimates, strict=True):
        np.testing.assert_allclose(derivative, estimate, rtol=1e-6, atol=atol)


def assert_equal(actual, expected):
    """Compare results to the last bit, with their structure and their shapes."""
    assert isinstance(actual, tuple) == isinstance(expected, tuple)
    pairs = zip(fd.leaves(actual), fd.leaves(expected), strict=True)
    for a, b in pairs:
        assert np.shape(a) == np.shape(b)
        if fd.is_number(a) or fd.is_number(b) or isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b)
        else:
            assert a is b or a == b


def assert_gradients_are_the_callers(case, gradients, args, *others):
    """Check that gradients look like their arguments, and that nobody else holds them.

    A caller may write to a gradient: it is no read-only view, and it shares no
    memory with an argument, with another gradient, or with other results.
    """
    assert len(gradients) == len(case.wrt)
    for gradient, argument in zip(gradients, pick(case, args), strict=True):
        assert type(gradient) is type(argument) or fd.is_number(argument)
    pairs = zip(fd.numbers(gradients), fd.numbers(pick(case, args)), strict=True)
    for gradient, argument in pairs:
        assert np.shape(gradient) == np.shape(argument)
        assert np.asarray(gradient).dtype == np.asarray(argument).dtype
        assert np.ndim(argument) == 0 or isinstance(gradient, np.ndarray)
    arrays = [g for g in fd.leaves(gradients) if isinstance(g, np.ndarray)]
    foreign = [x for x in fd.leaves((args, others)) if isinstance(x, np.ndarray)]
    for k, gradient in enumerate(arrays):
        assert gradient.flags.writeable
        for other in foreign + arrays[:k]:
            assert not np.shares_memory(gradient, other)


@each(case for case in PROGRAMS if not case.vector)
@pytest.mark.one_of(8)
def test_gradient(case):
    """`grad` agrees with differences, and leaves the arguments as they are."""
    args = case.make_args()
    before = copy.deepcopy(args)
    gradients = as_tuple(case, grad(case.fn, wrt=wrt_of(case))(*args))

    assert_equal(args, before)
    assert_gradients_are_the_callers(case, gradients, args)
    estimates = [fd.gradient(case.fn, args, index) for index in case.wrt]
    assert_close(gradients, estimates, size_of(case.fn(*args)))


@pytest.mark.one_of(40)
@each(PROGRAMS)
def test_modes_and_orders(case, monkeypatch):
    """Value and gradient; both products with the Jacobian; then what is derived of the gradient."""
    looks_at_vector_jacobian_product(case)
    looks_at_jacobian_vector_product(case)
    if case.vector:
        return
    looks_at_value_and_gradient(case)
    if not case.order2:
        return
    if case.recorded2:
        for look in (looks_at_forward_over_reverse, looks_at_second_order):
            with pytest.raises(SrcgradError):
                look(case)
        monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    looks_at_forward_over_reverse(case)
    looks_at_second_order(case)
    if len(case.wrt) < 2:
        return
    if case.name in MIXED_REFUSED:
        with pytest.raises(SrcgradError):
            looks_at_mixed_second_order(case)
    else:
        looks_at_mixed_second_order(case)


@each(programs(recorded=True))
@pytest.mark.one_of(6)
def test_recorded(case, monkeypatch):
    """A program of which there is no text is refused as such, and recorded in every mode."""
    with pytest.raises(SrcgradError):
        jvp(case.fn, *tangents_of(case))
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    test_modes_and_orders(case, monkeypatch)


def tangents_of(case):
    """Return arguments, and a tangent for each that is differentiated."""
    args = case.make_args()
    return args, directions_of(case, args, 8)[1]


def looks_at_value_and_gradient(case):
    """`value_and_grad` gives what the call gives, to the last bit, and what `grad` gives."""
    args = case.make_args()
    before = copy.deepcopy(args)
    value, gradients = value_and_grad(case.fn, wrt=wrt_of(case))(*args)
    gradients = as_tuple(case, gradients)

    assert_equal(args, before)
    assert_equal(value, case.fn(*args))
    assert_gradients_are_the_callers(case, gradients, args, value)
    expected = as_tuple(case, grad(case.fn, wrt=wrt_of(case))(*args))
    for left, right in zip(fd.numbers(gradients), fd.numbers(expected), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-14 * size_of(expected))


def looks_at_vector_jacobian_product(case):
    """`vjp` multiplies any cotangent with the Jacobian, as often as it is asked to."""
    args = case.make_args()
    before = copy.deepcopy(args)
    value, backward = vjp(case.fn, *args, wrt=wrt_of(case))
    primal = case.fn(*args)
    assert_equal(value, primal)

    rng = np.random.default_rng(5)
    for cotangent in (fd.random_like(primal, rng), fd.random_like(primal, rng)):
        cotangent_before = copy.deepcopy(cotangent)
        gradients = as_tuple(case, backward(cotangent))

        assert_equal(args, before)
        assert_equal(cotangent, cotangent_before)
        assert_gradients_are_the_callers(case, gradients, args, value, cotangent)

        def product(*args, cotangent=cotangent):
            return fd.inner(cotangent, case.fn(*args))

        estimates = [fd.gradient(product, args, index) for index in case.wrt]
        assert_close(gradients, estimates, size_of(primal))
    assert_equal(value, primal)


def directions_of(case, args, seed):
    """Return a tangent for each differentiated argument, and one entry for each argument."""
    rng = np.random.default_rng(seed)
    moving = {index: fd.random_like(args[index], rng) for index in case.wrt}
    return moving, tuple(moving.get(k) for k in range(len(args)))


def looks_at_jacobian_vector_product(case):
    """`jvp` agrees with differences along a direction, and with `vjp`: its transpose."""
    args = case.make_args()
    before = copy.deepcopy(args)
    moving, tangents = directions_of(case, args, 8)
    tangents_before = copy.deepcopy(tangents)
    value, value_dot = jvp(case.fn, args, tangents)

    assert_equal(args, before)
    primal = case.fn(*args)
    assert_equal(value, primal)
    for dot, dot_before in zip(fd.leaves(tangents), fd.leaves(tangents_before), strict=True):
        assert dot is None or np.array_equal(dot, dot_before)
    given = [x for x in fd.leaves((args, tangents, value)) if isinstance(x, np.ndarray)]
    for leaf, leaf_dot in zip(fd.numbers(primal), fd.numbers(value_dot), strict=True):
        assert np.shape(leaf) == np.shape(leaf_dot)
        assert not any(np.shares_memory(leaf_dot, x) for x in given)
    assert_close(list(fd.leaves(value_dot)), fd.directional(case.fn, args, moving), size_of(primal))

    _, backward = vjp(case.fn, *args, wrt=wrt_of(case))
    value_bar = fd.random_like(primal, np.random.default_rng(9))
    gradients = as_tuple(case, backward(value_bar))
    forwards = fd.inner(value_bar, value_dot)
    assert forwards == pytest.approx(
        fd.inner(gradients, tuple(moving.values())), rel=1e-9, abs=1e-9 * size_of(primal, value_dot)
    )


def looks_at_forward_over_reverse(case):
    """`jvp` of the gradient: the Hessian times a direction."""
    args = case.make_args()
    before = copy.deepcopy(args)
    gradient = grad(case.fn, wrt=wrt_of(case))
    moving, tangents = directions_of(case, args, 10)
    value, products = jvp(gradient, args, tangents)

    assert_equal(args, before)
    size = size_of(value)
    for left, right in zip(fd.numbers(value), fd.numbers(gradient(*args)), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-13 * size)
    assert_close(list(fd.leaves(products)), fd.directional(gradient, args, moving), size)


def looks_at_second_order(case):
    """The gradient, differentiated again: all of the Hessian times a direction.

    The Hessian is symmetric, so the product from the left, which is `vjp` of
    the gradient, is how the gradient changes along the direction.
    """
    args = case.make_args()
    before = copy.deepcopy(args)
    gradient = grad(case.fn, wrt=wrt_of(case))
    rng = np.random.default_rng(6)
    u = tuple(fd.random_like(x, rng) for x in pick(case, args))

    value, backward = vjp(gradient, *args, wrt=wrt_of(case))
    products = as_tuple(case, backward(u if len(u) > 1 else u[0]))

    assert_equal(args, before)
    size = size_of(value)
    for left, right in zip(fd.numbers(value), fd.numbers(gradient(*args)), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-13 * size)
    assert_gradients_are_the_callers(case, products, args, value, u)
    directions = dict(zip(case.wrt, u, strict=True))
    assert_close(products, fd.directional(gradient, args, directions), size)


def looks_at_mixed_second_order(case):
    """The gradient for the first argument, differentiated for the last, and back."""
    args = case.make_args()
    rng = np.random.default_rng(7)
    for i, j in ((case.wrt[0], case.wrt[-1]), (case.wrt[-1], case.wrt[0])):
        gradient = grad(case.fn, wrt=i)
        u = fd.random_like(args[i], rng)
        value, backward = vjp(gradient, *args, wrt=j)
        product = backward(u)

        for a, c in zip(fd.numbers((product,)), fd.numbers((args[j],)), strict=True):
            assert np.shape(a) == np.shape(c)

        def along(*args, gradient=gradient, u=u):
            return fd.inner(u, gradient(*args))

        assert_close([product], [fd.gradient(along, args, j)], size_of(value))


@each(case for case in PROGRAMS if "third" in case.tags)
def test_third_order(case):
    """`grad(grad(grad(f)))`, against differences of the second derivative."""
    args = case.make_args()
    index = case.wrt[0]
    second = grad(grad(case.fn, wrt=index), wrt=index)
    third = grad(second, wrt=index)
    estimate = fd.gradient(second, args, index)
    assert_close([third(*args)], [estimate], size_of(second(*args)))


@each(case for case in PROGRAMS if case.name.startswith("passing_through."))
def test_what_is_printed(case, capsys):
    """A differentiated program prints what the program prints, once."""
    args = case.make_args()
    case.fn(*args)
    expected = capsys.readouterr().out
    grad(case.fn, wrt=wrt_of(case))(*args)
    assert capsys.readouterr().out == expected
