"""What data holds that is kept as text: in attributes, dicts, comprehensions, and behind calls."""

import copy
import itertools
import sys
import types

import numpy as np
import pytest

from srcgrad import grad, source
from srcgrad.analysis.shapes.contents import data_contents
from srcgrad.ir.types import REAL
from tests.finite_differences import gradient
from tests.in_memory import execute

HEAD = """
import collections, dataclasses, functools, itertools, math
import numpy as np
from scipy import signal, stats

Bar = collections.namedtuple("Bar", "start end")

@functools.lru_cache
def nodes(n):
    return np.polynomial.legendre.leggauss(n)

@dataclasses.dataclass
class Filter:
    mean: np.ndarray
    noise: np.ndarray = dataclasses.field(default_factory=lambda: np.diag([0.05, 0.02, 0.1]))

    def step(self, gain):
        self.mean = self.mean + gain * (self.noise @ self.mean)
        return np.sum(self.mean ** 2)

class Held:
    def __init__(self, data): self.data = data
    def rows(self): return [(a, b) for a, b in self.data]
    def points(self): return np.array(self.data)

ROWS = [{"a": (1.0, [2.0, 3.0])}, {"b": (0.5, [1.0, 2.0])}]
TUPLES = [("a", (1, 2)), ("b", (2, 3))]
DATA, TABLE, held = None, {}, Held(None)
M = np.array([[1.0, 2.0, 0.5], [-0.3, 0.4, 1.0], [2.0, -1.0, 0.3]])

"""
WAYS = {
    "an attribute": "for a, b in held.data: t = t + np.sum((a * x - b) ** 2)",
    "a method": "for a, b in held.rows(): t = t + np.sum((a * x - b) ** 2)",
    "a global": "for a, b in DATA: t = t + np.sum((a * x - b) ** 2)",
    "a comprehension": """rows = [(2 * a, b) for a, b in DATA]
    for a, b in rows: t = t + np.sum((a * x - b) ** 2)""",
    "a dict": "for k in sorted(TABLE): t = t + np.sum((TABLE[k] * x - 1.0) ** 2)",
    "an array of rows": """p = np.array(DATA)
    d = p[1] - p[0]
    t = np.sum(np.outer(d, d) * x[0]) + np.sum(d * x[1]) ** 2""",
    "an array of an attribute": """p = held.points()
    t = np.sum((p[1] - p[0]) * x[0] - x[1]) ** 2""",
    "np.r_": """g = np.r_[DATA[0][0], 1.0, 2.0]
    t = np.sum((x - g[:3]) ** 2 * x)""",
}
ONES = np.array([1.0, 2.0, 3.0])
KINDS = [
    [(1.0, 2.0), (3.0, 0.5)],
    [(1, 2.0), (3, 5)],
    [(ONES, 2.0), (0.1 * ONES, 0.5)],
    [(2.0, ONES), (1.5, np.array([0.3]))],
    [(2.0, np.array([[1.0], [2.0]])), (1.5, ONES[None])],
    [(np.array(2.0), np.array(1.0)), (np.array(3.0), 1.0)],
]
X = np.array([0.3, -0.7, 1.1])


def program(body, name):
    """The function with a body, in a module of its own."""
    text = f"{HEAD}def f(x):\n    t = 0.0\n    {body}\n    return t\n"
    module = types.ModuleType(name)
    file = f"/{name}.py"
    sys.modules[name] = module
    execute(text, file, vars(module))
    return module


def fill(module, data):
    """Let the state of a program hold data."""
    module.DATA = copy.deepcopy(data)
    module.held.data = copy.deepcopy(data)
    module.TABLE = {str(k): first for k, (first, _) in enumerate(copy.deepcopy(data))}


def is_number(module):
    """Tell whether the program works with the data, and gives a number."""
    try:
        return np.ndim(module.f(X)) == 0
    except ValueError:
        return False


@pytest.mark.parametrize("way", WAYS)
def test_kinds_change_between_calls(way):
    """The same derivative is right for data of every kind, whichever came before."""
    for k, pair in enumerate(itertools.permutations(KINDS, 2)):
        module = program(WAYS[way], f"kinds_of_data_{k}")
        slope = grad(module.f, recorded="allow")
        for data in pair:
            fill(module, data)
            if is_number(module):
                expected = gradient(module.f, (X,), 0)
                np.testing.assert_allclose(slope(X), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
def test_kinds_are_known(way):
    """What data holds is known after a call: nothing has to be summed over axes."""
    module = program(WAYS[way], "kinds_of_data")
    fill(module, KINDS[0])
    slope = grad(module.f, recorded="refuse")
    slope(X)
    assert "unbroadcast" not in source(slope)


def test_rows_have_lengths():
    """A tuple in a list is as long as the others; a list may be of any length."""
    points = data_contents([(1.0, 2.0), (3.0, 4.0)])
    assert points.array().shape == (None, 2)
    assert data_contents([(1.0, 2.0), (3.0,)]).array().shape == (None, None)
    assert data_contents([[1.0, 2.0], [3.0, 4.0]]).array().shape == (None, None)
    assert data_contents((1.0, 2.0)).element == REAL


MASKED = [
    "m = x > -1.0\n    t = np.sum((M[m] @ x - x[m]) ** 2)",
    "m = x > 0\n    t = np.sum(M[m, 0] * x[m]) + np.sum(M[m][:, 1:].sum(axis=1) * x[m] ** 2)",
    "m = x > 0\n    t = np.sum(M[:, m] @ x[m]) + np.sum(M[1:, m].sum(axis=0) * x[m] ** 2)",
    "n = M[0] * x > 0\n    t = np.sum((M[0, n] - x[n]) ** 2 * M[2][n])",
]
RANKS = [
    """K = np.eye(9)
    for a, bar in zip(x, [Bar(0, 1), Bar(1, 2), Bar(0, 2)]):
        d = M[bar.end] - M[bar.start]
        u = d / np.linalg.norm(d)
        for p, q in itertools.product(bar, bar):
            K[3 * p : 3 * p + 3, 3 * q : 3 * q + 3] += a * np.outer(u, u)
    t = np.sum(K**2)""",
    """for p, q in itertools.product(range(-1, 2), repeat=2):
        t = t + np.sum((x * p + q) ** 2) * math.hypot(*(p, q))""",
    "p, w = nodes(4)\n    t = np.sum(w * np.exp(p * x[0]) * x[1])",
    """run = Filter(mean=M[0].copy())
    for k in range(2):
        t = t + run.step(x[k])""",
    """size = max([row[1][1] for row in TUPLES])
    t = np.sum((np.zeros(size) + x[0] * np.arange(size)) * x[1])""",
    """for row in ROWS:
        for name, (a, bs) in row.items():
            t = t + a * np.sum((x[:2] - np.array(bs)) ** 2)""",
    """free = np.r_[0:1, 2]
    K = M + np.diag(x)
    u = np.zeros(3)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], x[free])
    t = np.sum(u * x)""",
    'w = signal.get_window("hann", len(x))\n    t = np.sum((w * x) ** 2)',
    "t = np.sum((x - stats.norm.ppf(0.975) * x[0]) ** 2)",
]


@pytest.mark.parametrize("body", MASKED + RANKS)
def test_nothing_is_summed(body):
    """What one mask picks is as long, whatever it is picked of; libraries are asked for ranks."""
    module = program(body, "masked")
    slope = grad(module.f, recorded="refuse")
    np.testing.assert_allclose(slope(X), gradient(module.f, (X,), 0), rtol=1e-6, atol=1e-8)
    assert "unbroadcast" not in source(slope)


MASKS_THAT_CHANGE = [
    """m = np.array([True, False, True])
    for k in range(2):
        t = t + np.sum((x[m] - M[m] @ x) ** 2)
        m = ~m""",
    """m = np.array([True, False, True])
    u = x[m]
    m[1] = True
    t = np.sum(u**2) + np.sum((M[m] @ x)[:2] * u)""",
    """us = []
    m = np.array([True, False, True])
    for k in range(3):
        us.append(x[m] * k)
        m = np.roll(m, 1) | m
    for u in us:
        t = t + np.sum(u * np.ones(len(u)) + np.sum(us[0])) ** 2""",
]


@pytest.mark.parametrize("body", MASKS_THAT_CHANGE)
def test_masks_that_change(body):
    """What a mask picked is not taken for what another one picks under its name."""
    module = program(body, "masks_that_change")
    slope = grad(module.f, recorded="allow")
    np.testing.assert_allclose(slope(X), gradient(module.f, (X,), 0), rtol=1e-6, atol=1e-8)
