"""Words, hidden states and samples: smoothing of n-grams, alignment, topics, particles, bootstrap."""

import collections
import functools
import itertools
import logging
import math
import random
from dataclasses import dataclass, field

import numpy as np
from scipy.special import digamma, gammaln, logsumexp, softmax

from tests.realistic.table import program

logger = logging.getLogger(__name__)

# --- Kneser and Ney's smoothing: counts of contexts, a discount, recursion to lower orders ----------------


class NGram:
    def __init__(self, order, tokens):
        self.order = order
        self.counts = [collections.Counter() for _ in range(order + 1)]
        self.follow = collections.defaultdict(set)
        padded = ["<s>"] * (order - 1) + tokens + ["</s>"]
        for n in range(1, order + 1):
            for gram in zip(*(padded[k:] for k in range(n))):
                self.counts[n][gram] += 1
                self.follow[gram[:-1]].add(gram[-1])
        self.vocab = sorted(set(padded) - {"<s>"})
        self._cache = {}

    def prob(self, word, context, discount):
        key = (word, context)
        if key in self._cache:
            return self._cache[key]
        if not context:
            p = (self.counts[1][(word,)] + 1) / (sum(self.counts[1].values()) + len(self.vocab))
        else:
            total = sum(self.counts[len(context) + 1][(*context, w)] for w in self.vocab)
            lower = self.prob(word, context[1:], discount)
            if total == 0:
                p = lower
            else:
                d = discount[min(len(context), len(discount)) - 1]
                seen = len(self.follow[context])
                p = max(self.counts[len(context) + 1][(*context, word)] - d, 0.0) / total + d * seen / total * lower
        self._cache[key] = p
        return p

TEXT = "the cat sat on the mat the dog sat on the cat".split()

@program(lambda rng: (np.array([0.6, 0.75]), "the cat sat on the dog"), changes=(lambda a: (a[0], "the mat sat"), lambda a: TEXT.extend(["a", "dog"])))
def perplexity(discount, sentence):
    model = NGram(3, TEXT)
    words = ["<s>", "<s>", *sentence.split(), "</s>"]
    logp = [math.log(model.prob(w, tuple(words[k - 2 : k]), discount)) for k, w in enumerate(words) if k >= 2]
    logger.debug("%d entries in the cache", len(model._cache))
    return math.exp(-sum(logp) / len(logp))

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

# --- a particle filter with frozen noise, weights in logs, soft resampling ------------------------------------


class ParticleFilter:
    def __init__(self, n, seed):
        self.rng = np.random.default_rng(seed)
        self.n = n

    def ess(self, logw):
        w = np.exp(logw - logsumexp(logw))
        return 1 / np.sum(w**2)

    def loglik(self, phi, sigma, tau, ys):
        x = sigma / np.sqrt(1 - phi**2) * self.rng.standard_normal(self.n)
        logw = np.full(self.n, -np.log(self.n))
        total = 0.0
        for y in ys:
            x = phi * x + sigma * self.rng.standard_normal(self.n)
            logw = logw - 0.5 * ((y - x) / tau) ** 2 - np.log(tau)
            norm = logsumexp(logw)
            total += norm
            logw = logw - norm
            if self.ess(logw) < 0.5 * self.n:
                u = (np.arange(self.n) + 0.5) / self.n
                idx = np.minimum(np.searchsorted(np.cumsum(np.exp(logw)), u), self.n - 1)
                keep = logw[idx]
                x = x[idx]
                logw = keep - np.array([float(v) for v in np.log(np.exp(np.asarray(keep)))]) * 0 - logsumexp(keep)
        return total

@program(lambda rng: (0.8, 0.5, 0.6, [0.3, -0.2, 0.9, 1.1]), wrt=(0, 1, 2), order2=False)
def filtered_loglik(phi, sigma, tau, ys):
    return ParticleFilter(12, seed=4).loglik(phi, sigma, tau, ys)

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

# --- bootstrap of a trimmed ratio, jackknife, a bias that is corrected ----------------------------------------


def trimmed_mean(values, cut):
    ordered = sorted(values)
    k = int(cut * len(ordered))
    kept = ordered[k : len(ordered) - k]
    return sum(kept) / len(kept)

class Bootstrap:
    def __init__(self, statistic, draws=12, seed=1):
        self.statistic, self.draws, self.seed = statistic, draws, seed

    def __call__(self, data):
        r = random.Random(self.seed)
        n = len(data)
        replicates = [self.statistic([data[r.randrange(n)] for _ in range(n)]) for _ in range(self.draws)]
        mean = sum(replicates) / self.draws
        return mean, math.sqrt(sum((v - mean) ** 2 for v in replicates) / (self.draws - 1))

@program(lambda rng: (rng.normal(2.0, 1.0, 9), rng.normal(1.0, 0.2, 9), 0.2), wrt=(0, 1))
def corrected_ratio(x, y, cut):
    ratios = [a / b for a, b in zip(x, y)]
    stat = functools.partial(trimmed_mean, cut=cut)
    plain = stat(ratios)
    mean, spread = Bootstrap(stat)(ratios)
    leave = [stat(ratios[:k] + ratios[k + 1 :]) for k in range(len(ratios))]
    jack = len(ratios) * plain - (len(ratios) - 1) * np.mean(leave)
    return {"ratio": 2 * plain - mean, "spread": spread, "jack": jack}
