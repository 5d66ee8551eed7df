"""Physics: nuclear decay."""

import math

import numpy as np
from scipy.linalg import expm

from tests.realistic.table import program

LN2 = math.log(2.0)

# --- decay chains: Bateman's solution against a matrix exponential, nuclides in a table ------------


class DecayChain:
    def __init__(self, half_lives, branching):
        self.names = list(half_lives)
        self.half_lives = half_lives
        self.branching = branching

    def matrix(self):
        n = len(self.names)
        A = np.zeros((n, n))
        for j, name in enumerate(self.names):
            lam = LN2 / self.half_lives[name]
            A[j, j] -= lam
            for daughter, fraction in self.branching.get(name, {}).items():
                A[self.names.index(daughter), j] += lam * fraction
        return A

    def evolve(self, N0, t):
        return expm(self.matrix() * t) @ N0

    def activity(self, N):
        return {name: LN2 / self.half_lives[name] * n for name, n in zip(self.names, N)}

def bateman(lams, N0, t):
    """Activity of the last member of a linear chain."""
    total = 0.0
    for i in range(len(lams)):
        denom = 1.0
        for j in range(len(lams)):
            if i != j:
                denom *= lams[j] - lams[i]
        total += math.exp(-lams[i] * t) / denom
    return N0 * np.prod(lams[:-1]) * total

@program(
    lambda rng: ({"Bi": 3.0, "Po": 1.0, "Tl": 0.4, "Pb": 900.0}, {"Bi": {"Po": 0.64, "Tl": 0.36}, "Po": {"Pb": 1.0}, "Tl": {"Pb": 1.0}}, 2.5),
    wrt=(0, 1, 2),
)
def decay_heat(half_lives, branching, t):
    chain = DecayChain(half_lives, branching)
    N = chain.evolve(np.array([1.0, 0.1, 0.0, 0.0]), t)
    energy = {"Bi": 2.1, "Po": 8.9, "Tl": 3.9}
    heat = sum(energy.get(name, 0.0) * a for name, a in chain.activity(N).items())
    lams = np.array([LN2 / half_lives[name] for name in ("Bi", "Po", "Pb")])
    exact = bateman(lams, branching["Bi"]["Po"], t)
    return heat + 0.1 * exact
