"""Waves, cloth and bars: what is computed from one point of a mesh to the next."""

from dataclasses import dataclass, field

import numpy as np
from numpy import pi
from scipy import linalg

from tests.realistic.table import program


class Acoustic1D:
    def __init__(self, nx, dx, dt, absorb=3):
        self.nx, self.dx, self.dt = nx, dx, dt
        self.damp = np.ones(nx)
        for i in range(absorb):
            f = np.exp(-(0.3 * (absorb - i)) ** 2 / 10)
            self.damp[i] *= f
            self.damp[-1 - i] *= f

    def forward(self, vel, src, isrc, irec, return_wavefield=False):
        assert vel.shape == (self.nx,), "velocity model has the wrong size"
        p_old = np.zeros(self.nx); p = np.zeros(self.nx)
        seis = np.zeros((len(src), len(irec)))
        fields = [] if return_wavefield else None
        c2 = (vel * self.dt / self.dx) ** 2
        for it_, s in enumerate(src):
            lap = np.zeros_like(p)
            lap[1:-1] = p[2:] - 2 * p[1:-1] + p[:-2]
            p_new = 2 * p - p_old + c2 * lap
            p_new[isrc] += s * self.dt**2
            p_old, p = p * self.damp, p_new * self.damp
            seis[it_] = p[irec]
            if fields is not None:
                fields.append(p.copy())
        return (seis, np.array(fields)) if return_wavefield else seis

@program(lambda rng: (1.0 + 0.1 * rng.random(10), np.diff(np.exp(-np.linspace(-2, 2, 9) ** 2))), wrt=(0, 1), changes=(lambda a: (a[0] + 0.1, a[1][:5]),))
def fwi_misfit(vel, src):
    solver = Acoustic1D(10, 1.0, 0.5)
    true = np.linspace(1.0, 1.3, 10)
    observed = solver.forward(true, src, 2, [4, 7])
    synthetic, fields = solver.forward(vel, src, 2, [4, 7], return_wavefield=True)
    envelope = np.sqrt(synthetic**2 + 1e-4)
    tv = np.abs(np.diff(vel)).sum()
    return 0.5 * np.sum((synthetic - observed) ** 2) + 1e-3 * tv + 0.01 * envelope.mean() + 1e-3 * np.mean(fields**2)

@dataclass
class Cloth:
    rows: int
    cols: int
    stiffness: float
    pinned: set = field(default_factory=set)

    def __post_init__(self):
        self.springs = []
        for r in range(self.rows):
            for c in range(self.cols):
                i = r * self.cols + c
                if c + 1 < self.cols:
                    self.springs.append((i, i + 1, 1.0))
                if r + 1 < self.rows:
                    self.springs.append((i, i + self.cols, 1.0))

    def forces(self, x, gravity):
        F = np.zeros_like(x)
        F[:, 1] -= gravity
        for i, j, rest in self.springs:
            d = x[j] - x[i]
            L = np.linalg.norm(d)
            f = self.stiffness * (L - rest) * d / L
            F[i] += f
            F[j] -= f
        for i in self.pinned:
            F[i] = 0.0
        return F

@program(lambda rng: (20.0, 9.81, 5), wrt=(0, 1), changes=(lambda a: (30.0, 5.0, 3),))
def cloth_sag(stiffness, gravity, steps):
    cloth = Cloth(2, 3, stiffness, pinned={0, 2})
    x = np.array([[c, -r] for r in range(2) for c in range(3)], dtype=float)
    v = np.zeros_like(x)
    dt = 0.02
    F = cloth.forces(x, gravity)
    for _ in range(steps):
        x = x + v * dt + 0.5 * F * dt**2
        F_new = cloth.forces(x, gravity)
        v = 0.99 * (v + 0.5 * (F + F_new) * dt)
        F = F_new
    kinetic = 0.5 * np.sum(v * v)
    return -x[:, 1].min() + kinetic

@dataclass
class Mesh1D:
    nodes: np.ndarray
    conn: np.ndarray

    @classmethod
    def uniform(cls, n, length=1.0):
        return cls(np.linspace(0, length, n + 1), np.column_stack([np.arange(n), np.arange(1, n + 1)]))

    def __iter__(self):
        for e in self.conn:
            yield e, self.nodes[e]

GAUSS = [(-1 / np.sqrt(3), 1.0), (1 / np.sqrt(3), 1.0)]

def element(xe, ue, k0, beta):
    h = xe[1] - xe[0]
    Ke, re = np.zeros((2, 2)), np.zeros(2)
    dN = np.array([-1.0, 1.0]) / h
    for xi, w in GAUSS:
        N = np.array([(1 - xi) / 2, (1 + xi) / 2])
        u, du = N @ ue, dN @ ue
        k, dk = k0 * (1 + beta * u**2), 2 * k0 * beta * u
        re += (k * du * dN - N * np.sin(pi * (N @ xe))) * w * h / 2
        Ke += (k * np.outer(dN, dN) + dk * du * np.outer(dN, N)) * w * h / 2
    return Ke, re

@program(lambda rng: (1.2, 0.5, 4), wrt=(0, 1), rtol=1e-5, changes=(lambda a: (0.9, 1.0, 3),))
def nonlinear_bar(k0, beta, n):
    mesh = Mesh1D.uniform(n)
    u = np.zeros(n + 1)
    free = np.arange(1, n)
    for it in range(12):
        K = np.zeros((n + 1, n + 1))
        R = np.zeros(n + 1)
        for dofs, xe in mesh:
            Ke, re = element(xe, u[dofs], k0, beta)
            K[np.ix_(dofs, dofs)] += Ke
            R[dofs] += re
        if linalg.norm(R[free]) < 1e-12:
            break
        u[free] -= np.linalg.solve(K[np.ix_(free, free)], R[free])
    return u.max() + u @ u
