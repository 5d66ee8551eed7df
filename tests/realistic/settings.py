"""Settings, rules and tables that change between two calls of a derivative."""

import enum
import functools
import math
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from tests.realistic.table import program

RNG = np.random.default_rng(3)


class PID:
    kp, ki, kd = (1.0, 0.2, 0.1)
    limit = 5.0
    windup = True

    def __init__(self, **over):
        self.sum = 0.0
        self.last = None
        self.__dict__.update(over)

    def __call__(self, err, dt):
        self.sum += err * dt
        if self.windup:
            self.sum = np.clip(self.sum, -self.limit, self.limit)
        d = 0.0 if self.last is None else (err - self.last) / dt
        self.last = err
        return self.kp * err + self.ki * self.sum + self.kd * d


SET = {"dt": 0.1, "target": 1.0}


@program(
    lambda rng: (np.array([1.2, 0.5, 0.05]), 30),
    changes=(
        lambda args: setattr(PID, "windup", False),
        lambda args: setattr(PID, "limit", 0.3),
        lambda args: setattr(PID, "windup", True),
        lambda args: SET.update(dt=0.05),
        lambda args: SET.update(target=2.0),
    ),
)
def pid_cost(k, n):
    c = PID(kp=k[0], ki=k[1], kd=k[2])
    y, v = (0.0, 0.0)
    cost = 0.0
    for _ in range(n):
        e = SET["target"] - y
        u = c(e, SET["dt"])
        v = v + SET["dt"] * (u - 0.5 * v)
        y = y + SET["dt"] * v
        cost = cost + SET["dt"] * (e**2 + 0.01 * u**2)
    return cost


def logistic(n, r, K):
    return r * n * (1 - n / K)


def ricker(n, r, K):
    return n * (np.exp(r * (1 - n / K)) - 1)


GROWTH = logistic
MODELS = {"a": logistic, "b": ricker}


def _swap(args):
    globals().update(GROWTH=ricker)


@program(
    lambda rng: (np.array([0.5, 10.0, 0.1]), "a"),
    changes=(
        _swap,
        lambda args: (args[0], "b"),
        lambda args: MODELS.update(b=logistic),
        lambda args: globals().update(GROWTH=lambda n, r, K: r * n),
    ),
)
def harvest(p, which):
    n = 5.0
    total = 0.0
    for y in range(10):
        g = MODELS[which] if y % 2 else GROWTH
        catch = p[2] * n
        n = max(n + g(n, p[0], p[1]) - catch, 0.01)
        total += catch * 0.95**y
    return total


def df(t, rate, comp=2):
    return (1 + rate / comp) ** (-comp * t)


@dataclass
class Bond:
    coupon: float
    face: float = 100.0
    freq: int = 2
    maturity: float = 5.0

    def flows(self):
        n = int(self.maturity * self.freq)
        return [
            (k / self.freq, self.coupon * self.face / self.freq + (self.face if k == n else 0.0))
            for k in range(1, n + 1)
        ]

    def price(self, y):
        return sum((c * df(t, y) for t, c in self.flows()))


BOOK = [Bond(0.05), Bond(0.03, maturity=3.0), Bond(0.07, freq=1)]


@program(
    lambda rng: (np.array([0.04, 0.01]),),
    changes=(
        lambda args: setattr(BOOK[0], "coupon", 0.06),
        lambda args: BOOK.append(Bond(0.01)),
        lambda args: setattr(BOOK[1], "freq", 4),
        lambda args: setattr(df, "__defaults__", (4,)),
        lambda args: BOOK.pop(0),
        lambda args: setattr(
            Bond, "price", lambda self, y: self.face * math.exp(-y * self.maturity)
        ),
    ),
)
def book_value(p):
    total = 0.0
    for k, b in enumerate(BOOK):
        total += b.price(p[0] + p[1] * k) ** 1.01
    return total


def make_sir(beta0):
    closed = {"on": False}
    factor = 0.5

    def rate(t):
        return beta0 * (factor if closed["on"] and t > 5 else 1.0)

    def set_factor(v):
        nonlocal factor
        factor = v

    rate.closed = closed
    rate.set_factor = set_factor
    return rate


RATE = make_sir(1.3)


@program(
    lambda rng: (np.array([0.4, 0.9]), 40),
    changes=(
        lambda args: RATE.closed.update(on=True),
        lambda args: RATE.set_factor(0.2),
        lambda args: (args[0], 6),
    ),
)
def sir_peak(p, days):
    s, i = (0.99, 0.01)
    hist = []
    for t in range(days):
        new = RATE(t) * p[1] * s * i
        s, i = (s - new, i + new - p[0] * i)
        hist.append(i)
        if len(hist) > 3 and hist[-1] < hist[-2] < hist[-3]:
            break
    return max(hist) + 0.1 * len(hist) * s


class Mode(enum.Enum):
    LINEAR = 1
    QUAD = 2


class Cfg:
    mode = Mode.LINEAR
    scale = 2.0


@program(
    lambda rng: (rng.normal(size=4), Cfg),
    changes=(
        lambda args: setattr(Cfg, "mode", Mode.QUAD),
        lambda args: setattr(Cfg, "scale", 3.0),
        lambda args: setattr(Cfg, "mode", None),
    ),
)
def enum_loss(x, cfg):
    if cfg.mode is Mode.LINEAR:
        y = cfg.scale * x
    elif cfg.mode == Mode.QUAD:
        y = cfg.scale * x**2
    else:
        y = x
    return np.sum(np.tanh(y))


KERN = {"blur": np.array([0.25, 0.5, 0.25]), "edge": np.array([-1.0, 2.0, -1.0])}


def conv(img, k):
    out = np.zeros_like(img)
    pad = np.pad(img, ((1, 1), (0, 0)), mode="edge")
    for j in range(3):
        out += k[j] * pad[j : j + img.shape[0]]
    return out


@program(
    lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(4, 3))),
    changes=(
        lambda args: KERN["blur"].__setitem__(1, 0.7),
        lambda args: KERN.update(edge=np.array([0.0, 1.0, 0.0])),
        lambda args: (RNG.normal(size=(5, 2)), RNG.normal(size=(5, 2))),
        lambda args: (RNG.normal(size=(5, 2)), np.ones((5, 1))),
    ),
)
def deblur(img, obs):
    r = conv(img, KERN["blur"]) - obs
    return np.sum(r**2) + 0.1 * np.sum(np.abs(conv(img, KERN["edge"])))


class Locus:
    def __init__(self, s, h):
        self.s, self.h = (s, h)

    def fitness(self, p):
        return np.array([1 + self.s, 1 + self.h * self.s, 1.0])

    def step(self, p):
        w = self.fitness(p)
        q = 1 - p
        freq = np.array([p * p, 2 * p * q, q * q])
        bar = freq @ w
        return (freq[0] * w[0] + freq[1] * w[1] / 2) / bar


LOCI = [Locus(0.1, 0.5), Locus(0.2, 0.0)]


def freqdep(p):
    return np.array([1.0, 1.1 - p * 0.1, 1.0])


@program(
    lambda rng: (np.array([0.2, 0.6]), 12),
    changes=(
        lambda args: setattr(LOCI[0], "s", 0.3),
        lambda args: setattr(LOCI[1], "fitness", freqdep),
        lambda args: LOCI[1].__dict__.pop("fitness"),
        lambda args: setattr(
            Locus, "fitness", lambda self, p: np.array([1 + self.s * p, 1.0, 1.0])
        ),
    ),
)
def heterozygosity(p0, gens):
    tot = 0.0
    for loc, p in zip(LOCI, p0):
        for g in range(gens):
            p = loc.step(p)
            if p > 0.999:
                break
        tot = tot + 2 * p * (1 - p)
    return tot


CONF = SimpleNamespace(noise=None, weights=[1.0, 2.0], verbose=False, norm=True)


@program(
    lambda rng: (rng.normal(size=3), rng.normal(size=(6, 3)), rng.normal(size=6)),
    changes=(
        lambda args: setattr(CONF, "noise", 0.5),
        lambda args: CONF.weights.__setitem__(0, 4.0),
        lambda args: setattr(CONF, "norm", False),
        lambda args: CONF.weights.append(1.0),
        lambda args: setattr(CONF, "noise", None),
        lambda args: (args[0].astype(float), np.ones((2, 3)), np.ones(2)),
    ),
)
def ridge(w, X, y):
    r = X @ w - y
    if CONF.noise is not None:
        r = r / CONF.noise
    if CONF.norm:
        r = r / len(y)
    loss = np.sum(r**2)
    for k, a in enumerate(CONF.weights):
        loss = loss + a * np.sum(np.abs(w) ** (k + 1))
    if CONF.verbose:
        print(loss)
    return loss


@functools.lru_cache(maxsize=None)
def expected(a, b):
    return 1 / (1 + 10 ** ((b - a) / 4))


GAMES = [("x", "y", 1.0), ("y", "z", 0.5), ("z", "x", 0.0)]


@program(
    lambda rng: ({"x": 1.0, "y": 0.5, "z": -0.2}, 0.3),
    changes=(
        lambda args: GAMES.append(("x", "z", 1.0)),
        lambda args: GAMES.clear() or GAMES.extend([("x", "y", 0.0)]),
    ),
)
def elo(ratings, k):
    r = dict(ratings)
    ll = 0.0
    for a, b, s in GAMES:
        e = expected(r[a], r[b])
        ll += s * math.log(e) + (1 - s) * math.log(1 - e)
        r[a] = r[a] + k * (s - e)
        r[b] = r[b] - k * (s - e)
    return -ll


class Burnout(Exception):
    pass


class Stage:
    def __init__(s, fuel, thrust):
        s.fuel, s.thrust = (fuel, thrust)

    def burn(s, dt):
        used = min(s.fuel, dt * s.thrust / 30)
        if used <= 0:
            raise Burnout
        s.fuel -= used
        return used * 30


STG = [(2.0, 20.0), (1.0, 10.0)]


@program(
    lambda rng: (np.array([2.03, 20.1]), 60),
    changes=(lambda args: STG.__delitem__(-1), lambda args: STG.insert(0, (0.5, 40.0))),
)
def altitude(p, n):
    stages = [Stage(p[0], p[1])] + [Stage(*s) for s in STG]
    h = v = 0.0
    dt = 0.1
    m = 5.0 + sum((s.fuel for s in stages))
    for k in range(n):
        try:
            imp = stages[0].burn(dt)
        except Burnout:
            stages.pop(0)
            imp = 0.0
            if not stages:
                break
        v += imp / m - dt * 0.5 * v * abs(v) / m
        h += dt * v
    return h
