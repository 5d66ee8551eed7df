"""Networks: queues, roads, points of a survey."""

import collections
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple

import numpy as np
from scipy import special

from tests.realistic.table import calls, program

# --- queueing network by fixed point, while with tolerance ------------------------------------


class Policy(Enum):
    FIFO = auto()
    PRIORITY = auto()

def erlang_c(c, a):
    s = 1.0
    term = 1.0
    for k in range(1, c):
        term = term * a / k
        s = s + term
    last = term * a / c * c / (c - a)
    return last / (s + last)

class Network:
    def __init__(self, routing, service, servers, policy=Policy.FIFO):
        self.P, self.mu, self.c, self.policy = routing, service, servers, policy

    def traffic(self, gamma, tol=1e-13):
        lam = gamma.copy()
        while True:
            new = gamma + lam @ self.P
            if np.max(np.abs(new - lam)) < tol:
                return new
            lam = new

    def wait(self, gamma):
        lam = self.traffic(gamma)
        out = {}
        for i, (l, m, c) in enumerate(zip(lam, self.mu, self.c)):
            rho = l / (c * m)
            if rho >= 1:
                raise ValueError(f"station {i} is unstable")
            w = erlang_c(c, l / m) / (c * m - l)
            if self.policy is Policy.PRIORITY and i == 0:
                w *= 0.5
            out[f"station{i}"] = w + 1 / m
        return lam, out

@program(lambda rng: (np.array([1.0, 0.5, 0.2]), np.array([2.0, 1.5, 2.5]), [1, 2, 1], Policy.FIFO), wrt=(0, 1), rtol=1e-6,
         changes=(lambda a: (a[0], a[1], a[2], Policy.PRIORITY), lambda a: (np.array([0.5, 0.5, 0.5]), a[1], [2, 1, 1], Policy.PRIORITY)))
def sojourn(gamma, mu, servers, policy):
    P = np.array([[0.0, 0.4, 0.2], [0.1, 0.0, 0.3], [0.0, 0.2, 0.0]])
    lam, waits = Network(P, mu, servers, policy=policy).wait(gamma)
    total = sum(l * w for l, w in zip(lam, waits.values()))
    return total / gamma.sum()

# --- stochastic user equilibrium by MSA on a graph --------------------------------------------


@dataclass
class Link:
    tail: str
    head: str
    t0: float
    cap: float
    flow: float = 0.0

    def time(self):
        return self.t0 * (1 + 0.15 * (self.flow / self.cap) ** 4)

class Graph:
    def __init__(self, links):
        self.links = {(l.tail, l.head): l for l in links}
        self.out = collections.defaultdict(list)
        for l in links:
            self.out[l.tail].append(l)

    def paths(self, a, b, seen=()):
        if a == b:
            return [[]]
        found = []
        for l in self.out[a]:
            if l.head not in seen:
                found += [[l, *rest] for rest in self.paths(l.head, b, (*seen, a))]
        return found

    def load(self, demand, theta, iters):
        for k in range(1, iters + 1):
            new = {key: 0.0 for key in self.links}
            for (o, d), q in demand.items():
                routes = self.paths(o, d)
                cost = np.array([sum(l.time() for l in r) for r in routes])
                prob = special.softmax(-theta * cost)
                for p, r in zip(prob, routes):
                    for l in r:
                        new[(l.tail, l.head)] += q * p
            for key, l in self.links.items():
                l.flow += (new[key] - l.flow) / k

@program(lambda rng: (np.array([4.0, 6.0, 1.0, 5.0, 4.0]), np.array([10.0, 8.0, 5.0, 9.0, 10.0]), {("A", "D"): 12.0}, 0.6), wrt=(0, 1, 3), order2=False,
         changes=(lambda a: (a[0] + 1, a[1], {("A", "D"): 8.0, ("A", "C"): 2.0}, 0.5), lambda a: a[2].pop(("A", "C"))))
def network_delay(t0, cap, demand, theta):
    pairs = [("A", "B"), ("A", "C"), ("B", "C"), ("B", "D"), ("C", "D")]
    g = Graph([Link(*p, t, c) for p, t, c in zip(pairs, t0, cap)])
    g.load(demand, theta, 4)
    return sum(l.flow * l.time() for l in g.links.values())

# --- network adjustment with observations as objects and singledispatch -----------------------


class Distance(NamedTuple):
    a: str
    b: str
    value: float
    sigma: float = 0.01

class Direction(NamedTuple):
    a: str
    b: str
    value: float
    sigma: float = 0.002

class Net:
    def __init__(self, fixed, observations):
        self.fixed = dict(fixed)
        self.obs = list(observations)
        names = {o.a for o in self.obs} | {o.b for o in self.obs}
        self.free = sorted(names - set(self.fixed))

    def coords(self, theta):
        free = {n: theta[2 * i:2 * i + 2] for i, n in enumerate(self.free)}
        return {**self.fixed, **free}

    def predict(self, o, xy):
        d = xy[o.b] - xy[o.a]
        match o:
            case Distance():
                return np.hypot(d[0], d[1])
            case Direction():
                return np.arctan2(d[0], d[1])
            case _:
                raise TypeError(type(o))

    def chi2(self, theta):
        xy = self.coords(theta)
        res = [(self.predict(o, xy) - o.value) / o.sigma for o in self.obs]
        return float(0) + np.dot(res, res)

def net(rng):
    fixed = {"P1": np.array([0.0, 0.0]), "P2": np.array([100.0, 0.0])}
    obs = [Distance("P1", "Q", 71.0), Distance("P2", "Q", 70.4), Direction("P1", "Q", 0.78), Distance("Q", "R", 50.3), Direction("Q", "R", 1.2), Direction("P2", "R", 0.1)]
    return Net(fixed, obs).chi2, (np.array([50.0, 50.0, 95.0, 70.0]),)

calls("adjustment_chi2", net)
