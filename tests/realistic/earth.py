"""The solid earth: rays in layers."""

import math

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
