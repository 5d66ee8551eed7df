"""Ecology: food webs, occupancy, predators and prey."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Iterator

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import expit, logit, xlogy

from tests.realistic.table import calls, program

# --- a food web assembled from species objects with functional responses ------------------------

class Species:
    registry_count = 0

    def __init__(self, name, biomass):
        type(self).registry_count += 1
        Species.registry_count += 1
        self.name = name
        self.biomass = biomass
        self.eats = []

    def growth(self, web):
        raise NotImplementedError

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"

class Producer(Species):
    def __init__(self, name, biomass, r, K):
        super().__init__(name, biomass)
        self.r, self.K = r, K

    def growth(self, web):
        total = sum(s.biomass for s in web if isinstance(s, Producer))
        return self.r * self.biomass * (1 - total / self.K)

class Consumer(Species):
    efficiency = 0.45

    def __init__(self, name, biomass, attack, handling, mortality):
        super().__init__(name, biomass)
        self.attack, self.handling, self.mortality = attack, handling, mortality

    def feed(self, *prey):
        self.eats.extend(prey)
        return self

    def intake(self):
        """Holling type II over several prey."""
        encounter = [self.attack * p.biomass for p in self.eats]
        denom = 1 + self.handling * sum(encounter)
        return {p.name: e / denom for p, e in zip(self.eats, encounter)}

    def growth(self, web):
        return self.biomass * (self.efficiency * sum(self.intake().values()) - self.mortality)

class FoodWeb:
    def __init__(self, species):
        self._species = {s.name: s for s in species}
        self.history = []

    def __iter__(self) -> Iterator[Species]:
        return iter(self._species.values())

    def __getitem__(self, name):
        return self._species[name]

    def __len__(self):
        return len(self._species)

    def step(self, dt):
        change = {s.name: s.growth(self) for s in self}
        for s in self:
            if isinstance(s, Consumer):
                for name, rate in s.intake().items():
                    change[name] -= rate * s.biomass
        for name, dB in change.items():
            self[name].biomass = max(self[name].biomass + dt * dB, 1e-9)
        self.history.append([s.biomass for s in self])

@program(lambda rng: ({"r": 1.1, "K": 8.0, "attack": 0.9, "handling": 0.3, "mortality": 0.25}, np.array([3.0, 2.0, 1.0, 0.5])))
def food_web_diversity(p, start):
    grass = Producer("grass", start[0], p["r"], p["K"])
    algae = Producer("algae", start[1], 0.7 * p["r"], p["K"])
    hare = Consumer("hare", start[2], p["attack"], p["handling"], p["mortality"]).feed(grass, algae)
    fox = Consumer("fox", start[3], 0.5 * p["attack"], p["handling"], 0.5 * p["mortality"]).feed(hare)
    web = FoodWeb([grass, algae, hare, fox])
    for _ in range(15):
        web.step(0.2)
    last = np.array(web.history[-1])
    shares = last / last.sum()
    shannon = -np.sum(xlogy(shares, shares))
    return shannon + 0.1 * np.std([row[2] for row in web.history])

# --- occupancy with imperfect detection, dictionaries of sites, missing visits ------------------

@dataclass
class Site:
    name: str
    covariate: float
    visits: list = field(default_factory=list)

    @property
    def detected(self):
        return any(v == 1 for v in self.visits)

    def __iter__(self):
        yield from (v for v in self.visits if v is not None)

class OccupancyModel:
    def __init__(self, sites):
        self.sites = sites
        self.counts = Counter(s.detected for s in sites)

    def site_loglik(self, site, a, b, p):
        psi = expit(a + b * site.covariate)
        detection = 1.0
        for v in site:
            detection = detection * (p if v else 1 - p)
        likelihood = psi * detection + (0 if site.detected else 1 - psi)
        return np.log(likelihood)

    def __call__(self, theta):
        a, b, lp = theta.tolist() if theta.dtype == object else theta
        p = expit(lp)
        ll = sum(self.site_loglik(s, a, b, p) for s in self.sites)
        naive = self.counts[True] / len(self.sites)
        return -ll + 0.01 * (a - logit(naive)) ** 2

def _sites(rng):
    made = []
    for k in range(8):
        visits = [None if rng.uniform() < 0.2 else int(rng.uniform() < 0.3 * (k % 3)) for _ in range(4)]
        made.append(Site(f"site{k}", float(rng.normal()), visits))
    return made

calls("occupancy", lambda rng: (OccupancyModel(_sites(rng)), (np.array([0.2, 0.6, -0.3]),)))

# --- predator-prey with events and several initial states, solve_ivp ------------------------------

@dataclass
class RosenzweigMacArthur:
    r: float = 1.0
    K: float = 3.0
    a: float = 1.2
    h: float = 0.4
    m: float = 0.5

    def __call__(self, t, y):
        x, z = y
        fr = self.a * x / (1 + self.a * self.h * x)
        return [self.r * x * (1 - x / self.K) - fr * z, 0.6 * fr * z - self.m * z]

    def solve(self, y0, T=8.0):
        return solve_ivp(self, (0, T), y0, t_eval=np.linspace(0, T, 17), rtol=1e-9, atol=1e-10)

@program(lambda rng: (RosenzweigMacArthur(),), order2=False, rtol=1e-4)
def cycle_index(model):
    spread = []
    for x0, z0 in [(1.0, 0.5), (2.0, 1.0)]:
        sol = model.solve(np.array([x0, z0]))
        prey, predators = sol.y
        spread.append(np.ptp(prey) + np.log(predators[-1]))
    return max(spread) - 0.5 * min(spread)
