"""Objects in lists that are arguments: what is written into them, and read before and behind that.

Each list is short enough to be taken apart, long enough for loops, or too long to be looked
into; the objects of another argument are the same, or others. Both are arguments or globals.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from srcgrad import differentiate, tape
from tests.in_memory import execute

PROGRAM = """\
import copy
import numpy as np

class P:
    def __init__(self, pos, m): self.pos, self.m = pos, m
    def harden(self): self.m = self.m * 3.0
    def shift(self): self.pos += 1.0
    def value(self, x): return np.sum(self.pos * x) * self.m

class Holder:
    def __init__(self, ps): self.ps, self.t = ps, 2.0
    def harden(self):
        for p in self.ps: p.m = p.m * 2.0

def harden(ps):
    for p in ps: p.m = p.m * 2.0

def shift(ps):
    for p in ps: p.pos += 1.0

def swap(ps): ps[0], ps[3] = ps[3], ps[0]

def f({given}x):
    {read}
    {write}
    {again}
    return np.sum(z * y)
"""
READS = """\
y = ps[3].m * x**2
y = ps[3].pos * x
y = sum(p.m for p in ps) * x
y = ps[3].value(x) * x
q = ps[3]; y = q.m * x * q.pos
y = np.stack([p.pos for p in ps]).sum(axis=0) * x
y = h.ps[2].m * x ** 2
""".splitlines()
WRITES = """\
pass
harden(ps)
shift(ps)
swap(ps)
ps[3].harden()
ps[3].shift()
ps[3].m = 9.0
ps[3].pos[0] = 9.0
ps[3].pos[0] += 9.0
ps[3].pos.real[:] = 9.0
ps[3].pos[0], t = 9.0, x
ps[3].m = x[0]
ps.sort(key=lambda p: -p.m)
ps.pop()
ps[3] = ps[5]
h.harden()
h.ps = h.ps[1:]
for p in ps: p.m = p.m + 1.0
for p in ps: p.harden()
for p in ps: p.pos[0] = x[1]
[p.harden() for p in ps]
list(map(P.harden, ps))
q = ps[3]; q.m = 8.0
t = list(ps); t[3].m = 2.0
t = [p for p in ps if p.m > 0.01]; t[0].m = 3.0
t = copy.copy(ps); t[3].m = 1.5
""".splitlines()
AGAIN = """\
z = ps[3].m * y
z = y * 1.0
z = sum(p.m * p.pos for p in ps) * y
z = y * h.ps[1].m * h.t
""".splitlines()


def arguments(space, count, same):
    """Objects in a list, and an object that holds a list of these or of others."""

    def objects(by):
        return [space["P"](np.array([0.1, 0.2, 0.3]) * k, by * k) for k in range(1, count)]

    made = objects(0.01)
    return made, space["Holder"](made if same else objects(0.02)), np.array([0.5, 0.2, 0.3])


@pytest.mark.one_of(12)
@pytest.mark.parametrize("given", ["ps, h, ", ""], ids=["arguments", "globals"])
@pytest.mark.parametrize("same", [False, True], ids=["apart", "same"])
@pytest.mark.parametrize("count", [8, 16, 81])
@pytest.mark.parametrize("write", WRITES)
def test_objects_in_lists(write, count, same, given):
    """Value and gradient, and what is left in the objects, are those of the recorded function."""
    name = f"objects in lists {write} {count} {same} {given}"
    drawn = random.Random(name)
    read, again = drawn.choice(READS), drawn.choice(AGAIN)
    parts = {"read": read, "write": write, "again": again}
    lines = {part: text.replace("; ", "\n    ") for part, text in parts.items()}
    space = execute(PROGRAM.format(given=given, **lines), f"{name}.py")
    found = []
    made = differentiate(space["f"], wrt="x", recorded="allow")
    for derivative in (made.value_and_grad, tape.value_and_grad(space["f"], wrt="x")):
        ps, h, x = arguments(space, count, same)
        space |= {"ps": ps, "h": h}
        value, slope = derivative(*((ps, h, x) if given else (x,)))
        found.append([value, slope, [[*p.pos, p.m] for p in (*ps, *h.ps)]])
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
