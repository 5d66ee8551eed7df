"""Arrays that a called function gives back and needs itself, and its caller writes into."""

import numpy as np

from tests.programs.table import program

POINTS = (np.array([0.3, 0.6]), np.array([0.7, 0.5]))

def both(x, z):
    e = np.exp(x)
    return {"e": e, "q": e / z}

@program(args=POINTS, wrt=(0, 1))
def parts_of_a_dict_written(x, z):
    d = both(x, z)
    d["e"] += d["q"]
    d["q"][0] *= z[1]
    return np.sum(d["e"] * d["q"])

def powers(x, z):
    out = []
    for k in range(3):
        out.append(np.exp(x * k) / z)
    return out

def second_power(x, z):
    y = powers(x, z)[1]
    return both(x, y)["q"], y

@program(args=POINTS, wrt=(0, 1), order2=False)
def element_of_a_list_handed_on_and_written(x, z):
    q, y = second_power(x, z)
    q += x
    y *= q
    return np.sum(q * y)
