"""Settings, rules and tables that change between two calls of a derivative."""

import math
from dataclasses import dataclass

import numpy as np

from tests.realistic.table import program


def df(t, rate, comp=2):
    return (1 + rate / comp) ** (-comp * t)

@dataclass
class Bond:
    coupon: float
    face: float = 100.0
    freq: int = 2
    maturity: float = 5.0

    def flows(self):
        n = int(self.maturity * self.freq)
        return [
            (k / self.freq, self.coupon * self.face / self.freq + (self.face if k == n else 0.0))
            for k in range(1, n + 1)
        ]

    def price(self, y):
        return sum((c * df(t, y) for t, c in self.flows()))

BOOK = [Bond(0.05), Bond(0.03, maturity=3.0), Bond(0.07, freq=1)]

@program(
    lambda rng: (np.array([0.04, 0.01]),),
    changes=(
        lambda args: setattr(BOOK[0], "coupon", 0.06),
        lambda args: BOOK.append(Bond(0.01)),
        lambda args: setattr(BOOK[1], "freq", 4),
        lambda args: setattr(df, "__defaults__", (4,)),
        lambda args: BOOK.pop(0),
        lambda args: setattr(
            Bond, "price", lambda self, y: self.face * math.exp(-y * self.maturity)
        ),
    ),
)
def book_value(p):
    total = 0.0
    for k, b in enumerate(BOOK):
        total += b.price(p[0] + p[1] * k) ** 1.01
    return total

def make_sir(beta0):
    closed = {"on": False}
    factor = 0.5

    def rate(t):
        return beta0 * (factor if closed["on"] and t > 5 else 1.0)

    def set_factor(v):
        nonlocal factor
        factor = v

    rate.closed = closed
    rate.set_factor = set_factor
    return rate

RATE = make_sir(1.3)

@program(
    lambda rng: (np.array([0.4, 0.9]), 40),
    changes=(
        lambda args: RATE.closed.update(on=True),
        lambda args: RATE.set_factor(0.2),
        lambda args: (args[0], 6),
    ),
)
def sir_peak(p, days):
    s, i = (0.99, 0.01)
    hist = []
    for t in range(days):
        new = RATE(t) * p[1] * s * i
        s, i = (s - new, i + new - p[0] * i)
        hist.append(i)
        if len(hist) > 3 and hist[-1] < hist[-2] < hist[-3]:
            break
    return max(hist) + 0.1 * len(hist) * s

class Burnout(Exception):
    pass

class Stage:
    def __init__(s, fuel, thrust):
        s.fuel, s.thrust = (fuel, thrust)

    def burn(s, dt):
        used = min(s.fuel, dt * s.thrust / 30)
        if used <= 0:
            raise Burnout
        s.fuel -= used
        return used * 30

STG = [(2.0, 20.0), (1.0, 10.0)]

@program(
    lambda rng: (np.array([2.03, 20.1]), 60),
    changes=(lambda args: STG.__delitem__(-1), lambda args: STG.insert(0, (0.5, 40.0))),
)
def altitude(p, n):
    stages = [Stage(p[0], p[1])] + [Stage(*s) for s in STG]
    h = v = 0.0
    dt = 0.1
    m = 5.0 + sum((s.fuel for s in stages))
    for k in range(n):
        try:
            imp = stages[0].burn(dt)
        except Burnout:
            stages.pop(0)
            imp = 0.0
            if not stages:
                break
        v += imp / m - dt * 0.5 * v * abs(v) / m
        h += dt * v
    return h
