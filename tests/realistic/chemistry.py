"""Chemistry: reaction networks, thermodynamics, spectra and titrations."""

import logging
import re
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable

import numpy as np

from tests.realistic.table import calls, program

log = logging.getLogger("chemistry")
R_GAS = 8.314462618

# --- a reaction network parsed from text, integrated with Rosenbrock-like implicit steps ----

REACTION = re.compile(r"\s*(.+?)\s*->\s*(.+?)\s*$")

def parse_side(text):
    counts = defaultdict(int)
    for term in text.split("+"):
        m = re.match(r"\s*(\d*)\s*([A-Z]\w*)\s*$", term)
        if m is None:
            raise ValueError(f"cannot parse {term!r}")
        counts[m.group(2)] += int(m.group(1) or 1)
    return dict(counts)

class Network:
    def __init__(self, reactions, species):
        self.species = list(species)
        self.index = {s: i for i, s in enumerate(self.species)}
        self.orders = np.zeros((len(reactions), len(species)), dtype=int)
        self.stoichiometry = np.zeros((len(reactions), len(species)))
        for r, text in enumerate(reactions):
            left, right = (parse_side(side) for side in REACTION.match(text).groups())
            for name, n in left.items():
                self.orders[r, self.index[name]] = n
                self.stoichiometry[r, self.index[name]] -= n
            for name, n in right.items():
                self.stoichiometry[r, self.index[name]] += n

    def rates(self, c, k):
        return k * np.prod(c[None, :] ** self.orders, axis=1)

    def rhs(self, c, k):
        return self.stoichiometry.T @ self.rates(c, k)

    def jacobian(self, c, k):
        n = len(c)
        J = np.zeros((n, n))
        for r in range(len(k)):
            for j in range(n):
                if self.orders[r, j] == 0:
                    continue
                slope = k[r] * self.orders[r, j]
                for m in range(n):
                    power = self.orders[r, m] - (1 if m == j else 0)
                    if power:
                        slope = slope * c[m] ** power
                J[:, j] += self.stoichiometry[r] * slope
        return J

def implicit_euler(network, c0, k, h, steps, newton=4):
    c = c0.copy()
    history = [c0]
    for _ in range(steps):
        old = c
        for _ in range(newton):
            residual = c - old - h * network.rhs(c, k)
            c = c - np.linalg.solve(np.eye(len(c)) - h * network.jacobian(c, k), residual)
        history.append(c)
    return np.array(history)

@program(
    lambda rng: (np.array([0.6, 4.0, 1.5]), np.array([1.0, 0.0, 0.2, 0.0])),
    wrt=(0, 1),
)
def kinetic_fit(k, c0):
    net = Network(["A -> B", "2 B -> B + C", "B + C -> A + D"], "ABCD")
    path = implicit_euler(net, c0, k, 0.1, 8)
    log.info("mass %s", "conserved" if path.shape[1] == 4 else "?")
    target = np.linspace(1.0, 0.5, len(path))
    return np.sum((path[:, 0] - target) ** 2) + 0.1 * path[-1, net.index["D"]]

# --- Arrhenius temperatures ramps with a dict of species and an enum of mechanisms -------------

class Order(Enum):
    ZERO = 0
    FIRST = 1
    SECOND = 2

    def rate(self, a):
        if self is Order.ZERO:
            return np.ones_like(a) if isinstance(a, np.ndarray) else 1.0
        return a if self is Order.FIRST else a**2

@dataclass
class Decomposition:
    log_A: float
    Ea: float  # kJ/mol
    order: Order = Order.FIRST
    fraction: float = 1.0

    def k(self, T):
        return np.exp(self.log_A - self.Ea * 1e3 / (R_GAS * T))

@dataclass
class TGA:
    """Thermogravimetry: mass of independent pseudo-components while heated."""

    components: list[Decomposition]
    residue: float
    beta: float = 10 / 60
    T0: float = 400.0
    log: list = field(default_factory=list)

    def mass_curve(self, n=30, dt=60.0):
        T = self.T0
        alive = [1.0 for _ in self.components]
        curve = np.empty(n)
        for i in range(n):
            for j, comp in enumerate(self.components):
                slope = comp.k(T) * comp.order.rate(alive[j])
                alive[j] = alive[j] * np.exp(-slope * dt / max(alive[j], 1e-6))
            total = sum(c.fraction * a for c, a in zip(self.components, alive))
            curve[i] = self.residue + (1 - self.residue) * total
            self.log.append(round(float(T), 1))
            T += self.beta * dt
        return curve

@program(
    lambda rng: (
        TGA([Decomposition(20.0, 120.0, Order.FIRST, 0.6), Decomposition(14.0, 100.0, Order.SECOND, 0.4)], 0.1),
    )
)
def tga_mass_loss(tga):
    curve = tga.mass_curve()
    dtg = -np.gradient(curve)
    sharpness = np.sum(dtg**2) / np.sum(dtg) ** 2
    return curve[len(curve) // 2] + 0.5 * curve[-1] + sharpness

# --- overlapping peaks in a spectrum: list of functions, baseline ----------------------------

def gaussian(x, centre, width):
    return np.exp(-0.5 * ((x - centre) / width) ** 2)

def lorentzian(x, centre, width):
    return width**2 / ((x - centre) ** 2 + width**2)

SHAPES: dict[str, Callable] = {"g": gaussian, "l": lorentzian}

class Spectrum:
    def __init__(self, x, y):
        self.x, self.y = x, y
        self.peaks = []

    def add(self, shape, **start):
        self.peaks.append((SHAPES[shape], sorted(start)))
        return self

    def model(self, p):
        it = iter(p)
        total = next(it) + next(it) * self.x
        for shape, names in self.peaks:
            values = {name: next(it) for name in names}
            height = values.pop("height")
            total = total + height * shape(self.x, **values)
        return total

    def chi2(self, p):
        return float(np.sum((self.model(p) - self.y) ** 2)) if not np.ndim(p) else np.sum(
            (self.model(p) - self.y) ** 2
        )

def _spectrum(rng):
    x = np.linspace(0, 10, 50)
    s = Spectrum(x, rng.normal(0, 0.05, 50) + gaussian(x, 4, 0.8) + 0.5 * lorentzian(x, 7, 0.4))
    s.add("g", centre=4.0, width=1.0, height=1.0).add("l", centre=7.0, width=0.5, height=0.5)
    return s.chi2, (np.array([0.1, 0.01, 4.1, 0.9, 0.9, 6.9, 0.6, 0.45]),)

calls("spectrum_chi2", _spectrum)
