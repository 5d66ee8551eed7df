"""Electricity: dispatch of plants, a swinging machine, a solar cell."""

import bisect
import logging
import math
from dataclasses import asdict, dataclass
from operator import itemgetter

import numpy as np
from scipy.special import lambertw

from tests.realistic.table import program

logger = logging.getLogger("grids")

# --- economic dispatch: incremental costs, units at their limits, losses by B coefficients -----------


def dispatch(fleet, demand):
    """Merit order by exact breakpoints: between them supply is linear in the price."""
    events = sorted({2 * u.c * p + u.b for u in fleet for p in (u.pmin, u.pmax)})
    supply = [sum(u.output(lam) for u in fleet) for lam in events]
    k = bisect.bisect_left(supply, demand)
    if not 0 < k < len(events):
        raise RuntimeError(f"demand {demand:.3f} outside of [{supply[0]:.3f}, {supply[-1]:.3f}]")
    lo, hi = events[k - 1], events[k]
    return lo + (demand - supply[k - 1]) * (hi - lo) / (supply[k] - supply[k - 1])


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
