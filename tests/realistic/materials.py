"""Materials, batteries, acoustics, metrology and reactors: what is measured and fitted."""

import logging
import math
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, partial, reduce

import numpy as np
from scipy import integrate, interpolate, linalg, optimize, special

from tests.realistic.table import calls, program

logger = logging.getLogger("materials")
logger.addHandler(logging.NullHandler())


# --- crystal plasticity on slip systems: a dataclass of options, a loop with a line search --------


class Hardening(Enum):
    """How the slip resistance grows."""

    LINEAR = "linear"
    VOCE = "voce"


@dataclass(frozen=True)
class Slip:
    """Options of the slip systems."""

    rate: float = 1e-3
    exponent: float = 8.0
    hardening: Hardening = Hardening.VOCE
    latent: float = 1.4
    steps: int = 12

    def matrix(self, n):
        return self.latent * np.ones((n, n)) + (1.0 - self.latent) * np.eye(n)


SCHMID = np.array([0.41, 0.27, -0.33, 0.12])


def resistance(options, theta, gamma):
    if options.hardening is Hardening.LINEAR:
        return theta["tau0"] + theta["h"] * gamma
    return theta["tau0"] + theta["dtau"] * (1.0 - np.exp(-theta["h"] * gamma / theta["dtau"]))


@program(lambda rng: ({"tau0": 60.0, "h": 180.0, "dtau": 45.0}, Slip(), np.linspace(0, 0.05, 13)))
def flow_curve_misfit(theta, options, strain):
    if options.steps >= len(strain):
        raise ValueError("more steps than strains")
    gamma = np.zeros(4)
    stress, misfit = 40.0, 0.0
    interaction = options.matrix(4)
    for k in range(1, options.steps + 1):
        increment = strain[k] - strain[k - 1]
        tau = resistance(options, theta, interaction @ gamma / 4)
        for trial in range(4):
            drive = stress * SCHMID
            ratio = np.clip(np.abs(drive) / tau, 0.0, 1.3)
            slip = options.rate * ratio**options.exponent * np.sign(drive)
            plastic = np.sum(slip * SCHMID)
            excess = 70e3 * (increment - plastic) * 0.002
            if abs(excess) < 1e-9:
                logger.debug("step %d is done after %d trials", k, trial)
                break
            stress = stress + 0.5 * excess
        gamma = gamma + np.abs(slip)
        misfit += (stress - 45.0 - 3.0 * k) ** 2 / 1e2
    return misfit


# --- a battery cell: an equivalent circuit with a table for the open-circuit voltage --------------


class OpenCircuit:
    """Voltage against charge, between measured points."""

    def __init__(self, charge, volts):
        if np.any(np.diff(charge) <= 0):
            raise ValueError("charge has to grow")
        self.charge, self.volts = charge, volts
        self.queries = 0

    def __call__(self, soc):
        self.queries += 1
        k = min(max(int(np.searchsorted(self.charge, soc)), 1), len(self.charge) - 1)
        left, right = self.charge[k - 1], self.charge[k]
        w = (soc - left) / (right - left)
        return (1 - w) * self.volts[k - 1] + w * self.volts[k]


@dataclass
class Branch:
    """A resistor beside a capacitor."""

    ohm: float
    farad: float
    volt: float = 0.0

    def advance(self, current, dt):
        decay = math.exp(-dt / (self.ohm * self.farad))
        self.volt = decay * self.volt + self.ohm * (1 - decay) * current
        return self.volt


@dataclass
class Cell:
    """An equivalent circuit."""

    capacity: float
    r0: float
    branches: list
    ocv: OpenCircuit
    soc: float = 0.873
    log: list = field(default_factory=list)

    def step(self, current, dt):
        self.soc -= current * dt / (3600.0 * self.capacity)
        drop = sum(b.advance(current, dt) for b in self.branches)
        volt = self.ocv(self.soc) - self.r0 * current - drop
        self.log.append(volt)
        return volt


TABLE = OpenCircuit(np.linspace(0, 1, 6), np.array([3.0, 3.45, 3.6, 3.7, 3.9, 4.2]))


@program(
    lambda rng: (
        np.array([2.431, 3.1, 2.0, 1.507, 1.5, 9.03]),
        [(float(i), 60.0) for i in rng.uniform(0.5, 3.0, 20)],
        3.7 + 0.1 * rng.normal(size=20),
    )
)
def discharge_error(theta, load, measured):
    capacity, r0, *pairs = theta
    branches = [Branch(r / 100, 1000 * c) for r, c in zip(pairs[::2], pairs[1::2])]
    cell = Cell(capacity, r0 / 100, branches, fresh(TABLE))
    total = 0.0
    for (current, dt), volt in zip(load, measured):
        total += (cell.step(current, dt) - volt) ** 2
        if cell.soc < 0.05:
            logger.warning("the cell is empty")
            break
    return math.sqrt(total / len(cell.log))


def fresh(table):
    return OpenCircuit(table.charge, table.volts)


# --- sound in a duct of several pieces: matrices multiplied along the way, complex numbers --------


@dataclass
class Piece:
    """A piece of a duct."""

    length: float
    area: float
    kind: str = "pipe"

    def matrix(self, omega, c=343.0, rho=1.2):
        k, z = omega / c, rho * c / self.area
        if self.kind == "pipe":
            return np.array(
                [
                    [np.cos(k * self.length), 1j * z * np.sin(k * self.length)],
                    [1j / z * np.sin(k * self.length), np.cos(k * self.length)],
                ]
            )
        branch = 1j * np.tan(k * self.length) / z
        return np.array([[1.0, 0.0], [branch, 1.0]])


@program(lambda rng: (np.array([0.3, 0.12, 0.25]), np.array([2e-3, 8e-3, 2e-3])), wrt=(0, 1))
def muffler_loss(lengths, areas):
    total = 0.0
    for hertz in (120.0, 240.0, 410.0):
        omega = 2 * np.pi * hertz
        pieces = [Piece(lengths[k], areas[k], "pipe") for k in range(3)]
        pieces.insert(1, Piece(lengths[1] * 0.8, areas[1], "stub"))
        whole = reduce(np.matmul, [p.matrix(omega) for p in pieces])
        z = 1.2 * 343.0 / areas[-1]
        sent = 0.5 * np.abs(whole[0, 0] + whole[0, 1] / z + whole[1, 0] * z + whole[1, 1])
        total = total + 20 * np.log10(sent)
    return total / 3


# --- fitting a calibration line with errors in both variables: weights that depend on the fit -----


class Budget(OrderedDict):
    """Uncertainties by name, combined in squares."""

    def combined(self):
        return math.sqrt(sum(u * u for u in self.values()))


@program(
    lambda rng: (
        np.array([1.02, 0.1]),
        {"ref": np.linspace(1, 9, 9), "read": np.linspace(1.1, 9.3, 9) + 0.05 * rng.normal(size=9)},
        {"resolution": 0.02, "drift": 0.01},
    )
)
def calibration_cost(line, data, sources):
    missing = {"ref", "read"} - set(data)
    if missing:
        raise KeyError(f"no {sorted(missing)}")
    slope, offset = line
    budget = Budget(sorted(sources.items()))
    for rounds in range(3):
        budget["reference"] = 0.03 * slope
        budget.move_to_end("reference", last=False)
        weight = 1.0 / (budget.combined() ** 2 + 1e-4 * data["ref"])
        residual = data["read"] - slope * data["ref"] - offset
        wanted = np.sum(weight * residual * data["ref"]) / np.sum(weight * data["ref"] ** 2)
        slope = slope + wanted if rounds < 2 else slope
    return np.sum(weight * residual**2) + np.log(budget.combined())


# --- a reactor's point kinetics with delayed neutrons, by SciPy's integrator ----------------------

DELAYED = [np.array([0.0124, 0.0305, 0.111]), np.array([0.00022, 0.0014, 0.0013])]


@dataclass
class Reactor:
    """Point kinetics."""

    generation: float = 1e-3
    feedback: float = -2e-4
    groups: list = field(default_factory=lambda: list(DELAYED))

    @cached_property
    def beta(self):
        return float(np.sum(self.groups[1]))

    def rates(self, t, y, rho0):
        decay, fractions = self.groups
        power, precursors = y[0], y[1:]
        rho = rho0 + self.feedback * (power - 1.0)
        change = (rho - self.beta) / self.generation * power + decay @ precursors
        return np.concatenate(([change], fractions / self.generation * power - decay * precursors))


@program(lambda rng: (6e-4, Reactor()), order2=False, rtol=1e-5)
def power_after(rho0, reactor):
    decay, fractions = reactor.groups
    start = np.concatenate(([1.0], fractions / (reactor.generation * decay)))
    way = integrate.solve_ivp(
        reactor.rates, (0.0, 2.0), start, args=(rho0,), method="LSODA",
        t_eval=[1.0, 2.0], rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    return way.y[0, -1] + 0.1 * way.y[0, 0]


# --- a gear train: efficiencies along a path through a table of pairs ------------------------------


class Gear:
    """A toothed wheel."""

    __slots__ = ("load", "name", "teeth")

    def __init__(self, name, teeth):
        self.name, self.teeth, self.load = name, teeth, None

    def __truediv__(self, other):
        return self.teeth / other.teeth


@program(lambda rng: (np.array([0.02, 0.015, 0.3]), 40.0), wrt=(0, 1))
def output_torque(loss, torque):
    gears = {g.name: g for g in (Gear("sun", 21), Gear("planet", 33), Gear("ring", 87))}
    path = deque([("sun", "planet"), ("planet", "ring")])
    speed = 150.0
    while path:
        a, b = (gears[name] for name in path.popleft())
        ratio = a / b
        friction = loss[0] + loss[1] * math.exp(-loss[2] * speed / 100.0)
        for gear in (a, b):
            gear.load = torque if gear.load is None else gear.load + 0.5 * torque
        torque, speed = torque / ratio * (1.0 - friction), speed * ratio
    worst = max(gears.values(), key=lambda g: g.load)
    return torque - 0.01 * worst.load


# --- spectroscopy: lines over a background, widths by instrument, a table of transitions ----------


def voigt(x, center, sigma, gamma):
    return special.voigt_profile(x - center, sigma, gamma)


LINES = [("Fe", 0.8, 1.0), ("Fe", 2.1, 0.4), ("Ti", 1.5, 0.7)]


@program(
    lambda rng: (
        {"Fe": 1.2, "Ti": 0.6, "sigma": 0.15, "gamma": 0.08, "back": np.array([0.1, 0.02])},
        np.linspace(0, 3, 40),
        rng.uniform(0.1, 0.9, 40),
    )
)
def spectrum_chi2(model, grid, counts, keep=("Fe", "Ti")):
    spectrum = np.polyval(model["back"], grid)
    shape = partial(voigt, sigma=model["sigma"], gamma=model["gamma"])
    for element, center, strength in LINES:
        if element not in keep:
            continue
        spectrum += model[element] * strength * shape(grid, center)
    variance = np.maximum(counts, 0.05)
    outliers = np.abs(counts - spectrum) > 5 * np.sqrt(variance)
    chi = np.where(outliers, 0.0, (counts - spectrum) ** 2 / variance)
    return np.sum(chi) + 10.0 * np.count_nonzero(outliers)


# --- a truss whose members are sized until none buckles: SciPy's banded solver --------------------


@program(lambda rng: (np.array([3.0, 2.5, 2.0, 2.8]) * 1e-4, 12e3), wrt=0)
def tower_sway(areas, wind, modulus=210e9, height=4.0):
    n = len(areas)
    stiffness = modulus * areas / height
    bands = np.zeros((2, n))
    bands[1] = stiffness
    bands[1, :-1] += stiffness[1:]
    bands[0, 1:] = -stiffness[1:]
    loads = np.array([wind * (k + 1) / n for k in range(n)])
    moves = linalg.solveh_banded(bands, loads)
    drift = np.diff(np.concatenate(([0.0], moves)))
    mass = 7850.0 * height * np.sum(areas)
    penalty = sum(max(0.0, abs(d) - 1e-3) ** 2 for d in drift)
    return moves[-1] * 1e3 + 0.01 * mass + 1e4 * penalty


# --- a thermocouple: a spline of SciPy's, read backwards by a root finder -------------------------

VOLTS = interpolate.CubicSpline(
    np.array([0.0, 100.0, 200.0, 300.0, 400.0]), np.array([0.0, 4.1, 8.1, 12.2, 16.4])
)


def surplus(kelvin, millivolt):
    return VOLTS(kelvin) - millivolt


@program(lambda rng: (np.array([3.3, 7.9, 11.0]), {"gain": 1.01, "offset": 0.02}), wrt=(0, 1))
def mean_temperature(readings, amplifier):
    found = []
    for raw in readings:
        volt = (raw - amplifier["offset"]) / amplifier["gain"]
        if not 0.0 < volt < 16.0:
            raise ValueError(f"{volt} mV is outside of the table")
        found.append(optimize.brentq(surplus, 0.0, 400.0, args=(volt,), xtol=1e-12, rtol=1e-14))
    found.sort()
    return found[1] + 0.1 * (found[-1] - found[0])


class Annealer:
    """Grain growth with a schedule of temperatures; counts what it does."""

    default = (900.0, 1100.0, 1000.0)

    def __init__(self, activation, rate, schedule=None):
        self.activation, self.rate = activation, rate
        self.schedule = list(schedule or self.default)
        self.history = {}

    def mobility(self, kelvin):
        return self.rate * math.exp(-self.activation / (8.314 * kelvin) * 1e3)

    def run(self, size, hours=1.5):
        for k, kelvin in enumerate(self.schedule):
            for _ in range(4):
                size = size + self.mobility(kelvin) * hours / 4 / size
            self.history[f"{kelvin:.0f} K, {k}"] = size
        return size

    def spread(self, sizes):
        ends = np.array([self.run(s) for s in sizes])
        return np.std(ends) + np.mean(ends) + 0.01 * len(self.history)


calls("grain_size", lambda rng: (Annealer(60.0, 5e3).run, (1.4,)))
calls("grain_spread", lambda rng: (Annealer(55.0, 2e3).spread, (np.array([1.0, 1.5, 2.2]),)))
