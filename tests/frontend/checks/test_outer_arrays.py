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


def outside_bump():
    OUTSIDE[1] += 3.0


def outside():
    return OUTSIDE


def default(rows=[np.ones(3)]):
    return rows[0]


def reset():
    for array in (OUTSIDE, *ROWS, PARTS["w"], Box.w, default()):
        array[:] = 1.0


@program
def of_the_module(x):
    y = OUTSIDE * x
    OUTSIDE[0] = 5.0
    return np.sum(y * OUTSIDE * x)


@program
def rows_of_the_module(x):
    y = ROWS[0] * x
    for r in ROWS:
        r *= 2
    return np.sum(y * ROWS[0] * x)


@program
def part_of_the_module(x):
    y = PARTS["w"] * x
    v = PARTS["w"]
    v *= 3.0
    return np.sum(y * PARTS["w"] * x)


@program
def attribute_of_a_class(x):
    y = Box.w * x
    v = Box.w
    v *= 3.0
    return np.sum(y * Box.w * x)


@program
def given_back_by_a_function_of_the_module(x):
    y = outside() * x
    v = outside()
    v *= 3.0
    return np.sum(y * outside() * x)


@program
def view_of_the_module(x):
    y = OUTSIDE * x
    v = OUTSIDE[:2]
    v[0] = 4.0
    u = OUTSIDE
    u += 1.0
    return np.sum(y * OUTSIDE * x)


@program
def written_by_another_function(x):
    y = OUTSIDE * x
    outside_bump()
    return np.sum(y * OUTSIDE * x)


@program
def out_is_of_the_module(x):
    y = OUTSIDE * x
    np.multiply(OUTSIDE, 2.0, out=OUTSIDE)
    return np.sum(y * OUTSIDE * x)


@program
def of_the_module_in_a_loop(x):
    y = x
    for k in range(3):
        y = y * OUTSIDE
        OUTSIDE[k] += 1.0
    return np.sum(y * OUTSIDE)


@program
def default_of_a_parameter(x):
    y = default() * x
    r = default()
    r += 1.0
    return np.sum(y * default() * x)


@program
def drawn_into(x):
    a = np.ones(3)
    y = a * x
    r = np.random.default_rng(0).random(3, out=a)
    return np.sum(y * a * x * r)


@program
def shuffled(x):
    rng = np.random.default_rng(0)
    p = np.arange(3.0)
    q = p
    y = x
    for _ in range(3):
        rng.shuffle(q)
        y = y * (1 + p)
    return np.sum(y * q * x)


@program
def ways_to_the_same_memory(x):
    a = np.ones(3)
    b = a.view()
    c = a.ravel()
    d = a.reshape(-1)
    e = np.squeeze(a[None])
    y = a * x
    b[0] = 2
    y = y * a
    c[1] = 3.0
    y = y * a
    d[2] = 4.0
    y = y * a
    e[0] = 5.0
    y = y * a
    return np.sum(y * a * x)


@program
def before_it_in_the_expression(x, k=1):
    a = np.ones(3)
    b = np.full(3, 2.0)
    y = a * x * b * raised(pick(a, b, k))
    return np.sum(y * a * x * b)


@program
def beside_it(x):
    a = np.ones(3)
    y = a * x + raised(a) * a * x
    return np.sum(y * a * x)


@program
def second_of_two(x):
    a = np.ones(3)
    y = a * x
    k, other = raised(a), raised(a[1:])
    return np.sum(y * a * x) * k * other


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


def drawn_order(x, a, rows):
    np.random.default_rng(0).shuffle(a)
    return x * a


def by_an_inner_function(x, a, rows):
    def write():
        a[0] = 3.0

    write()
    return x * a


def under_a_second_name(x, a, rows):
    b = np.asarray(a)
    b[2] = 8.0
    return x * a


def row_of_a_list(x, a, rows):
    rows[0][1] = 4.0
    return x * rows[1] * a * rows[0]


@pytest.mark.parametrize(
    "inner",
    [in_a_list_display, drawn_order, by_an_inner_function, under_a_second_name, row_of_a_list],
)
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


def test_what_a_called_function_may_write_of_its_arguments_is_known():
    def inner(x, a, b):
        raised(pick(a, b, 1))
        return x * a

    def outer(x):
        a, b = np.ones(3), np.ones(3)
        return np.sum(inner(x, a, b) * a * b)

    with pytest.raises(MutationError, match="may have another name"):
        grad(outer)(X)


def transposed(x):
    y = np.ones((2, 3, 4))
    t = np.transpose(y, (1, 2, 0))
    t[0, 0] = x[0, 0, 0] * 2
    return np.sum(y**2 * x)


def moved(x):
    y = np.ones((2, 3, 4))
    t = np.moveaxis(y, 0, -1)
    t[0, 0] = x[0, 0, 0] * 2
    u = np.moveaxis(y, 0, destination=1)
    u[1, 1] = x[0, 1, 0]
    return np.sum(y**2 * x)


def swapped(x):
    y = np.ones((2, 3, 4))
    t = np.swapaxes(y, 0, 2)
    t[0, 0] = x[0, 0, 0] * 2
    return np.sum(y**2 * x)


def flipped(x):
    y = np.ones((2, 3, 4))
    t = np.flip(y, 1)
    t[0, 0] = x[0, 0, 0] * 2
    t[1, 1] = x[0, 1, 0]
    return np.sum(y**2 * x)


@pytest.mark.parametrize("f", [transposed, moved, swapped, flipped])
def test_views_of_constants_whose_options_are_given_by_position(f):
    """What is differentiated is written through them."""
    check(f, np.arange(24.0).reshape(2, 3, 4) / 10 + 0.1)


def halved(rows):
    for row in rows:
        row *= 0.5


def one_of_two_in_place(x, k):
    b = np.full(3, 0.5)
    u = b
    if k:
        b = x
    u *= 0.5
    return np.sum(x * b)


def one_of_two_in_a_call(x, k):
    b = np.full(3, 0.5)
    parts = {"u": b, "v": 0.5}
    if k:
        (b,) = x[:1]
    halved([parts["u"]])
    return np.sum(x * b)


@pytest.mark.parametrize("f", [one_of_two_in_place, one_of_two_in_a_call])
def test_an_array_that_another_name_may_stand_for_or_not(f):
    """A constant is written, and what is read later may be that or what is differentiated."""
    with pytest.raises(MutationError, match=r"'b', which is read later, may be this array or one"):
        grad(f)(X, 0)
    with pytest.raises(MutationError, match=r"'b', which is read later, may be this array or one"):
        jvp(f, (X, 0), (ALONG, None))
