"""Power systems: networks that are solved for a steady state."""

import logging
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
