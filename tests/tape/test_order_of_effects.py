"""An effect at each position of an expression, through all that srcgrad has."""

import itertools
import types

import numpy as np
import pytest

import srcgrad
from tests.in_memory import execute

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
    "r = [y[0] ** 2 - {e} for _ in range(2)]; r = r[0] * r[1]",
    "r = [(np.sum(y * y), {e}) for _ in range(2)]; r = r[0][0] * r[1][1]",
    "r = sum(y[0] * y[1] * {e} for _ in range(2))",
    "r = {{k: y[k] ** 2 + {e} for k in (0, 1)}}; r = r[0] * r[1]",
    "r = np.dot([y[0] ** 2, y[1]], [{e}, 2.0])",
    "r = np.clip(y[0] ** 2, a_min={e} - 9, a_max=y[0] + 99) * y[0]",
    "if y[0] * {e} > 99: r = y[1]\n    elif y[1] * {e} > -99: r = y[0]\n    else: r = 0.0",
    "for v in (y[0] ** 2, {e}): y[1] += v\n    r = y[1]",
    "r = []; r.append(y[0] ** 2 + {e}); r = r[0]",
    "r = sum({e} * v * y[0] for v in (1.0, 2.0))",
    "r = sum([np.sum(y * v) + {e} for v in (1.0, 2.0)])",
    "r = sum(map(lambda v: {e} * y[0] * v, (1.0, 2.0)))",
    "r = [g(y) for g in (np.sum, lambda u: {e}, np.sum)]; r = r[0] * r[1] + r[2]",
    "r = sum(v * y[0] for v in (w * {e} for w in (1.0, 2.0)))",
    (
        "def steps():\n        yield y[0]\n        yield {e}\n        yield y[0]\n"
        "    r = sum(v * y[0] for v in steps())"
    ),
    "r = (y[0:2] * 1.0 + {e})[0] * (y[0] if y[0] * {e} > 0 else 1.0)",
]
MAKING = """
    y = x * 1.0
    m = Maker(y, x)
    def inner():
        y[0] = y[0] * 1.5
        return y[0]
"""
# where the statement stands
PLACES = {
    "a function": f"def f(x):{MAKING}    {{body}}\n    return r * np.sum(y)\n",
    "a constructor": (
        f"class Made:\n  def __init__(self, x):{MAKING}    {{body}}\n    self.r, self.y = r, y\n"
        "def f(x):\n    made = Made(x)\n    return made.r * np.sum(made.y)\n"
    ),
    "a method": (
        f"class Made:\n  def run(self, x):{MAKING}    {{body}}\n    return r * np.sum(y)\n"
        "def f(x):\n    return Made().run(x) * x[0]\n"
    ),
    "a property": (
        "class Made:\n  def __init__(self, x):\n    self.x = x\n"
        f"  @property\n  def v(self):\n    x = self.x{MAKING}    {{body}}\n"
        "    return r * np.sum(y)\n"
        "def f(x):\n    return Made(x).v * x[0]\n"
    ),
    "a lambda": (
        f"def f(x):{MAKING}    def run(go): return go(y)\n"
        "    return run(lambda y: y[0] ** 2 - {e}) * np.sum(y)\n"
    ),
    "a default": (
        f"def f(x):{MAKING}    def run(a, b=y[0] ** 2 - {{e}}): return a * b\n"
        "    return run(x[1]) * np.sum(y)\n"
    ),
}
# Python itself refuses ":=" there
WITHOUT = [p for p in POSITIONS if "in (np.sum, lambda" in p or "in (w * {e}" in p]
CASES = [
    *(
        (place, *case)
        for place in list(PLACES)[:4]
        for case in itertools.product(EFFECTS, POSITIONS)
    ),
    *((place, effect, "") for place in list(PLACES)[4:] for effect in EFFECTS),
]
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


def program(place, effect, position):
    """Return the function with an effect at a position of a statement, which stands in a place."""
    body = position.format(e=EFFECTS[effect])
    text = PLACES[place].format(body=body, e=EFFECTS[effect])
    text = f"import numpy as np\n{SUPPORT}{text}"
    name = f"effect {effect} in {position} of {place}"
    module = types.ModuleType("effects_at_places")
    execute(text, name, vars(module))
    return module.f


CASES = [c for c in CASES if c[1] != "an assignment" or c[2] not in WITHOUT]


@pytest.mark.one_of(60)
@pytest.mark.parametrize(("place", "effect", "position"), CASES)
def test_an_effect_inside_an_expression(place, effect, position):
    """Text, or recorded: the gradient and the tangent are those of the program."""
    x, h = np.array([0.7, 1.3, 2.1]), 1e-5
    f = program(place, effect, position)
    expected = [(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(3)]
    gradient = srcgrad.grad(f, recorded="allow")(x.copy())
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-6)
    _, dot = srcgrad.jvp(f, (x.copy(),), (np.ones(3),), recorded="allow")
    np.testing.assert_allclose(dot, np.sum(expected), rtol=1e-6, atol=1e-6)
