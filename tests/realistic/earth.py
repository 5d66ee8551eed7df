"""The solid earth: rays in layers, slopes."""

import argparse
import contextlib
import io
import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize

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
