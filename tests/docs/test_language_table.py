"""The tables of docs/language.md: each row has programs, and each program has a row."""

import copy
import functools

import numpy as np
import pytest

from srcgrad import errors, grad, jvp, stop_gradient, vjp
from tests import finite_differences as fd
from tests import rotation
from tests import test_programs as modes
from tests.language import arrays, derivatives, objects, rows, statements

pytestmark = pytest.mark.filterwarnings("error")

rows.load()
SUPPORTED = rows.table("What is supported")
RECORDED = rows.table("What is recorded")
REFUSED = rows.table("What is refused")
# Rows that are shown by tests of their own, below.
ELSEWHERE = {
    "`checkpointed`", "`stop_gradient`", "callables", "writes into arguments",
    "writes to arguments", "names assigned on some ways only",
}  # fmt: skip
NO_FORWARD_MODE = {"functions.made"}

each = pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for _, c in rows.PROGRAMS])
scalar = pytest.mark.parametrize(
    "case", [pytest.param(c, id=c.name) for _, c in rows.PROGRAMS if not c.vector]
)
refused = pytest.mark.parametrize("case", [pytest.param(r, id=r.name) for r in rows.REFUSALS])
recorded = pytest.mark.parametrize(
    "case", [pytest.param(r, id=r.name) for r in rows.REFUSALS if r.row in RECORDED]
)
never = pytest.mark.parametrize(
    "case", [pytest.param(r, id=r.name) for r in rows.REFUSALS if r.row in REFUSED]
)


def test_each_row_of_what_is_supported_has_a_program():
    """And each program has a row."""
    shown = {row for own, _ in rows.PROGRAMS for row in own}
    assert shown | ELSEWHERE == set(SUPPORTED)


def test_each_row_of_what_is_recorded_or_refused_has_a_program():
    """And each program has a row, in one of the two tables."""
    assert {refusal.row for refusal in rows.REFUSALS} == {*RECORDED, *REFUSED}
    assert not {*RECORDED} & {*REFUSED}


@pytest.mark.parametrize("row", [row for row in SUPPORTED if row not in ELSEWHERE])
def test_what_a_row_names_is_in_its_programs(row):
    """Every name and operator that the page has in the style of code."""
    named = rows.words(row) | rows.words(SUPPORTED[row][0])
    texts = [rows.source(case.fn) for own, case in rows.PROGRAMS if row in own]
    assert named <= set().union(*map(rows.tokens, texts))


@each
def test_derivative(case):
    """Any product with the Jacobian, from the left or from the right, or the gradient, by turns."""
    choices = [modes.looks_at_vector_jacobian_product]
    choices += [] if case.name in NO_FORWARD_MODE else [modes.looks_at_jacobian_vector_product]
    choices += [] if case.vector else [modes.test_gradient]
    for look in rotation.by_turns(case.name, choices):
        look(case)


@pytest.mark.one_of(8)
@scalar
def test_second_order(case):
    """The gradient, differentiated again in both modes."""
    if not case.order2:
        pytest.skip("the row says so")
    modes.looks_at_second_order(case)
    if case.name not in NO_FORWARD_MODE:
        modes.looks_at_forward_over_reverse(case)


@refused
def test_refusal(case):
    """The error is the one of the row, it says why, where, and what to do instead."""
    row = {**RECORDED, **REFUSED}[case.row]
    cls = getattr(errors, row[0].strip("[").partition("]")[0])
    with pytest.raises(cls) as caught:
        case.run()
    assert type(caught.value) is cls
    assert case.says in str(caught.value)
    assert caught.value.fixes
    assert caught.value.spots or cls is errors.ArgumentError


@recorded
def test_recorded(case, monkeypatch):
    """The program runs, recorded, and its gradient is that of differences."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    space = case.fn.__globals__
    numbers = {name: value for name, value in space.items() if isinstance(value, float)}

    def again(*args):
        space.update(numbers)  # a program may write to them
        return case.fn(*copy.deepcopy(args))

    found = case.run()
    if case.is_gradient and isinstance(case.args[0], float | np.ndarray):
        expected = fd.gradient(again, case.args, 0)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@never
def test_no_way_of_recording(case, monkeypatch):
    """What cannot be differentiated is refused, recorded or not."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")
    with pytest.raises(errors.SrcgradError):
        case.run()


@pytest.mark.parametrize(
    "case", [pytest.param(r.instead, id=r.name) for r in rows.REFUSALS if r.instead]
)
def test_the_way_out(case):
    """What the page and the message advise works."""
    modes.test_gradient(case)


def test_stop_gradient():
    """What stands inside counts as a constant."""
    x = derivatives.X

    def stopped(x):
        return np.sum(x**2 / stop_gradient(np.max(x)))

    expected = fd.gradient(derivatives.stopped_twin, (x,), 0)
    np.testing.assert_allclose(grad(stopped)(x), expected, rtol=1e-8)


@pytest.mark.parametrize(
    "function",
    [
        objects.MODEL.forward,
        objects.MODEL,
        functools.partial(objects.Model.forward, objects.MODEL),
        functools.partial(np.multiply, 0.5),
    ],
)
def test_callables(function):
    """Methods, objects and partial functions, in the place of the function."""
    x = objects.X
    value, backward = vjp(function, x)
    np.testing.assert_allclose(value, function(x))
    estimate = fd.gradient(lambda x: np.sum(function(x) * x**0), (x,), 0)
    np.testing.assert_allclose(backward(np.ones(3)), estimate, rtol=1e-7)


def test_writes_into_arguments():
    """The derivative is that for the value at the call, and the write is carried out."""
    f, x = arrays.overwritten, arrays.X
    estimate = fd.gradient(lambda x: f(x.copy()), (x,), 0)
    mine, theirs = x.copy(), x.copy()
    np.testing.assert_allclose(grad(f)(mine), estimate, rtol=1e-8)
    f(theirs)
    np.testing.assert_array_equal(mine, theirs)
    _, slope = jvp(f, (x.copy(),), (np.ones(4),))
    assert slope == pytest.approx(np.sum(estimate))


def test_names_assigned_on_some_ways_only():
    """A name that is unassigned raises, as it does in Python."""
    with pytest.raises(UnboundLocalError):
        statements.perhaps(-0.7)
    with pytest.raises(UnboundLocalError):
        grad(statements.perhaps)(-0.7)
    value, backward = vjp(statements.perhaps, -0.7)
    assert np.isnan(value)
    assert np.isnan(backward(1.0))


def test_a_name_that_a_loop_may_not_assign():
    """It is nan where `vjp` keeps it, and its second derivative is what it was."""

    def scaled(x, n, again):
        i = 0
        while i < n:
            t = x * x * i
            i += 1
        return t * x if again else x

    value, backward = vjp(scaled, 1.5, 0, True)
    assert np.isnan(value)
    assert np.isnan(backward(1.0))
    assert vjp(scaled, 1.5, 0, False)[1](1.0) == 1.0
    assert vjp(scaled, 1.5, 3, True)[1](1.0) == pytest.approx(6 * 1.5**2)
    assert grad(lambda x: vjp(scaled, x, 3, True)[1](1.0))(1.5) == pytest.approx(12 * 1.5)
