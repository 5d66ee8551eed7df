"""Pharmacology, and ratings of teams."""

import math
from collections import defaultdict

import numpy as np
from scipy import stats
from scipy.integrate import odeint, quad
from scipy.optimize import minimize_scalar
from scipy.special import expit, log_expit

from tests.realistic.table import program

# --- pharmacology: dosing regimens, compartments, population models -------------------------------------


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
