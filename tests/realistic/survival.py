"""Survival analysis: hazards, partial likelihoods, frailty, competing risks."""

import warnings
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from operator import itemgetter

import numpy as np
from scipy.special import gammainc, gammaln, ndtr

from tests.realistic.table import calls, program


class Event(IntEnum):
    CENSORED = 0
    DEATH = 1
    RELAPSE = 2

# --- parametric models with a common fitter, as packages write it -----------------------------

class ParametricFitter:
    """Base class: subclasses give the cumulative hazard, hazards come from it."""

    _fitted_parameter_names: tuple = ()
    _scipy_options = {"penalizer": 0.01}

    def __init__(self, penalizer=None):
        self.penalizer = self._scipy_options["penalizer"] if penalizer is None else penalizer

    def _check(self, T, E):
        T, E = np.asarray(T, dtype=float), np.asarray(E)
        if np.any(T <= 0):
            raise ValueError("durations must be positive")
        if len(T) != len(E):
            raise ValueError("lengths differ")
        return T, E

    def _cumulative_hazard(self, params, times):
        raise NotImplementedError

    def _log_hazard(self, params, times):
        raise NotImplementedError

    def _negative_log_likelihood(self, params, T, E, entry=None):
        T, E = self._check(T, E)
        ll = np.sum(E * self._log_hazard(params, T)) - np.sum(self._cumulative_hazard(params, T))
        if entry is not None:
            late = entry > 0
            ll = ll + np.sum(self._cumulative_hazard(params, entry[late]))
        return -ll / len(T) + self.penalizer * sum(p**2 for p in params)

class PiecewiseExponentialFitter(ParametricFitter):
    def __init__(self, breakpoints, **kwargs):
        super().__init__(**kwargs)
        self.breakpoints = np.concatenate([[0.0], np.asarray(breakpoints, dtype=float), [np.inf]])

    def _cumulative_hazard(self, params, times):
        total = 0.0
        for low, high, p in zip(self.breakpoints, self.breakpoints[1:], params):
            total = total + p * (np.minimum(times, high) - np.minimum(times, low))
        return total

    def _log_hazard(self, params, times):
        which = np.searchsorted(self.breakpoints, times, side="left") - 1
        return np.log(params)[which]

def _durations(rng):
    return rng.weibull(1.3, 14) * 3 + 0.1, (rng.uniform(size=14) < 0.7).astype(int)
calls(
    "piecewise_exponential",
    lambda rng: (
        PiecewiseExponentialFitter([1.0, 2.5], penalizer=0.0)._negative_log_likelihood,
        (np.array([0.2, 0.3, 0.5]), *_durations(rng)),
    ),
)

# --- Cox's partial likelihood with Efron's ties, by index loops ------------------------------

class CoxPH:
    def __init__(self, X, T, E, strata=None, ties="efron"):
        order = np.lexsort((T, strata)) if strata is not None else np.argsort(T, kind="stable")
        self.X, self.T, self.E = X[order], T[order], E[order]
        self.strata = np.zeros(len(T), int) if strata is None else strata[order]
        if ties not in ("efron", "breslow"):
            raise ValueError("ties must be 'efron' or 'breslow'")
        self.ties = ties

    def _stratum(self, beta, X, T, E):
        scores = np.exp(X @ beta)
        loglik = 0.0
        risk = 0.0
        n = len(T)
        i = n - 1
        while i >= 0:
            t = T[i]
            tied_risk, tied_x, deaths = 0.0, 0.0, 0
            while i >= 0 and T[i] == t:
                risk += scores[i]
                if E[i]:
                    deaths += 1
                    tied_risk += scores[i]
                    tied_x += X[i] @ beta
                i -= 1
            for d in range(deaths):
                share = d / deaths if self.ties == "efron" else 0.0
                loglik -= np.log(risk - share * tied_risk)
            loglik += tied_x
        return loglik

    def log_partial_likelihood(self, beta, l2=0.05):
        total = 0.0
        for s in np.unique(self.strata):
            rows = self.strata == s
            total += self._stratum(beta, self.X[rows], self.T[rows], self.E[rows])
        return total - l2 * beta @ beta

def _cox(rng, **options):
    T = np.round(rng.exponential(3, 16), 0) + 1
    E = (rng.uniform(size=16) < 0.7).astype(int)
    strata = rng.integers(0, 2, 16)
    return CoxPH(rng.normal(size=(16, 3)), T, E, strata, **options)

calls("cox_efron", lambda rng: (_cox(rng).log_partial_likelihood, (np.array([0.3, -0.2, 0.5]),)))

# --- competing risks by cause-specific Weibulls, grouped patients, gamma frailty --------------

@dataclass
class Cause:
    scale: float
    shape: float
    effect: np.ndarray

    def hazard(self, t, x):
        return self.shape / self.scale * (t / self.scale) ** (self.shape - 1) * np.exp(self.effect @ x)

    def cumulative(self, t, x):
        return (t / self.scale) ** self.shape * np.exp(self.effect @ x)

def cluster_contribution(rows, causes, theta):
    """Shared gamma frailty integrated out for one hospital."""
    D = 0
    H = 0.0
    ll = 0.0
    for _, t, event, x in rows:
        for kind, cause in causes.items():
            H += cause.cumulative(t, x)
            if event == kind:
                D += 1
                ll += np.log(cause.hazard(t, x))
    a = 1 / theta
    ll += gammaln(a + D) - gammaln(a) - D * np.log(a) if D else 0.0
    return ll - (a + D) * np.log1p(theta * H) + D * np.log(1.0)

def _patients(rng):
    return [
        (int(rng.integers(0, 3)), float(rng.exponential(2) + 0.1), Event(int(rng.integers(0, 3))), rng.normal(size=2))
        for _ in range(12)
    ]

@program(
    lambda rng: (
        {Event.DEATH: Cause(5.0, 1.2, np.array([0.2, -0.1])), Event.RELAPSE: Cause(4.0, 0.9, np.array([0.0, 0.3]))},
        0.4,
        _patients(rng),
    ),
    wrt=(0, 1),
)
def competing_risks_frailty(causes, theta, patients):
    if theta <= 0:
        warnings.warn("frailty variance must be positive", RuntimeWarning)
        return np.inf
    total = 0.0
    for hospital, rows in groupby(sorted(patients, key=itemgetter(0)), key=itemgetter(0)):
        total += cluster_contribution(list(rows), causes, theta)
    return -total

# --- restricted mean survival of a cure model with several links, and a Kaplan-Meier target -----

def kaplan_meier(T, E):
    times = np.unique(T[E == 1])
    s, out = 1.0, {0.0: 1.0}
    for t in times:
        at_risk = np.sum(T >= t)
        died = np.sum((t == T) & (E == 1))
        s *= 1 - died / at_risk
        out[float(t)] = s
    return out

LATENCY = {
    "gamma": lambda t, a, b: 1 - gammainc(a, t / b),
    "lognormal": lambda t, a, b: 1 - ndtr((np.log(t) - a) / b),
}

@program(lambda rng: (np.array([-0.4, 0.3, 0.8]), *_durations(rng)), rtol=1e-5)
def cure_model_distance(theta, T, E, latency="lognormal"):
    survival = LATENCY[latency]
    cured = 1 / (1 + np.exp(-theta[0]))
    a, b = theta[1], np.exp(theta[2])
    distance = 0.0
    previous = 0.0
    for t, km in kaplan_meier(T, E).items():
        if t == 0:
            continue
        model = cured + (1 - cured) * survival(t, a, b)
        distance += (model - km) ** 2 * (t - previous)
        previous = t
    grid = np.linspace(0.01, 6, 30)
    rmst = np.trapezoid(cured + (1 - cured) * survival(grid, a, b), grid)
    return distance, rmst
