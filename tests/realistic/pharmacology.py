"""Pharmacology, and ratings of teams."""

import math
from collections import defaultdict
from dataclasses import InitVar, dataclass, field
from functools import partial

import numpy as np
from scipy import stats
from scipy.integrate import odeint, quad
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from tests.realistic.table import program

# --- pharmacology: dosing regimens, compartments, population models -------------------------------------

@dataclass(order=True)
class Dose:
    time: float
    amount: float = field(compare=False)
    route: str = field(default="iv", compare=False)

@dataclass
class TwoCompartment:
    CL: float
    V1: float
    Q: float
    V2: float
    ka: float = 1.0
    F: InitVar[float] = 0.8

    def __post_init__(self, F):
        self.bioavailability = F
        if self.V1 <= 0 or self.V2 <= 0:
            raise ValueError("volumes must be positive")

    def exponents(self):
        k10, k12, k21 = self.CL / self.V1, self.Q / self.V1, self.Q / self.V2
        s, p = k10 + k12 + k21, k10 * k21
        root = math.sqrt(s * s - 4 * p)
        return (s + root) / 2, (s - root) / 2, k21

    def unit_response(self, t, route):
        alpha, beta, k21 = self.exponents()
        A, B = (alpha - k21) / (alpha - beta), (k21 - beta) / (alpha - beta)
        if route == "iv":
            return (A * np.exp(-alpha * t) + B * np.exp(-beta * t)) / self.V1
        oral = 0.0
        for coef, lam in ((A, alpha), (B, beta)):
            oral = oral + coef * self.ka / (self.ka - lam) * (np.exp(-lam * t) - np.exp(-self.ka * t))
        return self.bioavailability * oral / self.V1

    def concentration(self, t, doses):
        total = np.zeros_like(t)
        for d in sorted(doses):
            after = t >= d.time
            total[after] += d.amount * self.unit_response(t[after] - d.time, d.route)
        return total

def emax(c, e0, emax_, ec50, hill=1.0):
    return e0 + emax_ * c**hill / (ec50**hill + c**hill)

@program(
    lambda rng: (
        {"CL": 5.0, "V1": 20.0, "Q": 3.0, "V2": 40.0, "ka": 1.3},
        rng.normal(0, 0.2, (3, 2)),
        [Dose(12.0, 100.0, "oral"), Dose(0.0, 150.0)],
        rng.gamma(4, 0.5, (3, 6)),
    ),
    wrt=(0, 1, 2),
)
def population_pk_objective(typical, eta, doses, observed):
    """First-order conditional objective for three subjects."""
    times = np.array([0.5, 2.0, 6.0, 12.5, 16.0, 24.0])
    effect = partial(emax, e0=1.0, emax_=8.0, ec50=3.0)
    objective = 0.0
    for subject, (e, y) in enumerate(zip(eta, observed)):
        own = dict(typical, CL=typical["CL"] * np.exp(e[0]), V1=typical["V1"] * np.exp(e[1]))
        c = TwoCompartment(**own).concentration(times, doses)
        sd = 0.1 + 0.2 * c
        objective += np.sum(((y - c) / sd) ** 2 + 2 * np.log(sd)) + np.sum(e**2 / 0.09)
        objective -= 0.01 * np.max(effect(c)) * (subject + 1)
    return objective / len(eta)

class MichaelisMenten:
    """Nonlinear elimination through odeint; the area under the curve by quad is data."""

    def __init__(self, vmax, km):
        self.vmax, self.km = vmax, km
        self.evaluations = 0

    def rhs(self, y, t, infusion):
        self.evaluations += 1
        return [infusion(t) - self.vmax * y[0] / (self.km + y[0]), self.vmax * y[0] / (self.km + y[0])]

@program(lambda rng: (2.0, 1.5, 4.0), wrt=(0, 1, 2), order2=False, rtol=1e-4)
def time_above_threshold(vmax, km, rate):
    model = MichaelisMenten(vmax, km)
    t = np.linspace(0.0, 6.0, 25)
    y = odeint(model.rhs, [0.5, 0.0], t, args=(lambda s: rate * np.exp(-s),), rtol=1e-10, atol=1e-10)
    above = expit((y[:, 0] - 1.0) / 0.1)
    normaliser, _ = quad(lambda s: math.exp(-s), 0, 6)
    return np.trapezoid(above, t) + y[-1, 1] / normaliser

# --- A/B tests and sports ratings: sequential updates in dicts ------------------------------------------

class Elo:
    def __init__(self, k=0.3, home=0.1, start=0.0):
        self.k, self.home = k, home
        self.ratings = defaultdict(lambda: start)

    def expected(self, a, b):
        return expit(self.ratings[a] + self.home - self.ratings[b])

    def play(self, a, b, won):
        p = self.expected(a, b)
        change = self.k * (won - p)
        self.ratings[a] += change
        self.ratings[b] -= change
        return log_expit((2 * won - 1) * (self.ratings[a] - change + self.home - self.ratings[b] - change))

@program(lambda rng: (0.4, 0.2, [tuple(rng.choice(4, 2, replace=False)) + (int(rng.integers(0, 2)),) for _ in range(14)]), wrt=(0, 1))
def elo_log_loss(k, home, games):
    elo = Elo(k, home)
    loss = 0.0
    for n, (a, b, won) in enumerate(games, 1):
        try:
            ll = elo.play(f"team{a}", f"team{b}", won)
        except KeyError:
            continue
        loss -= ll * (1 - 0.9**n)
    table = sorted(elo.ratings.items(), key=lambda item: -item[1])
    best = minimize_scalar(lambda s: (s - 0.3) ** 2).x  # a constant of the season
    spread = table[0][1] - table[-1][1]
    return loss / len(games) + 0.01 * spread + 0.0 * stats.norm.pdf(best)
