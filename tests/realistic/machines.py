"""Machines: a porous electrode, predictive control."""

import abc
import logging
import math

import numpy as np
import scipy.linalg as sla

from tests.realistic.table import program

LOG = logging.getLogger("machines")

# --- a battery's electrode: diffusion in a sphere, implicit, kinetics by arcsinh, cut-off ---------------------


class CutOff(Exception):
    pass

class Particle:
    def __init__(self, D, R, n=5, c0=0.5):
        self.D, self.R, self.n = D, R, n
        self.r = (np.arange(n) + 0.5) / n * R
        self.c = np.full(n, c0)

    def step(self, flux, dt):
        h = self.R / self.n
        face = np.arange(1, self.n) * h
        lower = self.D * face**2 / (h**2 * self.r[1:] ** 2)
        upper = self.D * face**2 / (h**2 * self.r[:-1] ** 2)
        ab = np.zeros((3, self.n))
        ab[0, 1:] = -dt * upper
        ab[2, :-1] = -dt * lower
        ab[1] = 1.0
        ab[1, :-1] += dt * upper
        ab[1, 1:] += dt * lower
        rhs = self.c.copy()
        rhs[-1] -= dt * flux * self.R**2 / (h * self.r[-1] ** 2)
        self.c = sla.solve_banded((1, 1), ab, rhs)

    @property
    def surface(self):
        return 1.5 * self.c[-1] - 0.5 * self.c[-2]

def ocp(x):
    return 3.4 + 0.8 * (1 - x) - 0.1 * np.tanh(8 * (x - 0.5))

@program(lambda rng: (np.array([0.8, 1.0, 0.4]), [0.05, 0.08, 0.0, -0.06, 0.1]), wrt=(0, 1))
def discharge_energy(theta, currents):
    D, R, k0 = theta
    p = Particle(D, R)
    energy = 0.0
    try:
        for i in currents:
            for _ in range(2):
                p.step(i, 0.05)
                x = p.surface
                if x < 0.05:
                    raise CutOff(f"{x:.3f}")
                j0 = k0 * np.sqrt(x * (1 - x))
                v = ocp(x) - 0.05 * np.arcsinh(i / (2 * j0))
                energy += v * i * 0.05
    except CutOff as stop:
        LOG.info("stopped: %s", stop)
    return energy + 0.1 * p.c.mean()

# --- control that looks ahead: a Riccati recursion, constraints by projection, a disturbance ------------------


class Plant(abc.ABC):
    @abc.abstractmethod
    def matrices(self): ...

class Cart(Plant):
    def __init__(self, mass, friction, dt=0.2):
        self.mass, self.friction, self.dt = mass, friction, dt

    def matrices(self):
        A = np.eye(2)
        A[0, 1] = self.dt
        A[1, 1] -= self.dt * self.friction / self.mass
        return A, np.array([[0.0], [self.dt / self.mass]])

def gains(A, B, Q, R, horizon):
    P, out = Q, []
    for _ in range(horizon):
        S = R + B.T @ P @ B
        K = np.linalg.solve(S, B.T @ P @ A)
        P = Q + A.T @ P @ (A - B @ K)
        out.insert(0, K)
    return out

@program(lambda rng: (1.3, 0.2, np.array([1.0, 0.3]), 0.5), wrt=(0, 1, 2, 3))
def regulation_cost(mass, friction, weights, effort):
    A, B = Cart(mass, friction).matrices()
    plan = gains(A, B, np.diag(weights), effort * np.eye(1), 6)
    x = np.array([1.0, 0.0])
    cost = 0.0
    for k, K in enumerate(plan):
        u = np.clip(-K @ x, -1.5, 1.5)
        x = A @ x + B @ u + np.array([0.0, 0.05 * math.sin(k)])
        cost += x @ np.diag(weights) @ x + effort * float(u[0]) ** 2 if False else x @ np.diag(weights) @ x + effort * u[0] ** 2
    return cost
