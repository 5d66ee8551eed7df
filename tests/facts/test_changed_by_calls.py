"""State from outside that is changed by code which a program runs in one of many ways.

Who runs it is a call, an operator, a function of a library that is given a callback, the first
reading of an attribute, and so on; what is changed, how it is run and where that stands are
combined, and each program is compared with differences.
"""

from __future__ import annotations

import itertools
import sys
import types

import numpy as np
import pytest

from srcgrad import grad, jvp, vjp
from tests.in_memory import execute
from tests.rotation import by_turns, has_its_turn

pytestmark = pytest.mark.filterwarnings("ignore")

STATES = {  # what it is, how it is read, how it is changed
    "entry": ("S = [1.0]", "S[0]", ["S[0] += 1.0"]),
    "array": ("S = np.array([1.0, 2.0])", "S[0]", ["S[0] += 1.0"]),
    "name": ("S = 1.0", "S", ["global S", "S = S + 1.0"]),
    "attribute": ("S = types.SimpleNamespace(v=1.0)", "S.v", ["S.v += 1.0"]),
    "dict": ("S = {'k': 1.0}", "S['k']", ["S['k'] = S['k'] + 1.0"]),
    "class": ("class S: v = 1.0", "S.v", ["S.v += 1.0"]),
}
# functions: what they are given and give, where they are called
FUNCTIONS = {
    "call": ("*a", "2.0", "c()"),
    "of a table": ("*a", "2.0", "T['a']()"),
    "partial": ("*a", "2.0", "P()"),
    "reduce": ("p, q", "q", "functools.reduce(c, [1.0, 2.0])"),
    "map": ("p", "p", "list(map(c, [2.0]))[0]"),
    "sum of a map": ("p", "p", "sum(map(c, [2.0]))"),
    "filter": ("p", "True", "list(filter(c, [2.0]))[0]"),
    "key": ("p", "p", "sorted([2.0], key=c)[0]"),
    "largest": ("p", "p", "max([2.0, 1.0], key=c)"),
    "until": ("", "2.0", "next(iter(c, 3.0))"),
    "vectorized": ("p", "p", "float(np.vectorize(c, otypes=[float])(np.array([2.0]))[0])"),
    "along an axis": ("p", "p.sum()", "np.apply_along_axis(c, 0, np.array([2.0]))"),
    "of an iterator": ("p", "p", "np.fromiter((c(v) for v in [2.0]), float)[0]"),
    "factory": ("", "2.0", "collections.defaultdict(c)['a']"),
    "factory outside": ("", "2.0", "D['q']"),
    "replacing": ("m", "'2'", "float(len(re.sub('a', c, 'ab')))"),
    "root": ("z", "z - 2.0", "brentq(c, 2.0, 5.0)"),
    "handed on": ("*a", "2.0", "ap(c)"),
    "in a lambda": ("*a", "2.0", "ap(lambda: c())"),
    "default": ("*a", "2.0", "de()"),
    "argument": ("*a", "2.0", "fn()"),
    "of a list": ("*a", "2.0", "L[0]()"),
}
AROUND = """
import collections, copy, functools, operator, re, types
import numpy as np
from scipy.optimize import brentq
"""
BEHIND = """
T, L = {'a': c}, [c]
P = functools.partial(c)
D = collections.defaultdict(c)
def ap(fn, *a):
    return fn(*a)
def de(fn=c):
    return fn()
"""
# methods: how they begin, what they give, and where they are run
METHODS = {
    "object": ("def __call__(self, *a)", "2.0", "k()"),
    "method": ("def m(self, *a)", "2.0", "k.m()"),
    "property": ("@property\n    def m(self)", "2.0", "k.m"),
    "by name": ("@property\n    def m(self)", "2.0", "getattr(k, 'm')"),
    "getter": ("@property\n    def m(self)", "2.0", "operator.attrgetter('m')(k)"),
    "caller": ("def m(self)", "2.0", "operator.methodcaller('m')(k)"),
    "cached": ("@functools.cached_property\n    def m(self)", "2.0", "k.m"),
    "static": ("@staticmethod\n    def m()", "2.0", "K.m()"),
    "of the class": ("@classmethod\n    def m(cls)", "2.0", "K.m()"),
    "item": ("def __getitem__(self, i)", "2.0", "k[0]"),
    "iterated": ("def __iter__(self)", "iter([2.0])", "[v for v in k][0]"),
    "unpacked": ("def __iter__(self)", "iter([2.0, 1.0])", "two(*k)"),
    "contains": ("def __contains__(self, i)", "True", "(2.0 if 3 in k else 1.0)"),
    "truth": ("def __bool__(self)", "True", "(2.0 if k else 1.0)"),
    "any attribute": ("def __getattr__(self, n)", "2.0", "k.zz"),
    "equal": ("def __eq__(self, o)", "True", "(2.0 if k == 3 else 1.0)"),
    "product": ("def __matmul__(self, o)", "2.0", "(k @ 1)"),
    "negative": ("def __neg__(self)", "2.0", "(-k)"),
    "length": ("def __len__(self)", "2", "len(k)"),
    "text": ("def __format__(self, s)", "'ab'", "len(f'{k}')"),
    "copy": ("def __copy__(self)", "2.0", "copy.copy(k)"),
    "array": ("def __array__(self, dtype=None, copy=None)", "np.array([2.0])", "np.sum(k)"),
    "made": ("def __init__(self)", "None", "len([K(), K()])"),
    "argument": ("def __call__(self, *a)", "2.0", "fn()"),
    "of an argument": ("@property\n    def m(self)", "2.0", "fn.m"),
}
PROGRAMS = {
    "inline": """
def f(x, a, fn):
    return {read} * np.sum(x ** 2) * {call} + {read} * np.sum(x)
""",
    "lines": """
def f(x, a, fn):
    s = {read} * np.sum(x ** 2)
    s = s + {call} * np.sum(x)
    return s + {read} * np.sum(x ** 3)
""",
    "branch": """
def f(x, a, fn):
    s = np.sum(x ** 2) if {read} > 1.5 else np.sum(x)
    t = {call}
    if {read} > 1.5:
        s = s * t * np.sum(x ** 3)
    return s
""",
    "loop": """
def f(x, a, fn):
    s = 0.0
    for i in range(2):
        s = s + {read} * x[i] ** 2 * {call}
    return s * {read}
""",
    "hidden": """
def h(z, fn):
    try:
        return z * {call}
    finally:
        pass
def f(x, a, fn):
    s = {read} * np.sum(x ** 2)
    s = s + np.sum(h(a, fn) * x)
    return s + {read} * np.sum(x ** 3)
""",
    "twice": """
def g(z, fn):
    t = {read} * np.sum(z ** 2)
    return t + {call}
def f(x, a, fn):
    return g(x, fn) * {read} + g(a, fn) * np.sum(x)
""",
}
CASES = [
    case
    for ways in (FUNCTIONS, METHODS)
    for case in itertools.product([id(ways)], ways, STATES, PROGRAMS)
    if has_its_turn("/".join(case[1:]), 48)
]
X = np.array([0.5, 1.5])
numbers = itertools.count()


def text_of(ways, way, state, program):
    """Return the text of a program."""
    made, read, change = STATES[state]
    head, gives, call = ways[way]
    given = "None"
    if ways is FUNCTIONS:
        body = "".join(f"    {line}\n" for line in change)
        known = f"def c({head}):\n{body}    return {gives}\n{BEHIND}"
        given = "c" if way == "argument" else given
    else:
        body = "".join(f"        {line}\n" for line in change)
        known = f"class K:\n    {head}:\n{body}        return {gives}\n"
        known += "" if way == "made" else "k = K()\n"
        known += "def two(p, q):\n    return p + q\n"
        given = "K()" if "argument" in way else given
    written = PROGRAMS[program].format(read=read, call=call)
    arguments = f"\ndef given():\n    return np.array([1.0, 2.0]), {given}\n"
    return f"{AROUND}{made}\n{known}{written}{arguments}"


def fresh(text):
    """Return the function of a new module with a text, and its arguments but the first."""
    name = f"changed_by_calls_{next(numbers)}"
    module = sys.modules[name] = types.ModuleType(name)
    execute(text, name, vars(module))
    return module.f, module.given()


def slopes(text):
    """Return the gradient of a program by differences."""
    found, h = [], 1e-5
    for unit in np.eye(2):
        high, low = (f(X + s * h * unit, *a) for s in (1, -1) for f, a in [fresh(text)])
        found.append((high - low) / (2 * h))
    return np.array(found)


def gradient(mode, text):
    """Return the gradient of a program in a mode."""
    f, given = fresh(text)
    if mode == "grad":
        return grad(f, recorded="allow")(X, *given)
    if mode == "vjp":
        return vjp(f, X, *given, recorded="allow")[1](1.0)
    found = []
    for unit in np.eye(2):
        f, given = fresh(text)
        found.append(jvp(f, (X, *given), (unit, None, None), recorded="allow")[1])
    return np.array(found)


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case[1:]))
def test_agrees_with_differences(case):
    """What is read before the change, and behind it, is what the program reads there."""
    ways = FUNCTIONS if case[0] == id(FUNCTIONS) else METHODS
    text = text_of(ways, *case[1:])
    expected = slopes(text)
    for mode in by_turns("/".join(case[1:]), ["grad", "vjp", "jvp"]):
        np.testing.assert_allclose(gradient(mode, text), expected, rtol=1e-5, atol=1e-6)
