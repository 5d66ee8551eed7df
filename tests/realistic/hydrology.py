"""Hydrology: rainfall-runoff models, routing."""

import logging
from collections import namedtuple
from math import tanh

import numpy as np

from tests.realistic.table import program

logger = logging.getLogger("hydro")
Forcing = namedtuple("Forcing", ["precip", "pet"])

# --- GR4J with unit hydrographs: scalars, math functions, lists -----------------------------

def s_curve1(t, x4):
    if t <= 0:
        return 0.0
    if t < x4:
        return (t / x4) ** 2.5
    return 1.0

def s_curve2(t, x4):
    if t <= 0:
        return 0.0
    if t < x4:
        return 0.5 * (t / x4) ** 2.5
    if t < 2 * x4:
        return 1 - 0.5 * (2 - t / x4) ** 2.5
    return 1.0

class GR4J:
    """Perrin et al. (2003), daily time step."""

    def __init__(self, x1, x2, x3, x4):
        self.x1, self.x2, self.x3, self.x4 = x1, x2, x3, x4
        n1, n2 = int(np.ceil(float(x4))), int(np.ceil(2 * float(x4)))
        self.uh1 = [s_curve1(t, x4) - s_curve1(t - 1, x4) for t in range(1, n1 + 1)]
        self.uh2 = [s_curve2(t, x4) - s_curve2(t - 1, x4) for t in range(1, n2 + 1)]
        self.store1 = [0.0] * n1
        self.store2 = [0.0] * n2
        self.production = 0.6 * x1
        self.routing = 0.7 * x3

    def _route(self, store, uh, q):
        for i in range(len(store)):
            shifted = store[i + 1] if i + 1 < len(store) else 0.0
            store[i] = shifted + uh[i] * q
        return store[0]

    def step(self, precip, pet):
        s, x1 = self.production, self.x1
        if precip >= pet:
            net, es = precip - pet, 0.0
            th = tanh(net / x1)
            ps = x1 * (1 - (s / x1) ** 2) * th / (1 + s / x1 * th)
        else:
            net, ps = 0.0, 0.0
            th = tanh((pet - precip) / x1)
            es = s * (2 - s / x1) * th / (1 + (1 - s / x1) * th)
        s = s - es + ps
        perc = s * (1 - (1 + (4.0 / 9.0 * s / x1) ** 4) ** -0.25)
        self.production = s - perc
        pr = perc + net - ps
        q9 = self._route(self.store1, self.uh1, 0.9 * pr)
        q1 = self._route(self.store2, self.uh2, 0.1 * pr)
        exchange = self.x2 * (self.routing / self.x3) ** 3.5
        r = max(0.0, self.routing + q9 + exchange)
        qr = r * (1 - (1 + (r / self.x3) ** 4) ** -0.25)
        self.routing = r - qr
        return qr + max(0.0, q1 + exchange)

def nash_sutcliffe(sim, obs):
    return 1 - np.sum((sim - obs) ** 2) / np.sum((obs - np.mean(obs)) ** 2)

@program(
    lambda rng: (
        np.array([320.0, 0.8, 60.0, 1.6]),
        [Forcing(float(p), float(e)) for p, e in zip(rng.gamma(0.5, 12, 25), rng.uniform(0.5, 4, 25))],
        rng.gamma(2, 1.5, 25),
    )
)
def gr4j_efficiency(params, forcings, observed, warmup=5):
    model = GR4J(*params)
    flows = []
    for day, forcing in enumerate(forcings):
        q = model.step(*forcing)
        if day >= warmup:
            flows.append(q)
    sim = np.array(flows)
    logger.info("mean flow computed for %d days", len(flows))
    return 1 - nash_sutcliffe(np.sqrt(sim), np.sqrt(observed[warmup:]))
