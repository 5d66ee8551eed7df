"""Named tuples, dataclasses and objects."""

import dataclasses
import functools
from typing import Any, NamedTuple

import numpy as np

from tests.language.rows import shows

X = np.array([0.3, 0.7, 1.1])

class State(NamedTuple):
    """Where something is, and how fast it moves."""

    x: Any
    v: Any
    mass: float = 1.5

    def energy(self):
        return 0.5 * self.mass * np.sum(self.v**2)

@shows("named tuples", args=(State(X, 2 * X),))
def named_tuple(s):
    new = State(s.x + 0.1 * s.v, v=np.sin(s.x))
    new = new._replace(mass=s.mass * 2)
    x, v, mass = new
    return np.sum(x * v) * mass + new.energy() * s[0][1]

@dataclasses.dataclass
class Layer:
    """Weights."""

    w: Any
    b: Any
    times: int = 2

    def __call__(self, x):
        for _ in range(self.times):
            x = np.tanh(self.w * x + self.b)
        return x

    @property
    def size(self):
        return np.sum(self.w**2)

@shows("dataclasses", args=(Layer(X, 0.4), X))
def dataclass(layer, x):
    new = Layer(layer.w * 2, b=layer.b)
    new = dataclasses.replace(new, times=3)
    new.b = new.b * layer.b
    return np.sum(layer(x) * new(x)) + new.size

class Base:
    """Something with weights."""

    scale = 0.5

    def __init__(self, w):
        self.w = w
        self.parts = [np.sin, np.tanh]

    def forward(self, x):
        return self.w * x

    @staticmethod
    def square(x):
        return x * x

    @property
    def norm(self):
        return np.sum(self.w**2)

class Model(Base):
    """It has a parent."""

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return super().forward(x) * self.square(x)

    def __call__(self, x):
        return self.forward(x) + self.scale * x

    def __len__(self):
        return 3

@shows("objects", args=(Model(X), X), wrt=(0, 1))
def model(m, x):
    return np.sum(m(x)) * m.norm + m.w[0] * m.scale

class Counter:
    def __init__(self, start):
        self.total = start
        self.count = 0

    def add(self, v):
        self.total = self.total + v * v
        self.count += 1

def fill(counter, x):
    for v in x:
        counter.add(v)
    counter.total = counter.total * x[0]

@shows("objects made inside", args=(X,))
def counter_made(x):
    counter = Counter(x[0])
    counter.add(x[1])
    fill(counter, x)
    return counter.total * counter.count

class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __rmul__(self, k):
        return Vector(k * self.x, k * self.y)

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return np.sqrt(self.x**2 + self.y**2)

    def __getitem__(self, k):
        return self.x * k

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.x
        yield self.y

@shows("operators of classes", args=(X,))
def vectors(x):
    a, b = Vector(x[0], x[1]), Vector(x[1], x[2])
    total = abs(a + 2.0 * b) + (-a)[3] * len(b)
    return total + sum(v * v for v in a)

@dataclasses.dataclass
class Scaled:
    w: Any
    scale: dataclasses.InitVar[float] = 2.0
    tags: list = dataclasses.field(default_factory=list)

    def __post_init__(self, scale):
        self.z = self.w * scale

    @functools.cached_property
    def norm(self):
        return np.sum(self.z**2)

@shows("fields that are computed", args=(X,))
def computed_fields(x):
    scaled = Scaled(x, scale=x[0])
    setattr(scaled, "shift", x[1])
    return scaled.norm * scaled.shift + scaled.norm * Vector(x[1], x[2]).y

class Noting:
    def __init__(self):
        self.calls = 0
        self.history = []

    def loss(self, x):
        self.calls += 1
        value = np.sum(x**2)
        self.history.append(float(value))
        return value

NOTING = Noting()

@shows("counters and histories", args=(X,))
def counted(x):
    return NOTING.loss(x) * NOTING.loss(x * 2.0)

@shows("methods", args=(X,))
def bound_method(x):
    return np.sum(MODEL.forward(x)) * MODEL.norm

MODEL = Model(X)

@shows("trees", args=({"layers": [Layer(X, 0.2), Layer(2 * X, 0.1)], "s": State(X, X)}, X))
def tree(p, x):
    for layer in p["layers"]:
        x = layer(x)
    return np.sum(x) * p["s"].energy()

@shows("callables", args=(X,))
def called_object(x):
    return np.sum(MODEL(x)) * np.sum(HALF(x))

HALF = functools.partial(np.multiply, 0.5)
