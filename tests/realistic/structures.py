"""Structural engineering: trusses, beams, plates, dynamics."""

from collections import namedtuple
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, product

import numpy as np
from scipy.linalg import block_diag, eigh, solveh_banded
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.linalg import spsolve

from tests.realistic.table import calls, program

GAUSS = [(-1 / np.sqrt(3), 1.0), (1 / np.sqrt(3), 1.0)]


# --- a plane truss: nodes and bars as objects, assembled in index loops ------------------------


@dataclass
class Node:
    id: int
    xy: np.ndarray
    fixed: tuple = (False, False)
    load: np.ndarray = field(default_factory=lambda: np.zeros(2))

    @property
    def dofs(self):
        return [2 * self.id, 2 * self.id + 1]


@dataclass
class Bar:
    start: Node
    end: Node
    area: float
    E: float = 200.0

    @property
    def length(self):
        return np.linalg.norm(self.end.xy - self.start.xy)

    @property
    def direction(self):
        return (self.end.xy - self.start.xy) / self.length

    def stiffness(self):
        c, s = self.direction
        t = np.array([-c, -s, c, s])
        return self.E * self.area / self.length * np.outer(t, t)

    def force(self, u):
        dofs = self.start.dofs + self.end.dofs
        d = self.direction
        return self.E * self.area / self.length * np.concatenate([-d, d]) @ u[dofs]


class Truss:
    def __init__(self, nodes, bars):
        self.nodes, self.bars = nodes, bars
        self.solved = False

    def solve(self):
        n = 2 * len(self.nodes)
        K, f = np.zeros((n, n)), np.zeros(n)
        for bar in self.bars:
            dofs = bar.start.dofs + bar.end.dofs
            K[np.ix_(dofs, dofs)] += bar.stiffness()
        for node in self.nodes:
            f[node.dofs] = node.load
        free = [d for node in self.nodes for d, fixed in zip(node.dofs, node.fixed) if not fixed]
        u = np.zeros(n)
        u[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
        self.u, self.f, self.solved = u, f, True
        return u

    def compliance(self):
        if not self.solved:
            self.solve()
        return self.f @ self.u

    def volume(self):
        return sum(b.area * b.length for b in self.bars)


@program(
    lambda rng: (
        np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [0.5, 0.8], [1.5, 0.9]]),
        rng.uniform(0.5, 1.5, 7),
    ),
    wrt=(0, 1),
)
def truss_design(coordinates, areas, volume_weight=0.1):
    nodes = [Node(i, xy) for i, xy in enumerate(coordinates)]
    nodes[0].fixed = (True, True)
    nodes[2].fixed = (False, True)
    nodes[1].load = np.array([0.3, -5.0])
    pairs = [(0, 1), (1, 2), (0, 3), (1, 3), (1, 4), (2, 4), (3, 4)]
    truss = Truss(nodes, [Bar(nodes[i], nodes[j], a) for (i, j), a in zip(pairs, areas)])
    objective = truss.compliance() + volume_weight * truss.volume()
    stresses = np.array([b.force(truss.u) / b.area for b in truss.bars])
    return objective + 1e-3 * np.sum(np.abs(stresses) ** 4) ** 0.25


# --- a beam with variable section, Hermite elements and banded storage ----------------------------


def hermite_stiffness(EI, L):
    return EI / L**3 * np.array(
        [
            [12, 6 * L, -12, 6 * L],
            [6 * L, 4 * L**2, -6 * L, 2 * L**2],
            [-12, -6 * L, 12, -6 * L],
            [6 * L, 2 * L**2, -6 * L, 4 * L**2],
        ]
    )


def to_banded(K, width):
    n = len(K)
    ab = np.zeros((width + 1, n))
    for k in range(width + 1):
        ab[width - k, k:] = np.diag(K, k)
    return ab


class Cantilever:
    def __init__(self, length, heights, width=0.1, E=30e6):
        self.heights = heights
        self.n = len(heights)
        self.L = length / self.n
        self.E, self.width = E, width

    def inertia(self):
        return self.width * self.heights**3 / 12

    def deflection(self, load):
        K = np.zeros((2 * self.n + 2,) * 2)
        for e, I in enumerate(self.inertia()):
            K[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += hermite_stiffness(self.E * I, self.L)
        f = np.zeros(len(K))
        f[0::2] = load * self.L
        f[-2] /= 2
        d = solveh_banded(to_banded(K[2:, 2:], 3), f[2:])
        return d[0::2], d[1::2]


@program(lambda rng: (np.linspace(0.5, 0.3, 6), 3.0, 12.0), wrt=(0, 1, 2))
def cantilever_objective(heights, length, load):
    beam = Cantilever(length, heights)
    w, theta = beam.deflection(load)
    weight = 2.5 * np.sum(heights) * beam.width * beam.L
    limit = length / 250
    return 1e3 * w[-1] + weight + 10 * max(0.0, w[-1] - limit) ** 2 + np.max(np.abs(theta))


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


# --- a geometrically nonlinear arch by energy, forces by hand, Newton with line search -------------


class Snap:
    """Shallow two-bar arch with a spring; the path is followed by load steps."""

    def __init__(self, height, half_span, spring):
        self.h, self.b, self.ks = height, half_span, spring

    def strain(self, w):
        L0 = np.hypot(self.b, self.h)
        return (np.hypot(self.b, self.h - w) - L0) / L0

    def residual(self, w, P):
        e = self.strain(w)
        de = -(self.h - w) / np.hypot(self.b, self.h - w) / np.hypot(self.b, self.h)
        return 2 * e * de * np.hypot(self.b, self.h) + self.ks * w - P

    def tangent(self, w, P, eps=1e-6):
        return (self.residual(w + eps, P) - self.residual(w - eps, P)) / (2 * eps)

    def equilibrium(self, P, w):
        for iteration in range(30):
            r = self.residual(w, P)
            step = r / self.tangent(w, P)
            t = 1.0
            while abs(self.residual(w - t * step, P)) > abs(r) and t > 1e-3:
                t *= 0.5
            w = w - t * step
            if abs(r) < 1e-13:
                return w
        raise RuntimeError(f"no equilibrium at {P}")


@program(lambda rng: (0.3, 2.0, 0.05, 0.004), wrt=(0, 1, 2, 3), rtol=1e-4)
def arch_path(height, half_span, spring, load):
    arch = Snap(height, half_span, spring)
    w, work, previous = 0.0, 0.0, 0.0
    for k in range(1, 4):
        P = load * k
        w = arch.equilibrium(P, w)
        work += 0.5 * (2 * k - 1) * load * (w - previous)
        previous = w
    return 1e3 * work + w


# --- block-diagonal joints with combinations of load cases ----------------------------------------


@program(lambda rng: (rng.uniform(1, 2, (3, 2)), rng.normal(size=(3, 2)), 0.3), wrt=(0, 1, 2))
def worst_load_case(stiffness, loads, coupling):
    blocks = [np.array([[k[0] + 1, -coupling], [-coupling, k[1] + 1]]) for k in stiffness]
    K = block_diag(*blocks)
    K = K + coupling / 10 * (np.eye(6, k=2) + np.eye(6, k=-2))
    responses = {}
    for r in (1, 2):
        for case in combinations(range(3), r):
            f = np.zeros(6)
            for i in case:
                f[2 * i : 2 * i + 2] += loads[i]
            u = np.linalg.solve(K, f)
            responses[case] = np.linalg.norm(u)
    worst = max(responses, key=responses.get)
    return responses[worst] + 0.1 * sum(responses.values())
