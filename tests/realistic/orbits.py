"""Orbits and attitudes: three bodies, wheels that turn a satellite, a launcher."""

import itertools
import logging
import math
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.integrate import solve_ivp

from tests.realistic.table import program

log = logging.getLogger(__name__)

# --- a halo-like orbit in the restricted problem of three bodies, with the matrix of transition ----


class CR3BP:
    names = ("x", "y", "z", "vx", "vy", "vz")

    def __init__(self, mu, tol=1e-11):
        if not 0 < mu < 0.5:
            raise ValueError(f"mass ratio out of range: {mu!r}")
        self.mu = mu
        self.tol = tol
        self.n_evals = 0

    def potential(self, x, y, z):
        r1 = math.sqrt((x + self.mu) ** 2 + y**2 + z**2)
        r2 = math.sqrt((x - 1 + self.mu) ** 2 + y**2 + z**2)
        return 0.5 * (x**2 + y**2) + (1 - self.mu) / r1 + self.mu / r2

    def jacobi(self, s):
        return 2 * self.potential(*s[:3]) - (s[3:] ** 2).sum()

    def rhs(self, t, s):
        self.n_evals += 1
        x, y, z, vx, vy, vz = s
        r1 = np.sqrt((x + self.mu) ** 2 + y**2 + z**2)
        r2 = np.sqrt((x - 1 + self.mu) ** 2 + y**2 + z**2)
        c1, c2 = (1 - self.mu) / r1**3, self.mu / r2**3
        ax = 2 * vy + x - c1 * (x + self.mu) - c2 * (x - 1 + self.mu)
        ay = -2 * vx + y - c1 * y - c2 * y
        az = -c1 * z - c2 * z
        return [vx, vy, vz, ax, ay, az]

    def flow(self, s0, t, n=12):
        h = t / n
        s = np.asarray(s0)
        for k in range(n):
            k1 = np.array(self.rhs(k * h, s))
            k2 = np.array(self.rhs(k * h + h / 2, s + h / 2 * k1))
            k3 = np.array(self.rhs(k * h + h / 2, s + h / 2 * k2))
            k4 = np.array(self.rhs(k * h + h, s + h * k3))
            s = s + h / 6 * (k1 + 2 * (k2 + k3) + k4)
        return s

@program(lambda rng: (np.array([0.82, 0.0, 0.04, 0.0, 0.14, 0.0]), 0.01215), wrt=(0, 1),
         changes=(lambda a: (a[0] * 1.01, 0.02),))
def halo_defect(s0, mu):
    model = CR3BP(mu)
    end = model.flow(s0, 0.9)
    drift = model.jacobi(end) - model.jacobi(s0)
    log.info("C=%.6f after %d evaluations", float(model.jacobi(s0)), model.n_evals)
    report = dict(zip(model.names, end))
    return report["y"] ** 2 + report["vx"] ** 2 + 10 * report["vz"] ** 2 + 100 * drift**2

# --- attitude with reaction wheels: quaternion kinematics, momentum, saturation ---------------------


@dataclass
class Wheel:
    axis: np.ndarray
    inertia: float
    limit: float
    speed: float = 0.0

    def torque(self, demand):
        wanted = float(np.dot(self.axis, np.ones(3))) * 0.0 + self.axis @ demand
        return min(max(wanted, -self.limit), self.limit)

@dataclass
class Spacecraft:
    J: np.ndarray
    wheels: list
    q: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0, 0.0]))
    w: np.ndarray = field(default_factory=lambda: np.zeros(3))
    saturated: int = 0

    @staticmethod
    def omega(w):
        p, q, r = w
        return np.array([[0, -p, -q, -r], [p, 0, r, -q], [q, -r, 0, p], [r, q, -p, 0]])

    def momentum(self):
        h = self.J @ self.w
        for wh in self.wheels:
            h = h + wh.axis * wh.inertia * wh.speed
        return h

    def step(self, command, dt):
        total = np.zeros(3)
        for wh in self.wheels:
            t = wh.torque(command)
            if abs(t) >= wh.limit:
                self.saturated += 1
            wh.speed -= t / wh.inertia * dt
            total += t * wh.axis
        self.w = self.w + dt * np.linalg.solve(self.J, total - np.cross(self.w, self.momentum()))
        self.q = self.q + 0.5 * dt * self.omega(self.w) @ self.q
        self.q /= np.sqrt((self.q**2).sum())

def _craft(inertias):
    J = np.diag(inertias) + 0.02
    wheels = [Wheel(np.eye(3)[k], 0.05, 0.02 + 0.005 * k) for k in range(3)]
    return Spacecraft(J, wheels)

@program(lambda rng: (np.array([0.4, 0.9]), np.array([1.0, 1.3, 0.8]), np.array([0.96, 0.2, -0.1, 0.15])), wrt=(0, 1))
def slew_error(gains, inertias, target):
    craft = _craft(inertias)
    kp, kd = gains
    target = target / np.linalg.norm(target)
    cost = 0.0
    for k in itertools.count():
        if k == 12:
            break
        w_, x_, y_, z_ = target
        conj = np.array([[w_, x_, y_, z_], [-x_, w_, z_, -y_], [-y_, -z_, w_, x_], [-z_, y_, -x_, w_]])
        err = conj @ craft.q
        sign = 1.0 if err[0] >= 0 else -1.0
        craft.step(-kp * sign * err[1:] - kd * craft.w, 0.25)
        cost += (err[1:] ** 2).sum() * 0.25
    if craft.saturated > 30:
        log.warning("wheels saturated %d times", craft.saturated)
    return cost + 0.1 * np.linalg.norm(craft.momentum())

# --- a launcher with stages, pitch program and air, integrated by SciPy until burnout -------------


@dataclass(frozen=True)
class Stage:
    thrust: float
    mdot: float
    burn: float
    dry: float

@dataclass(frozen=True)
class Mission:
    stages: tuple
    payload: float = 1.0
    cd_area: float = 0.003
    kick: float = 0.02

    def mass_at(self, k):
        return self.payload + sum(s.dry + s.mdot * s.burn for s in self.stages[k:])

def air(h):
    return 1.2 * np.exp(-h / 8.5)

def fly(mission, rtol=1e-9):
    y = np.array([0.0, 0.05, np.pi / 2 - mission.kick])
    for k, st in enumerate(mission.stages):
        m0 = mission.mass_at(k)

        def rhs(t, y, st=st, m0=m0):
            h, v, gamma = y
            m = m0 - st.mdot * t
            drag = 0.5 * air(h) * v * v * mission.cd_area * 1e3
            g = 9.81e-3 * (6371.0 / (6371.0 + h)) ** 2
            return np.array([v * np.sin(gamma), (st.thrust - drag) / m - g * np.sin(gamma), -(g / v - v / (6371.0 + h)) * np.cos(gamma)])

        sol = solve_ivp(rhs, (0.0, st.burn), y, rtol=rtol, atol=1e-12)
        if not sol.success:
            raise RuntimeError(sol.message)
        y = sol.y[:, -1]
    return y

@program(lambda rng: (np.array([0.6, 0.02]), 1.0), wrt=(0, 1), order2=False, rtol=1e-5)
def energy_at_burnout(design, payload):
    first = Stage(design[0], 0.12, 30.0, 1.0)
    mission = Mission((first, Stage(0.15, 0.03, 20.0, 0.3)))
    mission = replace(mission, payload=payload, kick=design[1])
    h, v, gamma = fly(mission)
    return 0.5 * v**2 + 9.81e-3 * h + 0.1 * gamma
