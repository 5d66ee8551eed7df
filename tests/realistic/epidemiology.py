"""Epidemiology: compartment models, their likelihoods, and reproduction numbers."""

import warnings
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from scipy import stats
from scipy.special import gammaln

from tests.realistic.table import program

SEIR = namedtuple("SEIR", "S E I R")

# --- SEIR by Euler steps with an intervention, named tuples as states -------------------

@dataclass(frozen=True)
class Intervention:
    start: int
    reduction: float

    def factor(self, day):
        return 1.0 - self.reduction if day >= self.start else 1.0

def seir_step(state, beta, sigma, gamma, dt):
    N = sum(state)
    infections = beta * state.S * state.I / N
    onset = sigma * state.E
    recovery = gamma * state.I
    return SEIR(
        S=state.S - dt * infections,
        E=state.E + dt * (infections - onset),
        I=state.I + dt * (onset - recovery),
        R=state.R + dt * recovery,
    )

@program(
    lambda rng: (
        {"beta": 0.9, "sigma": 0.3, "gamma": 0.2},
        Intervention(start=12, reduction=0.6),
        rng.poisson(np.linspace(5, 60, 25)),
    ),
    wrt=(0, 1),
)
def seir_poisson_likelihood(params, intervention, cases):
    """Poisson log-likelihood of daily new infections; four Euler steps per day."""
    state = SEIR(S=9990.0, E=5.0, I=5.0, R=0.0)
    loglik = 0.0
    per_day = 4
    for day, observed in enumerate(cases):
        beta = params["beta"] * intervention.factor(day)
        before = state.S
        for _ in range(per_day):
            state = seir_step(state, beta, params["sigma"], params["gamma"], 1 / per_day)
        expected = max(before - state.S, 1e-8)
        loglik += observed * np.log(expected) - expected - gammaln(observed + 1)
    if state.S < 0:
        warnings.warn("susceptibles went negative", stacklevel=2)
    return -loglik

# --- Cori's estimate of R with a gamma prior and a discretised serial interval ------------

def discretised_gamma(mean, sd, n):
    """Probability of each day of a gamma distributed serial interval."""
    shape = (mean / sd) ** 2
    scale = sd**2 / mean
    days = np.arange(n + 1)
    cdf = stats.gamma.cdf(days, shape, scale=scale)
    w = np.diff(cdf)
    return w / np.sum(w)

def infectiousness(incidence, w):
    lam = np.zeros(len(incidence))
    for t in range(1, len(incidence)):
        past = incidence[max(0, t - len(w)) : t]
        lam[t] = np.dot(past[::-1], w[: len(past)])
    return lam

@program(lambda rng: (rng.gamma(20, 2, size=20), 4.7, 2.9), wrt=(0,))
def reproduction_number(incidence, si_mean, si_sd, window=5, prior=(1.0, 5.0)):
    """Posterior mean of R in sliding windows."""
    w = discretised_gamma(si_mean, si_sd, 10)
    lam = infectiousness(incidence, w)
    a0, b0 = prior
    means = []
    for end in range(window + 1, len(incidence)):
        rows = slice(end - window, end)
        shape = a0 + incidence[rows].sum()
        rate = 1.0 / b0 + lam[rows].sum()
        means.append(shape / rate)
    return np.array(means)

# --- stochastic SIR with a reparametrised normal approximation, seeded ---------------------


