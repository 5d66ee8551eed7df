"""Orbital mechanics and positioning."""

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tests.realistic.table import program

# --- Lambert's problem by universal variables, porkchop of transfers ------------------------------

def stumpff(psi):
    if psi > 1e-6:
        s = math.sqrt(psi)
        return (1 - math.cos(s)) / psi, (s - math.sin(s)) / s**3
    if psi < -1e-6:
        s = math.sqrt(-psi)
        return (1 - math.cosh(s)) / psi, (math.sinh(s) - s) / s**3
    return 1 / 2 - psi / 24, 1 / 6 - psi / 120

def lambert(r1, r2, tof, mu=1.0):
    n1, n2 = np.linalg.norm(r1), np.linalg.norm(r2)
    cos_dnu = (r1 @ r2) / (n1 * n2)
    A = np.sqrt(n1 * n2 * (1 + cos_dnu))

    def time_of(psi):
        c2, c3 = stumpff(psi)
        y = n1 + n2 + A * (psi * c3 - 1) / np.sqrt(c2)
        return y, ((y / c2) ** 1.5 * c3 + A * np.sqrt(y)) / np.sqrt(mu)

    low, high = -4.0, 4 * math.pi**2 * 0.6
    for _ in range(20):
        psi = 0.5 * (low + high)
        low, high = (psi, high) if time_of(psi)[1] < tof else (low, psi)
    for _ in range(6):
        h = 1e-4
        t = time_of(psi)[1]
        psi = psi - (t - tof) * 2 * h / (time_of(psi + h)[1] - time_of(psi - h)[1])
    y, _ = time_of(psi)
    f, g, gdot = 1 - y / n1, A * np.sqrt(y / mu), 1 - y / n2
    return (r2 - f * r1) / g, (gdot * r2 - r1) / g

@program(lambda rng: (1.2, 1.9, 1.524), wrt=(0, 1, 2), rtol=1e-5)
def transfer_delta_v(departure, tof, radius):
    def planet(a, t, phase=0.0):
        n = a**-1.5
        th = phase + n * t
        r = a * np.array([np.cos(th), np.sin(th), 0.0])
        return r, a * n * np.array([-np.sin(th), np.cos(th), 0.0])

    r1, v1 = planet(1.0, departure)
    r2, v2 = planet(radius, departure + tof, phase=0.6)
    dep, arr = lambert(r1, r2, tof)
    return np.linalg.norm(dep - v1) + np.linalg.norm(v2 - arr)

# --- GPS: weighted least squares, satellites in a mapping, clock and troposphere ------------------

class Almanac(Mapping):
    def __init__(self, satellites):
        self._sats = dict(satellites)

    def __getitem__(self, prn):
        return self._sats[prn]

    def __iter__(self):
        return iter(sorted(self._sats))

    def __len__(self):
        return len(self._sats)

@dataclass
class Satellite:
    position: np.ndarray
    clock: float
    healthy: bool = True

class Receiver:
    mask = np.radians(5.0)

    def __init__(self, almanac):
        self.almanac = almanac
        self.used = []
        self.epoch = dt.datetime(2024, 3, 1, 12)

    def elevation(self, x, sat):
        up = x / np.linalg.norm(x)
        los = sat.position - x
        return np.arcsin(up @ los / np.linalg.norm(los))

    def troposphere(self, el, zenith):
        return zenith / (np.sin(el) + 0.00143 / (np.tan(el) + 0.0445))

    def solve(self, ranges, zenith, x0, iterations=5):
        x, b = x0, 0.0
        for _ in range(iterations):
            rows, residuals, weights = [], [], []
            self.used.clear()
            for prn in self.almanac:
                sat = self.almanac[prn]
                el = self.elevation(x, sat)
                if not sat.healthy or el < self.mask:
                    continue
                los = x - sat.position
                d = np.linalg.norm(los)
                model = d + b - sat.clock + self.troposphere(el, zenith)
                rows.append(np.append(los / d, 1.0))
                residuals.append(ranges[prn] - model)
                weights.append(np.sin(el) ** 2)
                self.used.append(prn)
            if len(rows) < 4:
                raise RuntimeError("not enough satellites")
            H, W = np.array(rows), np.diag(weights)
            step = np.linalg.solve(H.T @ W @ H, H.T @ W @ np.array(residuals))
            x, b = x + step[:3], b + step[3]
        return x, b, np.linalg.inv(H.T @ H)

def _sky(rng):
    el, az = np.radians([20, 35, 50, 70, 40, 2]), np.radians([10, 80, 170, 240, 300, 200])
    x = np.array([0.0, 0.0, 6.4])
    sats = {}
    for k, (e, a) in enumerate(zip(el, az)):
        d = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
        sats[k + 1] = Satellite(x + 20.0 * d, 0.01 * k, healthy=k != 4)
    ranges = {p: float(np.linalg.norm(s.position - x) + 0.3 - s.clock + 0.01 * rng.normal()) for p, s in sats.items()}
    return ranges, 0.0024, Almanac(sats)

@program(lambda rng: _sky(rng), wrt=(0, 1))
def position_error(ranges, zenith, almanac):
    receiver = Receiver(almanac)
    x, bias, Q = receiver.solve(ranges, zenith, np.array([0.1, 0.1, 6.3]))
    truth = np.array([0.5, -0.4, 6.0])
    hour = receiver.epoch.hour / 24
    return {"error": np.linalg.norm(x - truth), "gdop": np.sqrt(np.trace(Q)), "bias": bias * hour}
