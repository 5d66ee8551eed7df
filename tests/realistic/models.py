"""Models of many fields, whose classes, options and data change between two calls."""

import contextlib
import functools
import logging
import operator
from abc import ABC, abstractmethod
from collections import Counter, defaultdict, deque
from dataclasses import asdict, dataclass, replace

import numpy as np

from tests.realistic.table import program


@dataclass
class Gauss:
    m: np.ndarray
    P: np.ndarray


class Kalman:
    gate = 9.0

    def __init__(self, q, r):
        self.q, self.r = (q, r)
        self.skipped = 0

    def predict(self, g, F):
        return Gauss(F @ g.m, F @ g.P @ F.T + self.q * np.eye(2))

    def update(self, g, z):
        H = np.array([1.0, 0.0])
        S = H @ g.P @ H + self.r
        nu = z - H @ g.m
        if nu * nu / S > self.gate:
            self.skipped += 1
            return (g, 0.0)
        K = g.P @ H / S
        return (
            Gauss(g.m + K * nu, g.P - np.outer(K, H) @ g.P),
            -0.5 * (np.log(2 * np.pi * S) + nu**2 / S),
        )


@program(
    lambda rng: (np.array([0.1, 0.5]), np.array([0.1, 0.3, 0.5, 4.5, 0.8])),
    changes=(
        lambda args: setattr(Kalman, "gate", 1000000000.0),
        lambda args: setattr(Kalman, "gate", 0.05),
        lambda args: (args[0], np.array([0.1, 0.3, 0.5])),
    ),
)
def kalman_nll(p, zs):
    kf = Kalman(*p)
    g = Gauss(np.zeros(2), np.eye(2))
    ll = 0.0
    F = np.array([[1.0, 0.5], [0.0, 1.0]])
    for z in zs:
        g, l = kf.update(kf.predict(g, F), z)
        ll = ll + l
    return -ll + 0.1 * kf.skipped


class Kernel(ABC):
    registry = {}

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Kernel.registry[cls.__name__.lower()] = cls

    def __init__(self, *theta):
        self.theta = theta

    @abstractmethod
    def __call__(self, r): ...

    def __add__(self, o):
        return Sum(self, o)


class RBF(Kernel):
    def __call__(self, r):
        return self.theta[0] * np.exp(-(r**2) / (2 * self.theta[1] ** 2))


class Matern(Kernel):
    def __call__(self, r):
        s = np.sqrt(3) * np.sqrt(r**2 + 1e-12) / self.theta[1]
        return self.theta[0] * (1 + s) * np.exp(-s)


class Sum(Kernel):
    def __call__(self, r):
        return sum((k(r) for k in self.theta))


NAMES = ["rbf", "matern"]


@program(
    lambda rng: (np.array([1.0, 0.7, 0.5, 1.2]), rng.normal(size=5), rng.normal(size=5)),
    changes=(
        lambda args: NAMES.__setitem__(0, "matern"),
        lambda args: setattr(
            RBF, "__call__", lambda self, rr: self.theta[0] / (1 + rr**2 * self.theta[1])
        ),
        lambda args: NAMES.__setitem__(1, "rbf"),
    ),
)
def gp_nll(t, x, y):
    k = Kernel.registry[NAMES[0]](t[0], t[1]) + Kernel.registry[NAMES[1]](t[2], t[3])
    K = k(x[:, None] - x[None, :]) + 0.1 * np.eye(len(x))
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(L, y)
    return 0.5 * a @ a + np.sum(np.log(np.diag(L)))


RX = ["A + B -> C : 0", "C -> A + B : 1", "C -> D : 2"]


def parse(line):
    left, right = line.split(":")[0].split("->")
    return (
        [s.strip() for s in left.split("+")],
        [s.strip() for s in right.split("+")],
        int(line.split(":")[1]),
    )


@program(
    lambda rng: (np.array([1.0, 0.3, 0.5]),),
    changes=(
        lambda args: RX.append("D -> A : 0"),
        lambda args: RX.__setitem__(2, "C -> D + D : 2"),
        lambda args: RX.pop(0),
    ),
)
def yield_d(k):
    c = defaultdict(float)
    c["A"] = 1.0
    c["B"] = 0.8
    reactions = [parse(l) for l in RX]
    for _ in range(20):
        d = defaultdict(float)
        for l, r, i in reactions:
            rate = k[i] * np.prod([c[s] for s in l])
            for s in l:
                d[s] -= rate
            for s in r:
                d[s] += rate
        for s in list(d):
            c[s] = c[s] + 0.05 * d[s]
    return c["D"] * 10 + c["A"] ** 2


class Option:
    kind = "put"
    american = True

    def payoff(self, S):
        return np.maximum(self.K - S, 0) if self.kind == "put" else np.maximum(S - self.K, 0)

    def __init__(self, K):
        self.K = K


OPT = Option(101.3)


@program(
    lambda rng: (np.array([100.0, 0.2, 0.03]), 12),
    changes=(
        lambda args: setattr(Option, "american", False),
        lambda args: setattr(OPT, "kind", "call"),
        lambda args: setattr(OPT, "K", 93.7),
        lambda args: (args[0], 7),
        lambda args: setattr(Option, "american", True),
    ),
    order2=False,
)
def binomial(p, n):
    S0, sig, r = p
    dt = 1 / n
    u = np.exp(sig * np.sqrt(dt))
    d = 1 / u
    q = (np.exp(r * dt) - d) / (u - d)
    S = S0 * u ** np.arange(-n, n + 1, 2)
    V = OPT.payoff(S)
    for k in range(n - 1, -1, -1):
        V = np.exp(-r * dt) * (q * V[1:] + (1 - q) * V[:-1])
        if OPT.american:
            V[:] = np.maximum(V, OPT.payoff(S0 * u ** np.arange(-k, k + 1, 2)))
    return V[0]


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


class Biquad:
    def __init__(self, b, a):
        self.b, self.a = (b, a)
        self.x = deque([0.0, 0.0], maxlen=2)
        self.y = deque([0.0, 0.0], maxlen=2)

    def __call__(self, v):
        o = (
            self.b[0] * v
            + self.b[1] * self.x[0]
            + self.b[2] * self.x[1]
            - self.a[0] * self.y[0]
            - self.a[1] * self.y[1]
        )
        self.x.appendleft(v)
        self.y.appendleft(o)
        return o


@program(lambda rng: (np.array([0.2, 0.3, 0.2, -0.5, 0.2]), rng.normal(size=10)))
def filt(c, sig):
    f = Biquad(c[:3], c[3:])
    g = Biquad(c[:3] * 0.5, c[3:])
    out = np.array([g(f(s)) for s in sig])
    return np.sum(out**2) + out[-1]


def kepler(M, e, tol=1e-13, maxit=50):
    E = M if e < 0.8 else np.pi
    for _ in range(maxit):
        d = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E = E - d
        if abs(d) < tol:
            break
    else:
        raise RuntimeError("no convergence")
    return E


@program(
    lambda rng: (np.array([1.0, 0.3, 0.5]), np.linspace(0, 3, 6)),
    changes=(
        lambda args: (np.array([1.2, 0.85, 0.3]), *args[1:]),
        lambda args: setattr(kepler, "__defaults__", (1e-14, 60)),
    ),
)
def rv(p, ts):
    K, e, w = p
    out = []
    for t in ts:
        E = kepler(t, e)
        nu = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(E / 2), np.sqrt(1 - e) * np.cos(E / 2))
        out.append(K * (np.cos(nu + w) + e * np.cos(w)))
    return np.sum(np.array(out) ** 2 * np.arange(1, len(out) + 1))


C = np.array([[2.0, 0.5], [0.5, 1.0]])


@program(
    lambda rng: (np.array([0.1, 0.4]), 15),
    changes=(
        lambda args: C.__setitem__((0, 0), 3.0),
        lambda args: C.__imul__(0.5),
        lambda args: globals().update(C=np.array([[1.0, 2.0], [2.0, 1.0]])),
        lambda args: globals().update(C=np.ones((2, 2), np.float32)),
    ),
)
def age_sir(p, n):
    S = np.array([0.99, 0.98])
    I = 1 - S
    R = np.zeros(2)
    for t in range(n):
        lam = p[0] * C @ I
        new = S * (1 - np.exp(-lam))
        rec = p[1] * I
        S -= new
        I += new - rec
        R += rec
        if I.max() < 0.0001:
            break
    return R @ np.array([1.0, 5.0])


LOGGER = logging.getLogger("hydro")


def check(p, **bounds):
    for k, (lo, hi) in bounds.items():
        if not lo <= p[k] <= hi:
            raise ValueError(f"{k}={p[k]:.3f} out of range")
    return p


BOUNDS = dict(k=(0, 1), smax=(0.1, 100))


@program(
    lambda rng: ({"k": 0.3, "smax": 20.0, "b": 1.5}, np.array([5.0, 0, 12, 3, 0, 0, 8])),
    changes=(lambda args: BOUNDS.update(b=(0, 3)), lambda args: ({**args[0], "b": 2.5}, *args[1:])),
)
def bucket(p, rain):
    check(p, **BOUNDS)
    s = 5.0
    q = []
    for t, r in enumerate(rain):
        LOGGER.info("day %d storage %s", t, s)
        frac = 1 - (1 - min(s / p["smax"], 1.0)) ** p["b"]
        run = r * frac
        s = s + r - run
        base = p["k"] * s
        s -= base
        q.append(run + base)
    q = np.asarray(q)
    return np.sum((q - np.roll(q, 1)) ** 2)


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


@program(lambda rng: (np.array([[0.2, 1.0, -0.5], [-0.3, 0.1, 0.8], [0.9, -0.7, 0.3]]), 25))
def fictitious(A, n):
    r = np.zeros(3)
    c = np.zeros(3)
    i = j = 0
    hist = Counter()
    for t in range(n):
        c += A[i]
        r += A[:, j]
        hist[i, j] += 1
        i = int(np.argmax(r))
        j = int(np.argmin(c))
    return (r.max() - c.min()) / n + sum((v * A[k] for k, v in hist.items())) / n
