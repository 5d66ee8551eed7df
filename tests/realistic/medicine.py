"""Medicine: doses and their superposition, contact matrices, magnetisation, trials."""

import collections
import copy
import math
import warnings
from dataclasses import dataclass, field
from typing import Iterable, Iterator, Optional

import numpy as np
from numpy.typing import ArrayLike
from scipy import special, stats

from tests.realistic.table import program

# --- one compartment with lag and absorption, doses superposed; a fit's objective in an object --------


@dataclass(order=True)
class DoseEvent:
    time: float
    amount: float = field(compare=False)
    route: str = field(default="oral", compare=False)

class Regimen:
    def __init__(self, events: Iterable[DoseEvent]):
        self._events = sorted(copy.copy(e) for e in events)

    def __iter__(self) -> Iterator[DoseEvent]:
        yield from self._events

    def __len__(self):
        return len(self._events)

    def shifted(self, by):
        return Regimen(DoseEvent(e.time + by, e.amount, e.route) for e in self)

def bateman(t, ka, ke, v):
    if t <= 0:
        return 0.0
    if abs(ka - ke) < 1e-8 * ka:
        return ke * t * math.exp(-ke * t) / v
    return ka / (v * (ka - ke)) * (math.exp(-ke * t) - math.exp(-ka * t))

class Patient:
    defaults = {"F": 0.8, "lag": 0.25}

    def __init__(self, weight, **overrides):
        unknown = set(overrides) - set(self.defaults) - {"cl", "v", "ka"}
        if unknown:
            warnings.warn(f"unknown parameters: {sorted(unknown)}", stacklevel=2)
        self.weight = weight
        self.p = {**self.defaults, **overrides}

    @property
    def clearance(self):
        return self.p["cl"] * (self.weight / 70) ** 0.75

    def concentration(self, t, regimen):
        v = self.p["v"] * self.weight / 70
        ke = self.clearance / v
        total = 0.0
        for dose in regimen:
            if dose.route == "iv":
                since = t - dose.time
                total += dose.amount / v * math.exp(-ke * since) if since >= 0 else 0.0
            else:
                total += self.p["F"] * dose.amount * bateman(t - dose.time - self.p["lag"], self.p["ka"], ke, v)
        return total

@program(lambda rng: ({"cl": 5.0, "v": 40.0, "ka": 1.2, "lag": 0.3}, 82.0, [DoseEvent(6.0, 90.0), DoseEvent(0.0, 120.0), DoseEvent(3.0, 50.0, "iv")], [1.0, 2.5, 4.0, 7.5, 9.0]),
         wrt=(0, 1), changes=(lambda a: a[2].append(DoseEvent(5.0, 30.0, "iv")), lambda a: ({"cl": 4.0, "v": 30.0, "ka": 1.0, "F": 0.6}, 60.0, a[2][:1], [2.0])))
def exposure(params, weight, doses, times):
    patient = Patient(weight, **params)
    regimen = Regimen(doses).shifted(0.1)
    profile = collections.OrderedDict((t, patient.concentration(t, regimen)) for t in times)
    auc = sum(0.5 * (profile[a] + profile[b]) * (b - a) for a, b in zip(times, times[1:]))
    return auc + max(profile.values())

# --- an epidemic by age with a contact matrix, lockdown by schedule, R from the next generation -----------


class AgeModel:
    compartments = "SEIR"

    def __init__(self, contacts: ArrayLike, susceptibility: ArrayLike, *, latent=3.0, infectious=5.0, schedule: Optional[dict] = None):
        self.C = np.asarray(contacts)
        self.C = 0.5 * (self.C + self.C.T)
        self.sus = np.asarray(susceptibility)
        self.rates = {"E": 1 / latent, "I": 1 / infectious}
        self.schedule = schedule or {}

    def beta(self, day):
        level = 1.0
        for start in sorted(self.schedule):
            if day >= start:
                level = self.schedule[start]
        return level

    def derivative(self, day, y):
        S, E, I, R = np.split(y, len(self.compartments))
        force = self.beta(day) * self.sus * (self.C @ I)
        flows = {"SE": force * S, "EI": self.rates["E"] * E, "IR": self.rates["I"] * I}
        out = {c: np.zeros_like(S) for c in self.compartments}
        for name, flow in flows.items():
            out[name[0]] -= flow
            out[name[1]] += flow
        return np.concatenate([out[c] for c in self.compartments])

    def reproduction(self):
        K = self.sus[:, None] * self.C / self.rates["I"]
        return np.max(np.abs(np.linalg.eigvals(K)))

@program(lambda rng: (rng.uniform(0.1, 0.5, (3, 3)), np.array([0.6, 1.0, 1.2]), {0: 1.0, 6: 0.4}, 12), wrt=(0, 1),
         changes=(lambda a: a[2].update({3: 0.7}), lambda a: (a[0], a[1], {}, 5)))
def attack_rate(contacts, sus, schedule, days):
    model = AgeModel(contacts, sus, schedule=schedule)
    y = np.concatenate([np.full(3, 0.99), np.zeros(3), np.full(3, 0.01), np.zeros(3)])
    for day in range(days):
        half = y + 0.5 * model.derivative(day, y)
        y = y + model.derivative(day + 0.5, half)
    return y[-3:].mean() + 0.1 * model.reproduction()

# --- magnetic resonance: Bloch's equations by rotations, a sequence of pulses, echoes ------------------------


class Pulse:
    def __init__(self, flip, phase=0.0):
        self.flip, self.phase = flip, phase

    def matrix(self):
        c, s = np.cos(self.flip), np.sin(self.flip)
        cp, sp = np.cos(self.phase), np.sin(self.phase)
        Rz = np.array([[cp, -sp, 0], [sp, cp, 0], [0, 0, 1]])
        Rx = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        return Rz @ Rx @ Rz.T

class Delay:
    def __init__(self, tau):
        self.tau = tau

class Acquire:
    pass

def bloch(sequence, t1, t2, offset, m0=1.0):
    m = np.array([0.0, 0.0, m0])
    for event in sequence:
        if isinstance(event, Pulse):
            m = event.matrix() @ m
        elif isinstance(event, Delay):
            e1, e2 = np.exp(-event.tau / t1), np.exp(-event.tau / t2)
            c, s = np.cos(offset * event.tau), np.sin(offset * event.tau)
            m = np.array([e2 * (c * m[0] - s * m[1]), e2 * (s * m[0] + c * m[1]), m0 + (m[2] - m0) * e1])
        else:
            yield m[0] + 1j * m[1]

def cpmg(flip, tau, echoes):
    yield Pulse(flip / 2)
    for _ in range(echoes):
        yield from (Delay(tau), Pulse(flip, np.pi / 2), Delay(tau), Acquire())

@program(lambda rng: (1.2, 0.08, 3.0, 0.02), wrt=(0, 1, 2))
def echo_train(t1, t2, flip, tau):
    signal = 0.0
    offsets = np.linspace(-20, 20, 5)
    for w in offsets:
        signal = signal + np.array(list(bloch(cpmg(flip, tau, 4), t1, t2, w)))
    signal /= len(offsets)
    return np.abs(signal)

# --- a trial with interim looks: group sequential boundaries, power by a grid of densities --------------------


class Spending:
    def __init__(self, kind, alpha):
        self.kind, self.alpha = kind, alpha

    def __call__(self, t):
        if self.kind == "pocock":
            return self.alpha * np.log(1 + (math.e - 1) * t)
        return 2 - 2 * stats.norm.cdf(stats.norm.ppf(1 - self.alpha / 2) / np.sqrt(t))

@program(lambda rng: (0.4, np.array([2.55, 2.25, 2.05])), wrt=(0, 1))
def trial_power(effect, bounds):
    n_look = len(bounds)
    info = 20.0 * (np.arange(n_look) + 1) / n_look
    grid, h = np.linspace(-4.0, 8.0, 41, retstep=True)
    power, dens = 0.0, None
    for k, (b, i) in enumerate(zip(bounds, info)):
        mean = effect * np.sqrt(i)
        if dens is None:
            power += stats.norm.sf(b - mean)
            dens = stats.norm.pdf(grid, mean)
        else:
            prev = info[k - 1]
            di = i - prev
            inside = np.where(grid < bounds[k - 1], dens, 0.0)
            arg = (grid[:, None] * np.sqrt(i) - grid[None, :] * np.sqrt(prev) - effect * di) / np.sqrt(di)
            kernel = stats.norm.pdf(arg) * np.sqrt(i / di)
            cross = special.ndtr((grid * np.sqrt(prev) + effect * di - b * np.sqrt(i)) / np.sqrt(di))
            power += h * (inside * cross).sum()
            dens = h * kernel @ inside
    return power + 1e-3 * Spending("pocock", 0.05)(0.5)

# --- meta-analysis: random effects by a moment estimator, heterogeneity, a method of an object -------------


class Meta:
    def __init__(self, effects, variances, labels=None):
        self.y, self.v = np.asarray(effects), np.asarray(variances)
        self.labels = labels or [f"study {k + 1}" for k in range(self.y.size)]

    def pooled(self, tau2=0.0):
        w = 1.0 / (self.v + tau2)
        mu = np.average(self.y, weights=w)
        return mu, 1 / w.sum()

    def dersimonian_laird(self):
        mu, _ = self.pooled()
        w = 1 / self.v
        Q = np.sum(w * (self.y - mu) ** 2)
        c = w.sum() - (w**2).sum() / w.sum()
        return max(0.0, (Q - (len(self.y) - 1)) / c)

    def summary(self, level=0.95):
        tau2 = self.dersimonian_laird()
        mu, var = self.pooled(tau2)
        half = stats.norm.ppf(0.5 + level / 2) * np.sqrt(var)
        rows = [f"{label:<12}{y:8.3f} {1 / v:8.2f}" for label, y, v in zip(self.labels, self.y, self.v)]
        return {"mu": mu, "low": mu - half, "high": mu + half, "tau2": tau2, "table": "\n".join(rows)}

@program(lambda rng: (np.array([0.2, 0.9, -0.3, 0.5, 1.1]), np.array([0.04, 0.06, 0.05, 0.1, 0.08])), wrt=(0, 1))
def pooled_effect(effects, variances):
    out = Meta(effects, variances).summary()
    return out["mu"] + out["tau2"] + (out["high"] - out["low"]) ** 2
