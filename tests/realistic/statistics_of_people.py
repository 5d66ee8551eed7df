"""Actuarial science, psychometrics, genetics."""

import itertools
import math
from collections import ChainMap, defaultdict
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Protocol

import numpy as np
from numpy.polynomial.hermite import hermgauss
from scipy import stats
from scipy.special import betaln, expit, gammaln

from tests.realistic.table import program

# --- life insurance: mortality laws as a protocol, multiple states, Thiele's equation -----------------


class Law(Protocol):
    def hazard(self, x): ...


@dataclass
class GompertzMakeham:
    A: float = 0.0003
    B: float = 0.00004
    c: float = 1.1

    def hazard(self, x):
        return self.A + self.B * self.c**x

    def survival(self, x, t):
        return np.exp(-self.A * t - self.B / np.log(self.c) * self.c**x * (self.c**t - 1))


class LifeTable:
    def __init__(self, law, omega=110):
        self.law, self.omega = law, omega
        self._lx = {}

    def __getitem__(self, x):
        if x not in self._lx:
            self._lx[x] = 1e5 if x <= 30 else self[x - 1] * self.law.survival(x - 1, 1)
        return self._lx[x]

    def q(self, x):
        return 1 - self[x + 1] / self[x]

    def annuity(self, x, i, n=None):
        last = self.omega - x if n is None else n
        v = 1 / (1 + i)
        return sum(v**t * self[x + t] / self[x] for t in range(last))

    def insurance(self, x, i, n):
        v = 1 / (1 + i)
        return sum(v ** (t + 1) * self[x + t] / self[x] * self.q(x + t) for t in range(n))


def reserves(table, x, n, i, premium, benefit):
    V = np.zeros(n + 1)
    V[n] = benefit
    for t in range(n - 1, -1, -1):
        q = table.q(x + t)
        V[t] = (q * benefit + (1 - q) * V[t + 1]) / (1 + i) - premium
    return V


@program(lambda rng: (GompertzMakeham(), 0.03, 1000.0), wrt=(0, 1, 2))
def endowment_profit(law, interest, benefit):
    table = LifeTable(law)
    n, x = 15, 40
    pure = (1 + interest) ** -n * table[x + n] / table[x]
    premium = benefit * (table.insurance(x, interest, n) + pure) / table.annuity(x, interest, n)
    V = reserves(table, x, n, interest, 1.05 * premium, benefit)
    strain = [(benefit - V[t + 1]) * table.q(x + t) for t in range(n)]
    return -V[0] + 0.01 * max(strain) + premium / 10


# --- claims reserving: chain ladder with tail curves, a triangle of nan -------------------------------


class Triangle:
    def __init__(self, increments):
        self.incremental = np.array(increments)
        self.cumulative = np.nancumsum(self.incremental, axis=1)
        self.n = len(self.incremental)

    def factors(self):
        f = []
        for j in range(self.n - 1):
            rows = slice(0, self.n - 1 - j)
            f.append(self.cumulative[rows, j + 1].sum() / self.cumulative[rows, j].sum())
        return f

    def ultimates(self, tail=1.0):
        f = self.factors()
        out = np.zeros(self.n)
        for i in range(self.n):
            latest = self.cumulative[i, self.n - 1 - i]
            out[i] = latest * reduce(lambda a, b: a * b, f[self.n - 1 - i :], 1.0) * tail
        return out


@program(lambda rng: (np.where(np.add.outer(np.arange(5), np.arange(5)) < 5, rng.gamma(5, 20, (5, 5)) * np.array([1.0, 0.7, 0.4, 0.2, 0.1]), np.nan), 1.02), wrt=(1,))
def reserve_with_tail(increments, tail):
    triangle = Triangle(increments)
    ultimate = triangle.ultimates(tail)
    paid = np.array([triangle.cumulative[i, triangle.n - 1 - i] for i in range(triangle.n)])
    decay = np.log(np.array(triangle.factors()) - 1)
    slope = np.polyfit(np.arange(len(decay)), decay, 1)[0]
    return (ultimate - paid).sum() / 100 + slope * tail


# --- IRT: marginal likelihood with quadrature; items of several kinds ---------------------------------


class Item:
    def __init__(self, params):
        self.params = params

    def probabilities(self, theta):
        raise NotImplementedError

    def loglik(self, theta, response):
        return np.log(self.probabilities(theta)[..., response])


class ThreePL(Item):
    def probabilities(self, theta):
        a, b, c = self.params
        p = expit(c) + (1 - expit(c)) * expit(np.exp(a) * (theta - b))
        return np.stack([1 - p, p], axis=-1)


class GradedResponse(Item):
    def probabilities(self, theta):
        a, *steps = self.params
        thresholds = np.cumsum([steps[0], *(np.exp(s) for s in steps[1:])])
        above = expit(np.exp(a) * (theta[:, None] - thresholds))
        ones, zeros = np.ones((len(theta), 1)), np.zeros((len(theta), 1))
        return np.concatenate([ones, above], axis=1) - np.concatenate([above, zeros], axis=1)


KINDS = {"3pl": ThreePL, "grm": GradedResponse}


@cache
def quadrature(n):
    x, w = hermgauss(n)
    return np.sqrt(2) * x, w / np.sqrt(np.pi)


@program(
    lambda rng: (
        [("3pl", np.array([0.1, -0.5, -1.5])), ("3pl", np.array([-0.2, 0.4, -1.2])), ("grm", np.array([0.2, -0.8, 0.1, 0.3]))],
        0.2,
        [[1, 0, 2], [0, None, 1], [1, 1, 3], [0, 0, 0]],
    ),
    wrt=(0, 1),
)
def irt_marginal_likelihood(items, mean, responses):
    built = [KINDS[kind](params) for kind, params in items]
    nodes, weights = quadrature(9)
    theta = nodes + mean
    patterns = defaultdict(int)
    for row in responses:
        patterns[tuple(row)] += 1
    total = 0.0
    for pattern, count in patterns.items():
        ll = np.zeros(len(theta))
        for item, r in zip(built, pattern):
            if r is None:
                continue
            ll += item.loglik(theta, r)
        total += count * np.log(weights @ np.exp(ll))
    return -total


# --- response times: a diffusion model by series, an optimised boundary --------------------------------


class DiffusionModel:
    def __init__(self, drift, boundary, start=0.5, nondecision=0.2):
        self.v, self.a, self.w, self.t0 = drift, boundary, start, nondecision

    def density(self, t, terms=7):
        tt = (t - self.t0) / self.a**2
        total = 0.0
        for k in range(-(terms // 2), terms // 2 + 1):
            total += (self.w + 2 * k) * np.exp(-((self.w + 2 * k) ** 2) / (2 * tt))
        f = total / np.sqrt(2 * np.pi * tt**3)
        return f * np.exp(-self.v * self.a * self.w - 0.5 * self.v**2 * (t - self.t0)) / self.a**2

    def mirrored(self):
        other = deepcopy(self)
        other.v, other.w = -self.v, 1 - self.w
        return other


@program(lambda rng: (1.1, 1.4, 0.45, 0.22), wrt=(0, 1, 2, 3))
def choice_reaction_times(drift, boundary, start, nondecision):
    model = DiffusionModel(drift, boundary, start, nondecision)
    data = [(0.55, "lower"), (0.7, "upper"), (0.62, "upper"), (1.1, "upper"), (0.9, "lower")]
    models = {"lower": model, "upper": model.mirrored()}
    loglik = sum(np.log(models[side].density(t)) for t, side in data)
    mass, _ = 0.0, None
    for t in np.linspace(nondecision + 0.1, 2.0, 12):
        mass += models["upper"].density(t) * (2.0 - 0.1) / 12
    return -loglik + 0.1 * (mass - 0.8) ** 2


# --- pedigree likelihood by peeling; genotypes as tuples, penetrance in a ChainMap -------------------


@dataclass
class Person:
    name: str
    affected: bool | None = None
    mother: "Person" = None
    father: "Person" = None
    children: list = field(default_factory=list)

    def __post_init__(self):
        for parent in (self.mother, self.father):
            if parent is not None:
                parent.children.append(self)

    @property
    def is_founder(self):
        return self.mother is None and self.father is None


GENOTYPES = list(itertools.combinations_with_replacement("Aa", 2))


def transmission(child, mother, father):
    p = 0.0
    for m, f in itertools.product(mother, father):
        if tuple(sorted((m, f))) == tuple(sorted(child)):
            p += 0.25
    return p


def _family():
    ma, pa = Person("ma"), Person("pa", affected=True)
    kids = [Person(f"kid{k}", affected=k % 2 == 0, mother=ma, father=pa) for k in range(2)]
    spouse = Person("spouse", affected=False)
    grandchild = Person("grandchild", affected=True, mother=spouse, father=kids[0])
    return [ma, pa, *kids, spouse, grandchild]


@program(lambda rng: (0.12, {"AA": 0.9, "Aa": 0.7}, 0.05), wrt=(0, 1, 2))
def pedigree_log_likelihood(frequency, penetrance, phenocopy):
    """Elston-Stewart on a small family: descendants are peeled on to their parents."""
    risk = ChainMap(penetrance, {"aa": phenocopy})
    people = _family()

    def founder(g):
        q = frequency
        return {"AA": q * q, "Aa": 2 * q * (1 - q), "aa": (1 - q) ** 2}["".join(g)]

    def phenotype(person, g):
        if person.affected is None:
            return 1.0
        r = risk["".join(g)]
        return r if person.affected else 1 - r

    def descend(person, g):
        like = phenotype(person, g)
        spouses = {}
        for child in person.children:
            other = child.father if child.mother is person else child.mother
            spouses.setdefault(other.name, (other, []))[1].append(child)
        for other, kids in spouses.values():
            if not other.is_founder:
                continue
            total = 0.0
            for h in GENOTYPES:
                term = founder(h) * phenotype(other, h)
                for kid in kids:
                    term *= sum(transmission(k, g, h) * descend(kid, k) for k in GENOTYPES)
                total += term
            like *= total
        return like

    ma = people[0]
    return math.log(sum(founder(g) * descend(ma, g) for g in GENOTYPES))


# --- population genetics: site frequency spectra, selection coefficients by diffusion -----------------


@program(lambda rng: (np.array([12.0, 6.0, 3.0, 3.0, 2.0, 1.0]), 3.0, -1.5), wrt=(0, 1, 2), rtol=1e-5)
def sfs_log_likelihood(observed, theta, gamma):
    n = len(observed) + 1
    x, w = np.polynomial.legendre.leggauss(30)
    x, w = 0.5 * (x + 1), 0.5 * w
    density = -np.expm1(-2 * gamma * (1 - x)) / -np.expm1(-2 * gamma) / (x * (1 - x))
    expected = np.empty(n - 1)
    for i in range(1, n):
        log_binom = gammaln(n + 1) - gammaln(i + 1) - gammaln(n - i + 1)
        kernel = np.exp(log_binom + i * np.log(x) + (n - i) * np.log1p(-x))
        expected[i - 1] = theta * np.sum(w * kernel * density)
    ll = observed * np.log(expected) - expected - gammaln(observed + 1)
    overdispersion = betaln(observed.sum(), theta) - betaln(expected.sum(), theta)
    return ll.sum() + 0.01 * overdispersion


@program(
    lambda rng: (
        np.array([10.0, 0.9, 0.1]),
        np.array([11.0, 14.5, 9.0, 12.2]),
        np.array([True, True, False, True]),
    )
)
def floods(p, heights, seen):
    loc, log_scale, shape = p
    law = {"loc": loc, "scale": np.exp(log_scale)}
    logs = np.where(
        seen,
        stats.genextreme.logpdf(heights, -shape, **law),
        stats.genextreme.logsf(heights, -shape, **law),
    )
    if not np.all(np.isfinite(logs)):
        return 1e10
    prior = stats.norm(0.0, 0.3).logpdf(shape) + stats.halfnorm(scale=2.0).logpdf(law["scale"])
    return -logs.sum() - prior


@program(lambda rng: (rng.normal(size=8), np.linspace(0, 1, 8)))
def trend_report(y, x):
    fit = stats.linregress(x, y)
    r, p = stats.pearsonr(x, y)
    shares = np.abs(y) / np.sum(np.abs(y))
    return fit.slope * 2 + fit.intercept + fit.rvalue**2 + r * p + stats.entropy(shares)
