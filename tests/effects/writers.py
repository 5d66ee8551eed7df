"""Helpers that write into the array that they are given, each in another way, and give a number."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.in_memory import execute

SHARED = np.ones(3)


class Box:
    def __init__(self, v):
        self.v = v

    @property
    def bump(self):
        self.v[0] = self.v[0] * 0.5
        return self.v[1]

    def __enter__(self):
        self.v[1] = 0.3
        return self

    def __exit__(self, *a):
        self.v[2] = self.v[2] * 2
        return False

    def __len__(self):
        self.v[0] = 0.1
        return 2

    def __lt__(self, o):
        self.v[1] = self.v[1] * 3
        return True

    def __iadd__(self, o):
        self.v += o
        return self

    def __call__(self, k):
        self.v[0] = k
        return np.sum(self.v)

    def __setitem__(self, k, v):
        self.v[k] = v

    def __str__(self):
        self.v[0] = 7.0
        return "b"

    def __eq__(self, o):
        self.v[2] = 0.0
        return True

    def __hash__(self):
        return 1

    def __contains__(self, o):
        self.v[1] = 0.2
        return True

    def __bool__(self):
        self.v[1] = 0.25
        return True

    def __getattr__(self, n):
        if n == "magic":
            self.v[0] = 0.9
            return 2.0
        raise AttributeError(n)


class Desc:
    def __get__(self, o, t=None):
        o.v[0] = o.v[0] + 1
        return 3.0

    def __set__(self, o, val):
        o.v[1] = val


class WithDesc:
    d = Desc()

    def __init__(self, v):
        self.v = v


# one line each, whose statements stand between bars
TEXTS = """
copyto(y): np.copyto(y, y * 2) | return y[0]
sort(y): y[::-1].sort() | return y[0]
fill(y): y[:1].fill(0.5) | return y[0]
at(y): np.add.at(y, [0, 0], 0.1) | return y[0]
view(y): z = y.reshape(3, 1) | z.T[0, 0] = 0.25 | return y[0]
setitem(y): operator.setitem(y, 0, 0.25) | return y[1]
dunder(y): y.__setitem__(0, 0.25) | return y[1]
put(y): np.put(y, [0], [0.2]) | return y[1]
imul(y): y *= 2.0 | return y[1]
out(y): np.multiply(y, 3.0, out=y) | return y[1]
outpos(y): np.multiply(y, 3.0, y) | return y[1]
default(y, h=[]): h.append(y) | h[-1][0] = 0.1 | return y[1]
gen(y): def g(): y[0] *= 0.5; yield y[0] | return y[1] + sum(g())
map(y): return sum(map(lambda v: Box(v)(0.2), [y]))
prop(y): return Box(y).bump
with(y): with Box(y): pass | return y[0]
len(y): return len(Box(y)) * y[1]
lt(y): return y[0] if Box(y) < 3 else y[2]
eq(y): return y[0] if Box(y) == 3 else y[2]
in(y): return y[0] if 3 in Box(y) else y[2]
bool(y): return y[0] if Box(y) else y[2]
iadd(y): b = Box(y) | b += 1.0 | return y[0]
call(y): return Box(y)(0.4)
boxset(y): b = Box(y) | b[0] = 0.7 | return y[1]
str(y): str(Box(y)) | return y[1]
fmt(y): f"{Box(y)}" | return y[1]
magic(y): return Box(y).magic * y[1]
desc(y): return WithDesc(y).d * y[1]
descset(y): WithDesc(y).d = 0.6 | return y[0]
hash(y): return len({Box(y): 1}) * y[1]
inner(y): def go(): y[0] = 0.1 | go() | return y[1]
lambda(y): (lambda z: z.fill(0.35))(y) | return y[1]
partial(y): functools.partial(np.copyto, y)(np.zeros(3) + 0.2) | return y[1]
reduce(y): return functools.reduce(lambda a, v: a + Box(v)(0.3), [y, y], 0.0)
global(y): SHARED[:] = y | SHARED[0] = 0.5 | return SHARED[0] + y[1]
tuple(y): a, b = (y, 1.0) | a[0] = b | return y[1]
star(y): a, *r = [y, y] | r[0][0] = 0.6 | return y[1]
zip(y): for a, b in zip([y], [0.3]): a[0] = b | return y[1]
enum(y): for i, a in enumerate([y]): a[i] = 0.4 | return y[1]
items(y): for k, a in {"q": y}.items(): a[0] = 0.4 | return y[1]
walrus(y): (z := y)[0] = 0.4 | return y[1]
cond(y): z = y if y[0] > -9 else y * 2 | z[0] = 0.4 | return y[1]
deep(y): d = {"a": {"b": [y]}} | d["a"]["b"][0][0] = 0.4 | return y[1]
pop(y): l = [1, y] | l.pop()[0] = 0.4 | return y[1]
getattr(y): getattr(y, "fill")(0.4) | return y[1]
vars(y): b = Box(y) | vars(b)["v"][0] = 0.4 | return y[1]
chain(y): a = b = y | b[0] = 0.4 | return a[1]
real(y): y.real[0] = 0.4 | return y[1]
flat(y): y.flat[0] = 0.4 | return y[1]
nd(y): for k in np.ndindex(2): y[k] = 0.4 | return y[2]
nditer(y): for v in np.nditer(y, op_flags=["readwrite"]): v[...] = v * 2 | return y[2]
shuffle(y): np.random.default_rng(0).shuffle(y) | return y[2]
swap(y): y[0], y[1] = y[1], y[0] | return y[2]
deepcopy(y): z = copy.copy([y]) | z[0][0] = 0.4 | return y[1]
dflt(y): d = {} | d.setdefault("k", y)[0] = 0.4 | return y[1]
try(y): try: y[0] = 0.4; raise ValueError | except ValueError: y[1] = 0.2 | return y[2]
rec(y, n=2): if n == 0: y[0] = 0.4; return y[1] | return by_rec(y, n - 1)
"""


def made() -> dict[str, Callable[[Any], Any]]:
    """Return the helpers by their names."""
    lines = ["import copy, functools, operator"]
    for row in TEXTS.strip().splitlines():
        head, _, body = row.partition(": ")
        lines += [f"def by_{head}:", *(f"    {part}" for part in body.split(" | "))]
    code, file = "\n".join(lines) + "\n", "<helpers that write>"
    space = execute(code, file, {**globals()})
    return {name: f for name, f in space.items() if name.startswith("by_")}


WRITERS = made()
