"""Minds, schools and matches: item responses, ratings, choices, reaction times, learning, voting."""

import functools
import logging
import math
import operator
from abc import ABCMeta, abstractmethod
from collections import defaultdict
from dataclasses import InitVar, dataclass, field

import numpy as np
from scipy.special import expit, logsumexp

from tests.realistic.table import program

log = logging.getLogger(__name__)

# --- item response theory: quadrature over ability, two and three parameters, patterns counted -----------


class Item(metaclass=ABCMeta):
    registry = {}

    def __init_subclass__(cls, kind=None, **kw):
        super().__init_subclass__(**kw)
        if kind:
            Item.registry[kind] = cls

    @abstractmethod
    def prob(self, theta): ...

    def loglik(self, theta, answer):
        if answer is None:
            return np.zeros_like(theta)
        p = np.clip(self.prob(theta), 1e-12, 1 - 1e-12)
        return np.log(p) if answer else np.log1p(-p)

class Rasch(Item, kind="rasch"):
    def __init__(self, b):
        self.b = b

    def prob(self, theta):
        return expit(theta - self.b)

class TwoPL(Item, kind="2pl"):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def prob(self, theta):
        return expit(self.a * (theta - self.b))

class ThreePL(TwoPL, kind="3pl"):
    def __init__(self, a, b, c):
        super().__init__(a, b)
        self.c = c

    def prob(self, theta):
        return self.c + (1 - self.c) * super().prob(theta)

ANSWERS = [(1, 1, 0), (1, 0, 0), (1, 0, None), (0, 1, 1), (1, 1, 0)]

@program(lambda rng: ([("rasch", [0.2]), ("2pl", [1.3, -0.4]), ("3pl", [0.9, 0.5, 0.2])], 9), wrt=0,
         changes=(lambda a: ANSWERS.append((0, 0, 1)), lambda a: ([("2pl", [1.0, 0.1 * k]) for k in range(3)], 7)))
def marginal_likelihood(bank, nodes):
    theta, w = np.polynomial.hermite_e.hermegauss(nodes)
    logw = np.log(w / w.sum())
    items = [Item.registry[kind](*pars) for kind, pars in bank]
    patterns = defaultdict(int)
    for row in ANSWERS:
        patterns[row] += 1
    total = 0.0
    for row, count in patterns.items():
        ll = functools.reduce(operator.add, (it.loglik(theta, a) for it, a in zip(items, row)))
        total += count * logsumexp(ll + logw)
    return -total

# --- Glicko-like ratings with deviation, periods of games in a generator -----------------------------------


@dataclass
class Player:
    mu: float = 0.0
    phi: float = 1.2
    games: int = 0
    history: list = field(default_factory=list, repr=False)

    def g(self):
        return 1 / math.sqrt(1 + 3 * self.phi**2 / math.pi**2)

class Ladder(dict):
    def __missing__(self, name):
        self[name] = Player()
        return self[name]

    def update_period(self, results, c):
        inflow = defaultdict(list)
        for a, b, s in results:
            inflow[a].append((self[b].mu, self[b].phi, self[b].g(), s))
            inflow[b].append((self[a].mu, self[a].phi, self[a].g(), 1 - s))
        new = {}
        for name, games in inflow.items():
            me = self[name]
            phi2 = me.phi**2 + c**2
            info = delta = 0.0
            for mu, phi, g, s in games:
                e = 1 / (1 + math.exp(-g * (me.mu - mu)))
                info += g**2 * e * (1 - e)
                delta += g * (s - e)
            var = 1 / (1 / phi2 + info)
            new[name] = (me.mu + var * delta, math.sqrt(var), len(games))
        for name, (mu, phi, n) in new.items():
            p = self[name]
            p.history.append(p.mu)
            p.mu, p.phi, p.games = mu, phi, p.games + n

def season(rounds):
    yield [("ann", "bob", 1.0), ("cid", "dan", 0.5)]
    for k in range(rounds - 1):
        yield [("ann", "cid", k % 2), ("bob", "dan", 1.0), ("ann", "dan", 1.0)]

@program(lambda rng: (0.3, 0.1, 4), wrt=(0, 1))
def rating_spread(c, start, rounds):
    ladder = Ladder(ann=Player(mu=start))
    loss = 0.0
    for period in season(rounds):
        for a, b, s in period:
            diff = ladder[a].mu - ladder[b].mu
            loss -= s * math.log(1 / (1 + math.exp(-diff))) + (1 - s) * math.log(1 / (1 + math.exp(diff)))
        ladder.update_period(period, c)
    table = sorted(ladder.items(), key=lambda kv: -kv[1].mu)
    for rank, (name, p) in enumerate(table, 1):
        log.debug("%2d %-6s %6.3f +- %.3f (%d)", rank, name, p.mu, p.phi, p.games)
    return loss + table[0][1].mu - table[-1][1].mu

# --- discrete choice: nested logit with utilities in text, availability, elasticities ----------------------

UTILITY = {"car": "asc_car + b_time * time + b_cost * cost", "bus": "b_time * time + b_cost * cost", "train": "asc_train + b_time * time + b_cost * cost + b_seat"}

class Utility:
    def __init__(self, spec):
        self.terms = [tuple(f.strip() for f in t.split("*")) for t in spec.split("+")]

    def __call__(self, params, attrs):
        v = 0.0
        for term in self.terms:
            part = 1.0
            for name in term:
                part = part * (params[name] if name in params else attrs[name])
            v += part
        return v

def nested_logit(v, nests, lam):
    inclusive = {n: lam[n] * logsumexp([v[a] / lam[n] for a in alts]) for n, alts in nests.items()}
    top = logsumexp(list(inclusive.values()))
    return {a: np.exp(v[a] / lam[n] - inclusive[n] / lam[n] + inclusive[n] - top) for n, alts in nests.items() for a in alts}

TRIPS = [("car", {"car": (20, 3.0), "bus": (35, 1.0), "train": (30, 2.0)}), ("train", {"car": (40, 4.0), "bus": (60, 1.0), "train": (30, 2.5)}), ("bus", {"car": (15, 3.5), "bus": (20, 0.5)})]

@program(lambda rng: ({"asc_car": 0.5, "asc_train": 0.2, "b_time": -0.06, "b_cost": -0.3, "b_seat": 0.1, "lam": 0.6},),
         changes=(lambda a: UTILITY.update(bus="b_time * time"), lambda a: TRIPS.__delitem__(-1)))
def choice_loglik(params):
    utility = {a: Utility(s) for a, s in UTILITY.items()}
    ll = 0.0
    for chosen, alts in TRIPS:
        v = {a: utility[a](params, {"time": t, "cost": c}) for a, (t, c) in alts.items()}
        nests = {"private": [a for a in v if a == "car"], "public": [a for a in v if a != "car"]}
        p = nested_logit(v, nests, {"private": 1.0, "public": params["lam"]})
        assert abs(sum(p.values()) - 1) < 1e-9, p
        ll += np.log(p[chosen])
    return ll

# --- reaction times: a diffusion between bounds, small and large time series -------------------------------


def fpt_density(t, v, a, w, err=1e-10):
    tt = t / a**2
    ks = math.sqrt(-2 * math.log(err) * float(tt)) + 2 if tt > 0 else 1
    kl = max(math.sqrt(-2 * math.log(math.pi * float(tt) * err) / (math.pi**2 * float(tt))), 1)
    if ks < kl:
        K = math.ceil(ks)
        p = sum((w + 2 * k) * np.exp(-((w + 2 * k) ** 2) / (2 * tt)) for k in range(-K, K + 1)) / np.sqrt(2 * np.pi * tt**3)
    else:
        K = math.ceil(kl)
        p = np.pi * sum(k * np.exp(-(k**2) * np.pi**2 * tt / 2) * np.sin(k * np.pi * w) for k in range(1, K + 1))
    return p * np.exp(-v * a * w - v**2 * t / 2) / a**2

@program(lambda rng: (np.array([0.8, 1.4, 0.5, 0.2]), [(0.61, 1), (0.55, 0), (0.9, 1), (1.4, 0), (0.42, 1)]))
def ddm_loglik(theta, trials):
    v, a, w, ndt = theta
    total = 0.0
    for rt, upper in trials:
        t = rt - ndt
        if t <= 0:
            return -np.inf
        total += np.log(fpt_density(t, -v if upper else v, a, 1 - w if upper else w))
    return total

# --- learning from reward: a bandit's Q values, choice by softmax, stickiness, subjects in a loop -----------


@dataclass
class Learner:
    params: InitVar[dict]
    n_arms: int = 3
    q: np.ndarray = field(init=False)
    last: int = field(default=-1, init=False)

    def __post_init__(self, params):
        self.alpha = {+1: expit(params["a_pos"]), -1: expit(params["a_neg"])}
        self.beta = np.exp(params["log_beta"])
        self.stick = params.get("stick", 0.0)
        self.q = np.full(self.n_arms, 0.5)

    def log_policy(self):
        u = self.beta * self.q
        if self.last >= 0:
            u[self.last] += self.stick
        return u - logsumexp(u)

    def learn(self, arm, reward):
        delta = reward - self.q[arm]
        self.q[arm] += self.alpha[1 if delta >= 0 else -1] * delta
        self.last = arm

@program(lambda rng: ({"a_pos": 0.3, "a_neg": -0.5, "log_beta": 0.8, "stick": 0.2}, [(0, 1), (0, 1), (2, 0), (1, 1), (0, 0), (1, 1), (1, 0), (2, 1)]),
         changes=(lambda a: a[0].pop("stick"), lambda a: (a[0], [(2, 0), (2, 1)])))
def bandit_nll(params, choices):
    agent = Learner(params)
    nll = 0.0
    for arm, reward in choices:
        nll -= agent.log_policy()[arm]
        agent.learn(arm, reward)
    return nll

# --- paired comparisons: Bradley and Terry by minorisation, ties after Davidson, a fixed count ---------------


def bradley_terry(wins, iterations=25, prior=0.5):
    n = len(wins)
    p = [1.0 / n] * n
    for _ in range(iterations):
        new = []
        for i in range(n):
            num, den = prior, 2 * prior / (p[i] + 1.0 / n)
            for j in range(n):
                if i != j:
                    games = wins[i][j] + wins[j][i]
                    num += wins[i][j]
                    den += games / (p[i] + p[j])
            new.append(num / den)
        total = math.fsum(new)
        p = [q / total for q in new]
    return p

@program(lambda rng: ([[0.0, 3.0, 2.0], [1.0, 0.0, 4.0], [2.5, 1.0, 0.0]], 0.5), wrt=(0, 1))
def strength_entropy(wins, prior):
    p = bradley_terry(wins, prior=prior)
    best, *rest = sorted(p, reverse=True)
    return -sum(q * math.log(q) for q in p) + best / sum(rest)
