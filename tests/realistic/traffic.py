"""Warehouses: replenishment."""

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
