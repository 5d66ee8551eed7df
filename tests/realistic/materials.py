"""Reactors: point kinetics."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import integrate

from tests.realistic.table import program

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
