"""Processes in time: soil water, a battery cell, a reactor, polymers, a plasma."""

import math
import re
from dataclasses import dataclass
from enum import Flag, auto
from typing import NamedTuple

import numpy as np
from scipy import interpolate

from tests.realistic.table import program

# --- soil water bucket with layers, irrigation rule -------------------------------------------


DEFAULTS = {"field_capacity": 0.32, "wilting_point": 0.12, "depth": 0.3, "p": 0.5}

class Layer:
    __slots__ = ("theta", "fc", "wp", "depth")

    def __init__(self, theta, fc, wp, depth):
        self.theta, self.fc, self.wp, self.depth = theta, fc, wp, depth

    @property
    def available(self):
        return max(self.theta - self.wp, 0.0) * self.depth * 1000

    def fill(self, mm):
        room = (self.fc - self.theta) * self.depth * 1000
        if mm <= room:
            self.theta += mm / (self.depth * 1000)
            return 0.0
        self.theta = self.fc
        return mm - room

class Soil:
    def __init__(self, theta0, cfg):
        self.layers = [Layer(t, cfg["field_capacity"], cfg["wilting_point"], cfg["depth"]) for t in theta0]
        self.drained = 0.0
        self.log = []

    def rain(self, mm):
        for layer in self.layers:
            mm = layer.fill(mm)
            if not mm > 0:
                break
        else:
            self.drained += mm

    def transpire(self, demand, p):
        taw = sum((l.fc - l.wp) * l.depth * 1000 for l in self.layers)
        avail = sum(l.available for l in self.layers)
        ks = np.clip(avail / ((1 - p) * taw), 0, 1)
        actual = ks * demand
        for l in self.layers:
            share = l.available / avail
            l.theta -= actual * share / (l.depth * 1000)
        self.log.append(round(float(actual), 3))
        return actual

@program(lambda rng: (np.array([0.25, 0.28]), rng.gamma(1.0, 6.0, 8) * (rng.random(8) < 0.6), rng.uniform(2, 6, 8), dict(DEFAULTS)), wrt=(0, 1, 2, 3),
         changes=(lambda a: (np.array([0.2, 0.24, 0.3]), a[1][:5].copy(), a[2][:5].copy(), a[3]), lambda a: a[3].update(p=0.3)))
def season_transpiration(theta0, rain, et0, cfg):
    soil = Soil(theta0, {**DEFAULTS, **cfg})
    total = 0.0
    for day, (r, e) in enumerate(zip(rain, et0)):
        if r > 0.5:
            soil.rain(r)
        total += soil.transpire(e * (1.0 + 0.02 * day), cfg.get("p", 0.5))
    return total - 0.2 * soil.drained

# --- equivalent circuit with OCV spline, charge steps -----------------------------------------


class Step(NamedTuple):
    kind: str
    value: float
    seconds: int

SOC_GRID = np.linspace(0, 1, 8)

@dataclass
class RC:
    R: float
    C: float
    v: float = 0.0

    def advance(self, i, dt):
        a = math.exp(-dt / 30.0) if False else np.exp(-dt / (self.R * self.C))
        self.v = a * self.v + self.R * (1 - a) * i
        return self.v

class Cell:
    def __init__(self, R0, branches, ocv, capacity=2.0):
        self.R0, self.branches, self.capacity = R0, branches, capacity
        self.ocv = interpolate.CubicSpline(SOC_GRID, ocv)
        self.soc = 0.8

    def step(self, i, dt):
        self.soc = self.soc - i * dt / (3600 * self.capacity)
        drop = sum(b.advance(i, dt) for b in self.branches)
        return self.ocv(self.soc) - drop - self.R0 * i

def protocol(text):
    for part in text.split(","):
        kind, value, secs = re.fullmatch(r"(\w+)@([\d.-]+)x(\d+)", part).groups()
        yield Step(kind, float(value), int(secs))

@program(lambda rng: (np.array([0.05, 0.03, 900.0, 0.02, 4000.0]), np.linspace(3.0, 4.1, 8) + 0.05 * rng.normal(size=8), "dis@2.0x4,rest@0x3,chg@1.0x4"), wrt=(0, 1), order2=False, rtol=2e-5,
         changes=(lambda a: (a[0], a[1], "dis@1.0x3"), lambda a: (a[0], a[1], "chg@2x2,dis@1x2")))
def voltage_rmse(theta, ocv, text):
    cell = Cell(theta[0], [RC(theta[1], theta[2]), RC(theta[3], theta[4])], ocv)
    out = []
    for st in protocol(text):
        sign = {"dis": 1.0, "chg": -1.0, "rest": 0.0}[st.kind]
        for _ in range(st.seconds):
            out.append(cell.step(sign * st.value, 10.0))
    v = np.array(out)
    return np.sqrt(np.mean((v - 3.7) ** 2))

# --- relay, hysteresis in a class, event log --------------------------------------------------


class Mode(Flag):
    IDLE = 0
    HEAT = auto()
    COOL = auto()

class Reactor:
    def __init__(self, k0, Ea, UA, dt=0.1):
        self.k0, self.Ea, self.UA, self.dt = k0, Ea, UA, dt
        self.T, self.c = 300.0, 1.0
        self.mode = Mode.IDLE
        self.events = []

    def rate(self):
        return self.k0 * np.exp(-self.Ea / self.T) * self.c

    def update_mode(self, sp, band=2.0):
        new = self.mode
        if self.T < sp - band:
            new = Mode.HEAT
        elif self.T > sp + band:
            new = Mode.COOL
        elif abs(self.T - sp) < 0.2 * band:
            new = Mode.IDLE
        if new != self.mode:
            self.events.append((len(self.events), new.name))
            self.mode = new

    def advance(self, sp):
        self.update_mode(sp)
        Tj = 300.0
        if self.mode & Mode.HEAT:
            Tj = 360.0
        elif self.mode & Mode.COOL:
            Tj = 280.0
        r = self.rate()
        self.c -= self.dt * r
        self.T += self.dt * (80.0 * r + self.UA * (Tj - self.T))

@program(lambda rng: (np.array([5.0, 900.0, 0.8]), [310.0] * 6 + [320.0] * 6), order2=False, changes=(lambda a: (a[0], [305.0] * 5), lambda a: (a[0] * 1.01, [330.0] * 9)))
def conversion(pars, setpoints):
    tank = Reactor(*pars)
    cost = 0.0
    for sp in setpoints:
        tank.advance(sp)
        cost += (tank.T - sp) ** 2 * 1e-3
    return cost + 5.0 * tank.c + 0.0 * len(tank.events)

# --- self-consistent chain propagators (split-operator, FFT) ----------------------------------


class Propagator:
    def __init__(self, n, box, ds):
        k = 2 * np.pi * np.fft.rfftfreq(n, d=box / n)
        self.kernel = np.exp(-k ** 2 * ds)
        self.ds = ds

    def step(self, q, w):
        half = np.exp(-0.5 * self.ds * w)
        return half * np.fft.irfft(self.kernel * np.fft.rfft(half * q), n=len(q))

    def run(self, w, steps):
        q = np.ones_like(w)
        history = [q]
        for _ in range(steps):
            q = self.step(q, w)
            history.append(q)
        return history

@program(lambda rng: (rng.normal(0, 0.5, 8), 0.4, 6), wrt=(0,), changes=(lambda a: (np.random.default_rng(1).normal(0, 0.5, 10), 0.5, 4), lambda a: (a[0], 0.3, 5)))
def free_energy(w, f, steps):
    prop = Propagator(len(w), 4.0, 1.0 / steps)
    wa, wb = w, -w[::-1]
    n_a = int(round(f * steps))
    forward = prop.run(wa, n_a)
    for _ in range(steps - n_a):
        forward.append(prop.step(forward[-1], wb))
    Q = forward[-1].mean()
    phi = sum(a * b for a, b in zip(forward, reversed(forward))) / (steps + 1) / Q
    return -np.log(Q) + np.mean((phi - 1) ** 2)

# --- 1D transport, implicit step with sparse, profiles by name --------------------------------


def profile(kind, rho, p):
    kinds = {"parabolic": lambda: p["core"] * (1 - rho ** 2) ** p["peaking"] + p["edge"], "gauss": lambda: p["core"] * np.exp(-(rho / 0.5) ** 2) + p["edge"], "flat": lambda: np.full_like(rho, p["core"])}
    return kinds[kind]()

def diffuse(T, chi, rho, dt, edge):
    n = len(T)
    h = rho[1] - rho[0]
    mid = 0.5 * (chi[1:] + chi[:-1])
    main = np.ones(n)
    main[1:-1] += dt / h ** 2 * (mid[1:] + mid[:-1])
    upper = np.zeros(n - 1)
    lower = np.zeros(n - 1)
    upper[1:] = -dt / h ** 2 * mid[1:]
    lower[:-1] = -dt / h ** 2 * mid[:-1]
    upper[0] = -1.0
    rhs = T.copy()
    rhs[0], rhs[-1] = 0.0, edge
    A = np.diag(main) + np.diag(upper, 1) + np.diag(lower, -1)
    return np.linalg.solve(A, rhs)

@program(lambda rng: ({"core": 5.0, "edge": 0.3, "peaking": 1.5}, np.array([1.0, 0.4]), "parabolic", 7), wrt=(0, 1),
         changes=(lambda a: (a[0], a[1], "gauss", 9), lambda a: a[0].update(core=4.0)))
def stored_energy(p, chi_pars, kind, n):
    rho = np.linspace(0, 0.999, n)
    T = profile(kind, rho, p)
    for step in range(4):
        grad_T = np.gradient(T, rho)
        crit = -grad_T / T
        chi = chi_pars[0] + chi_pars[1] * np.where(crit > 1.0, crit - 1.0, 0.0)
        T = diffuse(T, chi, rho, 0.002, p["edge"])
    return np.trapezoid(3 * T * rho, rho)
