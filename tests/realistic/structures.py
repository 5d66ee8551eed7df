"""Structural engineering: bars, dynamics."""

from collections import namedtuple
from itertools import product

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from tests.realistic.table import program

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
