"""Geophysics: travel times, gravity, resistivity, earthquake catalogues."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import j0

from tests.realistic.table import calls, program

G = 6.674e-11
MU0 = 4e-7 * np.pi


# --- a layered earth as a sequence of layers, with head waves -------------------------------


@dataclass
class Layer:
    thickness: float
    vp: float
    q: float = 100.0


class LayeredEarth(Sequence):
    """A stack of layers over a half space."""

    def __init__(self, layers):
        self._layers = list(layers)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return LayeredEarth(self._layers[i])
        return self._layers[i]

    def __len__(self):
        return len(self._layers)

    @property
    def interfaces(self):
        depth = 0.0
        for layer in self[:-1]:
            depth += layer.thickness
            yield depth

    def head_wave(self, n, offset):
        """Arrival of the wave refracted along the top of layer n."""
        v = self[n].vp
        t = offset / v
        for layer in self[:n]:
            if layer.vp >= v:
                return np.inf  # hidden by a faster layer
            t += 2 * layer.thickness * np.sqrt(1 / layer.vp**2 - 1 / v**2)
        return t

    def first_arrival(self, offset):
        arrivals = [offset / self[0].vp]
        arrivals += [self.head_wave(n, offset) for n in range(1, len(self))]
        best = min(range(len(arrivals)), key=lambda i: arrivals[i])
        return arrivals[best], best


@program(lambda rng: (LayeredEarth([Layer(20.0, 800.0), Layer(45.0, 1900.0), Layer(0.0, 4200.0)]), np.linspace(10, 300, 11)))
def refraction_misfit(earth, offsets):
    picked = 0.012 + offsets / 3500.0 + 0.04 * (1 - np.exp(-offsets / 60))
    total = 0.0
    branches = set()
    for x, t_obs in zip(offsets, picked):
        t, branch = earth.first_arrival(x)
        attenuation = earth[branch].q / 100.0
        branches.add(branch)
        total += ((t - t_obs) * 1e3) ** 2 / attenuation
    depths = list(earth.interfaces)
    return total / len(offsets) + 1e-4 * sum(depths) * len(branches)


# --- gravity of a polygon, Talwani's line integral -----------------------------------------


def talwani(vertices, density, stations):
    gz = np.zeros(len(stations))
    n = len(vertices)
    for s in range(len(stations)):
        total = 0.0
        for i in range(n):
            x1, z1 = vertices[i, 0] - stations[s], vertices[i, 1]
            x2, z2 = vertices[(i + 1) % n, 0] - stations[s], vertices[(i + 1) % n, 1]
            dx, dz = x2 - x1, z2 - z1
            r1, r2 = x1 * x1 + z1 * z1, x2 * x2 + z2 * z2
            theta = np.arctan2(z1, x1) - np.arctan2(z2, x2)
            if abs(theta) < 1e-12:
                continue
            if theta > np.pi:
                theta -= 2 * np.pi
            elif theta < -np.pi:
                theta += 2 * np.pi
            A = dx / (dx * dx + dz * dz) * (x1 * z2 - x2 * z1)
            B = dz / dx if abs(dx) > 1e-9 else None
            if B is None:
                total += x1 * 0.5 * np.log(r2 / r1)
            else:
                total += A * (theta + B * 0.5 * np.log(r2 / r1))
        gz[s] = 2 * G * density * total
    return gz * 1e5


@program(
    lambda rng: (np.array([[-300.0, 120.0], [250.0, 100.0], [400.0, 420.0], [-150.0, 520.0]]), 350.0),
    wrt=(0, 1),
    rtol=1e-5,
)
def gravity_inversion_objective(vertices, density, alpha=1e-3):
    stations = np.arange(-1000.0, 1001.0, 250.0)
    predicted = talwani(vertices, density, stations)
    observed = 2.2 / (1 + (stations / 500.0) ** 2)
    edges = np.roll(vertices, -1, axis=0) - vertices
    length = np.sum(np.hypot(edges[:, 0], edges[:, 1]))
    return np.sum((predicted - observed) ** 2) + alpha * length / 1e3


# --- magnetotellurics: impedance recursion with complex numbers ----------------------------


class MTSounding:
    def __init__(self, periods, error_floor=0.05):
        self.omega = 2 * np.pi / np.asarray(periods)
        self.error_floor = error_floor

    def impedance(self, rho, h):
        Z = np.sqrt(1j * self.omega * MU0 * rho[-1])
        for j in reversed(range(len(h))):
            k = np.sqrt(1j * self.omega * MU0 / rho[j])
            w = k * rho[j]
            e = np.exp(-2 * k * h[j])
            r = (w - Z) / (w + Z) * e
            Z = w * (1 - r) / (1 + r)
        return Z

    def __call__(self, log_rho, h):
        Z = self.impedance(np.exp(log_rho), h)
        apparent = np.abs(Z) ** 2 / (self.omega * MU0)
        phase = np.degrees(np.arctan2(Z.imag, Z.real))
        return apparent, phase

    def misfit(self, log_rho, h, data):
        apparent, phase = self(log_rho, h)
        r1 = (np.log(apparent) - np.log(data["rho"])) / self.error_floor
        r2 = (phase - data["phase"]) / np.degrees(self.error_floor / 2)
        return np.mean(np.hstack([r1, r2]) ** 2)


def _mt(rng):
    sounding = MTSounding(np.logspace(-2, 2, 8))
    data = {"rho": 100 * np.exp(0.1 * rng.normal(size=8)), "phase": 45 + rng.normal(size=8)}
    return sounding.misfit, (np.log([100.0, 10.0, 300.0]), np.array([400.0, 800.0]), data)


calls("mt_misfit", _mt, wrt=(0, 1))


# --- an ETAS earthquake catalogue --------------------------------------------------------------


class Catalogue:
    def __init__(self, times, mags, mc=3.0):
        keep = mags >= mc
        self.times, self.mags, self.mc = times[keep], mags[keep], mc

    def __iter__(self):
        yield from zip(self.times, self.mags)

    def before(self, t):
        sel = self.times < t
        return self.times[sel], self.mags[sel]

    @property
    def b_value(self):
        return np.log10(np.e) / (self.mags.mean() - self.mc + 0.05)


def omori_integral(dt, c, p):
    if abs(p - 1) < 1e-8:
        return np.log1p(dt / c)
    return (c ** (1 - p) - (dt + c) ** (1 - p)) / (p - 1)


@program(
    lambda rng: (
        dict(mu=0.2, K=0.03, alpha=1.1, c=0.02, p=1.15),
        Catalogue(np.sort(rng.uniform(0, 50, 14)), 3 + rng.exponential(0.5, 14)),
        50.0,
    )
)
def etas_log_likelihood(theta, catalogue, T):
    mu, K, alpha, c, p = (theta[name] for name in ("mu", "K", "alpha", "c", "p"))
    loglik = 0.0
    for t, m in catalogue:
        ti, mi = catalogue.before(t)
        rate = mu
        if ti.size:
            rate = rate + np.sum(K * np.exp(alpha * (mi - catalogue.mc)) * (t - ti + c) ** (-p))
        loglik += np.log(rate)
    productivity = K * np.exp(alpha * (catalogue.mags - catalogue.mc))
    loglik -= mu * T + np.sum(productivity * np.vectorize(omori_integral)(T - catalogue.times, c, p))
    return loglik - 0.5 * (alpha - catalogue.b_value) ** 2


# --- dc resistivity by a digital linear filter-like quadrature, spline of depth -----------------


@program(lambda rng: (np.log(np.array([50.0, 20.0, 120.0, 400.0])), np.array([2.0, 20.0, 90.0])), wrt=(0, 1), rtol=1e-5)
def schlumberger_curve(log_rho_knots, spacings):
    spline = CubicSpline(np.array([0.0, 1.0, 2.0, 3.0]), log_rho_knots, bc_type="natural")
    edges = np.linspace(0, 3, 7)
    rho = np.exp(spline(0.5 * (edges[1:] + edges[:-1])))
    h = np.diff(10 ** (edges * 0.6))
    out = []
    lam, w = np.polynomial.legendre.leggauss(40)
    for a in spacings:
        k = 0.5 * (lam + 1) * 8 / a
        T = rho[-1] * np.ones_like(k)
        for j in range(len(h) - 1, -1, -1):
            th = np.tanh(k * h[j])
            T = (T + rho[j] * th) / (1 + T * th / rho[j])
        kernel = (T - rho[0]) * j0(k * a) * k
        out.append(rho[0] + a**2 * np.sum(w * kernel) * 4 / a)
    return np.stack(out)
