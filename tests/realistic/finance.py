"""Finance: options, curves, portfolios, risk."""

import datetime
import functools
import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from tests.realistic.table import calls, program

DAY_COUNT = {"act/365": 365.0, "act/360": 360.0}


# --- options: Black-Scholes with an inheritance tree of payoffs --------------------------------


class Option(ABC):
    def __init__(self, strike, expiry):
        if strike <= 0:
            raise ValueError("strike must be positive")
        self.strike = strike
        self.expiry = expiry

    @abstractmethod
    def price(self, market): ...

    def d1d2(self, m):
        vol = m["vol"] * math.sqrt(self.expiry)
        d1 = (math.log(m["spot"] / self.strike) + (m["rate"] - m["div"]) * self.expiry) / vol + 0.5 * vol
        return d1, d1 - vol

    def __neg__(self):
        return Position(-1, self)

    def __rmul__(self, n):
        return Position(n, self)


class Call(Option):
    def price(self, market):
        d1, d2 = self.d1d2(market)
        df = math.exp(-market["rate"] * self.expiry)
        fwd = market["spot"] * math.exp(-market["div"] * self.expiry)
        return fwd * norm.cdf(d1) - df * self.strike * norm.cdf(d2)


class Put(Call):
    def price(self, market):
        # put-call parity
        df = math.exp(-market["rate"] * self.expiry)
        fwd = market["spot"] * math.exp(-market["div"] * self.expiry)
        return super().price(market) - fwd + df * self.strike


class Position:
    def __init__(self, amount, option):
        self.items = [(amount, option)]

    def __add__(self, other):
        new = Position(0, None)
        new.items = self.items + (other.items if isinstance(other, Position) else [(1, other)])
        return new

    def __iter__(self):
        return iter(self.items)

    def value(self, market):
        return sum(n * o.price(market) for n, o in self)


@program(lambda rng: ({"spot": 100.0, "vol": 0.25, "rate": 0.03, "div": 0.01},))
def butterfly_value(market):
    """A butterfly and a protective put, with a smile that moves with the strike."""
    position = 1 * Call(90.0, 0.5) + (-2) * Call(100.0, 0.5) + 1 * Call(110.0, 0.5) + Put(95.0, 1.0)
    total = 0.0
    for amount, option in position:
        moneyness = math.log(option.strike / market["spot"])
        local = {**market, "vol": market["vol"] * (1 - 0.4 * moneyness + 0.8 * moneyness**2)}
        total += amount * option.price(local)
    return total


# --- a yield curve, bootstrapped, then a swap ----------------------------------------------------


class DiscountCurve:
    """Log-linear in discount factors between nodes."""

    def __init__(self):
        self.times = [0.0]
        self.log_dfs = [0.0]

    def add(self, t, log_df):
        if t <= self.times[-1]:
            raise ValueError("nodes must be added in order")
        self.times.append(t)
        self.log_dfs.append(log_df)

    def __call__(self, t):
        k = min(bisect_right(self.times, t), len(self.times) - 1)
        t0, t1 = self.times[k - 1], self.times[k]
        w = (t - t0) / (t1 - t0)
        return np.exp((1 - w) * self.log_dfs[k - 1] + w * self.log_dfs[k])

    def forward(self, a, b):
        return (self(a) / self(b) - 1) / (b - a)

    def __len__(self):
        return len(self.times) - 1


def bootstrap(deposits, swaps):
    curve = DiscountCurve()
    for t, rate in sorted(deposits.items()):
        curve.add(t, -np.log1p(rate * t))
    for maturity, rate in sorted(swaps.items(), key=lambda item: item[0]):
        annuity = sum(curve(k) for k in range(1, maturity) if k <= curve.times[-1])
        # flat forward for missing coupon dates is good enough here
        missing = [k for k in range(1, maturity) if k > curve.times[-1]]
        df = (1 - rate * annuity) / (1 + rate * (1 + len(missing)))
        curve.add(maturity, np.log(df))
    return curve


@program(
    lambda rng: ({0.25: 0.03, 0.5: 0.031}, {1: 0.032, 2: 0.034, 3: 0.035, 5: 0.037}, 0.036),
    wrt=(0, 1, 2),
)
def swap_value(deposits, swaps, fixed):
    curve = bootstrap(deposits, swaps)
    schedule = np.arange(0.5, 4.51, 0.5)
    floating = 0.0
    fixed_leg = 0.0
    previous = 0.0
    for t in schedule:
        tau = t - previous
        df = curve(t)
        if previous > 0:
            floating += tau * curve.forward(previous, t) * df
        else:
            floating += tau * 0.03 * df
        fixed_leg += tau * fixed * df
        previous = t
    assert len(curve) == 6
    return 1e4 * (floating - fixed_leg)


# --- Monte Carlo with antithetic paths: Heston, seeded, smoothed barrier ------------------------


@dataclass(frozen=True)
class Heston:
    kappa: float
    theta: float
    xi: float
    rho: float
    v0: float

    def paths(self, spot, rate, T, n_steps, n_paths, seed=None):
        rng = np.random.default_rng(seed)
        dt = T / n_steps
        S = np.full(2 * n_paths, spot)
        v = np.full(2 * n_paths, self.v0)
        out = np.zeros((n_steps + 1, 2 * n_paths))
        out[0] = S
        for i in range(n_steps):
            z1 = rng.standard_normal(n_paths)
            z2 = rng.standard_normal(n_paths)
            z1 = np.concatenate([z1, -z1])
            z2 = np.concatenate([z2, -z2])
            w = self.rho * z1 + np.sqrt(1 - self.rho**2) * z2
            vp = np.maximum(v, 1e-4)
            S = S * np.exp((rate - 0.5 * vp) * dt + np.sqrt(vp * dt) * z1)
            v = v + self.kappa * (self.theta - vp) * dt + self.xi * np.sqrt(vp * dt) * w
            out[i + 1] = S
        return out


@program(lambda rng: (Heston(1.5, 0.05, 0.4, -0.6, 0.06), 100.0, 0.02), wrt=(0, 1, 2))
def heston_barrier(model, spot, rate, strike=103.0, barrier=75.0, T=0.5):
    paths = model.paths(spot, rate, T, 8, 6, seed=42)
    lowest = paths.min(axis=0)
    alive = 1 / (1 + np.exp(-(lowest - barrier) / 2.0))
    payoff = np.where(paths[-1] > strike, paths[-1] - strike, 0.0)
    return np.exp(-rate * T) * np.mean(payoff * alive)


# --- implied volatility surface: SVI, root finding with vega steps, cache by decorator -----------


def remembered(fn):
    """Remember results by arguments, as people write it."""
    memory = {}

    @functools.wraps(fn)
    def wrapper(*args):
        if args not in memory:
            memory[args] = fn(*args)
        return memory[args]

    wrapper.memory = memory
    return wrapper


@remembered
def sqrt_time(t):
    return math.sqrt(t)


def bs_call(s, k, t, sigma):
    sd = sigma * sqrt_time(t)
    d1 = np.log(s / k) / sd + 0.5 * sd
    return s * norm.cdf(d1) - k * norm.cdf(d1 - sd)


def implied_vol(price, s, k, t, guess=0.3):
    sigma = guess
    for _ in range(30):
        diff = bs_call(s, k, t, sigma) - price
        d1 = np.log(s / k) / (sigma * sqrt_time(t)) + 0.5 * sigma * sqrt_time(t)
        vega = s * norm.pdf(d1) * sqrt_time(t)
        sigma -= diff / vega
        if abs(diff) < 1e-13:
            break
    return sigma


def svi(k, p):
    d = k - p.m
    return p.a + p.b * (p.rho * d + np.sqrt(d**2 + p.sigma**2))


@program(lambda rng: (np.array([0.04, 0.1, -0.4, 0.02, 0.2]), np.array([11.0, 6.0, 2.8])), wrt=(0, 1))
def svi_misfit(theta, prices):
    names = ("a", "b", "rho", "m", "sigma")
    p = SimpleNamespace(**dict(zip(names, theta)))
    strikes = [92.0, 100.0, 109.0]
    error = 0.0
    for k, price in zip(strikes, prices):
        iv = implied_vol(price, 100.0, k, 0.5)
        error += (svi(math.log(k / 100.0), p) - iv**2 * 0.5) ** 2
    return 1e3 * error


# --- an American put on a binomial tree, in-place backward induction ------------------------------


@program(lambda rng: (100.0, 0.3, 0.05), wrt=(0, 1, 2))
def american_put(spot, sigma, rate, strike=105.0, T=1.0, n=24):
    dt = T / n
    up = np.exp(sigma * np.sqrt(dt))
    down = 1 / up
    p = (np.exp(rate * dt) - down) / (up - down)
    if not 0 < p < 1:
        raise ArithmeticError("no risk neutral measure")
    disc = np.exp(-rate * dt)
    j = np.arange(n + 1)
    prices = spot * up ** (2 * j - n)
    values = np.maximum(strike - prices, 0)
    exercised = []
    for i in range(n - 1, -1, -1):
        values[: i + 1] = disc * (p * values[1 : i + 2] + (1 - p) * values[: i + 1])
        prices[: i + 1] = prices[: i + 1] * up
        intrinsic = strike - prices[: i + 1]
        early = intrinsic > values[: i + 1]
        exercised.append(int(early.sum()))
        values[: i + 1][early] = intrinsic[early]
    return values[0]


# --- bonds with calendars, yields and key rate durations -----------------------------------------


class Bond:
    """A bullet bond with dated cash flows."""

    frequency = 2

    def __init__(self, issue, years, coupon, basis="act/365"):
        self.issue = issue
        self.coupon = coupon
        self.basis = DAY_COUNT[basis]
        n = years * self.frequency
        months = 12 // self.frequency
        self.dates = []
        for i in range(1, n + 1):
            month = issue.month - 1 + i * months
            self.dates.append(datetime.date(issue.year + month // 12, month % 12 + 1, 15))

    @functools.cached_property
    def times(self):
        return np.array([(d - self.issue).days / self.basis for d in self.dates])

    @property
    def flows(self):
        flows = np.full(len(self.dates), 100 * self.coupon / self.frequency)
        flows[-1] += 100.0
        return flows

    def dirty_price(self, y):
        return np.sum(self.flows * (1 + y / self.frequency) ** (-self.frequency * self.times))

    def yield_of(self, price):
        return brentq(lambda y: self.dirty_price(y) - price, -0.05, 0.5, xtol=1e-14)


@program(lambda rng: (0.04, np.array([98.0, 103.5])), wrt=(0, 1), order2=False)
def bond_spread(coupon, prices):
    """Yield differences of two bonds, with convexity computed by formula."""
    issue = datetime.date(2024, 1, 15)
    bonds = [Bond(issue, years, coupon) for years in (2, 5)]
    yields = [b.yield_of(p) for b, p in zip(bonds, prices)]
    durations = []
    for b, y in zip(bonds, yields):
        pv = b.flows * (1 + y / 2) ** (-2 * b.times)
        durations.append((pv @ b.times) / pv.sum() / (1 + y / 2))
    return 1e4 * (yields[1] - yields[0]) + durations[1] / durations[0]


# --- portfolio: risk parity, drawdown, transaction costs -------------------------------------------


class Portfolio:
    def __init__(self, returns, costs=0.001):
        self.returns = returns
        self.costs = costs
        self.cov = np.cov(returns, rowvar=False)
        self.turnover = 0.0

    @staticmethod
    def weights(theta):
        e = np.exp(theta - theta.max())
        return e / e.sum()

    def risk_contributions(self, w):
        sigma = np.sqrt(w @ self.cov @ w)
        return w * (self.cov @ w) / sigma

    def backtest(self, w, every=5):
        wealth, hold = 1.0, w.copy()
        path = [wealth]
        for t, r in enumerate(self.returns):
            growth = hold * (1 + r)
            wealth = wealth * growth.sum()
            hold = growth / growth.sum()
            if (t + 1) % every == 0:
                trade = np.sum(np.sqrt((w - hold) ** 2 + 1e-6))
                self.turnover += trade
                wealth *= 1 - self.costs * trade
                hold = w.copy()
            path.append(wealth)
        return np.stack(path)

    def objective(self, theta, risk_aversion=3.0):
        self.turnover = 0.0
        w = self.weights(theta)
        path = self.backtest(w)
        peaks = np.maximum.accumulate(path)
        drawdown = np.max(1 - path / peaks)
        rc = self.risk_contributions(w)
        return -np.log(path[-1]) + risk_aversion * np.var(rc) * 1e3 + drawdown + 0.01 * self.turnover


calls(
    "portfolio_objective",
    lambda rng: (Portfolio(rng.normal(0.002, 0.02, (20, 4))).objective, (rng.normal(size=4),)),
)
