"""Objects whose state changes: random sequences of what programs do with them."""

import random

import numpy as np
import pytest

from srcgrad import differentiate
from tests.in_memory import execute

pytestmark = pytest.mark.filterwarnings("ignore")

SUPPORT = """import copy
import numpy as np
class Base:
    scale = 2.0
    def __init__(self, w, n=1):
        self.w = w
        self.n = n
        self.log = []
        self.cache = {}
    def value(self, x):
        return np.sum(self.w * x) * self.scale
    @property
    def doubled(self):
        return self.w * 2.0
    @doubled.setter
    def doubled(self, v):
        self.w = v / 2.0
    @classmethod
    def make(cls, w):
        return cls(w * cls.scale)
    @staticmethod
    def norm(v):
        return np.sqrt(np.sum(v ** 2) + 1.0)
    def step(self, x):
        self.w = self.w + 0.1 * x
        self.n += 1
        return self
    def inplace(self, x):
        self.w[0] = x[1]
        self.w *= 1.5
    def remember(self, x):
        self.log.append(x * self.n)
        self.cache[self.n] = x
    def total(self):
        s = 0.0
        for v in self.log:
            s = s + np.sum(v * v)
        for k in self.cache:
            s = s + k * np.sum(self.cache[k])
        return s
    def __call__(self, x):
        return self.value(x) + self.n
    def __getitem__(self, k):
        return self.w[k]
    def __setitem__(self, k, v):
        self.w[k] = v
    def __len__(self):
        return len(self.w)
    def __iter__(self):
        return iter(self.w)
    def __add__(self, o):
        return type(self)(self.w + (o.w if isinstance(o, Base) else o))
    def __mul__(self, k):
        return type(self)(self.w * k)
    __rmul__ = __mul__
    def __matmul__(self, x):
        return np.dot(self.w, x)
    def __neg__(self):
        return type(self)(-self.w)
    def __enter__(self):
        self.n += 10
        return self
    def __exit__(self, *a):
        self.n -= 10
        self.w = self.w * 0.5
    def __contains__(self, v):
        return v in self.cache
    def __bool__(self):
        return self.n > 0
    def __eq__(self, o):
        return self.n == o.n
    __hash__ = None
class Sub(Base):
    scale = 3.0
    def value(self, x):
        return super().value(x) + np.sum(x ** 2)
    def step(self, x):
        super().step(x)
        self.w = np.tanh(self.w)
        return self
"""
STEPS = {
    "value": "r = r + o.value(x)",
    "call": "r = r + o(x)",
    "prop": "r = r + np.sum(o.doubled * x)",
    "set prop": "o.doubled = x * o.n",
    "step": "o.step(x)",
    "chain": "r = r + o.step(x).value(x)",
    "inplace": "o.inplace(x)",
    "remember": "o.remember(x * o.w)",
    "total": "r = r + o.total()",
    "item": "r = r + o[1] * x[0]",
    "setitem": "o[0] = x[0] * x[1]",
    "augitem": "o[1] *= x[0]",
    "iter": "for v in o:\n        r = r + v * v",
    "len": "r = r + len(o) * x[0]",
    "add": "o = o + x",
    "mul": "o = 2.0 * o",
    "matmul": "r = r + o @ x",
    "neg": "o = -o",
    "with": "with o as q:\n        r = r + q.n * np.sum(q.w)",
    "in": "if 1 in o:\n        r = r + x[0]",
    "bool": "if o:\n        r = r + x[1]",
    "copy": "o2 = copy.copy(o)\n    o2.w = o2.w * x\n    r = r + o2.value(x) + o.value(x)",
    "deepcopy": "o2 = copy.deepcopy(o)\n    o2.inplace(x)\n    r = r + o2.value(x) + o.value(x)",
    "alias": "o2 = o\n    o2.w = o2.w * x\n    r = r + o.value(x)",
    "make": "o = type(o).make(x)",
    "static": "r = r + o.norm(o.w)",
    "attr": "o.w = o.w + x",
    "aug attr": "o.w += x",
    "new attr": "o.extra = x * o.w\n    r = r + np.sum(o.extra)",
    "list": "os = [o, Base(x)]\n    for p in os:\n        p.step(x)\n        r = r + p.value(x)",
    "dict": "d = {'m': o}\n    d['m'].step(x)\n    r = r + d['m'].w[0]",
    "getattr": "r = r + getattr(o, 'value')(x)",
    "setattr": "setattr(o, 'w', x * 2.0)",
    "vars": "r = r + np.sum(vars(o)['w'] * x)",
    "bound": "g = o.value\n    o.step(x)\n    r = r + g(x)",
    "lambda": "g = lambda v: o.value(v) * v[0]\n    o.step(x)\n    r = r + g(x)",
    "map": "r = r + sum(map(o.value, [x, x * 2.0]))",
    "compr": "r = r + sum(p.value(x) for p in [o, o])",
    "eq": "if o == Base(x):\n        r = r + x[0] ** 2",
    "cond": "p = o if x[0] > 1 else Base(x)\n    p.inplace(x)\n    r = r + o.value(x)",
}
STARTS = {
    "made": "o = Base(x * 1.0)",
    "sub": "o = Sub(x * 1.0)",
    "const": "o = Base(np.array([0.5, 1.5]))",
    "arg": "o = c",
    "const sub": "o = Sub(np.array([0.5, 1.5]))",
}


def made(seed):
    """Return a function of an array and an object, and the class of the object."""
    choose = random.Random(seed)
    lines = ["r = 0.0", choose.choice(list(STARTS.values()))]
    lines += choose.choices(list(STEPS.values()), k=choose.randint(2, 5))
    lines += ["return r + np.sum(o.w * x) + o.n * np.sum(x)"]
    text = SUPPORT + "def f(x, c):\n    " + "\n    ".join(lines) + "\n"
    filename = f"<object history {seed}>"
    space = execute(text, filename, {"__name__": "object_histories"})
    return space["f"], space["Base"]


def state(held):
    """Return what an object holds, for comparing."""
    return held.w.tolist(), held.n, len(held.log), sorted(held.cache), sorted(vars(held))


@pytest.mark.one_of(108)
@pytest.mark.parametrize("seed", range(600))
def test_objects_that_change(seed):
    """Every mode agrees with differences, and leaves an argument as the function does."""
    f, Base = made(seed)
    x, x_dot, step = np.array([1.3, 0.7]), np.array([1.0, -2.0]), 1e-6

    def plain(x):
        held = Base(np.array([1.0, 2.0]), 2)
        return f(x.copy(), held), state(held)

    try:
        value, after = plain(x)
    except Exception:  # noqa: BLE001 - these steps do not follow each other
        return
    ends = [(plain(x + e)[0], plain(x - e)[0]) for e in step * np.eye(2)]
    expected = np.array([(upper - lower) / (2 * step) for upper, lower in ends])
    derivatives = differentiate(f, recorded="allow")
    held = [Base(np.array([1.0, 2.0]), 2) for _ in range(3)]
    one, gradient = derivatives.value_and_grad(x.copy(), held[0])
    two, backward = derivatives.vjp(x.copy(), held[1])
    three, dot = derivatives.jvp((x.copy(), held[2]), (x_dot, None))
    np.testing.assert_allclose([one, two, three], value, rtol=1e-9)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(backward(1.0), gradient, rtol=1e-9)
    np.testing.assert_allclose(dot, expected @ x_dot, rtol=1e-5, atol=1e-5)
    assert all(state(each) == after for each in held)
