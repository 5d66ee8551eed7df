"""Meteorology, oceanography and agriculture."""

import calendar
import configparser
import functools
import logging
import warnings
from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field, replace
from operator import attrgetter

import numpy as np
from scipy import ndimage
from scipy.interpolate import make_interp_spline

from tests.realistic.table import program

logger = logging.getLogger("weather")
G, RD, CP, LV = 9.81, 287.05, 1004.0, 2.5e6


# --- a sounding: lifted parcels and CAPE, unit-checking decorators ---------------------------------


def kelvin(*names):
    """Make sure that some arguments are in kelvin."""

    def decorate(fn):
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            for value in args[:1]:
                if np.any(np.asarray(value) < 100):
                    raise ValueError(f"{fn.__name__}: temperature below 100 K; Celsius?")
            return fn(*args, **kwargs)

        return wrapper

    return decorate


@kelvin("T")
def saturation_pressure(T):
    return 611.2 * np.exp(17.67 * (T - 273.15) / (T - 29.65))


@kelvin("T")
def mixing_ratio(T, p):
    e = saturation_pressure(T)
    return 0.622 * e / (p - e)


@kelvin("T")
def moist_lapse(T, p):
    r = mixing_ratio(T, p)
    return (RD * T + LV * r) / (CP + LV**2 * r * 0.622 / (RD * T**2)) / p


@dataclass
class Sounding:
    p: np.ndarray
    T: np.ndarray
    Td: np.ndarray

    def __post_init__(self):
        if not np.all(np.diff(self.p) < 0):
            raise ValueError("pressure must decrease")

    def lcl(self):
        T, Td = self.T[0], self.Td[0]
        Tl = 1 / (1 / (Td - 56) + np.log(T / Td) / 800) + 56
        return self.p[0] * (Tl / T) ** (CP / RD), Tl

    def parcel(self):
        pl, _ = self.lcl()
        T, p = self.T[0], self.p[0]
        profile = [T]
        for level in self.p[1:]:
            if level > pl:
                T = self.T[0] * (level / self.p[0]) ** (RD / CP)
            else:
                n = 4
                for k in range(n):
                    T = T + moist_lapse(T, p + (k + 0.5) * (level - p) / n) * (level - p) / n
            p = level
            profile.append(T)
        return np.array(profile)

    def cape(self):
        buoyancy = self.parcel() - self.T
        positive = np.where(buoyancy > 0, buoyancy, 0.0)
        return RD * np.trapezoid(positive, -np.log(self.p))


@program(lambda rng: (Sounding(np.linspace(1e5, 3e4, 8), np.linspace(303, 235, 8), np.linspace(296, 215, 8)), 0.02), order2=False)
def convective_potential(sounding, entrainment):
    mixed = replace(sounding, Td=sounding.Td - entrainment * (sounding.T - sounding.Td))
    pl, Tl = mixed.lcl()
    return mixed.cape() / 100 + (1e5 - pl) / 1e4 + 0.01 * (sounding.T[0] - Tl)


# --- ensemble Kalman filter on Lorenz 96; localisation; inflation -----------------------------------


class Lorenz96:
    def __init__(self, n, forcing=8.0):
        self.n, self.forcing = n, forcing

    def tendency(self, x):
        return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + self.forcing

    def step(self, x, dt=0.05):
        k1 = self.tendency(x)
        k2 = self.tendency(x + dt / 2 * k1)
        k3 = self.tendency(x + dt / 2 * k2)
        k4 = self.tendency(x + dt * k3)
        return x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def gaspari_cohn(r):
    a = np.abs(r)
    inner = 1 - 5 / 3 * a**2 + 5 / 8 * a**3 + 0.5 * a**4 - 0.25 * a**5
    safe = np.maximum(a, 1.0)
    outer = 4 - 5 * safe + 5 / 3 * safe**2 + 5 / 8 * safe**3 - 0.5 * safe**4 + safe**5 / 12 - 2 / (3 * safe)
    return np.where(a < 1, inner, np.where(a < 2, outer, 0.0))


class EnKF:
    def __init__(self, model, members, inflation, radius, seed=5):
        self.model, self.inflation = model, inflation
        self.rng = np.random.default_rng(seed)
        d = np.abs(np.subtract.outer(np.arange(model.n), np.arange(model.n)))
        self.rho = gaspari_cohn(np.minimum(d, model.n - d) / radius)
        self.members = members

    def forecast(self):
        self.members = [self.model.step(m) for m in self.members]

    def analyse(self, y, idx, r):
        X = np.stack(self.members, axis=1)
        mean = X.mean(axis=1, keepdims=True)
        A = self.inflation * (X - mean)
        P = self.rho * (A @ A.T) / (A.shape[1] - 1)
        H = np.eye(self.model.n)[idx]
        K = P @ H.T @ np.linalg.inv(H @ P @ H.T + r * np.eye(len(idx)))
        for k in range(len(self.members)):
            noise = np.sqrt(r) * self.rng.standard_normal(len(idx))
            self.members[k] = mean[:, 0] + A[:, k] + K @ (y + noise - H @ (mean[:, 0] + A[:, k]))
        return np.sqrt(np.trace(P) / self.model.n)


@program(lambda rng: (8.0, 1.05, 2.3, rng.normal(0, 1, (5, 8)) + 2), wrt=(0, 1, 2, 3))
def filter_skill(forcing, inflation, radius, initial):
    model = Lorenz96(8, forcing)
    enkf = EnKF(model, list(initial), inflation, radius)
    truth = np.sin(np.arange(8.0)) + 2
    spread, error = [], 0.0
    for k in range(3):
        truth = Lorenz96(8).step(truth)
        enkf.forecast()
        spread.append(enkf.analyse(truth[::2] + 0.1, np.arange(0, 8, 2), 0.5))
        error += np.mean((np.mean(enkf.members, axis=0) - truth) ** 2)
    return np.sqrt(error / 3) + 0.1 * abs(spread[-1] - 1)


# --- ocean: shallow water on a staggered grid, in place, with tides and bathymetry -------------------


class ShallowWater:
    def __init__(self, depth, f=0.1, drag=0.02, dx=1.0):
        self.H, self.f, self.drag, self.dx = depth, f, drag, dx
        ny, nx = depth.shape
        self.eta = np.zeros((ny, nx))
        self.u = np.zeros((ny, nx + 1))
        self.v = np.zeros((ny + 1, nx))
        self.time = 0.0

    def face_depths(self):
        hx = 0.5 * (self.H[:, 1:] + self.H[:, :-1])
        hy = 0.5 * (self.H[1:, :] + self.H[:-1, :])
        return hx, hy

    def step(self, dt, tide):
        hx, hy = self.face_depths()
        self.eta[:, 0] = tide(self.time)
        v_at_u = 0.25 * (self.v[:-1, :-1] + self.v[1:, :-1] + self.v[:-1, 1:] + self.v[1:, 1:])
        self.u[:, 1:-1] += dt * (-np.diff(self.eta, axis=1) / self.dx + self.f * v_at_u - self.drag * self.u[:, 1:-1])
        u_at_v = 0.25 * (self.u[:-1, :-1] + self.u[1:, :-1] + self.u[:-1, 1:] + self.u[1:, 1:])
        self.v[1:-1, :] += dt * (-np.diff(self.eta, axis=0) / self.dx - self.f * u_at_v - self.drag * self.v[1:-1, :])
        fx = np.zeros_like(self.u)
        fy = np.zeros_like(self.v)
        fx[:, 1:-1] = hx * self.u[:, 1:-1]
        fy[1:-1, :] = hy * self.v[1:-1, :]
        self.eta -= dt * (np.diff(fx, axis=1) + np.diff(fy, axis=0)) / self.dx
        self.time += dt


CONSTITUENTS = OrderedDict(M2=(1.0, 0.9), S2=(0.3, 1.1), K1=(0.2, 0.45))


@program(lambda rng: (rng.uniform(0.8, 1.4, (5, 6)), {"M2": 0.1, "K1": -0.4}, 0.03), wrt=(0, 1, 2))
def tidal_harmonics(depth, phases, drag):
    model = ShallowWater(depth, drag=drag)

    def tide(t):
        return sum(a * np.cos(w * t + phases.get(name, 0.0)) for name, (a, w) in CONSTITUENTS.items())

    record = []
    for _ in range(12):
        model.step(0.2, tide)
        record.append(model.eta[2, -2])
    t = 0.2 * np.arange(1, 13)
    design = np.column_stack([f(w * t) for _, w in CONSTITUENTS.values() for f in (np.cos, np.sin)])
    coef = np.linalg.solve(design.T @ design + 1e-3 * np.eye(6), design.T @ np.array(record))
    amplitude = np.hypot(coef[0::2], coef[1::2])
    return {"M2": amplitude[0], "residual": np.std(record - design @ coef)}


# --- advected tracer with semi-Lagrangian steps by ndimage; age of water ---------------------------


@program(lambda rng: (ndimage.gaussian_filter(rng.uniform(0, 1, (10, 10)), 1.0), 0.37, 0.6), wrt=(0, 1, 2), order2=False)
def drifting_patch(tracer, speed, decay):
    ys, xs = np.mgrid[0:10, 0:10].astype(float)
    total = []
    c = tracer
    for k in range(3):
        back = np.array([ys - 0.5 * speed * np.cos(0.3 * k), xs - speed])
        c = ndimage.map_coordinates(c, back, order=1, mode="nearest") * np.exp(-decay * 0.1)
        total.append(c.sum())
    centre = np.array([np.sum(ys * c), np.sum(xs * c)]) / total[-1]
    return np.linalg.norm(centre - 4.0) + 0.01 * total[-1]


# --- crops: phenology, water balance, configuration files ----------------------------------------------

INI = """
[maize]
tbase = 8.0
topt = 30.0
rue = 3.2
[wheat]
tbase = 0.0
topt = 22.0
rue = 2.6
"""
Day = namedtuple("Day", "month tmin tmax rain radiation")


@dataclass
class Crop:
    tbase: float
    topt: float
    rue: float
    gdd: float = 0.0
    lai: float = 0.1
    biomass: float = 1.0
    stage: str = "vegetative"
    diary: list = field(default_factory=list, repr=False)

    @classmethod
    def from_config(cls, name, **changes):
        parser = configparser.ConfigParser()
        parser.read_string(INI)
        if name not in parser:
            raise KeyError(name)
        values = {k: float(v) for k, v in parser[name].items()}
        values.update(changes)
        return cls(**values)

    def grow(self, day, stress):
        t = 0.5 * (day.tmin + day.tmax)
        self.gdd += max(0.0, min(t, self.topt) - self.tbase)
        if self.stage == "vegetative" and self.gdd > 120:
            self.stage = "grain"
            self.diary.append(("flowering", calendar.month_name[day.month]))
        interception = 1 - np.exp(-0.5 * self.lai)
        gain = self.rue * interception * 0.5 * day.radiation * stress
        self.biomass += gain
        if self.stage == "vegetative":
            self.lai += 0.02 * gain
        else:
            self.lai *= 0.98
        return gain


class SoilWater:
    def __init__(self, capacity, start=0.7):
        self.capacity = capacity
        self.content = start * capacity

    @property
    def stress(self):
        relative = self.content / self.capacity
        return np.clip((relative - 0.2) / 0.4, 0.0, 1.0)

    def balance(self, rain, demand):
        use = demand * self.stress
        self.content = min(self.content + rain - use, self.capacity)
        if self.content < 0:
            warnings.warn("soil dried out")
            self.content = 0.0
        return use


def _season(rng):
    return [
        Day(5 + k // 10, float(rng.uniform(8, 14)), float(rng.uniform(18, 30)), float(rng.choice([0, 0, 6.5])), float(rng.uniform(12, 22)))
        for k in range(25)
    ]


@program(lambda rng: ({"rue": 3.0, "tbase": 7.5}, 90.0, _season(rng)), wrt=(0, 1, 2))
def maize_yield(changes, capacity, season):
    crop = Crop.from_config("maize", **changes)
    soil = SoilWater(capacity)
    grain = 0.0
    for day in sorted(season, key=attrgetter("month")):
        demand = 0.15 * day.radiation * (1 - np.exp(-0.5 * crop.lai)) + 1.0
        soil.balance(day.rain, demand)
        gain = crop.grow(day, soil.stress)
        if crop.stage == "grain":
            grain += 0.5 * gain
    logger.info("diary: %s", crop.diary)
    return grain + 0.1 * crop.biomass


# --- grassland growth with splines as forcing and a harvest schedule ------------------------------------


@program(lambda rng: (np.array([0.2, 0.5, 0.9, 0.8, 0.3]), 0.25, 1.2), wrt=(0, 1, 2))
def silage_harvest(knots, mortality, residual, cuts=(60, 110)):
    rate = make_interp_spline(np.array([0.0, 50.0, 100.0, 150.0, 200.0]), knots, k=3)
    standing, harvest = 1.5, []
    for day in range(0, 150, 5):
        growth = rate(float(day)) * standing * (1 - standing / 8.0)
        senescence = mortality * 0.1 * standing**2 / (1 + standing)
        standing = standing + 5 * 0.1 * (growth - senescence)
        if day in cuts and standing > residual:
            harvest.append(standing - residual)
            standing = residual
    quality = [h * np.exp(-0.1 * h) for h in harvest]
    return sum(quality) + 0.05 * standing
