"""Physics: nuclear decay, magnets, molecular dynamics, crystals."""

import math
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product

import numpy as np
from scipy.linalg import expm

from tests.realistic.table import program

LN2 = math.log(2.0)

# --- decay chains: Bateman's solution against a matrix exponential, nuclides in a table ------------

class Nuclide:
    _table: dict = {}

    def __new__(cls, name, *args, **kwargs):
        # one object for each name
        if name not in cls._table:
            cls._table[name] = super().__new__(cls)
        return cls._table[name]

    def __init__(self, name, half_life=None, branches=()):
        if half_life is not None:
            self.name, self.half_life, self.branches = name, half_life, branches

    def __hash__(self):
        return hash(self.name)

    @property
    def constant(self):
        return LN2 / self.half_life

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

# --- lattice models: an Ising-like energy in mean field, XY by loops, coupling by callables ----------

class Lattice:
    def __init__(self, shape, periodic=True):
        self.shape = shape
        self.periodic = periodic

    def __iter__(self):
        return product(*map(range, self.shape))

    def neighbours(self, site):
        for axis in range(len(self.shape)):
            other = list(site)
            other[axis] += 1
            if other[axis] == self.shape[axis]:
                if not self.periodic:
                    continue
                other[axis] = 0
            yield tuple(other)

class XYModel:
    def __init__(self, lattice, J=1.0, field=0.0):
        self.lattice, self.J, self.field = lattice, J, field
        self._bonds = None

    @property
    def bonds(self):
        if self._bonds is None:
            self._bonds = [(s, n) for s in self.lattice for n in self.lattice.neighbours(s)]
        return self._bonds

    def energy(self, theta):
        e = 0.0
        for a, b in self.bonds:
            coupling = self.J(a, b) if callable(self.J) else self.J
            e -= coupling * np.cos(theta[a] - theta[b])
        return e - self.field * np.sum(np.cos(theta))

@program(lambda rng: (rng.uniform(-1, 1, (3, 4)), 0.3, np.array([1.0, 0.6])), wrt=(0, 1, 2))
def xy_free_energy(theta, h, couplings):
    anisotropic = lambda a, b: couplings[0] if a[0] != b[0] else couplings[1]
    model = XYModel(Lattice(theta.shape), J=anisotropic, field=h)
    e = model.energy(theta)
    spins = np.stack([np.cos(theta), np.sin(theta)])
    m = np.sqrt(np.sum(spins.mean(axis=(1, 2)) ** 2))
    # mean field with the same coordination
    beta, mf = 0.8, 0.5
    for _ in range(25):
        mf = np.tanh(beta * (4 * couplings.mean() * mf + h))
    return e / theta.size + m + mf

# --- molecular dynamics: velocity Verlet, neighbour lists, forces by pair potentials ------------------

class Potential:
    cutoff = 2.5

    def energy(self, r):
        raise NotImplementedError

    def force(self, r):
        raise NotImplementedError

class LennardJones(Potential):
    def __init__(self, eps, sigma):
        self.eps, self.sigma = eps, sigma
        self.shift = 0.0
        self.shift = self.energy(self.cutoff)

    def energy(self, r):
        x = (self.sigma / r) ** 6
        return 4 * self.eps * (x**2 - x) - self.shift

    def force(self, r):
        x = (self.sigma / r) ** 6
        return 24 * self.eps * (2 * x**2 - x) / r

@dataclass
class System:
    x: np.ndarray
    v: np.ndarray
    mass: np.ndarray
    box: float
    log: dict = field(default_factory=lambda: defaultdict(list))

    def displacement(self, i, j):
        d = self.x[i] - self.x[j]
        return d - self.box * np.round(d / self.box)

class Simulation:
    def __init__(self, system, potential, dt, rebuild=3):
        self.system, self.potential, self.dt, self.rebuild = system, potential, dt, rebuild
        self.pairs = []

    def build_list(self):
        s, n = self.system, len(self.system.x)
        self.pairs = [(i, j) for i in range(n) for j in range(i) if np.linalg.norm(s.displacement(i, j)) < self.potential.cutoff + 0.3]

    def forces(self):
        F = np.zeros_like(self.system.x)
        U = 0.0
        for i, j in self.pairs:
            d = self.system.displacement(i, j)
            r = np.sqrt(d @ d)
            if r >= self.potential.cutoff:
                continue
            f = self.potential.force(r) * d / r
            F[i] += f
            F[j] -= f
            U += self.potential.energy(r)
        return F, U

    def run(self, steps):
        s = self.system
        for k in range(steps):
            if k % self.rebuild == 0:
                self.build_list()
            F, U = self.forces()
            s.v = s.v + 0.5 * self.dt * F / s.mass[:, None]
            s.x = s.x + self.dt * s.v
            F, U = self.forces()
            s.v = s.v + 0.5 * self.dt * F / s.mass[:, None]
            s.log["potential"].append(U)
            s.log["kinetic"].append(0.5 * np.sum(s.mass[:, None] * s.v**2))
        return s.log

def _grid(rng):
    return np.array(list(product(range(2), range(3))), dtype=float) * 1.15 + 0.03 * rng.normal(size=(6, 2))

@program(lambda rng: (1.0, 1.0, _grid(rng), 0.1 * rng.normal(size=(6, 2))), wrt=(0, 1, 2, 3))
def argon_energy_exchange(eps, sigma, x, v):
    system = System(x.copy(), v.copy(), np.ones(6), 6.0)
    log = Simulation(system, LennardJones(eps, sigma), dt=0.01).run(5)
    total = np.array(log["potential"]) + np.array(log["kinetic"])
    drift = np.max(total) - np.min(total)
    temperature = np.mean(log["kinetic"]) / len(x)
    return drift + temperature + 1e-2 * np.linalg.norm(system.x[-1] - system.x[0])
