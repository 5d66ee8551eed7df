"""Life sciences: membranes, haplotypes, spectra of samples."""

import logging
from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple

import numpy as np

from tests.realistic.table import program

log = logging.getLogger(__name__)
LOG = logging.getLogger(__name__)

# --- leaky integrate network with rate readout, spike-train convolved -------------------------


class Channel(NamedTuple):
    g: float
    E: float
    gates: tuple

def alpha_m(v):
    return 0.1 * (v + 40.0) / (1.0 - np.exp(-(v + 40.0) / 10.0))

def beta_m(v):
    return 4.0 * np.exp(-(v + 65.0) / 18.0)

def alpha_h(v):
    return 0.07 * np.exp(-(v + 65.0) / 20.0)

def beta_h(v):
    return 1.0 / (1.0 + np.exp(-(v + 35.0) / 10.0))

def alpha_n(v):
    return 0.01 * (v + 55.0) / (1.0 - np.exp(-(v + 55.0) / 10.0))

def beta_n(v):
    return 0.125 * np.exp(-(v + 65) / 80.0)

RATES = {"m": (alpha_m, beta_m), "h": (alpha_h, beta_h), "n": (alpha_n, beta_n)}

class HodgkinHuxley:
    """Single compartment with channels given as a table."""

    def __init__(self, channels: Dict[str, Channel], capacitance=1.0, leak=(0.3, -54.4)):
        self.channels = channels
        self.C = capacitance
        self.g_leak, self.E_leak = leak
        self._used = sorted({name for ch in channels.values() for name, _ in ch.gates})

    def steady(self, v):
        return {k: RATES[k][0](v) / (RATES[k][0](v) + RATES[k][1](v)) for k in self._used}

    def current(self, v, state):
        total = self.g_leak * (v - self.E_leak)
        for name, ch in self.channels.items():
            act = ch.g
            for gate, power in ch.gates:
                act = act * state[gate] ** power
            total += act * (v - ch.E)
        return total

    def run(self, stim, dt=0.02, v0=-64.3):
        v = v0
        state = self.steady(v)
        trace = np.zeros(len(stim))
        for i, I in enumerate(stim):
            v = v + dt / self.C * (I - self.current(v, state))
            for k in self._used:
                a, b = (rate(v) for rate in RATES[k])
                state[k] += dt * (a * (1 - state[k]) - b * state[k])
            trace[i] = v
        return trace

@program(lambda rng: (np.array([120.0, 36.0]), 12.0, 30), wrt=(0, 1), changes=(lambda a: (np.array([110.0, 40.0]), 8.0, 20), lambda a: (np.array([115.0, 30.0]), 10.0, 40)))
def membrane_misfit(g, amplitude, n):
    cell = HodgkinHuxley({
        "Na": Channel(g[0], 50.0, (("m", 3), ("h", 1))),
        "K": Channel(g[1], -77.0, (("n", 4),)),
    })
    stim = np.where(np.arange(n) > 4, amplitude, 0.0)
    trace = cell.run(stim)
    if not np.all(np.isfinite(trace)):
        raise FloatingPointError("trace diverged")
    return np.mean((trace + 64.0) ** 2)

# --- linkage disequilibrium, EM for haplotypes ------------------------------------------------


@dataclass
class EMSettings:
    max_iter: int = 40
    tol: float = 1e-10
    verbose: bool = False

@dataclass
class EMResult:
    freq: np.ndarray
    loglik: float
    iterations: int
    converged: bool = False
    history: List[float] = field(default_factory=list)

def em_haplotypes(counts, start, settings=EMSettings(max_iter=12, tol=0.0)):
    """Two-locus haplotype frequencies from a 3x3 genotype table (double heterozygotes ambiguous)."""
    counts = np.asarray(counts)
    if counts.shape != (3, 3):
        raise ValueError(f"expected a 3x3 table, got {counts.shape}")
    n = 2 * counts.sum()
    p = np.array(start, dtype=float)
    res = EMResult(p, -np.inf, 0)
    for it in range(settings.max_iter):
        cis = p[0] * p[3]
        trans = p[1] * p[2]
        w = cis / (cis + trans)
        dh = counts[1, 1]
        new = np.array([
            2 * counts[0, 0] + counts[0, 1] + counts[1, 0] + dh * w,
            2 * counts[0, 2] + counts[0, 1] + counts[1, 2] + dh * (1 - w),
            2 * counts[2, 0] + counts[2, 1] + counts[1, 0] + dh * (1 - w),
            2 * counts[2, 2] + counts[2, 1] + counts[1, 2] + dh * w,
        ]) / n
        delta = float(np.abs(new - p).max())
        res.history.append(delta)
        if settings.verbose:
            log.info("iteration %d: %g", it, delta)
        p = new
        res.iterations = it + 1
        if delta < settings.tol:
            res.converged = True
            break
    res.freq = p
    return res

@program(lambda rng: (rng.uniform(5, 30, size=(3, 3)), np.array([0.3, 0.2, 0.2, 0.3])), wrt=0,
         changes=(lambda a: (a[0] + 3.0, np.array([0.25, 0.25, 0.15, 0.35])), lambda a: (a[0].T.copy(), a[1])))
def ld_r2(counts, start):
    r = em_haplotypes(counts, start)
    pA = r.freq[0] + r.freq[1]
    pB = r.freq[0] + r.freq[2]
    D = r.freq[0] - pA * pB
    return D ** 2 / (pA * (1 - pA) * pB * (1 - pB))

# --- PLS by NIPALS ----------------------------------------------------------------------------


class PLS:
    def __init__(self, n_components=2, scale=True, tol=1e-12, max_iter=200):
        self.n_components, self.scale, self.tol, self.max_iter = n_components, scale, tol, max_iter

    def _center(self, M):
        m = M.mean(axis=0)
        s = M.std(axis=0, ddof=1) if self.scale else np.ones(M.shape[1])
        return (M - m) / s, m, s

    def fit(self, X, y):
        Xc, self.x_mean_, self.x_std_ = self._center(X)
        yc, self.y_mean_, self.y_std_ = self._center(y[:, None])
        n, p = Xc.shape
        W, P, Q = (np.zeros((p, self.n_components)) for _ in range(3))
        Q = np.zeros((1, self.n_components))
        for k in range(self.n_components):
            w = Xc.T @ yc[:, 0]
            w /= np.linalg.norm(w)
            t = Xc @ w
            tt = t @ t
            p_ = Xc.T @ t / tt
            q = yc.T @ t / tt
            Xc = Xc - np.outer(t, p_)
            yc = yc - np.outer(t, q)
            W[:, k], P[:, k], Q[:, k] = w, p_, q
        R = W @ np.linalg.inv(P.T @ W)
        self.coef_ = (R @ Q.T)[:, 0]
        return self

    def predict(self, X):
        return ((X - self.x_mean_) / self.x_std_) @ self.coef_ * self.y_std_[0] + self.y_mean_[0]

def cross_validate(model, X, y, folds):
    idx = np.arange(len(y)) % folds
    press = 0.0
    for f in range(folds):
        tr, te = idx != f, idx == f
        press += np.sum((model.fit(X[tr], y[tr]).predict(X[te]) - y[te]) ** 2)
    return press

@program(lambda rng: (rng.normal(size=(9, 4)), rng.normal(size=9), {"n_components": 2}), wrt=(0, 1), order2=False, changes=(lambda a: (a[0][:, :3].copy(), a[1], {"n_components": 1, "scale": False}), lambda a: (a[0][:8].copy(), a[1][:8].copy(), {"n_components": 2})))
def press(X, y, options):
    return np.log(cross_validate(PLS(**options), X, y, 3))
