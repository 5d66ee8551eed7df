"""Markets: a term structure, early exercise."""

import calendar
import datetime
import math
from collections import ChainMap
from typing import Callable

import numpy as np

from tests.realistic.table import program

# --- a curve after Nelson and Siegel, fitted by linear regression inside, bonds with calendars ---------------------


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
