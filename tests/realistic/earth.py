"""The solid earth: rays in layers, kriging, gravity of prisms, geodesics, receiver functions, slopes."""

import argparse
import contextlib
import io
import math
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache, partial, reduce

import numpy as np
from scipy import optimize, spatial
from scipy.signal import fftconvolve

from tests.realistic.table import program

# --- a ray between two points through flat layers: ray parameter by brentq, picks with weights --------


class Layered:
    def __init__(self, thickness, velocity):
        if len(thickness) != len(velocity):
            raise ValueError("a thickness for each velocity")
        self.thickness, self.velocity = thickness, velocity

    def layers_above(self, depth):
        top = 0.0
        for h, v in zip(self.thickness, self.velocity):
            part = min(h, depth - top)
            if part <= 0:
                return
            yield part, v
            top += h

    def distance(self, p, depth):
        return sum(h * p * v / math.sqrt(1 - (p * v) ** 2) for h, v in self.layers_above(depth))

    def time(self, p, depth):
        return sum(h / (v * math.sqrt(1 - (p * v) ** 2)) for h, v in self.layers_above(depth))

    def travel_time(self, x, depth):
        fastest = max(v for _, v in self.layers_above(depth))
        f = lambda p: self.distance(p, depth) - x
        p = optimize.brentq(f, 0.0, 0.9999 / float(fastest), xtol=1e-14)
        return self.time(p, depth)

PICKS = [("ABC", 5.0, 2.9, 1.0), ("DEF", 8.0, 3.5, 0.5), ("GHI", 2.0, 2.4, 1.0)]

@program(lambda rng: (np.array([3.0, 4.0, 6.0]), np.array([2.0, 4.5, 4.2]), 8.5), wrt=(0, 1, 2), rtol=1e-5,
         changes=(lambda a: PICKS.append(("JKL", 6.0, 3.0, 2.0)), lambda a: (a[0], a[1], 5.0)))
def pick_misfit(velocity, thickness, depth):
    model = Layered(thickness, velocity)
    res = {}
    for station, x, t, w in PICKS:
        res[station] = w * (model.travel_time(x, depth) - t)
    norm = sum(r * r for r in res.values())
    worst = max(res, key=lambda s: abs(res[s]))
    return norm + 0.1 * abs(res[worst])

# --- ordinary kriging with a variogram by name, leave one out ------------------------------------------


class Variogram(Enum):
    SPHERICAL = "sph"
    EXPONENTIAL = "exp"
    GAUSSIAN = "gau"

    def __call__(self, h, nugget, sill, scale):
        if self is Variogram.SPHERICAL:
            r = np.minimum(h / scale, 1.0)
            g = 1.5 * r - 0.5 * r**3
        elif self is Variogram.EXPONENTIAL:
            g = 1 - np.exp(-3 * h / scale)
        else:
            g = 1 - np.exp(-3 * (h / scale) ** 2)
        return np.where(h > 0, nugget + (sill - nugget) * g, 0.0)

class Kriging:
    def __init__(self, xy, z, model="exp", **params):
        self.xy, self.z = np.atleast_2d(xy), np.asarray(z)
        self.gamma = partial(Variogram(model), **params)

    def system(self, xy):
        n = len(xy)
        A = np.ones((n + 1, n + 1))
        A[:n, :n] = self.gamma(spatial.distance.cdist(xy, xy))
        A[n, n] = 0.0
        return A

    def predict(self, at, leave=()):
        keep = np.setdiff1d(np.arange(len(self.z)), leave)
        rhs = np.append(self.gamma(np.linalg.norm(self.xy[keep] - at, axis=1)), 1.0)
        w = np.linalg.solve(self.system(self.xy[keep]), rhs)
        return w[:-1] @ self.z[keep], w @ rhs

@program(lambda rng: ({"nugget": 0.1, "sill": 1.2, "scale": 1.5}, rng.uniform(0, 2, (7, 2)), rng.normal(size=7), "exp"), wrt=(0, 2),
         changes=(lambda a: (a[0], a[1], a[2], "sph"), lambda a: (a[0], a[1][:5], a[2][:5], "gau")))
def leave_one_out(params, xy, z, model):
    k = Kriging(xy, z, model, **params)
    total = 0.0
    for i in range(len(z)):
        m, s2 = k.predict(xy[i], leave=[i])
        total += (z[i] - m) ** 2 / s2 + np.log(s2)
    return total / len(z)

# --- gravity of polygons after Talwani, stations in a record array ----------------------------------------

G = 6.674

def talwani(px, pz, x0):
    n = len(px)
    total = 0.0
    for k in range(n):
        x1, z1 = px[k] - x0, pz[k]
        x2, z2 = px[(k + 1) % n] - x0, pz[(k + 1) % n]
        r1, r2 = x1**2 + z1**2, x2**2 + z2**2
        t1, t2 = np.arctan2(z1, x1), np.arctan2(z2, x2)
        dz = z2 - z1
        if abs(dz) < 1e-10:
            dz = 1e-10
        alpha = (x2 - x1) / dz
        beta = (x1 * z2 - x2 * z1) / dz
        total += beta / (1 + alpha**2) * (0.5 * np.log(r2 / r1) - alpha * (t2 - t1))
    return 2 * G * total

@program(lambda rng: (np.array([[-1.0, 1.0], [0.8, 1.2], [1.1, 2.3], [-0.7, 2.0]]), 0.3, np.linspace(-3, 3, 6)), wrt=(0, 1))
def anomaly_misfit(vertices, density, stations):
    profile = np.fromiter((talwani(vertices[:, 0], vertices[:, 1], s) for s in stations), float, len(stations)) if False else np.array([talwani(*vertices.T, s) for s in stations])
    g = density * profile
    trend = np.polyfit(stations, g, 1)
    residual = g - np.polyval(trend, stations)
    return residual @ residual + 1e-3 * reduce(lambda acc, v: acc + v @ v, vertices, 0.0)

# --- geodesics on the ellipsoid after Vincenty, a traverse that has to close -----------------------------

A_AXIS, F = 6378.137, 1 / 298.257223563

class NotConverged(Exception):
    def __init__(self, it, change):
        super().__init__(f"after {it} iterations: {change:.1e}")
        self.it = it

@lru_cache(maxsize=None)
def b_axis():
    return A_AXIS * (1 - F)

def reduced(lat):
    return math.atan((1 - F) * math.tan(lat))

def inverse(p, q, tol=1e-13):
    U1, U2, L = reduced(p[0]), reduced(q[0]), q[1] - p[1]
    s1, c1, s2, c2 = math.sin(U1), math.cos(U1), math.sin(U2), math.cos(U2)
    lam = L
    for it in range(50):
        sl, cl = math.sin(lam), math.cos(lam)
        ss = math.hypot(c2 * sl, c1 * s2 - s1 * c2 * cl)
        cs = s1 * s2 + c1 * c2 * cl
        sigma = math.atan2(ss, cs)
        sa = c1 * c2 * sl / ss
        c2a = 1 - sa**2
        c2m = cs - 2 * s1 * s2 / c2a
        C = F / 16 * c2a * (4 + F * (4 - 3 * c2a))
        new = L + (1 - C) * F * sa * (sigma + C * ss * (c2m + C * cs * (2 * c2m**2 - 1)))
        done, lam = abs(new - lam) < tol, new
        if done:
            break
    else:
        raise NotConverged(it, float(abs(new - lam)))
    u2 = c2a * (A_AXIS**2 / b_axis() ** 2 - 1)
    A = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    B = u2 / 1024 * (256 + u2 * (-128 + u2 * (74 - 47 * u2)))
    ds = B * ss * (c2m + B / 4 * (cs * (2 * c2m**2 - 1) - B / 6 * c2m * (4 * ss**2 - 3) * (4 * c2m**2 - 3)))
    return b_axis() * A * (sigma - ds)

@program(lambda rng: (np.radians(np.array([[48.1, 11.6], [50.1, 8.7], [52.5, 13.4], [51.0, 7.0]])),), rtol=1e-5)
def traverse_length(points):
    legs = [inverse(p, q) for p, q in zip(points, np.roll(points, -1, axis=0))]
    return sum(legs) / 1000 + np.std(legs) / 100

# --- stability of a slope: circle by slices after Bishop, options from argparse -----------------------------


def options(text=""):
    parser = argparse.ArgumentParser(prog="slope")
    parser.add_argument("--slices", type=int, default=8)
    parser.add_argument("--ru", type=float, default=0.1)
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args(text.split())

@dataclass
class Soil:
    c: float
    phi: float
    gamma: float

def bishop(soil, xc, yc, r, opt):
    left, right = xc - 0.9 * r, xc + 0.7 * r
    width = (right - left) / opt.slices
    slices = []
    for k in range(opt.slices):
        x = left + (k + 0.5) * width
        base = yc - math.sqrt(r**2 - (x - xc) ** 2)
        top = 0.0 if x < 0 else min(0.5 * x, 3.0)
        if top > base:
            slices.append((width * (top - base) * soil.gamma, math.asin((x - xc) / r)))
    drive = sum(w * math.sin(a) for w, a in slices)
    fs, out = 1.0, io.StringIO()
    with contextlib.redirect_stdout(out):
        for it in range(30):
            num = sum((soil.c * width + w * (1 - opt.ru) * math.tan(soil.phi)) / (math.cos(a) * (1 + math.tan(a) * math.tan(soil.phi) / fs)) for w, a in slices)
            new = num / drive
            if opt.verbose:
                print(f"{it:2d}  {new:.6f}")
            if abs(new - fs) < 1e-13:
                break
            fs = new
    return new

@program(lambda rng: (np.array([10.0, 0.4, 19.0]), np.array([3.0, 6.0, 6.5]), "--slices 6 --verbose"), wrt=(0, 1), rtol=1e-5,
         changes=(lambda a: (a[0], a[1], "--ru 0.3"), lambda a: (a[0] * 1.1, a[1], "--slices 4")))
def factor_of_safety(soil, circle, argv):
    opt = options(argv)
    return bishop(Soil(*soil), *circle, opt)

# --- reflectivity: impedances in depth to a trace in time, wavelet, misfit of envelopes ------------------------


def ricker(f, dt, n=9):
    t = dt * (np.arange(n) - n // 2)
    a = (np.pi * f * t) ** 2
    return (1 - 2 * a) * np.exp(-a)

class Log:
    def __init__(self, **curves):
        lengths = {k: len(v) for k, v in curves.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"curves of different lengths: {lengths}")
        self.__dict__.update(curves)

    def __getattr__(self, name):
        if name == "impedance":
            return self.vp * self.rho
        raise AttributeError(name)

    def reflectivity(self):
        z = self.impedance
        return (z[1:] - z[:-1]) / (z[1:] + z[:-1])

@program(lambda rng: (2.0 + 0.3 * rng.random(14), 2.2 + 0.1 * rng.random(14), 25.0, rng.normal(size=13) * 0.01), wrt=(0, 1, 2))
def trace_misfit(vp, rho, peak, observed):
    well = Log(vp=vp, rho=rho)
    synth = fftconvolve(well.reflectivity(), ricker(peak, 0.004), mode="same")
    twt = np.cumsum(2 * 0.005 / vp)
    regular = np.interp(np.linspace(0.01, 0.05, len(observed)), twt[1:], synth)
    return np.sum((regular - observed) ** 2) * 1e3
