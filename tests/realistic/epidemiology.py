"""Epidemiology: compartment models, their likelihoods, and reproduction numbers."""

import warnings
from collections import namedtuple
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import stats
from scipy.integrate import odeint, solve_ivp
from scipy.special import gammaln

from tests.realistic.table import calls, program

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


# --- age-structured SIR with a contact matrix through odeint -----------------------------


class AgeStructuredSIR:
    """SIR with age groups; the contact matrix is symmetrised by population."""

    groups = ("child", "adult", "senior")

    def __init__(self, contacts, population):
        contacts = np.asarray(contacts, dtype=float)
        if contacts.shape != (3, 3):
            raise ValueError("contact matrix must be 3 x 3")
        total = contacts * population[:, None]
        self.contacts = 0.5 * (total + total.T) / population[:, None]
        self.population = population

    def rhs(self, y, t, susceptibility, gamma):
        S, I = y[:3], y[3:6]
        force = susceptibility * (self.contacts @ (I / self.population))
        return np.concatenate([-force * S, force * S - gamma * I, gamma * I])

    def attack_rates(self, susceptibility, gamma, days):
        I0 = 1e-4 * self.population
        y0 = np.concatenate([self.population - I0, I0, np.zeros(3)])
        t = np.linspace(0.0, days, 9)
        y = odeint(self.rhs, y0, t, args=(susceptibility, gamma), rtol=1e-10, atol=1e-10)
        return y[-1, 6:] / self.population


@program(
    lambda rng: (np.array([0.05, 0.04, 0.06]), 0.25, np.array([[9.0, 4, 1], [4, 8, 2], [1, 2, 3]])),
    wrt=(0, 1),
    rtol=1e-4,
    order2=False,
)
def attack_rate_misfit(susceptibility, gamma, contacts):
    population = np.array([2e3, 5e3, 1.5e3])
    model = AgeStructuredSIR(contacts, population)
    attack = model.attack_rates(susceptibility, gamma, 60.0)
    target = dict(zip(model.groups, (0.35, 0.3, 0.2)))
    misfit = 0.0
    for k, group in enumerate(model.groups):
        misfit += (attack[k] - target[group]) ** 2 / target[group]
    return misfit


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


class TauLeap:
    def __init__(self, seed=0, **rates):
        self.rates = rates
        self.rng = np.random.default_rng(seed)
        self.trace = {"S": [], "I": []}

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.trace = {k: np.array(v) for k, v in self.trace.items()}
        return False

    def draws(self, mean):
        return mean + np.sqrt(mean) * self.rng.standard_normal()

    def simulate(self, S, I, steps, dt=0.25):
        N = S + I
        for _ in range(steps):
            inf = self.draws(self.rates["beta"] * S * I / N * dt)
            rec = self.draws(self.rates["gamma"] * I * dt)
            S, I = S - inf, I + inf - rec
            self.trace["S"].append(S)
            self.trace["I"].append(I)
        return S, I


@program(lambda rng: (0.8, 0.3), wrt=(0, 1))
def tau_leap_moments(beta, gamma, replicates=3):
    sizes = []
    for seed in range(replicates):
        with TauLeap(seed, beta=beta, gamma=gamma) as sim:
            S, I = sim.simulate(900.0, 100.0, 16)
        peak = np.max(sim.trace["I"])
        sizes.append(1000.0 - S + 0.1 * peak)
    sizes = np.array(sizes)
    return sizes.mean() + 0.5 * sizes.std(ddof=1)


# --- vaccination schedules compared: partial, solve_ivp ----------------------------------


@dataclass(frozen=True)
class SIRV:
    beta: float = 0.5
    gamma: float = 0.2
    efficacy: float = 0.85

    def rhs(self, t, y, schedule):
        S, I, R = y
        v = schedule(t) * S * self.efficacy
        return [-self.beta * S * I - v, self.beta * S * I - self.gamma * I, self.gamma * I + v]


def ramp(t, rate, start):
    return rate / (1.0 + np.exp(-(t - start)))


@program(lambda rng: (SIRV(), 0.03, 14.0), wrt=(0, 1, 2), rtol=1e-4, order2=False)
def burden_with_vaccination(model, rate, start):
    schedule = partial(ramp, rate=rate, start=start)
    t_eval = np.arange(0.0, 60.0, 5.0)
    base = replace(model, efficacy=0.0)
    burdens = []
    for m in (model, base):
        sol = solve_ivp(
            lambda t, y: np.array(m.rhs(t, y, schedule)),
            (0.0, 60.0),
            np.array([0.99, 0.01, 0.0]),
            t_eval=t_eval,
            rtol=1e-9,
            atol=1e-11,
        )
        burdens.append(np.trapezoid(sol.y[1], t_eval))
    return burdens[0] / burdens[1]


# --- a household final-size model with a memo dict -----------------------------------------


class Household:
    """Reed-Frost chain probabilities; states are remembered in a dict."""

    def __init__(self, size):
        self.size = size
        self._memo = {}

    def chain(self, s, i, q):
        if i == 0 or s == 0:
            return 1.0 if i == 0 or s == 0 else 0.0
        key = (s, i)
        if key not in self._memo:
            p = 1 - q**i
            total = 0.0
            for j in range(s + 1):
                ways = np.exp(gammaln(s + 1) - gammaln(j + 1) - gammaln(s - j + 1))
                prob = ways * p**j * (1 - p) ** (s - j)
                total += prob * (j + self.chain(s - j, j, q)) * 0.5**j
            self._memo[key] = total
        return self._memo[key]

    def expected(self, q):
        self._memo.clear()
        return self.chain(self.size - 1, 1, q)


calls("household_chain", lambda rng: (Household(5).expected, (0.7,)))
