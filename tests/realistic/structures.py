"""Structural engineering: plates, bars, dynamics, trusses."""

from collections import namedtuple
from functools import lru_cache
from itertools import product

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import spsolve

from tests.realistic.table import calls, program

# --- topology optimisation: bilinear quads, sparse assembly from index arrays --------------------

@lru_cache(maxsize=8)
def element_stiffness(nu):
    k = np.array([1 / 2 - nu / 6, 1 / 8 + nu / 8, -1 / 4 - nu / 12, -1 / 8 + 3 * nu / 8, -1 / 4 + nu / 12, -1 / 8 - nu / 8, nu / 6, 1 / 8 - 3 * nu / 8])
    order = [
        [0, 1, 2, 3, 4, 5, 6, 7], [1, 0, 7, 6, 5, 4, 3, 2], [2, 7, 0, 5, 6, 3, 4, 1], [3, 6, 5, 0, 7, 2, 1, 4],
        [4, 5, 6, 7, 0, 1, 2, 3], [5, 4, 3, 2, 1, 0, 7, 6], [6, 3, 4, 1, 2, 7, 0, 5], [7, 2, 1, 4, 3, 6, 5, 0],
    ]  # fmt: skip
    return k[np.array(order)] / (1 - nu**2)

class SIMP:
    def __init__(self, nx, ny, penal=3.0, rmin=1.5):
        self.nx, self.ny, self.penal = nx, ny, penal
        nodes = np.arange((nx + 1) * (ny + 1)).reshape(nx + 1, ny + 1)
        n1, n2 = nodes[:-1, :-1].ravel(), nodes[1:, :-1].ravel()
        self.edof = np.stack([2 * n1 + 2, 2 * n1 + 3, 2 * n2 + 2, 2 * n2 + 3, 2 * n2, 2 * n2 + 1, 2 * n1, 2 * n1 + 1], axis=1)
        self.fixed = np.arange(2 * (ny + 1))
        self.H = self._filter(rmin)

    def _filter(self, rmin):
        centres = np.array(list(product(range(self.nx), range(self.ny))), dtype=float)
        d = np.linalg.norm(centres[:, None] - centres[None], axis=-1)
        H = np.maximum(rmin - d, 0)
        return csr_matrix(H / H.sum(axis=1, keepdims=True))

    def compliance(self, rho):
        rho = self.H @ rho
        KE = element_stiffness(0.3)
        E = 1e-3 + rho**self.penal * (1 - 1e-3)
        values = (KE.ravel()[None, :] * E[:, None]).ravel()
        rows = np.repeat(self.edof, 8, axis=1).ravel()
        cols = np.tile(self.edof, (1, 8)).ravel()
        n = 2 * (self.nx + 1) * (self.ny + 1)
        K = np.zeros((n, n))
        np.add.at(K, (rows, cols), values)
        f = np.zeros(n)
        f[-1] = -1.0
        free = np.setdiff1d(np.arange(n), self.fixed)
        u = np.zeros(n)
        u[free] = np.linalg.solve(K[free][:, free], f[free])
        ue = u[self.edof]
        return np.sum(E * np.einsum("ei,ij,ej->e", ue, KE, ue))

calls("simp_compliance", lambda rng: (SIMP(4, 3).compliance, (rng.uniform(0.3, 0.9, 12),)))

# --- the same with a sparse matrix and spsolve: one-dimensional bars ------------------------------

@program(lambda rng: (rng.uniform(1, 2, 8), np.array([0.0, 0, 1, 0, 0, 2, 0, 1.5])), wrt=(0, 1))
def sparse_bar(stiffness, load):
    n = len(stiffness)
    rows, cols, values = [], [], []
    for e in range(n):
        for a, b in product((e - 1, e), repeat=2):
            if a >= 0 and b >= 0:
                rows.append(a)
                cols.append(b)
                values.append(stiffness[e] if a == b else -stiffness[e])
    K = coo_matrix((np.array(values), (rows, cols)), shape=(n, n)).tocsc()
    u = spsolve(K, load)
    strain = np.diff(u, prepend=0.0)
    energy = 0.5 * np.sum(stiffness * strain**2)
    return energy + 0.1 * u[-1]

# --- modal analysis and response spectra, Newmark time stepping ------------------------------------

Mode = namedtuple("Mode", "omega shape participation")

class ShearBuilding:
    def __init__(self, masses, stiffnesses, damping=0.05):
        if len(masses) != len(stiffnesses):
            raise ValueError("one spring per storey")
        self.m, self.k, self.zeta = masses, stiffnesses, damping

    @property
    def M(self):
        return np.diag(self.m)

    @property
    def K(self):
        n = len(self.k)
        K = np.zeros((n, n))
        for i in range(n):
            K[i, i] = self.k[i] + (self.k[i + 1] if i + 1 < n else 0.0)
            if i + 1 < n:
                K[i, i + 1] = K[i + 1, i] = -self.k[i + 1]
        return K

    def modes(self):
        lam, phi = eigh(self.K, self.M)
        for w2, v in zip(lam, phi.T):
            yield Mode(np.sqrt(w2), v, v @ self.M @ np.ones(len(v)))

    def newmark(self, accel, dt, beta=0.25, gamma=0.5):
        M, K = self.M, self.K
        w = [mode.omega for mode in self.modes()]
        a1 = 2 * self.zeta / (w[0] + w[1])
        C = a1 * w[0] * w[1] * M + a1 * K
        u, v = np.zeros(len(M)), np.zeros(len(M))
        a = -accel[0] * np.ones(len(M))
        A = M + gamma * dt * C + beta * dt**2 * K
        drift = []
        for ag in accel[1:]:
            up = u + dt * v + dt**2 * (0.5 - beta) * a
            vp = v + (1 - gamma) * dt * a
            a = np.linalg.solve(A, -M @ np.ones(len(M)) * ag - C @ vp - K @ up)
            u, v = up + beta * dt**2 * a, vp + gamma * dt * a
            drift.append(np.diff(u, prepend=0.0))
        return np.array(drift)

@program(lambda rng: (np.array([2.0, 1.8, 1.5]), np.array([900.0, 800.0, 600.0]), rng.normal(size=20)), wrt=(0, 1, 2))
def earthquake_drift(masses, stiffnesses, ground):
    building = ShearBuilding(masses, stiffnesses)
    drift = building.newmark(ground, 0.02)
    peak = np.sum(drift**8, axis=0) ** (1 / 8)
    spectrum = 0.0
    for mode in building.modes():
        sa = 1.0 / (1 + (mode.omega / 15) ** 2)
        spectrum += (mode.participation**2 * sa / mode.omega**2) ** 2
    return 1e3 * np.sum(peak) + np.sqrt(spectrum)

# --- a plane truss: bars between nodes, supports, the lightest for its stiffness ------------------

Bar = namedtuple("Bar", "start end")

class Truss:
    def __init__(self, nodes, bars, supports, loads):
        self.nodes, self.bars, self.loads = nodes, bars, loads
        fixed = [2 * node + axis for node, axes in supports.items() for axis in axes]
        self.free = np.setdiff1d(np.arange(2 * len(nodes)), fixed)
        if len(bars) < len(self.free):
            raise ValueError("a mechanism, and no truss")

    def direction(self, bar):
        along = self.nodes[bar.end] - self.nodes[bar.start]
        length = np.linalg.norm(along)
        return along / length, length

    def stiffness(self, areas):
        K = np.zeros((2 * len(self.nodes), 2 * len(self.nodes)))
        for area, bar in zip(areas, self.bars):
            unit, length = self.direction(bar)
            block = area / length * np.outer(unit, unit)
            for p, q in product(bar, bar):
                sign = 1.0 if p == q else -1.0
                K[2 * p : 2 * p + 2, 2 * q : 2 * q + 2] += sign * block
        return K

    def solve(self, areas):
        K, f = self.stiffness(areas), np.zeros(2 * len(self.nodes))
        for node, force in self.loads.items():
            f[2 * node : 2 * node + 2] = force
        u = np.zeros_like(f)
        u[self.free] = np.linalg.solve(K[np.ix_(self.free, self.free)], f[self.free])
        return u, f

@program(lambda rng: (np.array([1.0, 1.2, 0.8, 1.5, 0.9]),))
def truss_objective(areas):
    nodes = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    bars = [Bar(0, 1), Bar(0, 2), Bar(1, 2), Bar(1, 3), Bar(2, 3)]
    truss = Truss(nodes, bars, {0: (0, 1), 1: (1,)}, {3: (0.0, -1.0), 2: (0.5, 0.0)})
    u, f = truss.solve(areas)
    forces = []
    for area, bar in zip(areas, truss.bars):
        unit, length = truss.direction(bar)
        forces.append(area / length * unit @ (u[2 * bar.end :][:2] - u[2 * bar.start :][:2]))
    stress = np.array(forces) / areas
    mass = sum(a * truss.direction(b)[1] for a, b in zip(areas, bars))
    return f @ u + 0.1 * mass + 0.01 * np.sum(np.maximum(np.abs(stress) - 1.0, 0.0) ** 2)
