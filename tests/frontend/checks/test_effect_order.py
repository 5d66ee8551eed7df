"""Effects beside what was read before: seen where they are, and none where they are not."""

import numpy as np
import pytest

from srcgrad import differentiate, grad
from srcgrad.errors import UnsupportedSyntaxError
from srcgrad.frontend.checks import effect_order
from tests import finite_differences as fd
from tests.in_memory import execute

READ = {
    "another attribute": "s.w * x[0]",
    "the attribute": "s.k * x[0]",
    "a property": "s.double * x[0]",
    "a method": "s.get() * x[0]",
    "a sum of an array": "np.sum(s.a) * x[0]",
    "an entry of an array": "s.a[0] * x[0]",
    "a local name": "g * x[0]",
    "a name for the array": "a[0] * x[0]",
    "a function": "(lambda: s.k)() * x[0]",
    "the size of a number": "abs(s.k) * x[0]",
    "the length of a list": "len(s.rows) * x[0]",
    "nothing of the object": "x[0] * x[2]",
}
CHANGED = {
    "a number": "self.k = self.k + 1.0",
    "an array": "self.a = self.a * 2.0",
    "a number, augmented": "self.k += 1.0",
    "an array in place": "self.a += 1.0",
    "a list in place": "self.rows.append(1.0)",
    "a list": "self.rows = [*self.rows, 1.0]",
    "by a property": "self.half = 3.0",
    "by its dict": "self.__dict__['k'] = 5.0",
    "by name": "setattr(self, 'k', 5.0)",
    "by a function": "bump(self)",
    "of the class": "type(self).w = 4.0",
}
PROGRAM = """
import numpy as np

def bump(o):
    o.k = o.k * 3.0

class S:
    w = 2.0
    def __init__(self):
        self.k, self.a, self.rows = 1.5, np.array([1.0, 2.0]), [0.5]
    @property
    def double(self):
        return 2.0 * self.k
    @property
    def half(self):
        return 0.5 * self.k
    @half.setter
    def half(self, value):
        self.k = 2.0 * value
    def get(self):
        return self.k + self.a[1]
    def step(self, v):
        {change}
        return v * self.k

def f(x):
    S.w = 2.0
    s = S()
    g, a = s.k, s.a
    y = {read} + s.step(x[1])
    return y * s.k + np.sum(s.a) * x[2] * len(s.rows) * s.w
"""
X = np.array([0.3, 0.7, -0.4])


def program(read, change):
    """A program with a read operand before a call that changes something."""
    text = PROGRAM.format(read=READ[read], change=CHANGED[change])
    name = f"{change} beside {read}"
    space = execute(text, name, {"__name__": "rebinding"})
    return space["f"]


@pytest.mark.one_of(4)
@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("read", READ)
def test_what_was_read_before_a_call_is_what_was_there(read, change):
    """Text or recorded, the gradient is that of the program as Python runs it."""
    f = program(read, change)
    found = grad(f, recorded="allow")(X)
    np.testing.assert_allclose(found, fd.gradient(f, (X,), 0), rtol=1e-6, atol=1e-8)


def counted(x):
    """Counts in the index of an array that is not read."""
    z = np.zeros(3)
    calls = [0]

    def tick():
        calls[0] += 1
        return calls[0]

    z[tick()] += 0.5
    return tick() * np.sum(x)


def test_an_effect_in_the_index_of_a_write_takes_place():
    """It does although nothing reads the array that is written."""
    x = np.ones(2)
    np.testing.assert_allclose(grad(counted, recorded="allow")(x), [2.0, 2.0])
    with pytest.raises(UnsupportedSyntaxError, match="in the index of what is written"):
        grad(counted, recorded="refuse")(x)


def bump(y):
    """Writes, and gives another entry."""
    y[0] = y[0] * 3.0
    return y[1]


def added(x):
    """Python reads the entry before it calls."""
    y = x * 1.0
    y[0] += bump(y)
    return np.sum(y**2)


def test_what_is_added_to_is_read_first():
    """``y[0] += bump(y)`` reads what ``bump`` changes, and can name it in no statement before."""
    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(grad(added, recorded="allow")(x), [6.0, 10.0])
    with pytest.raises(UnsupportedSyntaxError, match="beside what was read before"):
        grad(added, recorded="refuse")(x)


def item_of_dict(x):
    """A key is replaced inside of an expression."""
    d = {"k": 1.0}
    return np.sum(x) * d["k"] + (d.__setitem__("k", 4.0) or np.sum(x**2)) * d["k"]


def differentiated(x):
    """An array that is differentiated is changed."""
    y = x * 2.0
    return np.sum(y) + (y.__imul__(3.0)).sum() * y[0]


@pytest.mark.parametrize("f", [item_of_dict, differentiated])
def test_operands_are_read_in_their_order(f):
    """Values and derivatives are those of the function."""
    x, step = np.array([1.3, 0.7, 1.1]), 1e-5
    expected = [(f(x + step * e) - f(x - step * e)) / (2 * step) for e in np.eye(3)]
    made = differentiate(f, recorded="allow")
    value, gradient = made.value_and_grad(x.copy())
    again, dot = made.jvp((x.copy(),), (x,))
    np.testing.assert_allclose([value, again], f(x))
    np.testing.assert_allclose(gradient, expected, rtol=1e-6)
    np.testing.assert_allclose(dot, expected @ x, rtol=1e-6)


def _questions(count, monkeypatch):
    """How often it is asked whether something acts, for a sum of so many terms."""
    asked = []
    own = effect_order._Checking.has_effect
    monkeypatch.setattr(
        effect_order._Checking,
        "has_effect",
        lambda self, node: asked.append(node) or own(self, node),
    )
    terms = " + ".join(f"x[{k}] * (y + abs(x[{k}]))" for k in range(count))
    text = f"def long_sum(x, y):\n    return {terms}\n"
    file = f"<sum of {count}>"
    names = execute(text, file)
    grad(names["long_sum"])(np.ones(count), 2.0)
    monkeypatch.undo()
    return len(asked)


def test_long_expressions_are_gone_through_once(monkeypatch):
    """Twice the terms are twice the questions."""
    short, long = (_questions(count, monkeypatch) for count in (20, 80))
    assert long < 5 * short


class Counting:
    """A class whose construction has an effect."""

    def __init__(self, table):
        table["n"] += 1


KINDS = {"n": 0, "counting": Counting}


class Square:
    """A class that serves as a namespace."""

    @staticmethod
    def of(x):
        return x * x


def counted_square(x):
    """Has an effect that what stands beside it may see."""
    KINDS["n"] += 1
    return x * x * KINDS["n"]


def length(x, y):
    """Calls a static method where its operands can have no names."""
    return np.sqrt(Square.of(x) + Square.of(y)) if y > len(KINDS) else np.hypot(x, y)


def test_static_methods_are_the_functions_that_they_are(monkeypatch):
    """What a static method does is looked at, whatever else the program may call."""
    slope = grad(length, recorded="refuse")
    np.testing.assert_allclose(slope(3.0, 4.0), 0.6)
    monkeypatch.setattr(Square, "of", staticmethod(counted_square))
    with pytest.raises(UnsupportedSyntaxError, match="beside what was read before"):
        slope(3.0, 4.0)
