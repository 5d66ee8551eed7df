"""Traffic and queues: signals, car following, call centres, warehouses, lifts."""

from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from tests.realistic.table import program

# --- a warehouse with replenishment policies chosen by name ---------------------------------------

POLICIES = {}

def policy(name):
    def register(fn):
        POLICIES[name] = fn
        return fn

    return register

@policy("base-stock")
def base_stock(level, target, **_):
    return max(target - level, 0.0)

@policy("proportional")
def proportional(level, target, gain=0.5, **_):
    return gain * np.logaddexp(0.0, target - level)

@dataclass
class Warehouse:
    level: float
    target: float
    policy: str = "base-stock"
    options: dict = field(default_factory=dict)
    costs: list = field(default_factory=list)

    def day(self, demand, holding, penalty):
        order = POLICIES[self.policy](self.level, self.target, **self.options)
        self.level = self.level + order - demand
        self.costs.append(holding * self.level if self.level > 0 else -penalty * self.level)

@program(lambda rng: (np.array([7.0, 5.0]), rng.gamma(2.0, 2.0, 14), {"gain": 0.7}))
def supply_cost(targets, demand, options):
    sites = [
        Warehouse(4.0, targets[0]),
        Warehouse(level=3.0, target=targets[1], policy="proportional", options=options),
    ]
    backup = replace(sites[1], level=1.0, costs=[])
    for d in demand:
        for site in (*sites, backup):
            site.day(d, holding=0.4, penalty=2.5)
    return sum(np.sum(s.costs) for s in sites) + 0.1 * np.max(backup.costs)

# --- a lift controller with a context manager that restores the state --------------------------------

class Lift:
    def __init__(self, gains):
        self.gains = dict(gains)
        self.position, self.velocity = 0.0, 0.0
        self.trace = np.zeros((0, 2))

    @contextmanager
    def tuned(self, **changes):
        before = dict(self.gains)
        self.gains.update(changes)
        try:
            yield self
        finally:
            self.gains = before

    def step(self, floor, dt=0.1):
        force = self.gains["kp"] * (floor - self.position) - self.gains["kd"] * self.velocity
        force = np.clip(force, -6.0, 6.0)
        self.velocity += dt * force
        self.position += dt * self.velocity
        self.trace = np.vstack((self.trace, [self.position, self.velocity]))

@program(lambda rng: ({"kp": 2.1, "kd": 1.9},))
def ride_comfort(gains):
    lift = Lift(gains)
    for floor in (2.0, 1.0):
        for _ in range(8):
            lift.step(floor)
        with lift.tuned(kd=3.0):
            lift.step(floor)
    jerk = np.diff(lift.trace[:, 1], n=2)
    return np.sum((lift.trace[-5:, 0] - 1.0) ** 2) + 0.5 * np.sum(jerk**2)

# --- route choice by the method of successive averages -------------------------------------------------


