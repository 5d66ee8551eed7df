"""Effects beside what was read before: seen where they are, and none where they are not."""

import linecache

import numpy as np
import pytest

from srcgrad import grad
from tests import finite_differences as fd

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
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    space = {"__name__": "rebinding"}
    exec(compile(text, name, "exec"), space)
    return space["f"]


@pytest.mark.one_of(4)
@pytest.mark.parametrize("change", CHANGED)
@pytest.mark.parametrize("read", READ)
def test_what_was_read_before_a_call_is_what_was_there(read, change):
    """Text or recorded, the gradient is that of the program as Python runs it."""
    f = program(read, change)
    found = grad(f, recorded="allow")(X)
    np.testing.assert_allclose(found, fd.gradient(f, (X,), 0), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("read", ["another attribute", "an entry of an array", "a local name"])
def test_a_call_that_rebinds_another_attribute_is_text(read):
    """Nothing that was read before stands for something else afterwards."""
    found = grad(program(read, "a number"), recorded="allow")
    found(X)
    reasons = [region.reason for region in found.recorded]
    assert "an effect beside what was read before" not in reasons
