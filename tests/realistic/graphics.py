"""Games, images and teaching: small programs of every style."""

import contextlib
import itertools
import math
import time
import warnings
from abc import abstractmethod
from collections import UserDict, UserList, deque
from dataclasses import dataclass, field
from enum import Enum, Flag, auto
from functools import reduce, wraps
from numbers import Number

import numpy as np
from scipy import ndimage, stats
from scipy.interpolate import RegularGridInterpolator, interp1d  # noqa: F401

from tests.realistic.table import program

# --- a physics engine of a game: vectors with operators, contacts, springs ---------------------------


class Vec2:
    __slots__ = ("x", "y")

    def __init__(self, x=0.0, y=0.0):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec2(self.x + o.x, self.y + o.y)

    def __sub__(self, o):
        return Vec2(self.x - o.x, self.y - o.y)

    def __mul__(self, k):
        if isinstance(k, Vec2):
            return self.x * k.x + self.y * k.y
        return Vec2(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __truediv__(self, k):
        return self * (1 / k)

    def __neg__(self):
        return Vec2(-self.x, -self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __matmul__(self, o):
        return self.x * o.y - self.y * o.x

    @property
    def length(self):
        return math.sqrt(self.x * self.x + self.y * self.y)

    def normalized(self):
        return self / self.length


class Tag(Flag):
    NONE = 0
    STATIC = auto()
    BOUNCY = auto()


class Body:
    def __init__(self, pos, vel=None, mass=1.0, radius=0.2, tag=Tag.NONE):
        self.pos, self.vel = pos, vel or Vec2()
        self.mass, self.radius, self.tag = mass, radius, tag
        self.force = Vec2()

    @property
    def inverse_mass(self):
        return 0.0 if Tag.STATIC in self.tag else 1 / self.mass


class Spring:
    def __init__(self, a, b, rest, k, damping=0.1):
        self.a, self.b, self.rest, self.k, self.damping = a, b, rest, k, damping

    def apply(self):
        d = self.b.pos - self.a.pos
        n = d.normalized()
        f = n * (self.k * (d.length - self.rest) + self.damping * ((self.b.vel - self.a.vel) * n))
        self.a.force = self.a.force + f
        self.b.force = self.b.force - f


class World:
    gravity = Vec2(0.0, -9.81)

    def __init__(self, restitution):
        self.bodies, self.springs, self.restitution = [], [], restitution
        self.events = []

    def collide(self, a, b):
        d = b.pos - a.pos
        overlap = a.radius + b.radius - d.length
        if overlap <= 0:
            return
        n = d.normalized()
        closing = (b.vel - a.vel) * n
        if closing < 0:
            e = self.restitution if Tag.BOUNCY in (a.tag | b.tag) else 0.1
            j = -(1 + e) * closing / (a.inverse_mass + b.inverse_mass)
            a.vel, b.vel = a.vel - n * (j * a.inverse_mass), b.vel + n * (j * b.inverse_mass)
            self.events.append("hit")

    def step(self, dt):
        for body in self.bodies:
            body.force = self.gravity * body.mass
        for spring in self.springs:
            spring.apply()
        for body in self.bodies:
            body.vel = body.vel + body.force * (dt * body.inverse_mass)
            body.pos = body.pos + body.vel * dt
        for a, b in itertools.combinations(self.bodies, 2):
            self.collide(a, b)


@program(lambda rng: (np.array([3.0, 4.0]), 0.8, 40.0), wrt=(0, 1, 2))
def throw_at_pendulum(velocity, restitution, stiffness):
    world = World(restitution)
    anchor = Body(Vec2(1.0, 2.0), tag=Tag.STATIC, radius=0.0)
    bob = Body(Vec2(1.05, 1.0), mass=2.0, radius=0.3, tag=Tag.BOUNCY)
    ball = Body(Vec2(0.0, 0.5), Vec2(*velocity))
    world.bodies += [anchor, bob, ball]
    world.springs.append(Spring(anchor, bob, 1.0, stiffness))
    for _ in range(25):
        world.step(0.02)
    x, y = bob.pos
    return (x - 1.5) ** 2 + (y - 1.2) ** 2 + 0.1 * ball.vel.length + 0.01 * (ball.pos @ bob.pos)


# --- cloth by position based dynamics, in place on lists -----------------------------------------------


def project(points, i, j, rest, stiffness):
    d = points[j] - points[i]
    length = np.sqrt(d.dot(d))
    correction = 0.5 * stiffness * (length - rest) / length * d
    points[i] = points[i] + correction
    points[j] = points[j] - correction


@program(lambda rng: (0.8, np.array([0.3, 0.0]), 0.1), wrt=(0, 1, 2))
def rope_sag(stiffness, wind, drag):
    n = 6
    points = [np.array([0.2 * i, 1.0]) for i in range(n)]
    previous = [p.copy() for p in points]
    pinned = {0, n - 1}
    for _ in range(6):
        for i in range(n):
            if i in pinned:
                continue
            velocity = (1 - drag) * (points[i] - previous[i])
            previous[i] = points[i]
            points[i] = points[i] + velocity + 0.05**2 * (np.array([0.0, -9.81]) + wind * (i + 1))
        for _ in range(3):
            saved = [points[k] for k in sorted(pinned)]
            for i in range(n - 1):
                project(points, i, i + 1, 0.2, stiffness)
            for k, p in zip(sorted(pinned), saved):
                points[k] = p
    return min(p[1] for p in points) + sum(abs(p[0]) for p in points) / n


# --- image registration by mutual information, transform objects with a common base -----------------------


class Transform:
    parameters: np.ndarray

    @abstractmethod
    def __call__(self, coords): ...

    def __or__(self, other):
        return Composite(self, other)


class Rigid(Transform):
    def __init__(self, angle, shift):
        self.angle, self.shift = angle, shift

    def __call__(self, coords):
        c, s = np.cos(self.angle), np.sin(self.angle)
        centred = coords - 5.5
        return np.stack([c * centred[0] - s * centred[1] + self.shift[0], s * centred[0] + c * centred[1] + self.shift[1]]) + 5.5


class Bend(Transform):
    def __init__(self, amount):
        self.amount = amount

    def __call__(self, coords):
        out = coords.copy()
        out[0] += self.amount * np.sin(coords[1] / 3.0)
        return out


class Composite(Transform):
    def __init__(self, *parts):
        self.parts = parts

    def __call__(self, coords):
        return reduce(lambda c, t: t(c), self.parts, coords)


def parzen_histogram(a, b, bins=5, width=0.12):
    centres = np.linspace(0, 1, bins)
    wa = np.exp(-0.5 * ((a.ravel()[:, None] - centres) / width) ** 2)
    wb = np.exp(-0.5 * ((b.ravel()[:, None] - centres) / width) ** 2)
    joint = wa.T @ wb
    return joint / joint.sum()


@program(lambda rng: (0.1, np.array([0.3, -0.2]), 0.2, ndimage.gaussian_filter(rng.uniform(0, 1, (12, 12)), 1.2)), wrt=(0, 1, 2), order2=False, rtol=1e-4)
def mutual_information(angle, shift, bend, image):
    moving = np.sqrt(image)
    grid = np.array(np.meshgrid(np.arange(12.0), np.arange(12.0), indexing="ij"))
    transform = Rigid(angle, shift) | Bend(bend)
    warped = ndimage.map_coordinates(moving, transform(grid), order=3, mode="reflect")
    p = parzen_histogram(image[1:-1, 1:-1], warped[1:-1, 1:-1])
    px, py = p.sum(axis=1), p.sum(axis=0)
    return np.sum(p * np.log(p / np.outer(px, py))) - 0.01 * bend**2


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


# --- number of styles in one: Newton fractal basins, complex roots, itertools ------------------------------


class Polynomial:
    def __init__(self, *coefficients):
        self.c = coefficients

    def __call__(self, z):
        return reduce(lambda acc, a: acc * z + a, self.c)

    def derivative(self):
        n = len(self.c) - 1
        return Polynomial(*(a * (n - k) for k, a in enumerate(self.c[:-1])))

    def __len__(self):
        return len(self.c) - 1


def newton_root(p, z, tol=1e-14):
    dp = p.derivative()
    for k in itertools.count():
        step = p(z) / dp(z)
        z = z - step
        if abs(step) < tol or k > 60:
            return z


@program(lambda rng: (0.3, -1.2, 2.0), wrt=(0, 1, 2))
def root_spread(a, b, c):
    p = Polynomial(1.0, a, b, c)
    starts = [complex(math.cos(t), math.sin(t)) * 2 for t in (0.4, 2.0, 4.2)]
    roots = [newton_root(p, z) for z in starts]
    distances = [abs(u - v) for u, v in itertools.combinations(roots, 2) if abs(u - v) > 1e-6]
    return sum(distances) + abs(p(1j)) + sum(z.real * z.imag for z in roots)


# --- apply_along_axis, vectorize, tolist and item, as notebooks do it ---------------------------------------


def trimmed(v, cut=0.2):
    v = np.sort(v)
    k = int(cut * len(v))
    return v[k : len(v) - k].mean()


def zscore(v):
    sd = v.std()
    if sd == 0:
        warnings.warn("constant column")
        return v * 0.0
    return (v - v.mean()) / sd


@np.vectorize
def squash(v, knee=1.0):
    return v if abs(v) < knee else math.copysign(knee + math.log(abs(v) / knee), v)


@program(lambda rng: (rng.normal(size=(8, 3)), 1.5), wrt=(0, 1))
def notebook_score(table, weight):
    z = np.apply_along_axis(zscore, 0, table)
    robust = np.apply_along_axis(trimmed, 0, squash(z))
    ranks = stats.rankdata(table[:, 0])
    rows = [dict(zip("abc", row)) for row in table.tolist()]
    total = 0.0
    for r, row in zip(ranks, rows):
        if row["a"] > 0 and isinstance(row["a"], Number):
            total += row["b"] * r / len(rows)
        else:
            total -= weight * row["c"]
    return float(total) + robust.sum().item() + weight * np.max(z).item()


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
