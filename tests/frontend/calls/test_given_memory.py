"""What calls give, and share with others: written under one name, read under another."""

import itertools

import numpy as np
import pytest

from srcgrad import jvp, value_and_grad, vjp
from srcgrad.errors import SrcgradError
from tests.in_memory import execute

pytestmark = pytest.mark.filterwarnings("ignore")

SUPPORT = """
import numpy as np
from collections import deque, namedtuple
from dataclasses import dataclass
class Box:
    def __init__(self, k):
        self.k = k
    def get(self):
        return self.k
    @property
    def prop(self):
        return self.k
@dataclass
class Data:
    k: object
Pair = namedtuple("Pair", "k j")
STORE = {}
exec("def hidden(a):\\n    return {'k': a}\\n")
def w(t):
    t[0] = 7.0
"""
# the body of a function, and how the array is read from what it gives
GIVEN = {
    "same": ("return a", "r"),
    "view": ("return a[:]", "r"),
    "reshaped": ("return a.reshape(3)", "r"),
    "asarray": ("return np.asarray(a)", "r"),
    "copy": ("return a.copy()", "r"),
    "dict": ("return {'k': a}", "r['k']"),
    "dict of copy": ("return {'k': a.copy()}", "r['k']"),
    "list": ("return [a]", "r[0]"),
    "list view": ("return [a[:]]", "r[0]"),
    "tuple": ("return (a, 1.0)", "r[0]"),
    "object": ("return Box(a)", "r.k"),
    "method": ("return Box(a)", "r.get()"),
    "property": ("return Box(a)", "r.prop"),
    "data": ("return Data(a)", "r.k"),
    "named": ("return Pair(a, 1.0)", "r.k"),
    "nested": ("return {'k': [a]}", "r['k'][0]"),
    "either": ("if a[0] > 0:\n        return a\n    return a.copy()", "r"),
    "either list": ("if a[0] > 0:\n        return [a]\n    return [a.copy()]", "r[0]"),
    "rows": ("return list(np.atleast_2d(a))", "r[0]"),
    "cached": ("STORE['k'] = a\n    return STORE", "r['k']"),
    "hidden": ("return hidden(a)", "r['k']"),
    "comprehension": ("return [b for b in (a, a)]", "r[1]"),
    "dictcomp": ("return {n: b for n, b in zip('kj', (a, a))}", "r['k']"),
    "lambda": ("return lambda: a", "r()"),
    "deque": ("return deque([a])", "r[0]"),
    "setdefault": ("d = {}\n    d.setdefault('k', a)\n    return d", "r['k']"),
    "append": ("l = []\n    l.append(a)\n    return l", "r[0]"),
    "update": ("d = dict()\n    d.update(k=a)\n    return d", "r['k']"),
    "star": ("return [*(a, a)]", "r[0]"),
    "splitted": ("return np.split(a, 1)", "r[0]"),
    "broadcast": ("return np.broadcast_to(a, (3,))", "r"),
    "where": ("return a if a.sum() > 0 else a + 1", "r"),
    "loop": ("b = a\n    for i in range(2):\n        b = b[:]\n    return b", "r"),
}
MADE = {
    "local": "a = np.array([2.0, 3.0, 4.0])",
    "argument": "a = c",
    "scaled": "a = c * 2.0",
    "active": "a = x * 2.0",
    "active view": "a = x[:]",
}
WRITES = {
    "through a": "a[0] = 5.0",
    "through r": "{p}[0] = 5.0",
    "aug a": "a *= 3.0",
    "aug r": "t = {p}\nt *= 3.0",
    "put": "np.put({p}, [0], [5.0])",
    "out": "np.add({p}, 1.0, out=a)",
    "helper": "w({p})",
    "none": "pass",
    "active a": "a[0] = x[1]",
    "active r": "{p}[0] = x[1]",
}
READS = {
    "both": "y = x * a\nz = x * {p}\nreturn np.sum(y * z)",
    "before and after": "return np.sum(y0 * x * {p} + y0 * a * a)",
    "squared": "return np.sum(x * {p} ** 2) + np.sum(y0 * y0)",
}
CASES = list(itertools.product(GIVEN, MADE, WRITES, READS))


def made(given, make, write, read):
    """Return the function of one case."""
    body, part = GIVEN[given]
    lines = [MADE[make], "r = g(a)", "y0 = x * " + part]
    lines += [WRITES[write].format(p=part), READS[read].format(p=part)]
    inner = "\n".join(lines).replace("\n", "\n    ")
    text = f"{SUPPORT}def g(a):\n    {body}\ndef f(x, c):\n    {inner}\n"
    filename = f"<given {given} {make} {write} {read}>"
    space = execute(text, filename, {"__name__": "given"})
    return space["f"]


@pytest.mark.one_of(480)
@pytest.mark.parametrize("case", [pytest.param(c, id="-".join(c)) for c in CASES])
def test_what_calls_give_may_be_another_name(case):
    """Gradients and tangents are those of differences, or an error where nothing can be read."""
    f, x, c, step = made(*case), np.array([1.3, 0.7, 1.1]), np.array([1.0, 2.0, 3.0]), 1e-6
    x_dot = np.array([1.0, 2.0, -1.0])
    try:
        value = f(x.copy(), c.copy())
    except ValueError:  # into an array that is read-only
        return
    ends = [(f(x + e, c.copy()), f(x - e, c.copy())) for e in step * np.eye(3)]
    expected = np.array([(upper - lower) / (2 * step) for upper, lower in ends])
    try:
        values, gradient = value_and_grad(f, recorded="allow")(x.copy(), c.copy())
        also, backward = vjp(f, x.copy(), c.copy(), recorded="allow")
        again, dot = jvp(f, (x.copy(), c.copy()), (x_dot, None), recorded="allow")
    except SrcgradError:
        assert case[0] == "hidden"
        return
    np.testing.assert_allclose([values, also, again], value)
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(backward(1.0), gradient, rtol=1e-9)
    np.testing.assert_allclose(dot, expected @ x_dot, rtol=1e-6, atol=1e-6)
