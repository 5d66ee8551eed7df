"""Finance: options, curves, portfolios, risk."""

import datetime
import functools
from bisect import bisect_right

import numpy as np
from scipy.optimize import brentq

from tests.realistic.table import calls, program

DAY_COUNT = {"act/365": 365.0, "act/360": 360.0}

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

# --- an option that may be exercised early, on a tree ---------------------------------------------

class Contract:
    def __init__(self, strike, kind="put"):
        self.strike, self.kind = strike, kind
        self.payoff = {"put": self.put, "call": self.call}[kind]

    def put(self, spot):
        return np.maximum(self.strike - spot, 0.0)

    def call(self, spot):
        return np.maximum(spot - self.strike, 0.0)

class Tree:
    """Cox, Ross and Rubinstein: up and down by the same factor."""

    def __init__(self, spot, sigma, rate, years, steps):
        self.spot, self.steps = spot, steps
        dt = years / steps
        self.up = np.exp(sigma * np.sqrt(dt))
        self.discount = np.exp(-rate * dt)
        self.chance = (np.exp(rate * dt) - 1 / self.up) / (self.up - 1 / self.up)
        if not 0 < self.chance < 1:
            raise ValueError(f"no arbitrage-free tree of {steps} steps")

    def prices(self, level):
        return np.array([self.spot * self.up ** (2 * j - level) for j in range(level + 1)])

    def value(self, contract, early=True):
        values = contract.payoff(self.prices(self.steps))
        for level in reversed(range(self.steps)):
            up, down = values[1 : level + 2], values[: level + 1]
            values = self.discount * (self.chance * up + (1 - self.chance) * down)
            if early:
                values = np.maximum(values, contract.payoff(self.prices(level)))
        return values[0]

@program(lambda rng: (np.array([100.0, 95.0, 0.25, 0.03]), 12), order2=False)
def early_exercise_premium(market, steps):
    spot, strike, sigma, rate = market
    tree = Tree(spot, sigma, rate, 1.0, steps)
    american, european = (tree.value(Contract(strike), early=e) for e in (True, False))
    hedge = tree.value(Contract(1.05 * strike, kind="call"), early=False)
    return american - european + 0.1 * hedge
