"""Hydrology: rainfall-runoff models, routing, groundwater, flood frequency."""

import json
import logging
from collections import namedtuple
from dataclasses import dataclass, field
from math import log, sqrt, tanh

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

# --- a river network routed in topological order: Muskingum-Cunge, dict of reaches ---------------

@dataclass
class Reach:
    length: float
    slope: float
    width: float
    upstream: list = field(default_factory=list)

@dataclass
class Network:
    reaches: dict
    manning: float = 0.035

    def order(self):
        done, result = set(), []

        def visit(name):
            if name in done:
                return
            for up in self.reaches[name].upstream:
                visit(up)
            done.add(name)
            result.append(name)

        for name in self.reaches:
            visit(name)
        return result

    def coefficients(self, reach, q_ref, dt):
        depth = (self.manning * q_ref / (reach.width * sqrt(reach.slope))) ** 0.6
        celerity = 5 / 3 * q_ref / (reach.width * depth)
        K = reach.length / celerity
        X = 0.5 * (1 - q_ref / (reach.width * reach.slope * celerity * reach.length))
        denom = 2 * K * (1 - X) + dt
        return (dt - 2 * K * X) / denom, (dt + 2 * K * X) / denom, (2 * K * (1 - X) - dt) / denom

def _network():
    return Network(
        {
            "outlet": Reach(9e3, 0.0006, 40.0, ["left", "right"]),
            "left": Reach(12e3, 0.001, 20.0),
            "right": Reach(7e3, 0.002, 15.0, ["creek"]),
            "creek": Reach(4e3, 0.004, 6.0),
        }
    )

@program(lambda rng: (_network(), {k: 5 + 30 * rng.beta(2, 5, 12) for k in ("left", "creek")}), wrt=(0, 1))
def peak_at_outlet(network, lateral, dt=3600.0):
    flows = {}
    for name in network.order():
        reach = network.reaches[name]
        inflow = np.zeros(12)
        for up in reach.upstream:
            inflow += flows[up]
        if name in lateral:
            inflow = inflow + lateral[name]
        c0, c1, c2 = network.coefficients(reach, inflow.mean(), dt)
        out = np.zeros_like(inflow)
        out[0] = inflow[0]
        for t in range(1, len(inflow)):
            out[t] = c0 * inflow[t] + c1 * inflow[t - 1] + c2 * out[t - 1]
        flows[name] = out
    q = flows["outlet"]
    return 2.0 * np.log(np.mean(np.exp(q / 2.0 - q.max() / 2.0))) + q.max()

# --- snow and soil from a JSON configuration -------------------------------------------------------

CONFIG = json.loads('{"tt": 0.5, "cfmax": 3.5, "cwh": 0.1, "cfr": 0.05, "fc": 180.0, "beta": 2.0, "lp": 0.7}')

class Bucket:
    """An HBV-like bucket; states are kept in a dict."""

    def __init__(self, **p):
        unknown = p.keys() - CONFIG.keys()
        if unknown:
            raise ValueError(f"unknown parameters: {', '.join(sorted(unknown))}")
        self.p = {**CONFIG, **p}
        self.state = dict(snow=10.0, water=0.0, soil=90.0)

    def snow(self, P, T):
        p, st = self.p, self.state
        rain, snowfall = (P, 0.0) if T > p["tt"] else (0.0, P)
        melt = min(max(p["cfmax"] * (T - p["tt"]), 0.0), st["snow"])
        refreeze = min(max(p["cfr"] * p["cfmax"] * (p["tt"] - T), 0.0), st["water"])
        st["snow"] += snowfall - melt + refreeze
        st["water"] += rain + melt - refreeze
        release = max(st["water"] - p["cwh"] * st["snow"], 0.0)
        st["water"] -= release
        return release

    def soil(self, inflow, pet):
        p, st = self.p, self.state
        wet = st["soil"] / p["fc"]
        runoff = inflow * wet ** p["beta"]
        et = pet * min(wet / p["lp"], 1.0)
        st["soil"] = max(st["soil"] + inflow - runoff - et, 1.0)
        return runoff

@program(lambda rng: ({"cfmax": 3.2, "fc": 150.0, "beta": 2.4, "cwh": 0.12}, rng.gamma(1, 8, 20), rng.normal(1, 5, 20)))
def spring_flood(parameters, precipitation, temperature):
    bucket = Bucket(**parameters)
    runoff = [bucket.soil(bucket.snow(P, T), 1.5) for P, T in zip(precipitation, temperature)]
    total = 0.0
    for k, q in enumerate(reversed(runoff)):
        total += 0.9**k * q
    return total + 0.01 * bucket.state["soil"]

quantile = np.vectorize(lambda F, xi, alpha, k: xi + alpha / k * (1 - (-log(F)) ** k), excluded=[1, 2, 3])
