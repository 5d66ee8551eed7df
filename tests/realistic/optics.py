"""Optics and magnetic fields."""

import math
import random
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from scipy.constants import Avogadro
from scipy.constants import k as k_B
from scipy.special import ellipk, jv

from tests.realistic.table import program

# --- optics: rays through lenses, thin films, aperture integrals ------------------------------------

@dataclass
class Surface:
    curvature: float
    distance: float
    n_after: float
    aperture: float = 10.0

    def intersect(self, o, d):
        o = o - np.array([0.0, self.distance])
        c = self.curvature
        a = c
        b = d[1] - c * (o @ d)
        q = c * (o @ o) - 2 * o[1]
        t = q / (b + np.sqrt(b * b - a * q))
        p = o + t * d
        if abs(p[0]) > self.aperture:
            raise VignettedError(self)
        normal = np.array([-c * p[0], 1 - c * p[1]])
        return p, normal

    def refract(self, d, n, normal):
        mu = n / self.n_after
        cosi = normal @ d
        root = 1 - mu**2 * (1 - cosi**2)
        return mu * d + (np.sqrt(root) - mu * cosi) * normal

class VignettedError(Exception):
    pass

def trace(surfaces, height, angle):
    o, d, n = np.array([height, 0.0]), np.array([np.sin(angle), np.cos(angle)]), 1.0
    for s in surfaces:
        o, normal = s.intersect(o, d)
        d = s.refract(d, n, normal)
        n = s.n_after
    return o, d

def _doublet():
    return [Surface(0.02, 5.0, 1.52), Surface(-0.018, 3.0, 1.62), Surface(-0.004, 1.5, 1.0)]

@program(lambda rng: (_doublet(), 48.0), wrt=(0, 1))
def spot_size(surfaces, image_distance):
    heights, lost = [], 0
    for angle in (0.0, 0.02):
        column = []
        for h in (-4.0, -2.0, 1.0, 3.0, 12.0):
            try:
                o, d = trace(surfaces, h, angle)
            except VignettedError:
                lost += 1
                continue
            column.append(o[0] + (image_distance - o[1]) * d[0] / d[1])
        heights.append(np.array(column))
    rms = [np.sqrt(np.mean((c - c.mean()) ** 2)) for c in heights]
    assert lost == 2
    return sum(rms) + 0.01 * abs(heights[1].mean() - 1.0)

class Film:
    """A stack of thin films by characteristic matrices."""

    def __init__(self, substrate=1.52):
        self.layers = []
        self.substrate = substrate

    def __lshift__(self, layer):
        self.layers.append(layer)
        return self

    def reflectance(self, wavelength):
        M = np.eye(2, dtype=complex)
        for n, d in self.layers:
            delta = 2 * np.pi * n * d / wavelength
            M = M @ np.array([[np.cos(delta), 1j * np.sin(delta) / n], [1j * n * np.sin(delta), np.cos(delta)]])
        B, C = M @ np.array([1.0, self.substrate])
        r = (B - C) / (B + C)
        return (r * np.conj(r)).real

@program(lambda rng: (np.array([100.0, 65.0, 120.0]), np.array([1.38, 2.1, 1.45])), wrt=(0, 1))
def coating_merit(thickness, index):
    film = Film()
    for n, d in zip(index, thickness):
        film << (n, d)
    bands = {"blue": (430, 480), "green": (520, 560), "red": (620, 680)}
    weights = {"blue": 0.5, "green": 1.0, "red": 0.7}
    merit = 0.0
    for name, (low, high) in bands.items():
        R = np.mean([film.reflectance(w) for w in np.linspace(low, high, 4)])
        merit += weights[name] * np.sqrt(R)
    airy = (2 * jv(1, thickness[0] / 50) / (thickness[0] / 50)) ** 2
    return merit + 0.1 * airy

# --- magnetic field of coils with elliptic integrals; kinetic gas constants; nested context ----------

@contextmanager
def units(scale, stack=[]):
    stack.append(scale)
    try:
        yield math.prod(stack)
    finally:
        stack.pop()

class Coil:
    def __init__(self, radius, z, current):
        self.radius, self.z, self.current = radius, z, current

    def vector_potential(self, rho, z):
        k2 = 4 * self.radius * rho / ((self.radius + rho) ** 2 + (z - self.z) ** 2)
        K = ellipk(k2)
        # E from K by the arithmetic-geometric mean
        a, g, s = 1.0, np.sqrt(1 - k2), k2 / 2
        for n in range(6):
            a, g, c = (a + g) / 2, np.sqrt(a * g), (a - g) / 2
            s = s + 2.0**n * c**2
        E = K * (1 - s)
        return self.current * np.sqrt(self.radius / rho) / np.pi * ((1 - k2 / 2) * K - E) / np.sqrt(k2)

@program(lambda rng: (0.5, 0.25, 1.0), wrt=(0, 1, 2))
def helmholtz_uniformity(radius, half_gap, current):
    coils = [Coil(radius, z, current) for z in (-half_gap, half_gap)]
    random.seed(4)
    samples = [(0.05 + 0.1 * random.random(), 0.1 * random.uniform(-1, 1)) for _ in range(4)]
    with units(1e-3) as milli, units(1e3) as unit:
        fields = []
        for rho, z in samples:
            A = [sum(c.vector_potential(r, z) for c in coils) for r in (rho - 1e-3, rho + 1e-3)]
            fields.append(((rho + 1e-3) * A[1] - (rho - 1e-3) * A[0]) / (2 * milli * rho) * unit)
    fields = np.array(fields)
    speed = math.sqrt(3 * k_B * 300 * Avogadro / 0.04)
    return np.std(fields) / np.mean(fields) + 1e-3 * fields[0] / speed
