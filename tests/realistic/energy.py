"""Power systems, queues and traffic: networks that are solved for a steady state."""

import heapq
import logging
from collections import namedtuple
from dataclasses import dataclass

import numpy as np

from tests.realistic.table import program

log = logging.getLogger("grid")

# --- AC load flow by Newton's method, buses as objects, complex admittances ------------------------

PQ, PV, SLACK = "pq", "pv", "slack"

@dataclass
class Bus:
    number: int
    kind: str
    p: float = 0.0
    q: float = 0.0
    v: float = 1.0

@dataclass
class Line:
    a: int
    b: int
    r: float
    x: float
    charging: float = 0.0

    @property
    def admittance(self):
        return 1 / (self.r + 1j * self.x)

class Grid:
    def __init__(self, buses, lines):
        self.buses, self.lines = buses, lines
        kinds = [b.kind for b in buses]
        if kinds.count(SLACK) != 1:
            raise ValueError("exactly one slack bus")
        self.pq = [b.number for b in buses if b.kind == PQ]
        self.free = [b.number for b in buses if b.kind != SLACK]
        self.iterations = 0

    @property
    def ybus(self):
        n = len(self.buses)
        Y = np.zeros((n, n), dtype=complex)
        for line in self.lines:
            y = line.admittance
            Y[line.a, line.a] += y + 0.5j * line.charging
            Y[line.b, line.b] += y + 0.5j * line.charging
            Y[line.a, line.b] -= y
            Y[line.b, line.a] -= y
        return Y

    def powers(self, V, theta, Y):
        U = V * np.exp(1j * theta)
        return U * np.conj(Y @ U)

    def jacobian(self, V, theta, Y):
        U = V * np.exp(1j * theta)
        I = Y @ U
        dSt = 1j * np.diag(U) @ np.conj(np.diag(I) - Y @ np.diag(U))
        dSv = np.diag(U) @ np.conj(Y @ np.diag(U / V)) + np.conj(np.diag(I)) @ np.diag(U / V)
        top = np.hstack([dSt.real[np.ix_(self.free, self.free)], dSv.real[np.ix_(self.free, self.pq)]])
        bottom = np.hstack([dSt.imag[np.ix_(self.pq, self.free)], dSv.imag[np.ix_(self.pq, self.pq)]])
        return np.vstack([top, bottom])

    def solve(self, tol=1e-12, max_iter=12):
        Y = self.ybus
        V = np.array([b.v for b in self.buses])
        theta = np.zeros(len(V))
        wanted = np.array([b.p for b in self.buses]) + 1j * np.array([b.q for b in self.buses])
        for _ in range(max_iter):
            mismatch = wanted - self.powers(V, theta, Y)
            r = np.concatenate([mismatch.real[self.free], mismatch.imag[self.pq]])
            self.iterations += 1
            if np.max(np.abs(r)) < tol:
                break
            step = np.linalg.solve(self.jacobian(V, theta, Y), r)
            theta[self.free] += step[: len(self.free)]
            V[self.pq] += step[len(self.free) :]
        else:
            log.warning("no convergence after %d iterations", max_iter)
        return V, theta, self.powers(V, theta, Y)

def _lines():
    return [Line(0, 1, 0.02, 0.1, 0.02), Line(1, 2, 0.03, 0.12), Line(0, 2, 0.02, 0.15), Line(2, 3, 0.04, 0.2, 0.01)]

@program(lambda rng: (np.array([-0.5, -0.4]), np.array([-0.2, -0.1]), 0.3, _lines()), wrt=(0, 1, 2, 3))
def grid_losses(p_load, q_load, generation, lines):
    grid = Grid(
        [Bus(0, SLACK, v=1.02), Bus(1, PV, generation, v=1.01), Bus(2, PQ, p_load[0], q_load[0]), Bus(3, PQ, p_load[1], q_load[1])],
        lines,
    )
    V, theta, S = grid.solve()
    losses = S.sum().real
    band = np.sum(np.maximum(np.abs(V - 1.0) - 0.03, 0.0) ** 2)
    return losses + 10 * band + 1e-3 * S[0].imag ** 2

# --- an event-driven queue with a heap; waiting times differentiate pathwise ------------------------

Event = namedtuple("Event", "time order kind customer")

class Server:
    def __init__(self, name, speed):
        self.name, self.speed = name, speed
        self.busy = False
        self.served = 0

class Simulation:
    def __init__(self, servers):
        self.servers = {s.name: s for s in servers}
        self.agenda, self.queue, self._order = [], [], 0
        self.waits = []

    def schedule(self, time, kind, customer):
        heapq.heappush(self.agenda, Event(time, self._order, kind, customer))
        self._order += 1

    def start(self, now, customer):
        for s in self.servers.values():
            if not s.busy:
                s.busy, s.served = True, s.served + 1
                self.waits.append(now - customer["arrival"])
                self.schedule(now + customer["work"] / s.speed, "leave", {**customer, "server": s.name})
                return True
        return False

    def run(self):
        while self.agenda:
            now, _, kind, customer = heapq.heappop(self.agenda)
            if kind == "arrive":
                if not self.start(now, customer):
                    self.queue.append(customer)
            else:
                self.servers[customer["server"]].busy = False
                if self.queue:
                    self.start(now, self.queue.pop(0))
        return self.waits

@program(lambda rng: (1.6, np.array([0.9, 1.1]), 0), wrt=(0, 1))
def mean_wait(rate, speeds, seed):
    rng = np.random.default_rng(seed)
    sim = Simulation([Server(f"s{i}", v) for i, v in enumerate(speeds)])
    t = 0.0
    for k in range(12):
        t = t + rng.exponential() / rate
        sim.schedule(t, "arrive", {"arrival": t, "work": rng.exponential(), "id": k})
    waits = sim.run()
    return sum(waits) / len(waits) + 0.1 * max(waits)

# --- traffic: car following with a platoon, and assignment by Frank-Wolfe ---------------------------

# --- a battery: charge by counting coulombs, an equivalent circuit, a voltage that was measured ----

@dataclass(frozen=True)
class CellSettings:
    soc: float = 0.8
    step: float = 10.0
    cut_off: float = 3.2
    table: tuple = ((0.0, 3.0), (0.1, 3.4), (0.3, 3.6), (0.5, 3.7), (0.7, 3.85), (1.0, 4.2))

class EmptyBattery(RuntimeError):
    """The voltage fell below what the cell bears."""

class Cell:
    def __init__(self, capacity, r0, r1, c1, settings):
        if settings.step <= 0:
            raise ValueError("steps go forward")
        self.capacity, self.r0, self.r1, self.c1 = capacity, r0, r1, c1
        self.settings = settings
        self.soc, self.polarisation = settings.soc, 0.0
        self.trace = []

    @property
    def open_circuit(self):
        soc, volts = zip(*self.settings.table)
        return np.interp(self.soc, soc, volts)

    def step(self, current):
        dt = self.settings.step
        self.soc -= current * dt / (3600 * self.capacity)
        decay = np.exp(-dt / (self.r1 * self.c1))
        self.polarisation = decay * self.polarisation + self.r1 * (1 - decay) * current
        voltage = self.open_circuit - self.r0 * current - self.polarisation
        if voltage < self.settings.cut_off:
            raise EmptyBattery(f"{voltage:.2f} V after {len(self.trace)} steps")
        self.trace.append(voltage)
        return voltage

@program(
    lambda rng: (
        np.zeros(4),
        np.where(np.arange(25) % 7 < 4, 2.0, -0.5),
        np.linspace(3.9, 3.7, 25) + 0.01 * rng.normal(size=25),
    )
)
def battery_misfit(theta, load, measured):
    cell = Cell(*np.exp(theta) * [2.3, 0.05, 0.03, 1500.0], CellSettings())
    misfit = 0.0
    try:
        for k, current in enumerate(load):
            misfit += (cell.step(current) - measured[k]) ** 2
    except EmptyBattery as error:
        log.warning("stopped early: %s", error)
    return misfit / len(cell.trace) + 1e-3 * (max(cell.trace) - min(cell.trace))
