"""Objects that are written to, and functions as values: what is refused."""

import numpy as np
import pytest

from srcgrad import check, grad, jvp
from srcgrad.errors import MutationError, SrcgradError, UnsupportedSyntaxError

X = np.array([0.5, -1.2, 0.8])


class Box:
    """Holds a value."""

    def __init__(self, v):
        """Hold it."""
        self.v = v

    def scale(self, k):
        """Change it."""
        self.v = self.v * k

    def put(self, v):
        """Replace it."""
        self.v = v
        return v * 2


class Pair:
    """Holds two boxes."""

    def __init__(self, a, b):
        """Hold them."""
        self.a, self.b = a, b


class Table:
    """Holds an array."""

    def __init__(self, x):
        """Make it."""
        self.u = np.zeros(3)
        self.u[0] = x[0]

    def put(self, k, v):
        """Write into it."""
        self.u[k] = v


def either(pair, x):
    if x > 0:
        return pair.a
    return pair.b


def one_of_two(x):
    a, b = Box(x[0]), Box(x[1])
    c = a if x[1] < 0 else b
    c.scale(x[2])
    return a.v * b.v


def name_of_one_of_two(x):
    a, b = Box(x[0]), Box(x[1])
    c = a if x[1] < 0 else b
    a.scale(x[2])
    return c.v * b.v


def given_back_one_of_two(x):
    pair = Pair(Box(x[0]), Box(x[1]))
    box = either(pair, x[0])
    box.scale(x[2])
    return pair.a.v * pair.b.v


def elements_of_a_growing_list(x):
    boxes = []
    for k in range(3):
        boxes.append(Box(x[k]))
    for box in boxes:
        box.scale(x[0])
    return x[0]


@pytest.mark.parametrize(
    "f", [one_of_two, name_of_one_of_two, given_back_one_of_two, elements_of_a_growing_list]
)
def test_which_object_is_not_known(f):
    """The write could be seen under a name that it is not known to be one of."""
    with pytest.raises(MutationError, match="an object of class Box is written"):
        grad(f)(X)


def test_an_argument_is_written():
    """Its caller's object is left as the function leaves it."""

    def written(box, x):
        box.scale(x[0])
        return box.v**2

    check(written, Box(0.5), X)
    box, same = Box(0.5), Box(0.5)
    grad(written, (0, 1))(box, X)
    written(same, X)
    assert box.v == same.v


def test_a_list_that_is_given_twice_is_not_changed():
    """Its other name would not see the change."""

    def push(values, same, v):
        values.append(v)
        return same[-1]

    def pushed(x):
        values = []
        for k in range(3):
            values.append(x[k])
        return push(values, values, x[0])

    with pytest.raises(MutationError, match="a list is written"):
        grad(pushed)(X)


def test_an_array_in_an_object_is_written_by_a_method():
    """It is the caller's array, under whichever name that has it."""

    def put(x):
        table = Table(x)
        table.put(1, x[2])
        return np.sum(table.u**2)

    check(put, X)


def before_the_call(x):
    box = Box(x[0])
    return box.v * box.put(x[1])


def two_calls(x):
    box = Box(x[0])
    return box.put(x[1]) * box.put(x[2]) + box.v


def test_what_was_read_before_in_the_same_expression():
    """A call stands before its statement; what it changes and was read earlier gets a name."""
    check(two_calls, X)
    with pytest.raises(UnsupportedSyntaxError, match="beside it"):
        grad(before_the_call)(X)


def function_at_first(x):
    f = np.sin
    y = x[0]
    for k in range(3):
        y = f(y * x[k])
        f = np.cos
    return y


@pytest.mark.parametrize(
    ("f", "message"),
    [(function_at_first, "reading 'f', which is None or another constant before the loop")],
)
def test_constants_that_become_something_else_in_a_loop(f, message):
    """What is known of them holds in the first iteration only."""
    with pytest.raises(UnsupportedSyntaxError, match=message):
        grad(f)(X)


def late(x):
    functions = [lambda v: v * x[k] for k in range(3)]
    out = 1.0
    for f in functions:
        out = f(out)
    return out


def at_a_place(x):
    functions = [lambda v: v * x[0], lambda v: v * x[1]]
    total = 0.0
    for k in range(2):
        total += functions[k](1.0)
    return total


@pytest.mark.parametrize("f", [late, at_a_place])
def test_functions_that_are_not_known(f):
    """A call of a function that captured what is differentiated is never taken for a constant."""
    with pytest.raises(SrcgradError):
        grad(f)(X)


def test_an_operator_that_changes_an_object():
    """Other names of the object would see it."""

    class Sum(Box):
        def __iadd__(self, other):
            self.v = self.v + other
            return self

    def added(x):
        box = Sum(1)
        same = box
        box += 3
        return x[0] * same.v

    with pytest.raises(UnsupportedSyntaxError, match="changing an object by an operator"):
        grad(added)(X)


def filled(u, v):
    u[0] = v
    return v * 3


def test_an_array_that_was_read_before_it_is_written():
    """A call stands before its statement; what was read before it gets a name."""

    def read(x):
        u = x.copy()
        return u[0] * filled(u, x[1]) + u[0]

    slope = np.array([3 * X[1], 3 * X[0] + 1, 0.0])
    np.testing.assert_allclose(grad(read)(X), slope)
    np.testing.assert_allclose(jvp(read, (X,), (X,))[1], slope @ X)
