"""Markets and firms: volatility, a term structure, stochastic volatility, early exercise, cycles, auctions."""

import calendar
import datetime
import itertools
import json
import logging
import math
from collections import ChainMap, namedtuple
from dataclasses import dataclass
from typing import Callable

import numpy as np
from scipy import linalg, optimize
from scipy.special import ndtr

from tests.realistic.table import program

log = logging.getLogger(__name__)

# --- volatility that clusters: GARCH with leverage, variance targeting, a forecast --------------------------------


@dataclass
class Garch:
    omega: float
    alpha: float
    beta: float
    gamma: float = 0.0

    def __post_init__(self):
        if self.persistence >= 1:
            log.warning("not stationary: %.3f", self.persistence)

    @property
    def persistence(self):
        return self.alpha + self.beta + 0.5 * self.gamma

    def filter(self, returns):
        h = returns.var()
        for r in returns:
            yield h
            h = self.omega + (self.alpha + self.gamma * (r < 0)) * r**2 + self.beta * h
        self.last = h

    def forecast(self, k):
        level = self.omega / (1 - self.persistence)
        return level + self.persistence ** (k - 1) * (self.last - level)

@program(lambda rng: (json.loads('{"omega": 0.05, "alpha": 0.08, "beta": 0.85, "gamma": 0.06}'), rng.normal(0, 1, 12)), wrt=(0, 1), order2=False)
def garch_nll(params, returns):
    model = Garch(**params)
    h = np.array(list(model.filter(returns)))
    nll = 0.5 * np.sum(np.log(2 * np.pi * h) + returns**2 / h)
    return nll + 0.1 * model.forecast(5)

# --- a curve after Nelson and Siegel, fitted by linear regression inside, bonds with calendars ---------------------

Bond = namedtuple("Bond", "coupon maturity price")

def add_months(d, n):
    y, m = divmod(d.month - 1 + n, 12)
    y += d.year
    return datetime.date(y, m + 1, min(d.day, calendar.monthrange(y, m + 1)[1]))

def schedule(today, maturity):
    out, k = [], 0
    while True:
        d = add_months(maturity, -6 * k)
        if d <= today:
            return sorted(out)
        out.append((d - today).days / 365.25)
        k += 1

class NelsonSiegel:
    def __init__(self, lam):
        self.lam = lam

    def loadings(self, t):
        t = np.asarray(t)
        x = (1 - np.exp(-t / self.lam)) / (t / self.lam)
        return np.column_stack([np.ones_like(t), x, x - np.exp(-t / self.lam)])

    def fit(self, t, y, ridge=1e-4):
        X = self.loadings(t)
        self.beta = np.linalg.solve(X.T @ X + ridge * np.eye(3), X.T @ y)
        return self

    def discount(self, t):
        return np.exp(-t * (self.loadings(t) @ self.beta))

@program(lambda rng: (1.8, np.array([0.02, 0.024, 0.027, 0.031, 0.033]), [("2030-03-31", 0.03, 0.99), ("2033-08-30", 0.04, 1.05)]), wrt=(0, 1),
         changes=(lambda a: a[2].append(("2028-02-29", 0.02, 0.98)),))
def curve_error(lam, yields, quotes):
    today = datetime.date(2026, 5, 15)
    curve = NelsonSiegel(lam).fit([0.5, 1.0, 2.0, 5.0, 10.0], yields)
    err = 0.0
    for text, coupon, price in quotes:
        t = np.array(schedule(today, datetime.date.fromisoformat(text)))
        df = curve.discount(t)
        err += (coupon / 2 * df.sum() + df[-1] - price) ** 2
    return 1e3 * err

# --- stochastic volatility by its characteristic function, an integral, implied volatility by Newton ---------------


class Heston:
    def __init__(self, v0, kappa, theta, xi, rho):
        self.v0, self.kappa, self.theta, self.xi, self.rho = v0, kappa, theta, xi, rho

    def phi(self, u, t):
        d = np.sqrt((self.rho * self.xi * 1j * u - self.kappa) ** 2 + self.xi**2 * (1j * u + u**2))
        g = (self.kappa - self.rho * self.xi * 1j * u - d) / (self.kappa - self.rho * self.xi * 1j * u + d)
        e = np.exp(-d * t)
        C = self.kappa * self.theta / self.xi**2 * ((self.kappa - self.rho * self.xi * 1j * u - d) * t - 2 * np.log((1 - g * e) / (1 - g)))
        D = (self.kappa - self.rho * self.xi * 1j * u - d) / self.xi**2 * (1 - e) / (1 - g * e)
        return np.exp(C + D * self.v0)

    def call(self, k, t):
        nodes, w = np.polynomial.legendre.leggauss(24)
        u = 20 * (nodes + 1)
        f = np.real(np.exp(-1j * u * np.log(k)) * self.phi(u - 0.5j, t) * np.exp(0.5 * 1j * 0) / (u**2 + 0.25))
        return 1 - np.sqrt(k) / np.pi * 20 * np.sum(w * f * np.real(np.exp(0 * u)))

def black(k, t, s):
    d = -np.log(k) / (s * np.sqrt(t)) + 0.5 * s * np.sqrt(t)
    return ndtr(d) - k * ndtr(d - s * np.sqrt(t))

def implied(price, k, t):
    return optimize.brentq(lambda s: black(k, t, s) - price, 1e-3, 3.0, xtol=1e-13)

@program(lambda rng: (np.array([0.05, 1.5, 0.06, 0.5, -0.6]), [0.9, 1.0, 1.15]), wrt=(0, 1), rtol=1e-5)
def smile(theta, strikes):
    model = Heston(*theta)
    vols = {k: implied(model.call(k, 0.8), k, 0.8) for k in strikes}
    return np.array([vols[k] for k in sorted(vols)])

# --- early exercise by regression on paths that are made beforehand, two payoffs chosen by name -----------------------

PAYOFFS: dict[str, Callable] = {"put": lambda s, k: np.maximum(k - s, 0), "call": lambda s, k: np.maximum(s - k, 0)}

@program(lambda rng: (1.0, 0.25, rng.normal(size=(3, 16)), ChainMap({"strike": 1.05}, {"strike": 1.0, "rate": 0.03, "kind": "put"})), wrt=(0, 1), order2=False,
         changes=(lambda a: (1.02, 0.3, a[2][:2], ChainMap({"kind": "call", "strike": 0.97, "rate": 0.0})),))
def exercise_value(spot, vol, noise, terms):
    payoff = PAYOFFS[terms["kind"]]
    dt = 0.25
    drift = (terms["rate"] - 0.5 * vol**2) * dt
    paths = spot * np.exp(np.cumsum(drift + vol * math.sqrt(dt) * noise, axis=0))
    cash = payoff(paths[-1], terms["strike"])
    for s in paths[-2::-1]:
        cash = cash * math.exp(-terms["rate"] * dt)
        now = payoff(s, terms["strike"])
        money = now > 0
        if money.sum() > 4:
            X = np.vander(s[money], 3)
            beta, *_ = np.linalg.lstsq(X, cash[money], rcond=None)
            go = now[money] > X @ beta
            idx = np.flatnonzero(money)[go]
            cash[idx] = now[idx]
    return cash.mean() * math.exp(-terms["rate"] * dt)

# --- the cycle in a series: a filter by banded equations, autoregression after Burg, a peak of the spectrum ------------


def hodrick_prescott(y, lam):
    n = len(y)
    D = np.diff(np.eye(n), n=2, axis=0)
    trend = linalg.solve(np.eye(n) + lam * D.T @ D, y, assume_a="pos")
    return trend, y - trend

def burg(x, order):
    f, b = x[1:], x[:-1]
    a, e = np.array([1.0]), np.mean(x**2)
    for _ in range(order):
        k = -2 * (f @ b) / (f @ f + b @ b)
        a = np.concatenate([a, [0.0]]) + k * np.concatenate([a, [0.0]])[::-1]
        f, b = (f + k * b)[1:], (b + k * f)[:-1]
        e = e * (1 - k**2)
    return a, e

@program(lambda rng: (np.cumsum(rng.normal(size=14)), 25.0), wrt=(0, 1))
def cycle_power(y, lam):
    trend, cycle = hodrick_prescott(y, lam)
    a, e = burg(cycle, 2)
    w = np.linspace(0.1, 3.0, 12)
    spectrum = [e / abs(sum(c * np.exp(-1j * v * k) for k, c in enumerate(a))) ** 2 for v in w]
    top = int(np.argmax(spectrum))
    log.info("period %.2f", 2 * np.pi / w[top])
    return np.log(spectrum[top]) + trend.std()

# --- an auction: bids by a first order condition integrated on a grid, revenue over the number of bidders -------------


def bid_function(cdf, pdf, n, grid):
    values = [grid[0]]
    integral = 0.0
    for lo, hi in itertools.pairwise(grid):
        mid = 0.5 * (lo + hi)
        integral += (hi - lo) / 6 * (cdf(lo) ** (n - 1) + 4 * cdf(mid) ** (n - 1) + cdf(hi) ** (n - 1))
        values.append(hi - integral / cdf(hi) ** (n - 1))
    return np.array(values)

@program(lambda rng: (np.array([1.4, 2.2]), 0.3, 3), wrt=(0, 1), changes=(lambda a: (a[0], 0.2, 5),))
def auction_revenue(shape, reserve, n):
    a, b = shape
    cdf = lambda v: 1 - (1 - v**a) ** b
    pdf = lambda v: a * b * v ** (a - 1) * (1 - v**a) ** (b - 1)
    grid = [reserve + (0.999 - reserve) * k / 12 for k in range(13)]
    bids = bid_function(cdf, pdf, n, grid)
    dens = np.array([n * cdf(v) ** (n - 1) * pdf(v) for v in grid])
    width = np.diff(np.array(grid))
    return np.sum(0.5 * (bids[1:] * dens[1:] + bids[:-1] * dens[:-1]) * width)
