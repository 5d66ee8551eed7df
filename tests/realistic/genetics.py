"""Population genetics: drift, selection, spectra, linkage."""
import math
from dataclasses import dataclass, field

import numpy as np
from scipy import optimize, special

from tests.realistic.table import program

# --- 1: Wright-Fisher transition matrix, with a cache for the log binomials

_LOGBINOM = {}

def log_binom(n):
    if n not in _LOGBINOM:
        k = np.arange(n + 1)
        _LOGBINOM[n] = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return _LOGBINOM[n]

def fitness_shift(p, s, h=0.5):
    """Allele frequency after selection."""
    q = 1.0 - p
    wbar = p * p * (1 + s) + 2 * p * q * (1 + h * s) + q * q
    return (p * p * (1 + s) + p * q * (1 + h * s)) / wbar

def transition_matrix(n, s, u, v):
    P = np.zeros((n + 1, n + 1))
    logc = log_binom(n)
    k = np.arange(n + 1)
    for i in range(n + 1):
        p = fitness_shift(i / n, s)
        p = p * (1 - u) + (1 - p) * v
        row = P[i]
        row[:] = np.exp(logc + k * np.log(p) + (n - k) * np.log1p(-p))
        row /= row.sum()
    return P

@program(
    lambda rng: (np.array([0.1, 0.02, 0.03]), 8, 6),
    changes=(
        lambda args: (args[0] * 1.3, 6, 6),
        lambda args: setattr(fitness_shift, "__defaults__", (0.1,)),
        lambda args: _LOGBINOM.clear(),
        lambda args: (args[0], 6, 3),
    ),
)
def allele_trajectory_loglik(theta, n, generations):
    s, u, v = theta
    P = transition_matrix(n, s, u, v)
    state = np.zeros(n + 1)
    state[n // 2] = 1.0
    samples = {2: 3, 4: 5}
    ll = 0.0
    for g in range(generations):
        state = state @ P
        if g in samples:
            obs = samples[g]
            emission = (np.arange(n + 1) / n) ** obs * (1 - np.arange(n + 1) / n) ** (6 - obs)
            c = state @ emission
            ll += math.log(c)
            state = state * emission / c
    return ll

# --- 2: site frequency spectrum under a bottleneck, composite likelihood

@dataclass
class Epoch:
    start: float
    size: float

@dataclass
class Demography:
    epochs: list = field(default_factory=list)

    def add(self, start, size):
        self.epochs.append(Epoch(start, size))
        return self

    def size_at(self, t):
        current = 1.0
        for e in sorted(self.epochs, key=lambda e: e.start):
            if t >= e.start:
                current = e.size
        return current

    def cumulative(self, t, steps=20):
        grid = np.linspace(0.0, t, steps + 1)
        mids = 0.5 * (grid[1:] + grid[:-1])
        return sum(t / steps / self.size_at(m) for m in mids)

def expected_sfs(demography, n):
    times = np.linspace(0.05, 3.0, 12)
    lineages = []
    for t in times:
        lam = demography.cumulative(t)
        probs = [np.exp(-k * (k - 1) / 2 * lam) for k in range(2, n + 1)]
        lineages.append(probs)
    L = np.array(lineages)
    weight = 1.0 / np.arange(1, n)
    dt = times[1] - times[0]
    sfs = (L.sum(axis=0) * dt) @ np.outer(1.0 / np.arange(2, n + 1), weight)
    return sfs / sfs.sum()

@program(
    lambda rng: (np.array([0.35, 2.2]), np.array([9.0, 4.0, 3.0, 1.0])),
    changes=(lambda args: (args[0], np.array([5.0, 5.0, 2.0, 2.0, 1.0])),),
)
def bottleneck_composite_loglik(sizes, counts):
    model = Demography().add(0.4, sizes[0])
    model.add(1.1, sizes[1])
    p = expected_sfs(model, len(counts) + 1)
    return np.sum(counts * np.log(p)) + 0.1 * model.cumulative(2.0)

# --- 3: admixture proportions by EM, in place through views

OPTIONS = {"sweeps": 4, "prior": 1e-2, "verbose": False}
HISTORY = []

def renormalise(rows):
    rows /= rows.sum(axis=1, keepdims=True)

def em_sweep(Q, F, G):
    q1 = Q[:, :1]
    q2 = Q[:, 1:]
    p = q1 * F[0] + q2 * F[1]
    a = G / p
    b = (2 - G) / (1 - p)
    q1 *= (a * F[0] + b * (1 - F[0])).sum(axis=1, keepdims=True)
    q2 *= (a * F[1] + b * (1 - F[1])).sum(axis=1, keepdims=True)
    renormalise(Q)
    Q += OPTIONS["prior"]
    renormalise(Q)

@program(
    lambda rng: (
        rng.uniform(0.2, 0.8, (2, 5)),
        rng.integers(0, 3, (4, 5)),
        None,
    ),
    changes=(
        lambda args: OPTIONS.update(sweeps=2),
        lambda args: OPTIONS.update(prior=0.2),
        lambda args: (args[0], args[1][:3], np.full((3, 2), 0.5)),
    ),
)
def admixture_loglik(F, G, Q0):
    Q = np.tile([0.4, 0.6], (len(G), 1)) if Q0 is None else Q0.copy()
    for k in range(OPTIONS["sweeps"]):
        em_sweep(Q, F, G)
        if OPTIONS["verbose"]:
            HISTORY.append(Q.copy())
    P = Q @ F
    return np.sum(G * np.log(P) + (2 - G) * np.log(1 - P))

# --- 4: coalescent with exponential growth, ML rate by root finding inside the objective

class Genealogy:
    def __init__(self, intervals):
        self.intervals = intervals
        self.n = len(intervals) + 1

    def __iter__(self):
        t = 0.0
        for i, dt in enumerate(self.intervals):
            yield self.n - i, t, t + dt
            t = t + dt

    @property
    def height(self):
        return self.intervals.sum()

def score(log_theta, growth, tree):
    theta = np.exp(log_theta)
    total = 0.0
    for k, a, b in tree:
        rate = k * (k - 1) / 2
        total = total + rate * (np.exp(growth * b) - np.exp(growth * a)) / (growth * theta) - 1.0
    return total

@program(lambda rng: (np.array([0.1, 0.22, 0.3, 0.7]), 0.8), wrt=(0, 1))
def profile_loglik(intervals, growth):
    tree = Genealogy(intervals)
    log_theta = optimize.brentq(score, -8.0, 8.0, args=(growth, tree), xtol=1e-14, rtol=1e-13)
    ll = 0.0
    for k, a, b in tree:
        rate = k * (k - 1) / 2
        ll += growth * b - log_theta
        ll -= rate * (np.exp(growth * b) - np.exp(growth * a)) / (growth * np.exp(log_theta))
    return ll + 0.01 * tree.height
