"""Astronomy: orbits, light curves, cosmology, photometry."""

import math

import numpy as np
from scipy import integrate, interpolate, optimize

from tests.realistic.table import program

C_KM_S = 299792.458

# --- cosmological distances: quad inside a class with cache -----------------------------------

class Cosmology:
    """Flat wCDM; comoving distances are integrated numerically."""

    def __init__(self, H0=70.0, Om=0.3, w=-1.0):
        self.H0, self.Om, self.w = H0, Om, w
        self._cache = {}

    @property
    def Ode(self):
        return 1.0 - self.Om

    @property
    def hubble_distance(self):
        return C_KM_S / self.H0

    def E(self, z):
        return math.sqrt(self.Om * (1 + z) ** 3 + self.Ode * (1 + z) ** (3 * (1 + self.w)))

    def comoving(self, z):
        key = round(z, 6)
        if key not in self._cache:
            value, _ = integrate.quad(lambda x: 1.0 / self.E(x), 0.0, z)
            self._cache[key] = self.hubble_distance * value
        return self._cache[key]

    def distance_modulus(self, z):
        return 5 * math.log10((1 + z) * self.comoving(z)) + 25

@program(lambda rng: (np.array([70.0, 0.3, -0.9]),), order2=False)
def supernova_chi2(theta):
    """Chi square of a few supernovae against a flat wCDM cosmology."""
    H0, Om, w = theta
    if not (0 < Om < 1):
        return np.inf
    cosmo = Cosmology(H0, Om, w)
    zs = [0.02, 0.1, 0.25, 0.5, 0.5, 0.9]
    mus = [34.7, 38.3, 40.5, 42.2, 42.4, 43.9]
    chi2 = 0.0
    for z, mu in zip(zs, mus):
        chi2 += ((cosmo.distance_modulus(z) - mu) / 0.15) ** 2
    return chi2

# --- isochrone age from a spline, with root finding --------------------------------------------

class Track:
    def __init__(self, ages, radii):
        self.ages = ages
        self.spline = interpolate.CubicSpline(ages, radii)

    def radius(self, age):
        return self.spline(age)

    def age_at(self, radius):
        return optimize.brentq(lambda a: self.radius(a) - radius, self.ages[0], self.ages[-1], xtol=1e-13)

@program(lambda rng: (np.array([1.0, 1.05, 1.15, 1.35, 1.7, 2.3]),), rtol=1e-4, order2=False)
def age_from_radius(radii):
    track = Track(np.array([0.0, 2.0, 4.0, 6.0, 8.0, 10.0]), radii)
    observed = [1.2, 1.5]
    ages = [track.age_at(r) for r in observed]
    slope = float(track.spline(5.0, 1))
    return ages[1] - ages[0] + 0.1 * slope
