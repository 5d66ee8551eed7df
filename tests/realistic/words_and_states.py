"""Words and samples: alignment, topics, a hidden chain."""

import collections
import itertools
import logging
import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import digamma, gammaln, logsumexp, softmax

from tests.realistic.table import program

logger = logging.getLogger(__name__)

# --- word alignment by expectation and maximisation, dicts of dicts -------------------------------------------

PAIRS = [("das haus".split(), "the house".split()), ("das buch".split(), "the book".split()), ("ein buch".split(), "a book".split())]

def model1(t, rounds):
    for _ in range(rounds):
        count = collections.defaultdict(float)
        total = collections.defaultdict(float)
        for src, tgt in PAIRS:
            for e in tgt:
                z = sum(t[f][e] for f in src)
                for f in src:
                    c = t[f][e] / z
                    count[f, e] += c
                    total[f] += c
        t = {f: {e: count[f, e] / total[f] if (f, e) in count else 0.0 for e in row} for f, row in t.items()}
    return t

@program(lambda rng: ({f: {e: float(p) for e, p in zip(("the", "house", "book", "a"), rng.dirichlet(np.ones(4)))} for f in ("das", "haus", "buch", "ein")}, 3))
def alignment_loglik(t, rounds):
    t = model1(t, rounds)
    best = {f: max(row.items(), key=lambda kv: kv[1])[0] for f, row in t.items()}
    logger.info("%s", " ".join(f"{f}-{e}" for f, e in sorted(best.items())))
    return sum(math.log(sum(t[f][e] for f in src) / len(src)) for src, tgt in PAIRS for e in tgt)

# --- topics: coordinate ascent of a variational bound, documents as bags in a list of dicts -------------------


@dataclass
class LDA:
    n_topics: int
    alpha: float
    eta: float
    sweeps: int = 6
    bound_: list = field(default_factory=list)

    def e_step(self, doc, elog_beta):
        ids, cts = np.array(list(doc)), np.array(list(doc.values()), dtype=float)
        gamma = np.ones(self.n_topics) * (self.alpha + cts.sum() / self.n_topics)
        for _ in range(self.sweeps):
            elog_theta = digamma(gamma) - digamma(gamma.sum())
            phi = softmax(elog_theta[:, None] + elog_beta[:, ids], axis=0)
            gamma = self.alpha + phi @ cts
        return gamma, phi, ids, cts

    def bound(self, lam, docs):
        elog_beta = digamma(lam) - digamma(lam.sum(axis=1, keepdims=True))
        score = 0.0
        for doc in docs:
            gamma, phi, ids, cts = self.e_step(doc, elog_beta)
            elog_theta = digamma(gamma) - digamma(np.sum(gamma))
            score += cts @ logsumexp(elog_theta[:, None] + elog_beta[:, ids], axis=0)
            score += np.sum((self.alpha - gamma) * elog_theta) + gammaln(gamma).sum() - gammaln(gamma.sum())
        self.bound_.append(score)
        return score

DOCS = [{0: 2, 1: 1}, {1: 1, 2: 3}, {0: 1, 3: 2}]

@program(lambda rng: (rng.gamma(2.0, 1.0, (2, 4)) + 0.5, 0.7), wrt=(0, 1), changes=(lambda a: DOCS.append({2: 1, 3: 1}),))
def topic_bound(lam, alpha):
    model = LDA(2, alpha, eta=0.1)
    value = model.bound(lam, DOCS)
    return value + 0.01 * (model.eta - 1) * np.log(lam).sum()

# --- a hidden chain of two regimes: scaled recursions, smoothed states, a decoded path ------------------------


def regimes(returns, mu, sd, stay):
    P = np.array([[stay[0], 1 - stay[0]], [1 - stay[1], stay[1]]])
    pi = np.array([1 - stay[1], 1 - stay[0]]) / (2 - stay[0] - stay[1])
    dens = np.exp(-0.5 * ((returns[:, None] - mu) / sd) ** 2) / sd
    alphas, ll = [], 0.0
    a = pi
    for row in dens:
        a = (a @ P) * row if alphas else a * row
        scale = a.sum()
        a = a / scale
        ll += np.log(scale)
        alphas.append(a)
    betas = [np.ones(2)]
    for row in dens[:0:-1]:
        b = P @ (row * betas[-1])
        betas.append(b / b.sum())
    smooth = np.stack([x * y / (x @ y) for x, y in zip(alphas, reversed(betas))])
    return ll, smooth

@program(lambda rng: ({"mu": np.array([0.1, -0.2]), "sd": np.array([0.3, 0.8]), "stay": np.array([0.9, 0.8])}, rng.normal(0, 0.5, 9)), wrt=(0, 1))
def regime_score(params, returns):
    ll, smooth = regimes(returns, params["mu"], params["sd"], params["stay"])
    path = smooth.argmax(axis=1)
    switches = sum(1 for i, j in itertools.pairwise(path) if i != j)
    return ll + 0.1 * smooth[:, 0].mean() + 0.0 * switches
