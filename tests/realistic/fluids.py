"""Fluids and heat: shocks, networks of exchangers."""

from dataclasses import dataclass
from functools import singledispatch

import numpy as np
from scipy.integrate import solve_bvp  # noqa: F401 -- imported as the file does

from tests.realistic.table import program

# --- the Euler equations by finite volumes with limiters from a table -----------------------------

def minmod(a, b):
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)

def van_leer(a, b):
    return np.where(a * b > 0, 2 * a * b / np.where(a * b > 0, a + b, 1.0), 0.0)

LIMITERS = {"minmod": minmod, "van_leer": van_leer, None: lambda a, b: 0.5 * (a + b)}

@dataclass(frozen=True)
class Gas:
    gamma: float = 1.4

    def primitive(self, U):
        rho, mom, E = U
        u = mom / rho
        return rho, u, (self.gamma - 1) * (E - 0.5 * rho * u**2)

    def conserved(self, rho, u, p):
        return np.stack([rho, rho * u, p / (self.gamma - 1) + 0.5 * rho * u**2])

    def flux(self, U):
        rho, u, p = self.primitive(U)
        return np.stack([rho * u, rho * u**2 + p, (U[2] + p) * u])

    def speed(self, U):
        rho, u, p = self.primitive(U)
        return np.abs(u) + np.sqrt(self.gamma * p / rho)

class ShockTube:
    def __init__(self, n, gas, limiter="van_leer"):
        self.n, self.gas = n, gas
        self.dx = 1.0 / n
        self.limit = LIMITERS[limiter]
        self.steps = 0

    def slopes(self, U):
        d = np.diff(U, axis=1)
        s = np.zeros_like(U)
        s[:, 1:-1] = self.limit(d[:, :-1], d[:, 1:])
        return s

    def rusanov(self, L, R):
        a = np.maximum(self.gas.speed(L), self.gas.speed(R))
        return 0.5 * (self.gas.flux(L) + self.gas.flux(R)) - 0.5 * a * (R - L)

    def advance(self, U, dt):
        s = self.slopes(U)
        F = self.rusanov((U + 0.5 * s)[:, :-1], (U - 0.5 * s)[:, 1:])
        new = U.copy()
        new[:, 1:-1] -= dt / self.dx * (F[:, 1:] - F[:, :-1])
        self.steps += 1
        return new

@program(lambda rng: (1.0, 0.35, Gas()), wrt=(0, 1, 2))
def shock_tube_impulse(p_left, p_right, gas):
    n = 16
    tube = ShockTube(n, gas)
    x = (np.arange(n) + 0.5) / n
    p = np.where(x < 0.5, p_left, p_right)
    rho = np.where(x < 0.5, 1.0, 0.4)
    U = gas.conserved(rho, np.zeros(n), p)
    record = []
    for _ in range(6):
        U = tube.advance(U, 0.02)
        record.append(gas.primitive(U)[2][10])
    assert tube.steps == 6
    return np.trapezoid(np.array(record), dx=0.02) + 0.1 * U[1].sum()

# --- fins, pipes and single dispatch: a heat exchanger network ---------------------------------------

@dataclass
class Pipe:
    diameter: float
    length: float
    roughness: float = 1e-4

@dataclass
class Valve:
    opening: float
    k0: float = 2.0

@singledispatch
def head_loss(part, q):
    raise TypeError(f"no loss known for {type(part)}")

@head_loss.register
def _(part: Pipe, q):
    v = 4 * q / (np.pi * part.diameter**2)
    Re = v * part.diameter / 1e-6
    f = 0.25 / np.log10(part.roughness / (3.7 * part.diameter) + 5.74 / Re**0.9) ** 2
    return f * part.length / part.diameter * v**2 / (2 * 9.81)

@head_loss.register
def _(part: Valve, q):
    return part.k0 / part.opening**2 * (q / 0.01) ** 2 * 0.05
