"""An effect at each position of an expression, through all that srcgrad has."""

import itertools
import linecache
import types

import numpy as np
import pytest

import srcgrad

EFFECTS = {
    "a function that writes": "bump(y)[0]",
    "out=": "np.add(y, x[1], out=y)[0]",
    "a method": "m.grow(y)",
    "a property": "m.value",
    "a nested function": "inner()",
    "an item": "m[0]",
    "an assignment": "(t := bump(y)[0])",
}
POSITIONS = [
    "r = (np.sum(y), {e}, np.sum(y)); r = r[0] * r[1] + r[2]",
    "r = [np.sum(y), {e}, y[0]]; r = r[0] * r[1] + r[2]",
    'r = {{"a": y[0], "b": {e}, "c": y[0]}}; r = r["a"] * r["b"] + r["c"]',
    "r = np.sum(y) + {e} * np.sum(y)",
    "r = np.sum(y) - {e} * y[0]",
    "a, b = y[0], {e}; r = a * b",
    "r = np.hypot(y[0], {e}) * y[0]",
    "r = pair(y[0], b={e}) * y[0]",
    "r = pair(*[y[0], {e}])",
    "r = y[0] if {e} > -9 else 0.0",
    "r = y[0] * ({e} if y[0] > 0 else y[1])",
    "r = 0.0 if {e} < -9 else y[0] ** 2",
    "r = (y[0] > 0 and {e}) * y[0]",
    "r = y[0] * (0 < {e} < 99) * y[0]",
    "y[int(0 * {e})] += y[0]; r = np.sum(y * y)",
    "y[0] += {e} * y[0]; r = np.sum(y * y)",
    "y[1] = {e} + y[0]; r = np.sum(y * y)",
    "r = sum({e} * v for v in y) * y[0]",
    "r = [{e} for _ in range(2)]; r = r[0] * r[1] * y[0]",
    "[{e} for _ in range(2)]; r = y[0] ** 2",
    "r = len([{e}, 1]) * y[0]",
    "for v in [{e}]: pass\n    r = y[0] * v",
    "while {e} < 0: pass\n    r = y[0] ** 2",
    "assert {e} > -9\n    r = y[0] ** 2",
    "w = f'{{{e}}}'; r = y[0] ** 2",
    "r = y[0]; r += {e}; r *= y[0]",
    "k = lambda v={e}: v * y[0]; r = k() * y[0]",
    "k = lambda: {e}; r = y[0] * k() * y[0]",
    "r = y[[0, int(0 * {e})]].sum() * y[0]",
    "r = -y[0] * -({e})",
]
HEAD = """
def f(x):
    y = x * 1.0
    m = Maker(y, x)
    def inner():
        y[0] = y[0] * 1.5
        return y[0]
"""
SUPPORT = """
def bump(y):
    y[0] += 0.5
    return y

def pair(a, b=1.0):
    return a * b

class Maker:
    def __init__(self, y, x):
        self.y, self.x = y, x
    def grow(self, y):
        y[0] = y[0] + self.x[1]
        return y[0]
    @property
    def value(self):
        self.y[0] *= 2.0
        return self.y[0]
    def __getitem__(self, k):
        self.y[k] += 0.25
        return self.y[k]
"""


def program(effect, position):
    """Return the function with an effect at a position."""
    body = position.format(e=EFFECTS[effect])
    text = f"import numpy as np\n{SUPPORT}{HEAD}    {body}\n    return r * np.sum(y)\n"
    name = f"effect {effect} in {position}"
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    module = types.ModuleType("effects_at_places")
    exec(compile(text, name, "exec"), vars(module))
    return module.f


@pytest.mark.one_of(5)
@pytest.mark.parametrize(("effect", "position"), list(itertools.product(EFFECTS, POSITIONS)))
def test_an_effect_inside_an_expression(effect, position):
    """Text, or recorded: the gradient and the tangent are those of the program."""
    x, h = np.array([0.7, 1.3, 2.1]), 1e-5
    f = program(effect, position)
    expected = [(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(3)]
    gradient = srcgrad.grad(f, recorded="allow")(x.copy())
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)
    _, dot = srcgrad.jvp(f, (x.copy(),), (np.ones(3),), recorded="allow")
    np.testing.assert_allclose(dot, np.sum(expected), rtol=1e-6, atol=1e-6)
