"""Geophysics: travel times, gravity, resistivity, earthquake catalogues."""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import j0

from tests.realistic.table import calls, program

MU0 = 4e-7 * np.pi

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
