"""Astronomy: orbits, light curves, cosmology, photometry."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import integrate, interpolate, optimize

from tests.realistic.table import program

C_KM_S = 299792.458
RAD = np.pi / 180.0


# --- radial velocities of a planetary system ---------------------------------------------


class Planet(NamedTuple):
    period: float
    K: float
    e: float
    omega: float
    tp: float


def eccentric_anomaly(M, e, tol=1e-12, max_iter=50):
    """Solve Kepler's equation by Newton's method for an array of mean anomalies."""
    E = M + e * np.sin(M)
    for i in range(max_iter):
        delta = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E = E - delta
        if np.max(np.abs(delta)) < tol:
            break
    else:
        raise RuntimeError("Kepler's equation did not converge")
    return E


def true_anomaly(E, e):
    return 2 * np.arctan2(np.sqrt(1 + e) * np.sin(E / 2), np.sqrt(1 - e) * np.cos(E / 2))


def radial_velocity(t, planets, gamma, trend=0.0):
    rv = np.full_like(t, gamma) + trend * (t - t.mean())
    for planet in planets:
        M = 2 * np.pi * (t - planet.tp) / planet.period
        nu = true_anomaly(eccentric_anomaly(M, planet.e), planet.e)
        rv += planet.K * (np.cos(nu + planet.omega) + planet.e * np.cos(planet.omega))
    return rv


@program(
    lambda rng: (
        [Planet(12.3, 30.0, 0.3, 0.7, 2.0), Planet(47.1, 12.0, 0.1, 2.0, 9.0)],
        1.5,
        0.4,
        np.sort(rng.uniform(0, 80, 25)),
        rng.normal(0, 20, 25),
    ),
    wrt=(0, 1, 2),
)
def rv_log_likelihood(planets, gamma, log_jitter, t, rv_obs):
    """Gaussian likelihood with jitter, and priors on eccentricities."""
    for p in planets:
        if not 0 <= p.e < 1:
            return -np.inf
    model = radial_velocity(t, planets, gamma)
    var = 2.0**2 + np.exp(2 * log_jitter)
    chi2 = np.sum((rv_obs - model) ** 2) / var
    lp = -0.5 * (chi2 + len(t) * np.log(2 * np.pi * var))
    return lp + sum(-0.5 * (p.e / 0.3) ** 2 for p in planets)


# --- a transit with limb darkening, by rings ------------------------------------------------


class LimbDarkening:
    def __init__(self, *coefficients):
        self.u = coefficients

    def intensity(self, mu):
        raise NotImplementedError

    def __call__(self, r):
        return self.intensity(np.sqrt(np.clip(1 - r**2, 1e-12, None)))


class Quadratic(LimbDarkening):
    def intensity(self, mu):
        u1, u2 = self.u
        return 1 - u1 * (1 - mu) - u2 * (1 - mu) ** 2


class Nonlinear(LimbDarkening):
    def intensity(self, mu):
        out = np.ones_like(mu)
        for k, c in enumerate(self.u, start=1):
            out -= c * (1 - mu ** (k / 2))
        return out


LAWS = {"quadratic": Quadratic, "nonlinear": Nonlinear}


def covered_fraction(r, z, k):
    """Which part of the ring with radius r is behind a planet of radius k at distance z."""
    inside = (r**2 + z**2 - k**2) / (2 * r * z)
    partial = np.arccos(np.clip(inside, -1 + 1e-9, 1 - 1e-9)) / np.pi
    return np.where(inside >= 1, 0.0, np.where(inside <= -1, 1.0, partial))


@program(
    lambda rng: (0.11, np.array([0.4, 0.25]), 0.3, np.linspace(-0.9, 0.9, 15)),
    wrt=(0, 1, 2),
    order2=False,
    rtol=1e-5,
)
def transit_light_curve(k, coefficients, impact, phase, law="quadratic", rings=60):
    try:
        darkening = LAWS[law](*coefficients)
    except KeyError as e:
        raise ValueError(f"unknown law {law}") from e
    edges = np.linspace(0, 1, rings + 1)
    r = 0.5 * (edges[1:] + edges[:-1])
    profile = darkening(r) * r
    flux = np.ones(len(phase))
    for i in range(len(phase)):
        z = np.sqrt(impact**2 + phase[i] ** 2)
        if z > 1 + k:
            continue
        flux[i] = 1 - np.sum(profile * covered_fraction(r, z, k)) / np.sum(profile)
    return flux


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


# --- synthetic photometry with spline interpolated filters ------------------------------------


@dataclass
class Filter:
    name: str
    wavelength: np.ndarray
    transmission: np.ndarray
    zeropoint: float = 0.0

    def __post_init__(self):
        if self.wavelength.shape != self.transmission.shape:
            raise ValueError("filter curves must have equal lengths")

    def on(self, grid):
        return np.interp(grid, self.wavelength, self.transmission, left=0.0, right=0.0)


def planck(lam_nm, T):
    x = 1.438777e7 / (lam_nm * T)
    return lam_nm**-5.0 * 1e14 / np.expm1(x)


def extinction(lam_nm, Av, Rv=3.1):
    x = 1e3 / lam_nm - 1.82
    a = 1 + 0.17699 * x - 0.50447 * x**2
    b = 1.41338 * x + 2.28305 * x**2
    return Av * (a + b / Rv)


def _filters():
    lam = np.linspace(-1, 1, 7)
    bump = np.exp(-3 * lam**2)
    return [Filter("B", 440 + 60 * lam, bump), Filter("V", 550 + 60 * lam, bump, 0.1), Filter("R", 660 + 80 * lam, bump)]


@program(lambda rng: (5800.0, 0.4, _filters()), wrt=(0, 1))
def colours(T, Av, filters):
    """Colours of an extincted black body."""
    grid = np.linspace(370.0, 760.0, 80)
    spectrum = planck(grid, T) * 10 ** (-0.4 * extinction(grid, Av))
    mags = {}
    for f in filters:
        tr = f.on(grid)
        flux = np.trapezoid(spectrum * tr * grid, grid) / np.trapezoid(tr / grid, grid)
        mags[f.name] = -2.5 * np.log10(flux) + f.zeropoint
    return {"B-V": mags["B"] - mags["V"], "V-R": mags["V"] - mags["R"]}


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
