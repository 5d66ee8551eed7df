"""Survival analysis: frailty, competing risks, cured patients."""

import warnings
from dataclasses import dataclass
from enum import IntEnum
from itertools import groupby
from operator import itemgetter

import numpy as np
from scipy.special import gammainc, gammaln, ndtr

from tests.realistic.table import program


class Event(IntEnum):
    CENSORED = 0
    DEATH = 1
    RELAPSE = 2

# --- parametric models with a common fitter, as packages write it -----------------------------


def _durations(rng):
    return rng.weibull(1.3, 14) * 3 + 0.1, (rng.uniform(size=14) < 0.7).astype(int)

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
