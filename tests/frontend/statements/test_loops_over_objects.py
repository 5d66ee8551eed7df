"""Loops that go through lists of objects: what they do to these, and where the lists are from.

Each program has a body of its own, and one of the heads, lists and results in turn. A body that
writes into an object is written out, any other stays a loop; either is the recorded derivative.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcgrad import differentiate, tape
from tests.in_memory import execute

PROGRAM = """\
import numpy as np

class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b
        self.n = 0
    def __call__(self, x): return np.tanh(x * self.w + self.b)
    def keep(self, x):
        self.b = x * self.w
        return np.sin(self.b) + self.b
    def count(self, x):
        self.n += 1
        return x * self.w * self.n
    def scale(self): self.w = self.w * 2.0
    def write(self): self.w *= 2.0
    def __add__(self, other): return Layer(self.w + other.w, self.b * other.b)
    @property
    def both(self): return self.w * self.b

class Net:
    def __init__(self, ls): self.ls = ls

kept = []

def helper(l, x): return l.w * x

def writer(l, x):
    l.b = l.b * x
    return l.b

def keeper(l):
    kept.append(l)
    return l.w

def f(ls, x):
    net = Net(ls)
    ls = {given}
    prev = tot = None
    seen, d, fs = [], {{}}, []
    {head}
        {body}
    return {end}
"""
BODIES = """\
x = l(x)
x = l.keep(x)
x = l.count(x)
l.scale(); x = l(x)
l.write(); x = l(x)
x = x * l.both
l.w = x * l.w; x = l(x)
l.w[0] = x[1]; x = l(x)
x = l(x); l.w = x if x[0] > 0.5 else l.w
x = l(x) if l.n == 0 else x; l.n += 1
prev = l if prev is None else prev; x = x + prev.w * l.b
x = x + prev(x) * l.b if prev is not None else x; prev = l
seen.append(l); x = x + seen[0].w * l.b
tot = l if tot is None else tot + l; x = l(x)
d[l.n] = l; x = d[l.n](x)
x = x * 0.9 + sum(m.b for m in ls) * l.w
x = x + helper(l, x)
x = x + writer(l, x)
x = x + keeper(l)
l = Layer(l.b, l.w); x = l(x)
fs.append(l.keep); x = x + fs[-1](x)
fs.append(lambda y, l=l: l(y)); x = fs[0](x)
""".splitlines()
HEADS = [
    "for l in ls:",
    "for k, l in enumerate(ls):",
    "for l, v in zip(ls, [x, x * 2.0, x]):",
    "for l in reversed(ls):",
    "for l in ls[1:]:",
    "for l in list(ls):",
]
GIVEN = ["ls", "[ls[0], ls[1], ls[0]]", "[Layer(q.w, q.b * x) for q in ls]", "net.ls"]
ENDS = [
    "np.sum(x) + (0.0 if tot is None else np.sum(tot.w))",
    "np.sum(x) + np.sum(ls[0].w)",
    "np.sum(x * ls[-1].b) + ls[0].n",
    "np.sum(x) + (0.0 if prev is None else np.sum(prev.w * x))",
    "np.sum(x)",
]
CASES = [
    dict(zip(("body", "head", "given", "end"), case, strict=True))
    for case in zip(BODIES, *(itertools.cycle(part) for part in (HEADS, GIVEN, ENDS)), strict=False)
]


DICT_BODIES = """\
x = np.tanh(x * l["w"] + l["b"])
l["w"] = x * l["w"]; x = x + l["w"]
l["w"] *= 2.0; x = x * l["w"]
l["b"] = l["w"]; x = x + l["b"]
l["w"][0] = x[1]; x = x * l["w"]
prev = l if prev is None else prev; x = x + prev["w"] * l["b"]
seen.append(l); x = x + seen[0]["w"] * l["b"]
x = x + sum(m["b"] for m in ls) * l["w"]
x = x + (l["w"] if l["n"] == 0 else l["b"]); l["n"] += 1
""".splitlines()
DICTS = [  # the same with dicts in the place of objects
    {"body": body, "head": head, "given": given, "end": "np.sum(x * ls[-1]['b']) + ls[0]['n']"}
    for body, head, given in zip(
        DICT_BODIES, itertools.cycle(HEADS), itertools.cycle((*GIVEN[:2], GIVEN[3])), strict=False
    )
]


def arguments(space, dicts):
    """Three layers and a vector."""
    rng = np.random.default_rng(0)
    made = [space["Layer"](*rng.uniform(0.3, 1, (2, 3))) for _ in range(3)]
    return [vars(each) for each in made] if dicts else made, rng.uniform(0.2, 1, 3)


def numbers(layers, x):
    """What the layers hold, and the vector."""
    held = [each if type(each) is dict else vars(each) for each in layers]
    return np.concatenate([*(np.r_[each["w"], each["b"]] for each in held), x])


@pytest.mark.parametrize("wrt", [(0, 1), 1], ids=["both", "vector"])
@pytest.mark.parametrize("case", [*CASES, *DICTS], ids=lambda case: case["body"])
def test_loops_over_objects(case, wrt):
    """Value, gradient and what is left in the objects are those of the recorded function."""
    space = execute(PROGRAM.format(**case), f"loop over objects {case['body']}.py")
    made = differentiate(space["f"], wrt=wrt, recorded="allow")
    found = []
    for derivative in (made.value_and_grad, tape.value_and_grad(space["f"], wrt=wrt)):
        space["kept"].clear()
        layers, x = arguments(space, case in DICTS)
        value, slopes = derivative(layers, x)
        slopes = numbers(*slopes) if isinstance(slopes, tuple) else slopes
        found.append([value, slopes, numbers(layers, x)])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
