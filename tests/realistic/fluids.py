"""Fluids and heat: stencils, shocks, lattices, fins."""

import logging
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import Enum
from functools import singledispatch

import numpy as np
from scipy.integrate import solve_bvp  # noqa: F401 -- imported as the file does

from tests.realistic.table import program

log = logging.getLogger(__name__)

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

# --- Navier-Stokes by projection with red-black iterations in place -----------------------------------

class BC(Enum):
    WALL = "wall"
    LID = "lid"

@dataclass
class CavityConfig:
    n: int = 7
    Re: float = 20.0
    lid: float = 1.0
    dt: float = 0.02
    sweeps: int = 6

class Cavity:
    def __init__(self, config):
        self.cfg = config
        n = config.n
        self.u, self.v, self.p = (np.zeros((n, n)) for _ in range(3))
        self.h = 1.0 / (n - 1)
        self.sides = {"top": BC.LID, "bottom": BC.WALL}

    def apply_bc(self, u, v):
        for f in (u, v):
            f[0, :] = f[-1, :] = 0.0
            f[:, 0] = f[:, -1] = 0.0
        if self.sides["top"] is BC.LID:
            u[:, -1] = self.cfg.lid

    def laplace(self, f):
        return (f[2:, 1:-1] + f[:-2, 1:-1] + f[1:-1, 2:] + f[1:-1, :-2] - 4 * f[1:-1, 1:-1]) / self.h**2

    def grad(self, f):
        return (f[2:, 1:-1] - f[:-2, 1:-1]) / (2 * self.h), (f[1:-1, 2:] - f[1:-1, :-2]) / (2 * self.h)

    def pressure(self, rhs):
        p = self.p
        n = self.cfg.n
        for _ in range(self.cfg.sweeps):
            for colour in (0, 1):
                for i in range(1, n - 1):
                    for j in range(1 + (i + colour) % 2, n - 1, 2):
                        p[i, j] = 0.25 * (p[i + 1, j] + p[i - 1, j] + p[i, j + 1] + p[i, j - 1] - self.h**2 * rhs[i - 1, j - 1])
            p[0, :], p[-1, :], p[:, 0], p[:, -1] = p[1, :], p[-2, :], p[:, 1], p[:, -2]

    def step(self):
        c, u, v = self.cfg, self.u, self.v
        self.apply_bc(u, v)
        us, vs = u.copy(), v.copy()
        for f, fs in ((u, us), (v, vs)):
            gx, gy = self.grad(f)
            fs[1:-1, 1:-1] += c.dt * (self.laplace(f) / c.Re - u[1:-1, 1:-1] * gx - v[1:-1, 1:-1] * gy)
        self.pressure((self.grad(us)[0] + self.grad(vs)[1]) / c.dt)
        px, py = self.grad(self.p)
        us[1:-1, 1:-1] -= c.dt * px
        vs[1:-1, 1:-1] -= c.dt * py
        self.u, self.v = us, vs

@program(lambda rng: (CavityConfig(),))
def cavity_energy(config):
    flow = Cavity(config)
    for step in range(2):
        flow.step()
        log.debug("step %d of %s", step, asdict(config))
    kinetic = 0.5 * np.sum(flow.u**2 + flow.v**2) * flow.h**2
    return kinetic + 1e-3 * np.ptp(flow.p)

# --- spectral Burgers with integrating factors; conservation monitored in a generator ---------------

class Burgers:
    def __init__(self, n, nu, L=2 * np.pi):
        self.n, self.nu = n, nu
        self.k = np.fft.rfftfreq(n, L / n / (2 * np.pi))
        self.dealias = self.k < n / 3

    def nonlinear(self, uh):
        u = np.fft.irfft(uh * self.dealias, self.n)
        return -0.5j * self.k * np.fft.rfft(u**2)

    def march(self, u0, dt, steps) -> Iterator[tuple[float, np.ndarray]]:
        E = np.exp(-self.nu * self.k**2 * dt / 2)
        uh, t = np.fft.rfft(u0), 0.0
        yield t, u0
        for _ in range(steps):
            a = dt * self.nonlinear(uh)
            b = dt * self.nonlinear(E * (uh + a / 2))
            c = dt * self.nonlinear(E * uh + b / 2)
            d = dt * self.nonlinear(E**2 * uh + E * c)
            uh = E**2 * uh + (E**2 * a + 2 * E * (b + c) + d) / 6
            t += dt
            yield t, np.fft.irfft(uh, self.n)

@program(lambda rng: (0.1, np.sin(np.arange(16) * 2 * np.pi / 16) + 0.1 * rng.normal(size=16)), wrt=(0, 1))
def burgers_dissipation(nu, u0):
    solver = Burgers(len(u0), nu)
    energy = {}
    for t, u in solver.march(u0, 0.05, 6):
        energy[round(t, 3)] = 0.5 * np.mean(u**2)
    times = sorted(energy)
    rate = (energy[times[-1]] - energy[times[0]]) / times[-1]
    u2 = np.mean(np.gradient(u) ** 2)
    return rate + 0.1 * u2

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
