"""Orbital mechanics."""

import math

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
