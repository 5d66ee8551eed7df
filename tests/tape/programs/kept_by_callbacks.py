"""Programs whose functions keep what they compute while a solver calls them."""

import collections
import functools
import random

import numpy as np
from scipy import integrate, optimize

K = None


def path(rate, start=1.0):
    found = integrate.solve_ivp(rate, (0, 1), np.full(3, start), rtol=1e-10, atol=1e-12)
    return found.y[:, -1].sum()


class Model:
    def __init__(self, p):
        self.p = p
        self.k = None
        self.calls = 0

    def rate(self, t, y):
        self.calls += 1
        if self.k is None:
            self.k = np.exp(-self.p)
        return -self.k * y


class Lazy:
    def __init__(self, p):
        self.p = p

    @functools.cached_property
    def k(self):
        return np.exp(-self.p)


def attribute(x):
    return path(Model(x).rate)


def cached_property(x):
    lazy = Lazy(x)
    return path(lambda t, y: -lazy.k * y)


def nonlocal_name(x):
    k = None

    def rate(t, y):
        nonlocal k
        if k is None:
            k = np.exp(-x)
        return -k * y

    return path(rate) + k.sum()


def nonlocal_in_helper(x):
    k = None

    def coefficient():
        nonlocal k
        if k is None:
            k = np.exp(-x)
        return k

    return path(lambda t, y: -coefficient() * y)


def global_name(x):
    global K
    K = None

    def rate(t, y):
        global K
        if K is None:
            K = np.exp(-x)
        return -K * y

    return path(rate)


def entry(x):
    kept = {}

    def coefficient():
        if "k" not in kept:
            kept["k"] = np.exp(-x)
        return kept["k"]

    return path(lambda t, y: -coefficient() * y)


def deque_of_one(x):
    kept = collections.deque(maxlen=1)

    def coefficient():
        if not kept:
            kept.append(np.exp(-x))
        return kept[0]

    return path(lambda t, y: -coefficient() * y)


def cached(x):
    @functools.lru_cache
    def coefficient():
        return np.exp(-x)

    return path(lambda t, y: -coefficient() * y)


def generator(x):
    def forever():
        k = np.exp(-x)
        while True:
            yield k

    coefficients = forever()
    return path(lambda t, y: -next(coefficients) * y)


def history(x):
    seen = []

    def residual(y):
        seen.append(y * x)
        return y**3 + y - x

    found = optimize.root(residual, np.ones(3), tol=1e-14).x
    return found.sum() * seen[0].sum()


def setdefault(x):
    kept = {}
    return integrate.quad(lambda t: t * kept.setdefault("k", np.exp(-x[0])), 0, 1)[0]


def written_before(x):
    h = x * 1.0
    h[0] = x[1] * 2
    times = {"rtol": 1e-10, "atol": 1e-12}
    found = integrate.solve_ivp(lambda t, y, c: -y * c, (0, 1), np.ones(3), args=(h,), **times)
    return found.y[:, -1].sum()


def written_by_another_name(x):
    h = x * 1.0
    view = h[:]
    view[0] = x[1] * 2
    return optimize.root(lambda y: y**3 + y - h, np.ones(3), tol=1e-14).x.sum() + h.sum()


def read_in_between(x):
    h = x.copy()
    h[1] = x[0]
    found = optimize.brentq(lambda y: y**3 - h[0] * h[1], 0, 5)
    h[2] = found
    return found * h.sum()


class Counting:
    def __init__(self, x):
        self.x = x
        self.n = 0
        self.seen = []
        self.names = collections.Counter()

    def __call__(self, y):
        self.n += 1
        self.seen.append(float(np.sum(y)))
        self.names["k"] += 1
        return y**3 + y - self.x

    def rate(self, t, y):
        self.n += 1
        self.seen.append(t)
        return -self.x * y


def counted(x):
    n = 0

    def residual(y):
        nonlocal n
        n += 1
        return y**3 + y - x

    return optimize.root(residual, np.ones(3), tol=1e-14).x.sum() * min(n, 5)


def counted_by_object(x):
    model = Counting(x)
    found = optimize.root(model, np.ones(3), tol=1e-14).x
    more = model.n - len(model.seen) - model.names["k"] + model.n
    return found.sum() * (2 + more)


def counted_on_path(x):
    model = Counting(x)
    found = integrate.solve_ivp(model.rate, (0, 1), np.ones(3), rtol=1e-10, atol=1e-12)
    return found.y[:, -1].sum() * (1 + found.nfev - model.n) + found.nfev - len(model.seen)


def counted_by_function(x):
    def residual(t):
        residual.n = getattr(residual, "n", 0) + 1
        return t**3 - x[0]

    found = optimize.root_scalar(residual, bracket=(0, 3))
    return found.root * (1 + found.function_calls - residual.n)


class Slotted:
    __slots__ = ("n", "x")
    total = 0

    def __init__(self, x):
        self.x = x
        self.n = 0

    def __call__(self, y):
        self.n += 1
        Slotted.total += 1
        return y**3 + y - self.x


TOLD = {"n": 0}


def counted_in_slots(x):
    Slotted.total = 0
    model = Slotted(x)
    found = optimize.root(model, np.ones(3), tol=1e-14)
    more = model.n - found.nfev + Slotted.total - found.nfev
    return found.x.sum() * (2 + more - (2 * model.n - 2 * found.nfev))


def counted_elsewhere(x):
    TOLD["n"] = 0
    counts = np.zeros(2)
    seen = set()

    def residual(y):
        TOLD["n"] += 1
        counts[1] += 1
        seen.add(len(seen))
        return y**3 + y - x

    found = optimize.root(residual, np.ones(3), tol=1e-14).x
    return found.sum() * (1 + TOLD["n"] - len(seen)) + counts[1] - TOLD["n"] + counts[1]


def drawn(x):
    own, ours = np.random.default_rng(0), random.Random(0)

    def residual(y):
        return y**3 + y - x + 0 * own.random() + 0 * ours.gauss(0.0, 1.0)

    found = optimize.root(residual, np.ones(3), tol=1e-14).x
    return found.sum() * (own.random() + ours.random())


def written_in_array(x):
    work = np.zeros(3)

    def residual(y):
        work[:] = y * x
        return y**3 + y - x

    found = optimize.root(residual, np.ones(3), tol=1e-14).x
    return found.sum() + 0 * work.sum()
