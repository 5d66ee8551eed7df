"""Machines and roads: platoons, a porous electrode, predictive control, queues."""

import abc
import copy
import enum
import logging
import math
import operator
from collections import deque
from dataclasses import dataclass

import numpy as np
import scipy.linalg as sla

from tests.realistic.table import program

LOG = logging.getLogger("machines")

# --- a platoon after Treiber: drivers with their own parameters, a leader that brakes ------------------------


@dataclass
class Driver:
    v0: float = 30.0
    T: float = 1.5
    a: float = 1.0
    b: float = 2.0
    s0: float = 2.0

    def accel(self, v, gap, dv):
        star = self.s0 + max(0.0, v * self.T + v * dv / (2 * math.sqrt(self.a * self.b)))
        return self.a * (1 - (v / self.v0) ** 4 - (star / gap) ** 2)

class Car:
    def __init__(self, x, v, driver=None, length=5.0):
        self.x, self.v, self.driver, self.length = x, v, driver, length
        self.log = deque(maxlen=50)

    def move(self, acc, dt):
        self.log.append(self.v)
        v = max(self.v + acc * dt, 0.0)
        self.x += 0.5 * (self.v + v) * dt
        self.v = v

@program(lambda rng: ([1.0, 1.4, 0.8], {"a": 1.1, "b": 1.8}, 20), wrt=(0, 1), changes=(lambda a: (a[0][:2], {"a": 0.9, "b": 2.0}, 10),))
def platoon_jerk(headways, manners, steps):
    cars = [Car(0.0, 20.0)] + [Car(-25.0 * (k + 1), 20.0, Driver(T=T, **manners)) for k, T in enumerate(headways)]
    for step in range(steps):
        lead = cars[0]
        acc = {id(lead): -2.0 if 3 <= step < 8 else 0.5}
        for front, back in zip(cars, cars[1:]):
            gap = front.x - front.length - back.x
            if gap <= 0:
                raise RuntimeError(f"collision at step {step}")
            acc[id(back)] = back.driver.accel(back.v, gap, back.v - front.v)
        for car in cars:
            car.move(acc[id(car)], 0.5)
    speeds = [np.diff(np.array(list(c.log) + [c.v])) for c in cars[1:]]
    return sum((s**2).sum() for s in speeds) + 0.01 * (cars[0].x - cars[-1].x)

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

# --- closed queues: mean value analysis, stations of several kinds, a bottleneck by max ------------------------


class Kind(enum.Enum):
    QUEUE = enum.auto()
    DELAY = enum.auto()

@dataclass
class Station:
    name: str
    visits: float
    service: float
    kind: Kind = Kind.QUEUE
    length: float = 0.0

    @property
    def demand(self):
        return self.visits * self.service

def mva(stations, customers, think):
    stations = copy.deepcopy(stations)
    history = []
    for n in range(1, customers + 1):
        waits = []
        for s in stations:
            if s.kind is Kind.DELAY:
                waits.append(s.demand)
            else:
                waits.append(s.demand * (1 + s.length))
        x = n / (think + sum(waits))
        for s, r in zip(stations, waits):
            s.length = x * r
        history.append((x, sum(waits)))
    return history, stations

@program(lambda rng: ([Station("cpu", 10.0, 0.02), Station("disk", 4.0, 0.06), Station("net", 1.0, 0.1, Kind.DELAY)], 6, 1.5), wrt=(0, 2),
         changes=(lambda a: setattr(a[0][1], "kind", Kind.DELAY), lambda a: (a[0][:2], 3, 0.5)))
def response_time(stations, customers, think):
    history, end = mva(stations, customers, think)
    bottleneck = max(end, key=operator.attrgetter("demand"))
    LOG.debug("bottleneck %s, %s", bottleneck.name, [f"{x:.3f}" for x, _ in history])
    x, r = history[-1]
    return r + 0.1 * bottleneck.length / x
