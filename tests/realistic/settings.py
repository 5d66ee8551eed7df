"""Settings, rules and tables that change between two calls of a derivative."""


import numpy as np

from tests.realistic.table import program


class Burnout(Exception):
    pass

class Stage:
    def __init__(s, fuel, thrust):
        s.fuel, s.thrust = (fuel, thrust)

    def burn(s, dt):
        used = min(s.fuel, dt * s.thrust / 30)
        if used <= 0:
            raise Burnout
        s.fuel -= used
        return used * 30

STG = [(2.0, 20.0), (1.0, 10.0)]

@program(
    lambda rng: (np.array([2.03, 20.1]), 60),
    changes=(lambda args: STG.__delitem__(-1), lambda args: STG.insert(0, (0.5, 40.0))),
)
def altitude(p, n):
    stages = [Stage(p[0], p[1])] + [Stage(*s) for s in STG]
    h = v = 0.0
    dt = 0.1
    m = 5.0 + sum((s.fuel for s in stages))
    for k in range(n):
        try:
            imp = stages[0].burn(dt)
        except Burnout:
            stages.pop(0)
            imp = 0.0
            if not stages:
                break
        v += imp / m - dt * 0.5 * v * abs(v) / m
        h += dt * v
    return h
