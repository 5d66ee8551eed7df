"""Everyday Python in models: tariffs, schedules, paths, memos, guards and decorators."""

import bisect
import functools
import heapq
import itertools
import json
from collections import Counter
from dataclasses import dataclass

import numpy as np

from tests.realistic.table import program

RNG = np.random.default_rng(3)


class Sensor:
    gain = 2.0

    def __init__(s, bias):
        s.bias = bias
        s.table = np.array([0.1, 0.2, 0.3])

    def read(s, x):
        try:
            return s.gain * x + s.bias * s.table[: len(x)]
        except IndexError:
            return x


SENS = Sensor(0.5)


@program(
    lambda rng: (np.array([0.3, 0.5, 0.2]),),
    changes=(
        lambda args: setattr(Sensor, "gain", 3.0),
        lambda args: setattr(SENS, "bias", -1.0),
        lambda args: SENS.table.__setitem__(0, 5.0),
        lambda args: setattr(SENS, "table", np.ones(5)),
        lambda args: setattr(SENS, "gain", 0.1),
        lambda args: setattr(Sensor, "read", lambda s, x: x**2),
        lambda args: (np.array([0.3, 0.5]),),
    ),
)
def calibrate(x):
    y = SENS.read(x)
    return np.sum(y**2) + np.sum(SENS.read(y) * x)


def make(k):

    def inner(x, scale=1.0):
        try:
            return np.exp(-k[0] * x) * scale
        except OverflowError:
            return x

    return inner


K = [0.5]
DECAY = make(K)


@program(
    lambda rng: (np.array([0.3, 0.5]), 2.0),
    changes=(
        lambda args: K.__setitem__(0, 2.0),
        lambda args: setattr(DECAY, "__defaults__", (4.0,)),
        lambda args: DECAY.__closure__[0].cell_contents.append(1.0),
        lambda args: setattr(DECAY.__closure__[0], "cell_contents", [0.1]),
        lambda args: setattr(DECAY.__closure__[0], "cell_contents", K),
    ),
)
def decayed(x, a):
    return np.sum(DECAY(x) * DECAY(x * a, scale=3.0))


def rows_of(x, n):
    try:
        return [x * k for k in range(1, n + 1)]
    except TypeError:
        return []


@program(
    lambda rng: (np.array([0.3, 0.5]), 3),
    changes=(
        lambda args: (args[0], 2),
        lambda args: (args[0], 4),
        lambda args: (np.array([0.1, 0.2, 0.3]), 2),
    ),
)
def rows(x, n):
    r = rows_of(x, n)
    r[0] = r[0] * 2
    s = 0.0
    for q in r:
        s = s + np.sum(q**2)
    return s


def rec(x):
    try:
        return {"a": x * 2, "b": np.sum(x)}
    except ValueError:
        return {}


@program(lambda rng: (np.array([0.3, 0.5]),))
def rec_written(x):
    d = rec(x)
    d["a"] = d["a"] * d["b"]
    d["c"] = d["b"] ** 2
    e = rec(d["a"])
    e["a"][0] = 7.0 * x[0]
    return sum((np.sum(v) for v in d.values())) + np.sum(e["a"] ** 2) * e["b"]


def arr(x):
    try:
        return x * 2.0
    except ValueError:
        return x


@program(lambda rng: (np.array([0.3, 0.5]),))
def arr_written(x):
    y = arr(x)
    z = y
    y += x**2
    y[0] *= 3
    w = arr(y)
    w[1] = 0.0
    return np.sum(z * y) + np.sum(w**2)


@program(lambda rng: (np.array([0.3, 0.9]), 6))
def loop_exit(x, n):
    y = x
    for k in range(n):
        y = arr(y) * 0.8
        if np.sum(y) > 3:
            return np.sum(y**2)
        if k == 4:
            break
    return np.sum(arr(y))


def risky(x, lim):
    if x > lim:
        raise ValueError("too big")
    return x**2


@program(
    lambda rng: (np.array([0.3, 0.9, 1.5]), 1.0),
    changes=(lambda args: (args[0], 2.0), lambda args: (args[0], 0.5)),
)
def guarded(x, lim):
    t = 0.0
    for v in x:
        try:
            t = t + risky(v, lim)
        except ValueError as e:
            t = t + 0.1 * v
        else:
            t = t * 1.1
        finally:
            t = t + 0.01
    return t


@program(lambda rng: (np.array([1.0, 2.0, 3.0]),))
def perm(x):
    a = list(x)

    def swap(i, j):
        a[i], a[j] = (a[j], a[i])

    for i, j in itertools.combinations(range(3), 2):
        if a[i] < a[j]:
            swap(i, j)
        a[i] *= 1.1
    return sum((v * k for k, v in enumerate(a)))


CFGT = '{"layers":[2,1],"act":"tanh","l2":0.1}'


def act(n):
    return {"tanh": np.tanh, "id": lambda v: v, "sq": np.square}[n]


@program(
    lambda rng: (rng.normal(size=8), np.array([0.2, 0.4])),
    changes=(
        lambda args: globals().update(CFGT=CFGT.replace("tanh", "sq")),
        lambda args: globals().update(CFGT='{"layers":[3],"act":"id","l2":1}'),
    ),
)
def mlp(w, x):
    cfg = json.loads(CFGT)
    k = 0
    h = x
    for n in cfg["layers"]:
        m = n * len(h)
        W = w[k : k + m].reshape(n, len(h))
        k += m
        h = act(cfg["act"])(W @ h)
    return h @ h + cfg["l2"] * np.sum(w**2)


@program(lambda rng: (np.array([0.5, 0.2, 0.9, 0.4]), 3))
def sched(d, m):
    free = [(0.0, k) for k in range(m)]
    heapq.heapify(free)
    end = []
    for j in sorted(range(len(d)), key=lambda j: -d[j]):
        t, k = heapq.heappop(free)
        t = t + d[j] * (1 + 0.1 * k)
        end.append(t**2)
        heapq.heappush(free, (t, k))
    return sum(end) + max(free)[0]


@program(
    lambda rng: (np.array([0.5, 0.2, 0.9]), np.array([1, 2, 3]), np.float32(2.0)),
    changes=(
        lambda args: (args[0], np.array([1.0, 2, 3], np.float32), 2),
        lambda args: (args[0], [1, 2, 3], 2.5),
        lambda args: (args[0], (1, 2, 3), np.array(2.5)),
    ),
)
def mixed(x, n, c):
    z = np.power(x, n) * c
    return np.sum(z) / len(n) + z[-1] // 1000000000.0


@dataclass
class Tariff:
    limits: list
    rates: list

    def cost(s, u):
        k = bisect.bisect(s.limits, u)
        c = 0.0
        low = 0.0
        for l, r in zip(s.limits[:k], s.rates):
            c += (l - low) * r
            low = l
        return c + (u - low) * s.rates[k]


TAR = Tariff([1.0, 3.0], [0.1, 0.2, 0.4])


@program(
    lambda rng: (np.array([0.5, 2.0, 4.0]),),
    changes=(
        lambda args: TAR.limits.__setitem__(0, 0.4),
        lambda args: TAR.rates.__setitem__(2, 0.9),
        lambda args: vars(TAR).update(limits=[0.1], rates=[1.0, 2.0]),
    ),
)
def bill(u):
    return sum((TAR.cost(v) for v in u)) ** 1.1


@program(
    lambda rng: (np.array([1.0, 0.7, 0.3]), "kitten", "sitting"),
    changes=(lambda args: (args[0], "ab", "abc"),),
)
def soft_edit(c, a, b):
    memo = {}

    def go(i, j):
        if (i, j) in memo:
            return memo[i, j]
        if i == 0 or j == 0:
            r = c[0] * i + c[1] * j
        else:
            r = -np.logaddexp.reduce(
                np.array(
                    [
                        -(go(i - 1, j) + c[0]),
                        -(go(i, j - 1) + c[1]),
                        -(go(i - 1, j - 1) + (0.0 if a[i - 1] == b[j - 1] else c[2])),
                    ]
                )
            )
        memo[i, j] = r
        return r

    return go(len(a), len(b))


@program(
    lambda rng: (rng.normal(size=(3, 4)), np.array([0, 2, 0, 1])),
    changes=(lambda args: (args[0], np.array([1, 1, 1, 1])),),
)
def scatter(X, idx):
    G = np.zeros((3, 3))
    np.add.at(G, (slice(None), idx), X)
    M = X > 0
    Y = X.copy()
    Y[M] = Y[M] ** 2
    Y[~M] *= -0.5
    return np.einsum("ij,kj->", G, G) + np.sum(Y[:, idx] * X)


CALLS = Counter()


def counted(f):

    @functools.wraps(f)
    def w(*a, **k):
        CALLS[f.__name__] += 1
        return f(*a, **k)

    return w


def validated(lo=0.0):

    def deco(f):

        @functools.wraps(f)
        def w(x, *a, **k):
            if np.any(x < lo):
                raise ValueError
            return f(x, *a, **k)

        return w

    return deco


@counted
@validated(lo=-10.0)
def energy(x, k=1.0):
    return 0.5 * k * np.sum(x**2)


@program(
    lambda rng: (np.array([0.5, 2.0]),),
    changes=(
        lambda args: setattr(energy.__wrapped__.__wrapped__, "__defaults__", (3.0,)),
        lambda args: setattr(energy.__wrapped__.__wrapped__, "__defaults__", (1.0,)),
    ),
)
def total_energy(x):
    return energy(x) + energy(x[::-1] * 2, k=0.3) + 0 * CALLS["energy"]


class Path:
    def __init__(s, pts):
        s.pts = pts

    def __len__(s):
        return len(s.pts) - 1

    def __getitem__(s, i):
        return s.pts[i + 1] - s.pts[i] if i < len(s) else (_ for _ in ()).throw(IndexError)

    def __bool__(s):
        return len(s) > 1


@program(lambda rng: (RNG.normal(size=(4, 2)),), changes=(lambda args: (RNG.normal(size=(2, 2)),),))
def length(p):
    t = 0.0
    path = Path(p)
    if path:
        for seg in path:
            t += np.sqrt(seg @ seg)
    return t + np.sum(p)
