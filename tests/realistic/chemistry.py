"""Chemistry: reaction networks, thermodynamics, spectra and titrations."""

import logging
import re
from collections import defaultdict
from dataclasses import dataclass, field
from enum import Enum
from typing import Callable

import numpy as np
from scipy import optimize
from scipy.integrate import solve_ivp

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


# --- vapour-liquid equilibrium: a cubic equation of state -------------------------------------


class PengRobinson:
    """Peng-Robinson equation of state for mixtures, with van der Waals mixing rules."""

    def __init__(self, Tc, Pc, acentric, kij=None):
        self.Tc, self.Pc, self.acentric = map(np.asarray, (Tc, Pc, acentric))
        n = len(self.Tc)
        self.kij = np.zeros((n, n)) if kij is None else kij

    def pure(self, T):
        kappa = 0.37464 + 1.54226 * self.acentric - 0.26992 * self.acentric**2
        alpha = (1 + kappa * (1 - np.sqrt(T / self.Tc))) ** 2
        a = 0.45724 * (R_GAS * self.Tc) ** 2 / self.Pc * alpha
        b = 0.07780 * R_GAS * self.Tc / self.Pc
        return a, b

    def mixture(self, x, T):
        a, b = self.pure(T)
        aij = np.sqrt(np.outer(a, a)) * (1 - self.kij)
        return x @ aij @ x, x @ b, aij, b

    def z_factor(self, A, B, phase):
        z = 1.0 if phase == "vapor" else B * 1.1
        for _ in range(40):
            f = z**3 - (1 - B) * z**2 + (A - 3 * B**2 - 2 * B) * z - (A * B - B**2 - B**3)
            df = 3 * z**2 - 2 * (1 - B) * z + (A - 3 * B**2 - 2 * B)
            step = f / df
            z = z - step
            if abs(step) < 1e-14:
                break
        return z

    def log_fugacity(self, x, T, P, phase):
        am, bm, aij, b = self.mixture(x, T)
        A = am * P / (R_GAS * T) ** 2
        B = bm * P / (R_GAS * T)
        z = self.z_factor(A, B, phase)
        s2 = np.sqrt(2.0)
        ratio = 2 * (aij @ x) / am - b / bm
        tail = A / (2 * s2 * B) * ratio * np.log((z + (1 + s2) * B) / (z + (1 - s2) * B))
        return b / bm * (z - 1) - np.log(z - B) - tail


@program(
    lambda rng: (np.array([0.4, 0.6]), 320.0, 2.0e6, np.array([[0.0, 0.01], [0.01, 0.0]])),
    wrt=(0, 1, 2, 3),
    rtol=1e-5,
)
def equilibrium_mismatch(x, T, P, kij):
    """Distance of ln K from a target, one successive substitution away from Wilson's."""
    eos = PengRobinson([369.8, 507.6], [4.25e6, 3.02e6], [0.152, 0.301], kij)
    lnK = np.log(eos.Pc / P) + 5.37 * (1 + eos.acentric) * (1 - eos.Tc / T)
    for _ in range(2):
        y = x * np.exp(lnK)
        y = y / np.sum(y)
        lnK = eos.log_fugacity(x, T, P, "liquid") - eos.log_fugacity(y, T, P, "vapor")
    return np.sum((lnK - np.array([0.3, -1.4])) ** 2)


# --- acid-base titration: charge balance by brentq --------------------------------------------

KW = 1e-14


def charge(h, acids, base):
    """Net charge at a proton concentration h; acids are (concentration, [pKa])."""
    total = h - KW / h + base
    for conc, pkas in acids:
        terms = [1.0]
        for pka in pkas:
            terms.append(terms[-1] * 10.0 ** (-pka) / h)
        denom = sum(terms)
        total -= conc * sum(i * t for i, t in enumerate(terms)) / denom
    return total


def ph(acids, base):
    root = optimize.brentq(lambda p: charge(10.0**-p, acids, base), 0.0, 14.0, xtol=1e-13)
    return root


@program(lambda rng: ((0.1, 0.05), [2.1, 7.2], 4.8), wrt=(0, 1, 2), order2=False)
def titration_curve(concentrations, phosphate_pkas, acetate_pka):
    volumes = np.linspace(0.0, 0.03, 5)
    curve = []
    for v in volumes:
        dilution = 0.02 / (0.02 + v)
        acids = [
            (concentrations[0] * dilution, phosphate_pkas),
            (concentrations[1] * dilution, [acetate_pka]),
        ]
        curve.append(ph(acids, 0.08 * v / (0.02 + v)))
    return np.asarray(curve)


# --- oscillating reaction through solve_ivp with a class that carries its parameters -----------


class Brusselator:
    __slots__ = ("a", "b", "calls")

    def __init__(self, a, b):
        self.a, self.b = a, b
        self.calls = 0

    def __call__(self, t, y):
        self.calls += 1
        x, z = y
        return np.array([self.a + x**2 * z - (self.b + 1) * x, self.b * x - x**2 * z])


@program(lambda rng: (1.0, 1.7, np.array([1.2, 2.0])), wrt=(0, 1, 2), order2=False, rtol=1e-4)
def brusselator_amplitude(a, b, y0):
    model = Brusselator(a, b)
    times = np.linspace(0, 6, 13)
    sol = solve_ivp(model, (0, 6), y0, method="RK45", t_eval=times, rtol=1e-9, atol=1e-11)
    if not sol.success:
        raise RuntimeError(sol.message)
    assert model.calls > 0
    return np.var(sol.y[0]) + 0.1 * sol.y[1, -1]


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
