"""Meteorology: soundings of the air."""

import functools
from dataclasses import dataclass, replace

import numpy as np

from tests.realistic.table import program

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
