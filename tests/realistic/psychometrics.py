"""Psychometrics: IRT, factor analysis, adaptive testing, reliability."""
import enum
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logsumexp, ndtr

from tests.realistic.table import program

# --- 1: generalised partial credit model with reverse-coded items and missing answers

class Item(NamedTuple):
    a: float
    steps: tuple
    reverse: bool = False

MISSING = -9
CODING = {"missing": MISSING, "prior_sd": 1.0}

def category_logits(item, theta):
    z = [0.0 * theta]
    for b in item.steps:
        z.append(z[-1] + item.a * (theta - b))
    return z

def item_loglik(item, theta, answer):
    if answer == CODING["missing"]:
        return 0.0
    logits = category_logits(item, theta)
    if item.reverse:
        answer = len(logits) - 1 - answer
    return logits[answer] - logsumexp(np.array(logits))

@program(
    lambda rng: (np.array([0.3, -0.5]), np.array([[1, 2, 0], [-9, 1, 2]]), np.array([1.1, 0.7, 1.4])),
    wrt=(0, 2),
    changes=(
        lambda args: CODING.update(prior_sd=2.0),
        lambda args: (args[0], np.array([[0, 0, -9], [2, 1, -9]]), args[2]),
        lambda args: (args[0], np.array([[0, 0, -9], [2, 1, -9]]) * 0 + 1, args[2]),
        lambda args: CODING.update(missing=1),
    ),
)
def gpcm_log_posterior(thetas, answers, slopes):
    items = [
        Item(slopes[0], (-0.5, 0.4)),
        Item(slopes[1], (0.0, 0.9), reverse=True),
        Item(a=slopes[2], steps=(0.1, 0.2, 1.0)),
    ]
    total = 0.0
    for theta, row in zip(thetas, answers):
        total += sum(item_loglik(i, theta, x) for i, x in zip(items, row))
        total -= 0.5 * (theta / CODING["prior_sd"]) ** 2
    return total

# --- 2: adaptive test: next item by information, EAP on a grid, item pool changed by pop

@dataclass
class Adaptive:
    pool: list
    grid: np.ndarray = field(default_factory=lambda: np.linspace(-3, 3, 13))
    given: list = field(default_factory=list)

    def __post_init__(self):
        self.log_post = -0.5 * self.grid**2

    def eap(self):
        w = np.exp(self.log_post - np.max(self.log_post))
        return np.sum(w * self.grid) / np.sum(w)

    def choose(self):
        t = self.eap()
        infos = []
        for a, b in self.pool:
            p = expit(a * (t - b))
            infos.append(a * a * p * (1 - p))
        k = int(np.argmax(infos))
        item = self.pool.pop(k)
        self.given.append(item)
        return item, infos[k]

    def answer(self, item, right):
        a, b = item
        z = a * (self.grid - b)
        self.log_post = self.log_post - np.logaddexp(0, -z if right else z)

@program(
    lambda rng: (np.array([[1.2, -0.4], [0.8, 0.3], [1.6, 0.9], [1.0, 0.1]]), [True, False, True]),
    changes=(
        lambda args: (args[0], [False, False]),
        lambda args: args[1].append(True),
        lambda args: (args[0][:, :] * np.array([1.1, -1.0]), args[1]),
    ),
)
def adaptive_estimate(bank, answers):
    test = Adaptive([(a, b) for a, b in bank])
    gained = 0.0
    for right in answers:
        item, info = test.choose()
        gained += info
        test.answer(item, right)
        if gained > 0.9:
            break
    return test.eap() + 0.1 * gained

# --- 3: confirmatory factor analysis: pattern as integers, implied covariance, ML

class Param(enum.IntEnum):
    FIXED = 0
    FREE = 1
    EQUAL = 2

PATTERN = np.array([[1, 0], [2, 0], [2, 1], [0, 2], [0, 1]])

def fill(pattern, theta):
    L = np.zeros(pattern.shape)
    flat = L.reshape(-1)
    shared = theta[-1]
    k = 0
    for pos, kind in enumerate(pattern.flat):
        if kind == Param.FREE:
            flat[pos] = theta[k]
            k += 1
        elif kind == Param.EQUAL:
            flat[pos] = shared
    return L, k

@program(
    lambda rng: (np.array([0.8, 0.3, 0.9, 0.3, 0.4, 0.5, 0.6, 0.7, 0.2, 0.65]), np.cov(rng.normal(size=(5, 20)))),
    wrt=(0, 1),
    changes=(
        lambda args: PATTERN.__setitem__((1, 0), 0),
        lambda args: PATTERN.__setitem__((2, 1), 2),
        lambda args: PATTERN.__setitem__((1, 0), 1),
    ),
)
def cfa_discrepancy(theta, S):
    L, k = fill(PATTERN, theta)
    psi = theta[k : k + 5]
    phi = np.eye(2)
    phi[0, 1] = phi[1, 0] = theta[-2]
    sigma = L @ phi @ L.T
    sigma[np.diag_indices(5)] += psi
    sign, logdet = np.linalg.slogdet(sigma)
    return logdet + np.trace(np.linalg.solve(sigma, S)) - np.linalg.slogdet(S)[1] - 5

# --- 4: signal detection with confidence ratings and lapses, cumulative criteria via out=

def criteria(gaps, start):
    c = np.empty(len(gaps) + 1)
    c[0] = start
    np.exp(gaps, out=c[1:])
    np.cumsum(c, out=c)
    return c

def category_probs(mean, sd, c):
    edges = np.concatenate(([0.0], ndtr((c - mean) / sd), [1.0]))
    return np.diff(edges)

@program(
    lambda rng: ({"d": 1.2, "log_sd": 0.1, "start": -0.6, "gaps": np.array([-0.3, -0.5]), "lapse": 0.05},),
    changes=(
        lambda args: (dict(reversed(args[0].items())),),
        lambda args: args[0].pop("lapse"),
        lambda args: args[0].update(gaps=np.array([-0.3, -0.5, 0.1])),
    ),
)
def rating_loglik(p):
    c = criteria(p["gaps"], p["start"])
    lapse = p.get("lapse", 0.0)
    ll = 0.0
    n = len(c) + 1
    for mean, sd, counts in ((0.0, 1.0, [30, 20, 10, 5, 3]), (p["d"], np.exp(p["log_sd"]), [8, 12, 25, 30, 9])):
        probs = category_probs(mean, sd, c)
        probs *= 1 - lapse
        probs += lapse / n
        ll = ll + np.dot(counts[:n], np.log(probs))
    return ll
