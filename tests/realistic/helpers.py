"""Programs with helpers that try, solve and fall back, and what they read changes."""

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import integrate, interpolate, optimize, signal, special

from tests.realistic.table import program

RNG = np.random.default_rng(3)

SC = {"eps": 0.001, "mode": "soft"}


def safe_log(x, floor=1e-06):
    try:
        if SC["mode"] == "soft":
            return np.log(x + SC["eps"])
        return np.log(np.maximum(x, floor))
    except FloatingPointError:
        return x * 0


@program(
    lambda rng: (np.array([0.2, 0.9, 0.4]), np.array([1.0, 2, 3])),
    changes=(
        lambda args: SC.update(eps=0.5),
        lambda args: SC.update(mode="hard"),
        lambda args: setattr(safe_log, "__defaults__", (0.3,)),
        lambda args: (np.array([0.3, 0.1, 0.5, 0.8]), np.arange(4.0) + 1),
        lambda args: (np.array([0.3, 0.1]), 2.0),
    ),
)
def entropy(p, w):
    q = p * w
    q = q / np.sum(q)
    return -np.sum(q * safe_log(q))


class Fit(NamedTuple):
    mean: float
    resid: np.ndarray
    n: int


def regress(x, y, deg=1):
    try:
        A = np.stack([x**k for k in range(deg + 1)], axis=1)
        c = np.linalg.solve(A.T @ A + RIDGE * np.eye(deg + 1), A.T @ y)
        r = y - A @ c
        return Fit(np.mean(r**2), r, len(y))
    except np.linalg.LinAlgError:
        return Fit(0.0, y, 0)


RIDGE = 0.1


@program(
    lambda rng: (rng.normal(size=6), np.linspace(0, 1, 6)),
    changes=(
        lambda args: globals().update(RIDGE=1.0),
        lambda args: setattr(regress, "__defaults__", (2,)),
        lambda args: (RNG.normal(size=4), np.linspace(0, 1, 4)),
        lambda args: setattr(regress, "__defaults__", (0,)),
    ),
)
def aic(y, x):
    f = regress(x, y)
    g = regress(x, f.resid * 2.0)
    return f.n * np.log(f.mean) + g.mean + np.sum(g.resid[1:] * f.resid[:-1])


def either(p, k):
    try:
        if k > THR:
            return {"a": p["a"] * k, "b": p["b"]}
        return {"a": p["a"] - k, "b": p["b"] * p["a"]}
    except KeyError:
        return p


THR = 2


@program(
    lambda rng: ({"a": 1.5, "b": 0.3}, 5),
    changes=(
        lambda args: globals().update(THR=-1),
        lambda args: (args[0], 0),
    ),
)
def evolve(p, n):
    s = {"a": p["a"], "b": p["b"]}
    for k in range(n):
        s = either(s, k)
    return s["a"] * s["b"] + s["a"]


@dataclass
class Body:
    m: float
    r: np.ndarray
    v: np.ndarray


def kick(b, acc, dt):
    try:
        return Body(b.m, b.r + dt * b.v, b.v + dt * acc / b.m)
    except ZeroDivisionError:
        return b


G = {"g": 1.0}


def force(b):
    return -G["g"] * b.r / np.linalg.norm(b.r) ** 3


@program(
    lambda rng: (np.array([1.0, 0.0, 0.1, 1.1]), 6),
    changes=(
        lambda args: G.update(g=2.0),
        lambda args: setattr(
            kick,
            "__code__",
            (lambda b, acc, dt: Body(b.m, b.r + dt * b.v, b.v + 2 * dt * acc)).__code__,
        ),
    ),
)
def orbit(s, n):
    b = Body(1.3, s[:2] * 1.0, s[2:] * 1.0)
    for _ in range(n):
        b = kick(b, force(b), 0.1)
    return b.r @ b.r + 0.5 * b.m * b.v @ b.v


class Tree:
    def __init__(s, left=None, right=None, w=1.0):
        s.left, s.right, s.w = (left, right, w)

    def like(s, data, it):
        if s.left is None:
            return data[next(it)]
        return s.left.like(data, it) * s.right.like(data, it) * np.exp(-s.w) + s.w


T = Tree(Tree(), Tree(Tree(), Tree(), w=0.2), w=0.5)


@program(
    lambda rng: (np.array([0.5, 0.4, 0.3]),),
    changes=(
        lambda args: setattr(T, "w", 0.1),
        lambda args: (
            setattr(T.right, "left", Tree(Tree(), Tree())) or (np.array([0.1, 0.2, 0.3, 0.4]),)
        ),
        lambda args: setattr(T, "left", T.right) or (np.arange(6.0) / 6 + 0.1,),
    ),
)
def phylo(x):
    return T.like(x, iter(range(len(x))))


def rosen_min(a):
    r = optimize.minimize(
        lambda z: (z[0] - a) ** 2 + (z[1] - z[0] ** 2) ** 2,
        np.zeros(2),
        tol=1e-12,
        method="BFGS",
        options={"gtol": 1e-10},
    )
    return r.x


@program(lambda rng: (np.array([0.7, 0.2]),), order2=False, rtol=0.0001)
def inner(p):
    z = rosen_min(p[0])
    return np.sum(z**2) * p[1] + z[0]


@program(
    lambda rng: (np.array([0.7, 1.2, 0.3]), np.linspace(0, 2, 9)),
    changes=(lambda args: (args[0], np.linspace(0, 1, 5)),),
    rtol=0.0001,
    order2=False,
)
def pharm(p, t):

    def rhs(t, y, ka, ke):
        return [-ka * y[0], ka * y[0] - ke * y[1]]

    sol = integrate.solve_ivp(
        rhs, (0, t[-1]), [p[2], 0.0], t_eval=t, args=(p[0], p[1]), rtol=1e-10, atol=1e-12
    )
    if not sol.success:
        raise RuntimeError(sol.message)
    return np.trapezoid(sol.y[1], t) + sol.y[1].max()


@program(lambda rng: (RNG.normal(size=12), 3), changes=(lambda args: (args[0], 4),))
def spectrum(x, seg):
    win = signal.get_window("hann", len(x) // seg) if len(x) // seg > 3 else np.ones(len(x) // seg)
    parts = [s * win for s in np.split(x, seg)]
    P = np.mean([np.abs(np.fft.rfft(p)) ** 2 for p in parts], axis=0)
    f = np.fft.rfftfreq(len(parts[0]))
    return np.sum(f * P) / np.sum(P) + np.log(P[1:]).sum() * 0.1


@program(lambda rng: (np.array([1.0, 2.0, 0.5]), np.linspace(0, 1, 7)))
def spline_bend(k, t):
    xs = np.linspace(0, 1, len(k) + 2)
    ys = np.concatenate(([0.0], k, [0.0]))
    s = interpolate.CubicSpline(xs, ys)
    return np.sum(s(t) ** 2) + 0.01 * np.sum(s(t, 2) ** 2)


@program(
    lambda rng: ({"ann": 3.0, "bob": 5.0, "cy": 4.0}, 2),
    changes=(
        lambda args: ({**args[0], "dee": 6.0}, 2),
        lambda args: (dict(reversed(list(args[0].items()))), 1),
    ),
)
def vickrey(bids, k):
    order = sorted(bids, key=lambda n: -bids[n])
    pay = {}
    for rank, n in enumerate(order):
        if rank < k:
            pay[n] = bids[order[k]] if k < len(order) else 0.0
    rev = sum(pay.values())
    bids["reserve"] = rev / 3
    return rev**2 + sum((v * i for i, v in enumerate(bids.values())))


@program(
    lambda rng: (rng.random((4, 4)), 2),
    changes=(lambda args: (RNG.random((6, 3)), 2), lambda args: (args[0], 3)),
)
def haar(img, w):
    ii = np.zeros((img.shape[0] + 1, img.shape[1] + 1))
    ii[1:, 1:] = img.cumsum(0).cumsum(1)
    best = -np.inf
    tot = 0.0
    for i, j in itertools.product(range(img.shape[0] - w + 1), range(img.shape[1] - w + 1)):
        v = ii[i + w, j + w] - ii[i, j + w] - ii[i + w, j] + ii[i, j]
        tot += v * v
        if v > best:
            best = v
            where = (i, j)
    return best + tot * 0.1 + img[where] ** 2


@program(
    lambda rng: (rng.normal(size=(2, 2)), np.array([0, 1, 1, 0, 1])),
    changes=(
        lambda args: (args[0], np.array([1, 1])),
        lambda args: (RNG.normal(size=(3, 3)), np.array([1, 1, 0])),
    ),
)
def hmm(W, obs):
    A = special.softmax(W, axis=1)
    n = len(W)
    E = np.full((n, 2), 0.3)
    E[0, 0] = 0.7
    E[:, 1] = 1 - E[:, 0]
    a = np.ones(n) / n * E[:, obs[0]]
    ll = []
    for o in obs[1:]:
        c = a.sum()
        ll.append(np.log(c))
        a /= c
        a = a @ A * E[:, o]
    return -sum(ll) - np.log(a.sum())


@program(
    lambda rng: (np.array([1000.0, 0.05, 120.3]), 12),
    changes=(lambda args: (args[0], 30), lambda args: (np.array([1000, 0.05, 1200.0]), *args[1:])),
)
def loan(p, n):
    bal, rate, pay = p
    paid = 0.0
    months = 0
    while bal > 0 and months < n:
        i = bal * rate / 12
        pr = min(pay - i, bal)
        bal -= pr
        paid += i
        months += 1
        if months % 12 == 0:
            rate *= 1.1
    return paid + bal * 0.1 + months // 5


@program(lambda rng: (np.array([0.3, 0.8]), 4))
def lsys(p, depth):
    total = 0.0

    def grow(level, length, angle):
        nonlocal total
        total += length * np.cos(angle)
        if level == 0 or length < 0.01:
            return
        for k, s in enumerate((-1, 1)):
            grow(level - 1, length * p[1] / (k + 1), angle + s * p[0])

    grow(depth, 1.0, 0.0)
    return total


@program(
    lambda rng: (np.array([0.3, 0.2, -0.1]), np.array([[0, 1, 0.5], [1, 0, 0.2], [0.5, 0.2, 0.0]])),
    changes=(lambda args: args[1:][0].__imul__(0.5),),
)
def mean_field(h, J):
    m = np.tanh(h)
    new = np.empty_like(m)
    for it in range(60):
        np.dot(0.3 * J, m, out=new)
        new += h
        np.tanh(new, out=new)
        if np.max(np.abs(new - m)) < 1e-15:
            break
        np.copyto(m, new)
    return -h @ m - 0.15 * m @ J @ m + it * 0
