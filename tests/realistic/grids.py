"""Electricity: dispatch of plants, a swinging machine, flows by sensitivities, a solar cell, tariffs."""

import bisect
import functools
import itertools
import logging
import math
from collections import Counter, deque
from dataclasses import asdict, dataclass
from operator import attrgetter, itemgetter

import numpy as np
from scipy.special import lambertw

from tests.realistic.table import program

logger = logging.getLogger("grids")

# --- economic dispatch: incremental costs, units at their limits, losses by B coefficients -----------


@dataclass
class Unit:
    name: str
    a: float
    b: float
    c: float
    pmin: float = 0.0
    pmax: float = 10.0

    def output(self, lam):
        return min(max((lam - self.b) / (2 * self.c), self.pmin), self.pmax)

    def cost(self, p):
        return self.a + self.b * p + self.c * p**2

def validated(fleet):
    if len({u.name for u in fleet}) != len(fleet):
        raise ValueError("names of units must differ")
    for u in fleet:
        if u.pmin > u.pmax:
            raise ValueError(f"{u.name}: {u.pmin} > {u.pmax}")
    return sorted(fleet, key=attrgetter("b"))

def dispatch(fleet, demand):
    """Merit order by exact breakpoints: between them supply is linear in the price."""
    events = sorted({2 * u.c * p + u.b for u in fleet for p in (u.pmin, u.pmax)})
    supply = [sum(u.output(lam) for u in fleet) for lam in events]
    k = bisect.bisect_left(supply, demand)
    if not 0 < k < len(events):
        raise RuntimeError(f"demand {demand:.3f} outside of [{supply[0]:.3f}, {supply[-1]:.3f}]")
    lo, hi = events[k - 1], events[k]
    return lo + (demand - supply[k - 1]) * (hi - lo) / (supply[k] - supply[k - 1])

@program(lambda rng: (np.array([0.05, 0.08, 0.037]), 12.0), wrt=(0, 1), changes=(lambda a: (a[0], 18.0), lambda a: (a[0] * 2, 6.0)))
def cost_of_supply(curvature, demand):
    fleet = validated([Unit(f"u{k}", 1.0 + k, b, c, pmin=0.5 * k) for k, (b, c) in enumerate(zip((2.0, 1.5, 2.4), curvature))])
    lam = dispatch(fleet, demand)
    plan = {u.name: u.output(lam) for u in fleet}
    logger.info("price %.4f, %s", lam, ", ".join(f"{n}={p:.2f}" for n, p in plan.items()))
    return sum(u.cost(plan[u.name]) for u in fleet) + 0.01 * lam * demand

# --- a synchronous machine against an infinite bus: a fault, the swing equation by Heun ---------------

Phase = {"pre": 1.8, "fault": 0.4, "post": 1.5}

class Machine:
    def __init__(self, *, inertia, damping, power):
        self.H, self.D, self.P = inertia, damping, power

    def accel(self, delta, omega, phase):
        return (self.P - Phase[phase] * np.sin(delta) - self.D * omega) / (2 * self.H)

    def simulate(self, clearing, dt=0.05, span=1.0):
        delta = math.asin(self.P / Phase["pre"]) if not hasattr(self.P, "shape") else np.arcsin(self.P / Phase["pre"])
        omega, trace = 0.0, []
        n = int(round(span / dt))
        for k in range(n):
            phase = "fault" if k * dt < clearing else "post"
            a1 = self.accel(delta, omega, phase)
            d2, w2 = delta + dt * omega * 8, omega + dt * a1 * 8
            a2 = self.accel(d2, w2, phase)
            delta, omega = delta + dt / 2 * 8 * (omega + w2), omega + dt / 2 * 8 * (a1 + a2)
            trace.append((delta, omega))
            if abs(delta) > 6 * np.pi:
                logger.warning("lost synchronism at step %d", k)
                break
        return trace

@program(lambda rng: (4.0, 0.3, 0.9, 0.15), wrt=(0, 1, 2), changes=(lambda a: (5.0, 0.1, 0.8, 0.3), lambda a: Phase.update(post=1.2)))
def swing_area(inertia, damping, power, clearing):
    trace = Machine(inertia=inertia, damping=damping, power=power).simulate(clearing)
    top = max(trace, key=itemgetter(0))
    return top[0] + sum(w**2 for _, w in trace) / len(trace)

# --- linear flows by sensitivities: reference bus, lines with limits, penalties -----------------------


class Network:
    def __init__(self, branches, slack=0):
        self.branches = list(branches)
        self.n = 1 + max(itertools.chain.from_iterable((i, j) for i, j, _ in self.branches))
        self.slack = slack
        deg = Counter(itertools.chain.from_iterable(b[:2] for b in self.branches))
        lonely = [k for k in range(self.n) if not deg[k]]
        if lonely:
            raise ValueError("buses without lines: " + ", ".join(map(str, lonely)))

    @functools.cached_property
    def keep(self):
        return [k for k in range(self.n) if k != self.slack]

    def ptdf(self):
        m = len(self.branches)
        A = np.zeros((m, self.n))
        y = np.empty(m)
        for k, (i, j, x) in enumerate(self.branches):
            A[k, i], A[k, j] = 1, -1
            y[k] = 1 / x
        Bf = y[:, None] * A
        B = A.T @ Bf
        H = np.zeros((m, self.n))
        sub = np.ix_(self.keep, self.keep)
        H[:, self.keep] = Bf[:, self.keep] @ np.linalg.inv(B[sub])
        return H

@program(lambda rng: (np.array([0.1, 0.2, 0.15, 0.3, 0.25]), np.array([1.0, -0.6, 0.8, -1.2]), 0.5), wrt=(0, 1))
def congestion(reactance, injection, limit):
    pairs = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    net = Network((*p, x) for p, x in zip(pairs, reactance))
    flows = net.ptdf() @ injection
    over = [max(abs(f) - limit, 0) for f in flows]
    return np.dot(over, over) + 0.01 * np.square(flows).sum()

# --- a solar cell: the single diode in closed form, a curve, its point of maximal power -----------------

Q_OVER_K = 1.602e-19 / 1.381e-23

@dataclass(frozen=True)
class Diode:
    photo: float
    saturation: float
    rs: float
    rsh: float
    n: float = 1.3

    def current(self, v, T=298.0):
        vt = self.n * T / Q_OVER_K
        top = self.rs * self.rsh * self.saturation / (vt * (self.rs + self.rsh))
        arg = top * np.exp(self.rsh * (self.rs * (self.photo + self.saturation) + v) / (vt * (self.rs + self.rsh)))
        return (self.rsh * (self.photo + self.saturation) - v) / (self.rs + self.rsh) - vt / self.rs * lambertw(arg).real

@program(lambda rng: (np.array([3.0, -13.8, 0.02, 5.0]), np.linspace(0.0, 0.45, 10)), wrt=0, rtol=1e-5, order2=False)
def fill_factor(theta, volts):
    cell = Diode(theta[0], np.exp(theta[1]), theta[2], 10 * theta[3])
    table = asdict(cell)
    i = cell.current(volts)
    p = volts * i
    k = int(np.argmax(p))
    lo, hi = max(k - 1, 0), min(k + 1, len(p) - 1)
    num = p[lo] - p[hi]
    den = p[lo] - 2 * p[k] + p[hi]
    peak = p[k] - num**2 / (8 * den)
    return peak / (cell.current(0.0) * 0.5) + 0.01 * table["rs"]

# --- a house with a battery and a tariff: rules, a rolling peak, a bill by bands ------------------------


class Battery:
    def __init__(self, capacity, eff):
        self.capacity, self.eff, self.level = capacity, eff, 0.5 * capacity

    def charge(self, power):
        room = self.capacity - self.level
        taken = power if power * self.eff <= room else room / self.eff
        self.level += taken * self.eff
        return taken

    def discharge(self, power):
        given = min(power, self.level)
        self.level -= given
        return given

def bands(total, limits=(5.0, 10.0), prices=(0.2, 0.3, 0.45)):
    due, before = 0.0, 0.0
    for limit, price in itertools.zip_longest(limits, prices, fillvalue=math.inf):
        part = min(total, limit) - before
        if part <= 0:
            break
        due += part * price
        before = limit
    return due

@program(lambda rng: (4.0, 0.93, rng.uniform(0.5, 2.0, 12), rng.uniform(0.0, 3.0, 12)), wrt=(0, 1, 2, 3), order2=False)
def electricity_bill(capacity, eff, load, sun):
    store = Battery(capacity, eff)
    window = deque(maxlen=3)
    peak = 0.0
    bought = []
    for hour, (need, make) in enumerate(zip(load, sun)):
        net = need - make
        if net < 0:
            net += store.charge(-net)
        elif 4 <= hour < 10:
            net -= store.discharge(net)
        bought.append(max(net, 0.0))
        window.append(bought[-1])
        if len(window) == window.maxlen:
            peak = max(peak, sum(window) / 3)
    return bands(sum(bought)) + 0.5 * peak - 0.05 * store.level
