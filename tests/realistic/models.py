"""Models of many fields, whose classes, options and data change between two calls."""

import contextlib
import functools
import operator
from dataclasses import asdict, dataclass, replace

import numpy as np

from tests.realistic.table import program


class Pose:
    __slots__ = ("R", "t")

    def __init__(self, R, t):
        self.R, self.t = (R, t)

    def __matmul__(self, o):
        return Pose(self.R @ o.R, self.R @ o.t + self.t)

    @classmethod
    def joint(cls, th, l):
        c, s = (np.cos(th), np.sin(th))
        return cls(np.array([[c, -s], [s, c]]), np.array([l * c, l * s]))

class Arm:
    lengths = [1.0, 0.8, 0.5]

    def __init__(self):
        self._q = None
        self.n_set = 0

    @property
    def q(self):
        return self._q

    @q.setter
    def q(self, v):
        self._q = np.clip(v, -2.0, 2.0)
        self.n_set += 1

    def tip(self):
        return functools.reduce(
            operator.matmul, (Pose.joint(a, l) for a, l in zip(self.q, self.lengths))
        ).t

@program(
    lambda rng: (np.array([0.3, -0.4, 2.5]), np.array([1.0, 1.0])),
    changes=(
        lambda args: Arm.lengths.__setitem__(1, 1.5),
        lambda args: setattr(Arm, "lengths", [0.5, 0.5, 0.5]),
        lambda args: (np.array([0.1, 0.2]), *args[1:]),
    ),
)
def ik(q, target):
    a = Arm()
    a.q = q
    e = a.tip() - target
    return e @ e + 0.01 * np.sum(a.q**2) + 0.0 * a.n_set

TRAIN = [True]

@contextlib.contextmanager
def evaluating():
    old = TRAIN[0]
    TRAIN[0] = False
    try:
        yield
    finally:
        TRAIN[0] = old

class Dense:
    def __init__(s, W, act=np.tanh):
        s.W, s.act = (W, act)

    def __call__(s, x):
        return s.act(x @ s.W)

class Norm:
    def __init__(s):
        s.mean = 0.0
        s.mom = 0.9

    def __call__(s, x):
        if TRAIN[0]:
            mu = x.mean(0)
            s.mean = s.mom * s.mean + (1 - s.mom) * mu
        else:
            mu = s.mean
        return x - mu

@program(
    lambda rng: (rng.normal(size=(3, 4)), rng.normal(size=(5, 3)), rng.normal(size=5)),
    changes=(
        lambda args: TRAIN.__setitem__(0, False),
        lambda args: setattr(Norm, "__call__", lambda s, x: x * 0.5),
    ),
)
def net_loss(W, X, y):
    layers = [Dense(W), Norm(), Dense(W.T[:, :1] * 1.0, act=lambda z: z)]
    h = X
    for l in layers:
        h = l(h)
    with evaluating():
        v = layers[1](h[:, [0] * 4] if h.shape[1] == 1 else h)
    return np.mean((h[:, 0] - y) ** 2) + 0.1 * np.sum(v**2)

@dataclass(frozen=True)
class Patch:
    n: float
    food: float
    t: int = 0

    def step(self, p):
        eaten = min(p["a"] * self.n * self.food, self.food)
        return replace(
            self,
            n=self.n * (1 - p["m"]) + p["e"] * eaten,
            food=self.food - eaten + p["r"],
            t=self.t + 1,
        )

@program(
    lambda rng: ({"a": 0.1, "m": 0.2, "e": 0.5, "r": 0.3}, 15),
    changes=(
        lambda args: (args[0], 3),
        lambda args: setattr(Patch, "step", lambda self, p: replace(self, n=self.n * p["a"])),
    ),
)
def patches(p, n):
    s = Patch(1.0, 2.0)
    hist = [s]
    while hist[-1].t < n:
        hist.append(hist[-1].step(p))
        if hist[-1].n < 0.05:
            break
    return sum((h.n * h.food for h in hist)) + asdict(hist[-1])["n"]
