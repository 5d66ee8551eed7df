"""Arrays that are written by other functions, and such that are neither local nor arguments."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp, vjp
from srcgrad.errors import MutationError
from tests.programs.names_of_one_array import pick, raised

X = np.array([0.3, 0.5, -0.7])
ALONG = np.array([0.2, -0.4, 0.9])
PROGRAMS = []
OUTSIDE = np.ones(3)
ROWS = [np.ones(3), np.ones(3)]
PARTS = {"w": np.ones(3)}


def program(f):
    PROGRAMS.append(f)
    return f


class Box:
    w = np.ones(3)


def default(rows=[np.ones(3)]):
    return rows[0]


@pytest.fixture(autouse=True)
def _as_users_have_it(monkeypatch):
    """What no text can be generated for is recorded."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "allow")


def reset():
    for array in (OUTSIDE, *ROWS, PARTS["w"], Box.w, default()):
        array[:] = 1.0


@program
def view_of_the_module(x):
    y = OUTSIDE * x
    v = OUTSIDE[:2]
    v[0] = 4.0
    u = OUTSIDE
    u += 1.0
    return np.sum(y * OUTSIDE * x)


@program
def before_it_in_the_expression(x, k=1):
    a = np.ones(3)
    b = np.full(3, 2.0)
    y = a * x * b * raised(pick(a, b, k))
    return np.sum(y * a * x * b)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_value_and_derivatives(f):
    def value(x):
        reset()
        return f(x)

    h = 1e-6
    slope = (value(X + h * ALONG) - value(X - h * ALONG)) / (2 * h)
    expected = value(X)
    reset()
    result, backward = vjp(f, X.copy())
    assert result == pytest.approx(expected, rel=1e-12)
    assert np.vdot(backward(1.0), ALONG) == pytest.approx(slope, rel=1e-6)
    reset()
    assert grad(f)(X.copy()) @ ALONG == pytest.approx(slope, rel=1e-6)
    reset()
    result, tangent = jvp(f, (X.copy(),), (ALONG,))
    assert result == pytest.approx(expected, rel=1e-12)
    assert tangent == pytest.approx(slope, rel=1e-6)


def in_a_list_display(x, a, rows):
    y = a * x
    k = [raised(a)]
    return y * a * k[0]


def row_of_a_list(x, a, rows):
    rows[0][1] = 4.0
    return x * rows[1] * a * rows[0]


@pytest.mark.parametrize("inner", [in_a_list_display, row_of_a_list])
def test_arrays_that_a_called_function_writes(inner):
    def outer(x):
        a = np.ones(3)
        rows = [np.full(3, 1.5), np.full(3, 2.0)]
        z = a * x
        w = z * a
        w = w * inner(x, a, rows)
        for _ in range(2):
            w = w * inner(x, a, rows) * rows[1]
        return np.sum(w * a * rows[0] * x)

    check(outer, X)


def transposed(x):
    y = np.ones((2, 3, 4))
    t = np.transpose(y, (1, 2, 0))
    t[0, 0] = x[0, 0, 0] * 2
    return np.sum(y**2 * x)


@pytest.mark.parametrize("f", [transposed])
def test_views_of_constants_whose_options_are_given_by_position(f):
    """What is differentiated is written through them."""
    check(f, np.arange(24.0).reshape(2, 3, 4) / 10 + 0.1)


def halved(rows):
    for row in rows:
        row *= 0.5


def one_of_two_in_a_call(x, k):
    b = np.full(3, 0.5)
    parts = {"u": b, "v": 0.5}
    if k:
        (b,) = x[:1]
    halved([parts["u"]])
    return np.sum(x * b)


def test_an_array_that_another_name_may_stand_for_or_not(monkeypatch):
    """A constant is written, and what is read later may be that or what is differentiated."""
    monkeypatch.setenv("SRCGRAD_RECORDED", "refuse")
    with pytest.raises(MutationError, match=r"'b', which is read later, may be this array or one"):
        grad(one_of_two_in_a_call)(X, 0)
