"""Materials, batteries, acoustics, metrology and reactors: what is measured and fitted."""

import math
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy import integrate, special

from tests.realistic.table import calls, program

# --- a reactor's point kinetics with delayed neutrons, by SciPy's integrator ----------------------

DELAYED = [np.array([0.0124, 0.0305, 0.111]), np.array([0.00022, 0.0014, 0.0013])]

@dataclass
class Reactor:
    """Point kinetics."""

    generation: float = 1e-3
    feedback: float = -2e-4
    groups: list = field(default_factory=lambda: list(DELAYED))

    @cached_property
    def beta(self):
        return float(np.sum(self.groups[1]))

    def rates(self, t, y, rho0):
        decay, fractions = self.groups
        power, precursors = y[0], y[1:]
        rho = rho0 + self.feedback * (power - 1.0)
        change = (rho - self.beta) / self.generation * power + decay @ precursors
        return np.concatenate(([change], fractions / self.generation * power - decay * precursors))

@program(lambda rng: (6e-4, Reactor()), order2=False, rtol=1e-5)
def power_after(rho0, reactor):
    decay, fractions = reactor.groups
    start = np.concatenate(([1.0], fractions / (reactor.generation * decay)))
    way = integrate.solve_ivp(
        reactor.rates, (0.0, 2.0), start, args=(rho0,), method="LSODA",
        t_eval=[1.0, 2.0], rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    return way.y[0, -1] + 0.1 * way.y[0, 0]

# --- spectroscopy: lines over a background, widths by instrument, a table of transitions ----------

def voigt(x, center, sigma, gamma):
    return special.voigt_profile(x - center, sigma, gamma)

LINES = [("Fe", 0.8, 1.0), ("Fe", 2.1, 0.4), ("Ti", 1.5, 0.7)]

@program(
    lambda rng: (
        {"Fe": 1.2, "Ti": 0.6, "sigma": 0.15, "gamma": 0.08, "back": np.array([0.1, 0.02])},
        np.linspace(0, 3, 40),
        rng.uniform(0.1, 0.9, 40),
    )
)
def spectrum_chi2(model, grid, counts, keep=("Fe", "Ti")):
    spectrum = np.polyval(model["back"], grid)
    shape = partial(voigt, sigma=model["sigma"], gamma=model["gamma"])
    for element, center, strength in LINES:
        if element not in keep:
            continue
        spectrum += model[element] * strength * shape(grid, center)
    variance = np.maximum(counts, 0.05)
    outliers = np.abs(counts - spectrum) > 5 * np.sqrt(variance)
    chi = np.where(outliers, 0.0, (counts - spectrum) ** 2 / variance)
    return np.sum(chi) + 10.0 * np.count_nonzero(outliers)

class Annealer:
    """Grain growth with a schedule of temperatures; counts what it does."""

    default = (900.0, 1100.0, 1000.0)

    def __init__(self, activation, rate, schedule=None):
        self.activation, self.rate = activation, rate
        self.schedule = list(schedule or self.default)
        self.history = {}

    def mobility(self, kelvin):
        return self.rate * math.exp(-self.activation / (8.314 * kelvin) * 1e3)

    def run(self, size, hours=1.5):
        for k, kelvin in enumerate(self.schedule):
            for _ in range(4):
                size = size + self.mobility(kelvin) * hours / 4 / size
            self.history[f"{kelvin:.0f} K, {k}"] = size
        return size

    def spread(self, sizes):
        ends = np.array([self.run(s) for s in sizes])
        return np.std(ends) + np.mean(ends) + 0.01 * len(self.history)
calls("grain_spread", lambda rng: (Annealer(55.0, 2e3).spread, (np.array([1.0, 1.5, 2.2]),)))
