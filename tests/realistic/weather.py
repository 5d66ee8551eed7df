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

# --- sunlight through layers of cloud over snow: two streams, layer added to layer ----------------

@dataclass
class Layer:
    depth: float
    single_scattering: float
    name: str = "cloud"

    def optics(self):
        if not 0 <= self.single_scattering < 1:
            raise ValueError(f"{self.name}: albedo {self.single_scattering} of one scattering")
        g = np.sqrt(1 - self.single_scattering)
        reflected = (1 - g) / (1 + g) * (1 - np.exp(-2 * g * self.depth))
        return {"r": reflected, "t": np.exp(-1.7 * g * self.depth)}

class Column:
    def __init__(self, surface):
        self.surface = surface
        self.layers = OrderedDict()

    def add(self, layer):
        if layer.name in self.layers:
            logger.warning("layer %s is there twice", layer.name)
        self.layers[layer.name] = layer
        return self

    def run(self):
        albedo, through = self.surface, 1.0
        for name in reversed(self.layers):
            optics = self.layers[name].optics()
            r, t = optics["r"], optics["t"]
            albedo = r + t**2 * albedo / (1 - r * albedo)
            through *= t
        return albedo, through

@program(
    lambda rng: (
        {"depth": np.array([0.3, 1.2, 0.1]), "scattering": np.array([0.9, 0.7, 0.8]), "snow": 0.5},
        [0.62, 0.4],
    )
)
def cloud_retrieval(state, observed):
    column = Column(state["snow"])
    for k, name in enumerate(["cirrus", "stratus", "haze"]):
        column.add(Layer(state["depth"][k], state["scattering"][k], name=name))
    modelled = column.run()
    misfit = sum((m - o) ** 2 for m, o in zip(modelled, observed))
    prior = np.sum((np.log(state["depth"]) - np.log([0.2, 1.0, 0.2])) ** 2)
    return misfit / 0.01**2 + 0.5 * prior
