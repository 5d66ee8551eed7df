"""Teaching: small programs of every style."""

import contextlib
import math
import time
from collections import UserDict, UserList, deque
from dataclasses import dataclass, field
from enum import Enum
from functools import wraps

import numpy as np
from scipy.interpolate import RegularGridInterpolator, interp1d  # noqa: F401

from tests.realistic.table import program

# --- teaching: a tiny symbolic machine, matrices from scratch, gradient descent with a trace --------------

class Matrix:
    """Matrices as lists of lists, as in a first course."""

    def __init__(self, rows):
        self.rows = [list(r) for r in rows]
        if len({len(r) for r in self.rows}) != 1:
            raise ValueError("rows of different lengths")

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, value):
        i, j = ij
        self.rows[i][j] = value

    def __matmul__(self, other):
        n, m = self.shape
        m2, p = other.shape
        if m != m2:
            raise ValueError("shapes do not fit")
        return Matrix([[sum(self[i, k] * other[k, j] for k in range(m)) for j in range(p)] for i in range(n)])

    def transpose(self):
        return Matrix(zip(*self.rows))

    T = property(transpose)

    def solve(self, b):
        n, _ = self.shape
        A = Matrix([[*self.rows[i], b[i]] for i in range(n)])
        for k in range(n):
            pivot = max(range(k, n), key=lambda r: abs(A[r, k]))
            A.rows[k], A.rows[pivot] = A.rows[pivot], A.rows[k]
            for i in range(k + 1, n):
                factor = A[i, k] / A[k, k]
                for j in range(k, n + 1):
                    A[i, j] = A[i, j] - factor * A[k, j]
        x = [0.0] * n
        for i in reversed(range(n)):
            s = sum(A[i, j] * x[j] for j in range(i + 1, n))
            x[i] = (A[i, n] - s) / A[i, i]
        return x

@program(lambda rng: ([0.5, 1.1, 2.0, 2.9, 4.2], [1.0, 2.3, 4.1, 6.8, 9.9]), wrt=(0, 1))
def normal_equations(xs, ys):
    design = Matrix([[x**k for k in range(3)] for x in xs])
    normal = design.T @ design
    rhs = design.T @ Matrix([[y] for y in ys])
    coefficients = normal.solve([rhs[i, 0] for i in range(3)])
    fitted = [sum(c * x**k for k, c in enumerate(coefficients)) for x in xs]
    residual = math.fsum((y - f) ** 2 for y, f in zip(ys, fitted))
    return residual + 0.1 * coefficients[2]

class Config(UserDict):
    """A dict whose keys are attributes, too."""

    def __getattr__(self, name):
        if name == "data":
            raise AttributeError(name)
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(name) from None

class History(UserList):
    @property
    def best(self):
        return min(self.data)

    def smooth(self, n):
        window = deque(self.data[-n:], maxlen=n)
        return sum(window) / len(window)

def logged(fn):
    fn.calls = 0

    @wraps(fn)
    def wrapper(*args, **kwargs):
        fn.calls += 1
        started = time.perf_counter()
        result = fn(*args, **kwargs)
        wrapper.seconds = time.perf_counter() - started
        return result

    wrapper.seconds = 0.0
    return wrapper

@logged
def rosenbrock(x):
    return np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

def numerical_gradient(f, x, h=1e-4):
    g = np.zeros_like(x)
    for i in range(len(x)):
        e = np.zeros(len(x))
        e[i] = h
        g[i] = (f(x + e) - f(x - e)) / (2 * h)
    return g

@program(lambda rng: (np.array([0.3, 0.4, 0.2]), 1e-3), wrt=(0, 1), rtol=1e-4)
def descent_with_momentum(x, rate):
    config = Config(steps=6, momentum=0.5)
    history = History()
    velocity = np.zeros_like(x)
    for _ in range(config.steps):
        velocity = config.momentum * velocity - rate * numerical_gradient(rosenbrock, x)
        x = x + velocity
        history.append(rosenbrock(x))
    return history.smooth(3) + 0.1 * history.best

class Ruleset(Enum):
    STRICT = lambda x: x**2  # noqa: E731
    LENIENT = "lenient"

@dataclass
class Rubric:
    weights: dict = field(default_factory=lambda: {"exam": 0.6, "homework": 0.4})
    curve: float = 0.1

    def grade(self, marks, rule="lenient"):
        raw = sum(self.weights[name] * np.mean(values) for name, values in marks.items())
        spread = np.sqrt(np.mean([np.var(v) for v in marks.values()]) + 1e-9)
        match rule:
            case "lenient":
                return raw + self.curve * spread
            case "strict":
                return raw - self.curve * spread
            case _:
                raise ValueError(rule)

@program(lambda rng: (Rubric(), {"exam": rng.uniform(50, 90, 3), "homework": rng.uniform(60, 100, 5)}), wrt=(0, 1))
def fairness_gap(rubric, marks):
    grades = {}
    with contextlib.suppress(ValueError):
        for rule in ("lenient", "strict", "unknown"):
            grades[rule] = rubric.grade(marks, rule)
    first, *_, last = grades.values()
    return (first - last) ** 2 + 0.01 * first
